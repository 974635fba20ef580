"""Plays a recording of the original back to a service: same calls, our ids, and hosts that answer for themselves.

A recording holds the step replies of its first host only. The other hosts ask and reply as it does, each with an
address, a MAC address and a name of its own.
"""

import json
import re
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from calling import JSON, Caller, Reply

from parts import recordings

BASE = "/api/assisted-install"
PATIENCE = 10.0
"""Seconds within which what is bound to come has come."""

INSTRUCTIONS = re.compile(r"(/v2/infra-envs/[^/]+/hosts/)([^/?]+)(/instructions)")
NOT_JSON = ("errors", 23)
"""The one call that was recorded with another content type."""


class Exchange(NamedTuple):
    """One recorded call with its answer."""

    recording: str
    number: int
    call: str
    request: Any
    status: int
    response: Any
    content_type: str
    headers: dict[str, str]


def recorded(name: str) -> list[Exchange]:
    """The exchanges of one recording."""
    return [Exchange(recording=name, number=number, **row) for number, row in enumerate(recordings.recorded(name))]


def recorded_catalogue() -> dict[str, str]:
    """The settings of a service that offers the releases which the recorded one did."""
    listed = next(each for each in recorded("service") if each.call == "GET /v2/openshift-versions")
    releases, images = [], []
    for name, release in listed.response.items():
        architectures = release["cpu_architectures"]
        several = name.endswith("-multi")
        for carried in [architectures] if several else [[each] for each in architectures]:
            tag = name if several else f"{name}-{carried[0]}"
            releases.append(
                {
                    "version": name.removesuffix("-multi"),
                    "url": f"quay.io/openshift-release-dev/ocp-release:{tag}",
                    "cpu_architectures": carried,
                    "support_level": release["support_level"],
                    "default": release.get("default", False),
                    "mco_image": "quay.io/openshift-release-dev/ocp-v4.0-art-dev:machine-config-operator",
                    "must_gather_image": "quay.io/openshift-release-dev/ocp-v4.0-art-dev:must-gather",
                }
            )
        minor = ".".join(name.split(".")[:2])
        images += [{"openshift_version": minor, "cpu_architecture": each} for each in architectures]
    return {"RELEASE_IMAGES": json.dumps(releases), "OS_IMAGES": json.dumps(images), "MUSTER_INSTALLER": "lab"}


class Replay:
    """A recording on its way through a service."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.ids: dict[str, str] = {}
        """Their ids and ours."""
        self.hosts: list[str] = []

    def play(self, exchange: Exchange) -> Reply:
        """Our answer to a recorded call."""
        method, _, path = exchange.call.partition(" ")
        path = BASE + self.ours(_now(path))
        if exchange.request is None:
            reply = self.caller.raw(method, path)
        else:
            written = isinstance(exchange.request, str) and path.endswith("/clusters")
            body = exchange.request if written else json.dumps(exchange.request)
            kind = "text/plain" if (exchange.recording, exchange.number) == NOT_JSON else JSON
            reply = self.caller.raw(method, path, self.ours(body).encode(), {"Content-Type": kind})
        self._learn(exchange, reply)
        return reply

    def play_until(self, exchange: Exchange, alike: Callable[[Reply], bool]) -> Reply:
        """Our answer to a recorded call; what is only read is read again until it is like the recorded answer."""
        given_up = time.monotonic() + PATIENCE
        reply = self.play(exchange)
        while exchange.call.startswith("GET") and not alike(reply) and time.monotonic() < given_up:
            reply = self.play(exchange)
        return reply

    def others_follow(self, exchange: Exchange) -> None:
        """The hosts that were not recorded ask and reply as the one that was."""
        method, _, path = exchange.call.partition(" ")
        if INSTRUCTIONS.search(path) is None or self.hosts[0] not in path:
            return
        for number, host in enumerate(self.hosts[1:], start=1):
            theirs = BASE + self.ours(_now(INSTRUCTIONS.sub(rf"\g<1>{host}\g<3>", path)))
            said = exchange.request and exchange.request | {"output": self._said_by(number, exchange.request)}
            reply = self.caller.call(method, theirs, said)
            assert reply.status == exchange.status, reply.body

    def reply_to(self, infra_env: str, step: str, output: str) -> None:
        """The first host does a step of which there is no recording."""
        body = {"step_type": step, "step_id": f"{step}-0", "exit_code": 0, "output": output}
        reply = self.caller.v2(f"POST /infra-envs/{self.ids[infra_env]}/hosts/{self.hosts[0]}/instructions", body)
        assert reply.status == 204, reply.body

    def ours(self, text: str) -> str:
        """A text with their ids replaced by ours."""
        for theirs, mine in self.ids.items():
            text = text.replace(theirs, mine)
        return text

    def _learn(self, exchange: Exchange, reply: Reply) -> None:
        theirs = exchange.response
        if not exchange.call.startswith("POST") or reply.status != 201 or not isinstance(theirs, dict):
            return
        if "id" not in theirs:
            return
        self.ids[theirs["id"]] = reply.json["id"]
        if exchange.call.endswith("/hosts"):
            self.hosts.append(theirs["id"])

    def _said_by(self, number: int, request: dict[str, Any]) -> str:
        """What the first host said, as the host of this number says it."""
        output: str = request["output"]
        if request["step_type"] == "connectivity-check":
            return self._reached_by(number, json.loads(output))
        return (
            output.replace("192.168.1.10/", f"192.168.1.{10 + number}/")
            .replace("52:54:00:00:01:00", f"52:54:00:00:01:0{number}")
            .replace("host-1-0", f"host-1-{number}")
        )

    def _reached_by(self, number: int, report: dict[str, Any]) -> str:
        """The report of one host of a full mesh, made of the report of the first."""
        pattern = report["remote_hosts"][0]
        wire, route = pattern["l2_connectivity"][0], pattern["l3_connectivity"][0]
        own = {"outgoing_ip_address": f"192.168.1.{10 + number}"}
        remote = [
            {
                "host_id": self.ours(host),
                "l2_connectivity": [wire | own | _address(other) | {"remote_mac": f"52:54:00:00:01:0{other}"}],
                "l3_connectivity": [route | _address(other)],
            }
            for other, host in enumerate(self.hosts)
            if other != number
        ]
        return json.dumps({"remote_hosts": remote})


def _address(number: int) -> dict[str, str]:
    return {"remote_ip_address": f"192.168.1.{10 + number}"}


def _now(path: str) -> str:
    """The path with the clock of the host as it is now."""
    return re.sub(r"timestamp=\d+", f"timestamp={int(time.time())}", path)

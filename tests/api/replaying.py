"""Plays a recording of the original back to a service: same calls, our ids, and hosts that answer for themselves.

A recording holds the step replies of its first host only. The other hosts reply as it does, each with an address,
a MAC address and a name of its own.
"""

import gzip
import json
import re
import time
from pathlib import Path
from typing import Any, NamedTuple

from calling import JSON, Caller, Reply

RECORDINGS = Path(__file__).parent / "recordings"
BASE = "/api/assisted-install"
PATIENCE = 3000
"""How often a state is looked for that is bound to come."""

HOST_CALL = re.compile(r"(/v2/infra-envs/[^/]+/hosts/)([^/?]+)(/instructions)")


class Exchange(NamedTuple):
    """One recorded call with its answer."""

    number: int
    call: str
    request: Any
    status: int
    response: Any
    headers: dict[str, str]


def recorded(name: str) -> list[Exchange]:
    """The exchanges of one recording."""
    text = gzip.decompress((RECORDINGS / f"{name}.jsonl.gz").read_bytes()).decode()
    rows = [json.loads(line) for line in text.splitlines()]
    return [
        Exchange(number, row["call"], row["request"], row["status"], row["response"], row["headers"])
        for number, row in enumerate(rows)
    ]


class Replay:
    """A recording on its way through a service."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.ids: dict[str, str] = {}
        """Their ids and ours."""
        self.hosts: list[str] = []

    def play(self, exchange: Exchange) -> tuple[Reply, Any]:
        """Our answer to a recorded call, and the recorded one in our ids. Waits for a recorded state to come."""
        reply = self._call(exchange)
        wanted = exchange.response.get("status") if isinstance(exchange.response, dict) else None
        if exchange.call.startswith("GET") and reply.status == exchange.status and wanted in BOUND_TO_COME:
            for _ in range(PATIENCE):
                if reply.json["status"] == wanted:
                    break
                reply = self._call(exchange)
        self._learn(exchange, reply)
        return reply, json.loads(self._ours(json.dumps(exchange.response)))

    def others_reply(self, exchange: Exchange) -> None:
        """The hosts that were not recorded ask and reply as the one that was."""
        method, _, path = exchange.call.partition(" ")
        if HOST_CALL.search(path) is None or self.hosts[0] not in path:
            return
        for number, host in enumerate(self.hosts[1:], start=1):
            theirs = BASE + self._ours(_today(HOST_CALL.sub(rf"\g<1>{host}\g<3>", path)))
            said = {"output": self._said_by(number, exchange.request)} if method == "POST" else None
            reply = self.caller.call(method, theirs, exchange.request and exchange.request | said)
            assert reply.status == exchange.status, reply.said

    def reply_to(self, host: str, infra_env: str, step: str, output: Any) -> None:
        """A host does a step of which there is no recording."""
        body = {"step_type": step, "step_id": f"{step}-0", "exit_code": 0, "output": json.dumps(output)}
        reply = self.caller.v2(f"POST /infra-envs/{infra_env}/hosts/{host}/instructions", body)
        assert reply.status == 204, reply.said

    def _call(self, exchange: Exchange) -> Reply:
        method, _, path = exchange.call.partition(" ")
        if exchange.request is None:
            return self.caller.raw(method, BASE + self._ours(_today(path)))
        body = json.dumps(exchange.request)
        if path == "/v2/clusters" and isinstance(exchange.request, str):
            body = exchange.request
        content_type = "text/plain" if body.startswith('{"name": "rec"') and exchange.number == TEXT_PLAIN else JSON
        return self.caller.raw(method, BASE + self._ours(path), self._ours(body).encode(), {"Content-Type": content_type})

    def _ours(self, text: str) -> str:
        for theirs, ours in self.ids.items():
            text = text.replace(theirs, ours)
        return text

    def _learn(self, exchange: Exchange, reply: Reply) -> None:
        if not exchange.call.startswith("POST") or exchange.status != 201 or reply.status != 201:
            return
        theirs = exchange.response
        if isinstance(theirs, dict) and "id" in theirs:
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
        """A report of one host of a full mesh, made of the report of the first."""
        pattern = report["remote_hosts"][0]
        remote = [
            {
                "host_id": self._ours(host),
                "l2_connectivity": [
                    pattern["l2_connectivity"][0]
                    | {
                        "outgoing_ip_address": f"192.168.1.{10 + number}",
                        "remote_ip_address": f"192.168.1.{10 + other}",
                        "remote_mac": f"52:54:00:00:01:0{other}",
                    }
                ],
                "l3_connectivity": [pattern["l3_connectivity"][0] | {"remote_ip_address": f"192.168.1.{10 + other}"}],
            }
            for other, host in enumerate(self.hosts)
            if other != number
        ]
        return json.dumps({"remote_hosts": remote})


TEXT_PLAIN = 23
"""The one call of the recorded errors that was sent with another content type."""

BOUND_TO_COME = frozenset({"ready", "installing", "finalizing", "installed"})
"""States of a cluster or host that follow by themselves, at the original after its monitor has run."""


def _today(path: str) -> str:
    """The path with the clock of the host as it is now."""
    return re.sub(r"timestamp=\d+", f"timestamp={int(time.time())}", path)

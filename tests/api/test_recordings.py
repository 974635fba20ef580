"""Recorded exchanges with the original, played back: the same codes, keys, types, nulls, zeros and states."""

import json
import re
from typing import Any

import pytest
from calling import Caller, Reply
from comparing import differences
from replaying import Exchange, Replay, recorded, recorded_catalogue

from parts.service import RunningService

ALWAYS = (
    (r"step_id$", "the ids of steps are ours to make"),
    (r"(^|\.)timestamp$", "it is another day"),
    (r"openshift_cluster_id$", "the id is new at every installation"),
    (r"assisted-installer-service$", "our version is our own"),
    (r"^4\.(18\.7|19\.4|20\.1)(\.|$)", "the releases of the lab are always on offer"),
    (r"free_addresses$", "documented: never shown"),
    (r"packet_loss_percentage$", "documented: a measured zero is written"),
    (r"feature_usage:\.Requested hostname\.data\.host_count$", "documented: all names are counted"),
    (
        r"feature_usage:\.Cluster managed networking with VMs",
        "at once: the original counts machines at the next change",
    ),
    (r"^0dbb9194-7501-43e8-8258-f25b8e243f41$", "a cluster of another recording"),
    (r"\.qualitative\.\d+$", "the words are ours"),
    (r"suggested_role$", "the hosts are all alike, so any three of them may lead"),
)
"""What may differ anywhere, and why."""

AT_ONCE = {
    ("errors", 10): r"status|validations_info",
    ("unbound-host", 6): r"validations_info:\.network\.ntp-synced|validations_info:.*time-synced.*",
    ("unbound-host", 7): r"status|validations_info",
    **dict.fromkeys([("unbound-host", 12), ("unbound-host", 13), ("unbound-host", 14)], r"validations_info:.*"),
    ("single-node-cancel-reset", 0): r"status|validations_info",
    ("multi-node-install", 0): r"status|validations_info",
    ("multi-node-install", 2): r"status|validations_info",
    ("multi-node-install", 11): r"validations_info",
    ("multi-node-install", 14): r"validations_info:.*(latency|packet-loss)-requirement-for-role\.status",
    ("multi-node-install", 35): r"hosts\..*\.status|ready_host_count",
    ("multi-node-install", 43): r"hosts\..*\.(status|installer_version)",
    ("multi-node-install", 154): r"installer_version",
    ("single-node-cancel-reset", 10): r"hosts\..*\.status|ready_host_count",
    ("single-node-cancel-reset", 11): r"instructions\..*",
    ("single-node-cancel-reset", 20): r"hosts\..*\.(status|installer_version)",
    ("single-node-cancel-reset", 21): r"hosts\..*\.(status|installer_version)|install_completed_at",
    ("single-node-cancel-reset", 22): r"hosts\..*\.(status|installer_version)|ready_host_count",
    ("single-node-cancel-reset", 23): r"instructions\..*|next_instruction_seconds",
    ("single-node-cancel-reset", 24): (
        r"api_vips.*|ingress_vips.*|progress\..*|ready_host_count|hosts\..*\.installer_version|openshift_cluster_id"
        r"|last-installation-preparation\.status|validations_info:.*all-hosts-are-ready-to-install\.status"
    ),
    ("single-node-cancel-reset", 25): (
        r"hosts\..*\.installer_version|validations_info:.*all-hosts-are-ready-to-install\.status"
    ),
}
"""Where the original shows what was true before its monitor ran; here everything follows at once (documented)."""

TOLD = {
    ("unbound-host", 11): r"status|status_info|status_updated_at|disks_to_be_formatted|installation_disk_(id|path)",
}
"""Where the original answers an agent that registers again with no more than what it sent (documented)."""

STOPPED = {("single-node-cancel-reset", 26): r"instructions"}
"""Where the original lets a host go on with an installation that was reset (documented)."""

UNSPOKEN = r"validations_info:\.(hardware\.compatible-agent|network\.(connected|media-connected|ntp-synced|time-.*))"
"""Checks that nobody asks for once a host installs; the original drops them when its monitor next runs."""

OTHER_STATUS = {
    ("errors", 43): 404,  # documented: a host that is not there is not found
    (
        "single-node-cancel-reset",
        13,
    ): 409,  # documented: no inventory is taken in once the host prepares, which is at once
}


def content_of(reply: Reply) -> Any:
    """The body as a recording has it: JSON, or how many bytes there are."""
    octets = reply.headers.get("Content-Type") == "application/octet-stream"
    return "<bytes>" if octets and reply.status == 200 else reply.json


def unexplained(exchange: Exchange, replay: Replay, reply: Reply) -> list[str]:
    """The differences between an answer and the recorded one for which there is no reason."""
    theirs = json.loads(replay.ours(json.dumps(exchange.response)))
    if isinstance(theirs, str):
        theirs = re.sub(r"<\d+ bytes>", "<bytes>", theirs)
    if exchange.call.endswith("/supported-operators"):
        # The original lists them in another order every time, we by name.
        theirs = sorted(theirs)
    place = exchange.recording, exchange.number
    excused = [pattern for pattern, _ in ALWAYS] + [f"^({(AT_ONCE | TOLD | STOPPED).get(place, '$.')})$"]
    if "/hosts/" in exchange.call:
        excused.append(UNSPOKEN)
    found = differences(theirs, content_of(reply))
    return [each for each in found if not any(re.search(pattern, each.partition(": ")[0]) for pattern in excused)]


def headers_alike(exchange: Exchange, reply: Reply) -> bool:
    """The content type is the same; headers that do not count are; those that count are there."""
    theirs = {name: value for name, value in exchange.headers.items() if name != "Transfer-Encoding"}
    return reply.headers.get("Content-Type", "") == exchange.content_type and all(
        (reply.headers[name] or "").isdecimal() if "Count" in name else reply.headers[name] == value
        for name, value in theirs.items()
    )


def check(exchange: Exchange, replay: Replay) -> None:
    status = OTHER_STATUS.get((exchange.recording, exchange.number), exchange.status)
    of_events = "/v2/events" in exchange.call and exchange.recording != "service"

    def alike(reply: Reply) -> bool:
        return of_events or (reply.status == status and not unexplained(exchange, replay, reply))

    reply = replay.play_until(exchange, alike)
    where = f"{exchange.recording} {exchange.number} {exchange.call}"
    assert (where, reply.status) == (where, status), reply.body
    if status == exchange.status and not of_events:
        assert (where, unexplained(exchange, replay, reply)) == (where, [])
        assert headers_alike(exchange, reply), (where, reply.headers.items(), exchange.headers)
    if of_events:
        check_events(exchange, replay)


def kinds_of(events: list[dict[str, Any]]) -> dict[str, tuple[list[str], str]]:
    """What events of each name look like."""
    return {each["name"]: (sorted(each), each["severity"]) for each in events}


TOLD_OTHERWISE = {"host_status_updated", "cluster_status_updated"}
"""How much these matter depends on the states that were gone through."""


def check_events(exchange: Exchange, replay: Replay) -> None:
    """Every event that was recorded is told here too, in the same shape."""
    path = replay.ours(exchange.call.split(" ")[1].split("&")[0])
    mine = kinds_of(replay.caller.call("GET", f"/api/assisted-install{path}&limit=-1").json)
    theirs = kinds_of(exchange.response)
    assert {name: theirs[name] for name in theirs.keys() - TOLD_OTHERWISE} == {
        name: mine.get(name) for name in theirs.keys() - TOLD_OTHERWISE
    }


def also(exchange: Exchange, replay: Replay) -> None:
    """What the recorded agents did without being recorded."""
    if exchange.recording == "multi-node-install":
        replay.others_follow(exchange)
    if (exchange.recording, exchange.number) == ("single-node-cancel-reset", 15):
        for other in recorded("multi-node-install")[39:41]:
            replay.reply_to("031351b4-b7c2-4065-a990-0010b8a8b9ba", other.request["step_type"], other.request["output"])


RECORDINGS = ("service", "errors", "unbound-host", "single-node-cancel-reset", "multi-node-install")


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_of_the_original_plays_back(name, tmp_path, calling):
    running = RunningService(tmp_path, {**recorded_catalogue(), "IMAGE_SERVICE_BASE_URL": "http://127.0.0.1:8888"})
    running.start()
    try:
        play_back(name, calling(running))
    finally:
        running.stop()


def play_back(name: str, caller: Caller) -> None:
    replay = Replay(caller)
    exchanges = recorded(name)
    for exchange, following in zip(exchanges, [*exchanges[1:], None], strict=True):
        if following is not None and following.call == exchange.call and exchange.call.startswith("GET"):
            # Somebody waited for something; only what was waited for can be compared.
            assert replay.play(exchange).status == exchange.status
            continue
        check(exchange, replay)
        also(exchange, replay)

"""Our own API: what the time of an installation was spent on."""

import json

import pytest
from calling import Caller
from making import a_cluster, a_ready_single_node, finalizing, installed, installing

NOBODY = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"


def timeline(api: Caller, path: str, query: str = "") -> dict:
    reply = api.ours(f"GET {path}/timeline{query}")
    assert reply.status == 200, reply.body
    return reply.json


def adds_up(told: dict) -> bool:
    return sum(leg["seconds"] for leg in told["critical_path"]) == pytest.approx(told["attempt"]["seconds"], abs=1e-6)


def test_an_installed_cluster_says_what_its_time_was_spent_on(api):
    it = installed(api, finalizing(api, installing(api, a_ready_single_node(api))))
    told = timeline(api, it.cluster)
    assert (told["attempt"]["number"], told["attempt"]["kind"], told["attempt"]["result"]) == (1, "install", "done")
    assert adds_up(told)
    names = {each["name"] for each in told["spans"] if each["subject"] == it.host_id}
    assert {"preparing-for-installation", "Writing image to disk", "Rebooting"} < names
    host = next(each for each in told["spans"] if each["kind"] == "host")
    shown = api.v2(f"GET {it.host}").json
    assert (host["subject"], host["name"], host["result"]) == (it.host_id, shown["requested_hostname"], "done")
    assert told["spans"][told["slowest"]]["critical"] is True


def test_what_was_before_the_installation_is_attempt_0(api):
    it = installing(api, a_ready_single_node(api))
    told = timeline(api, it.cluster, "?attempt=0")
    assert (told["attempt"]["kind"], told["attempt"]["result"]) == ("discovery", "done")
    assert [each["number"] for each in told["attempts"]] == [0, 1]
    assert adds_up(told)


def test_a_cancelled_and_reset_installation_leaves_its_timeline_to_the_next(api):
    it = installing(api, a_ready_single_node(api))
    assert api.v2(f"POST {it.cluster}/actions/cancel").status == 202
    assert api.v2(f"POST {it.cluster}/actions/reset").status == 202
    told = timeline(api, it.cluster)
    assert (told["attempt"]["number"], told["attempt"]["result"]) == (1, "cancelled")
    assert adds_up(told)


def test_a_cluster_that_was_only_described_is_being_discovered(api):
    told = timeline(api, f"/clusters/{a_cluster(api)}")
    assert (told["attempt"]["number"], told["attempt"]["result"], told["attempt"]["end"]) == (0, "running", None)


def test_an_attempt_that_never_was_is_not_found(api):
    reply = api.ours(f"GET /clusters/{a_cluster(api)}/timeline?attempt=4")
    assert (reply.status, "no attempt 4" in reply.said) == (404, True)


def test_an_attempt_has_a_number(api):
    reply = api.ours(f"GET /clusters/{a_cluster(api)}/timeline?attempt=first")
    assert (reply.status, "attempt" in json.dumps(reply.json)) == (400, True)


@pytest.mark.parametrize("what", ["timeline", "recording"])
def test_of_what_is_not_there_nothing_is_told(api, what):
    assert api.ours(f"GET /clusters/{NOBODY}/{what}").status == 404

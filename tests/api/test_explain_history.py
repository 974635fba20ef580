"""Our own API: why things are as they are, and how they came to be so."""

import json

import pytest
from calling import Caller
from making import a_cluster, a_host, a_ready_single_node, an_infra_env, made, replies, said_by_the_recorded_host

from muster.domain.validations.catalogue import CLUSTER_VALIDATIONS

NOBODY = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"


def explained(api: Caller, path: str, **query: str) -> dict:
    asked = "&".join(f"{name}={value}" for name, value in query.items())
    reply = api.ours(f"GET {path}/explain?{asked}")
    assert reply.status == 200, reply.body
    return reply.json


def history(api: Caller, path: str, at: str = "") -> dict:
    reply = api.ours(f"GET {path}/history" + (f"?at={at}" if at else ""))
    assert reply.status == 200, reply.body
    return reply.json


# Explanations


def test_a_cluster_is_explained_with_all_its_verdicts_and_hosts(api):
    it = a_ready_single_node(api)
    told = explained(api, it.cluster)
    assert (told["status"], told["name"]) == ("ready", "sno")
    assert told["meaning"]
    assert told["because"]
    assert {each["id"] for each in told["verdicts"]} <= {each.id for each in CLUSTER_VALIDATIONS}
    assert [each["id"] for each in told["hosts"]] == [it.host_id]


def test_every_verdict_has_its_promise_its_words_and_what_it_holds_back(api):
    it = made(api)
    for told in (explained(api, it.cluster), explained(api, it.host)):
        assert told["verdicts"]
        for verdict in told["verdicts"]:
            assert set(verdict) == {"id", "category", "promise", "status", "message", "evidence", "holds_back"}
            assert verdict["promise"]
            assert verdict["message"]
            assert isinstance(verdict["holds_back"], list)


def test_the_same_verdicts_are_explained_as_the_other_api_shows_but_for_operators_that_nobody_selected(api):
    it = a_ready_single_node(api)
    shown = api.v2(f"GET {it.host}").json
    told = explained(api, it.host)
    assert {each["id"]: each["status"] for each in told["verdicts"]} == {
        each["id"]: each["status"]
        for group in json.loads(shown["validations_info"]).values()
        for each in group
        if each["message"] != "The operator is disabled"
    }
    assert (told["status"], told["because"], told["role"]) == (shown["status"], shown["status_info"], "master")
    assert told["role_because"] == "The host is the whole cluster"


def test_what_fails_comes_with_what_was_measured_what_is_needed_and_the_way_out(api):
    it = made(api)
    weak = json.loads(said_by_the_recorded_host()["inventory"])
    weak["cpu"]["count"] = 1
    weak["memory"]["physical_bytes"] = 2**30
    replies(api, it.host, "inventory", weak)
    verdicts = {each["id"]: each for each in explained(api, it.host)["verdicts"]}
    cores = verdicts["has-min-cpu-cores"]
    assert cores["status"] == "failure"
    assert cores["evidence"]["measured"].startswith("1")
    assert cores["evidence"]["required"]
    assert cores["evidence"]["fix"]
    assert "hardware" in cores["holds_back"]
    assert verdicts["has-min-memory"]["status"] == "failure"
    assert verdicts["has-inventory"]["holds_back"] == []


def test_whatever_stands_in_the_way_says_what_would_put_it_right(api):
    it = made(api)
    told = explained(api, it.cluster, failing="true")
    held = [each for judged in (told, *told["hosts"]) for each in judged["verdicts"] if each["holds_back"]]
    assert len(held) > 20
    assert [each["id"] for each in held if not each["evidence"].get("fix")] == []


def test_only_what_is_in_the_way_is_explained_if_that_is_asked(api):
    it = made(api)
    everything = {each["id"] for each in explained(api, it.cluster)["verdicts"]}
    failing = explained(api, it.cluster, failing="yes")
    assert {each["id"] for each in failing["verdicts"]} < everything
    assert all(each["status"] != "success" for host in failing["hosts"] for each in host["verdicts"])


def test_a_host_without_a_cluster_is_explained_too(api):
    infra_env_id = an_infra_env(api)
    host_id = a_host(api, infra_env_id)
    told = explained(api, f"/infra-envs/{infra_env_id}/hosts/{host_id}")
    assert (told["status"], told["name"]) == ("discovering-unbound", host_id)


@pytest.mark.parametrize("what", ["explain", "history"])
@pytest.mark.parametrize("path", [f"/clusters/{NOBODY}", f"/infra-envs/{NOBODY}/hosts/{NOBODY}"])
def test_what_is_not_there_cannot_be_explained(api, path, what):
    assert api.ours(f"GET {path}/{what}").status == 404


# History


def test_the_history_of_a_cluster_is_every_change_of_it(api):
    cluster_id = a_cluster(api)
    for tag in ("a", "b"):
        api.v2(f"PATCH /clusters/{cluster_id}", {"tags": tag})
    told = history(api, f"/clusters/{cluster_id}")
    assert [each["triggers"] for each in told["changes"]] == [["RegisterCluster"], ["UpdateCluster"], ["UpdateCluster"]]
    assert [each["patch"].get("tags") for each in told["changes"]] == [None, "a", "b"]
    assert told["record"]["tags"] == "b"


def test_a_record_is_shown_as_it_was_at_a_moment(api):
    cluster_id = a_cluster(api)
    for tag in ("a", "b", ""):
        api.v2(f"PATCH /clusters/{cluster_id}", {"tags": tag})
    path = f"/clusters/{cluster_id}"
    moments = [each["at"] for each in history(api, path)["changes"]]
    assert [history(api, path, at)["record"].get("tags") for at in moments] == [None, "a", "b", ""]
    assert [len(history(api, path, at)["changes"]) for at in moments] == [1, 2, 3, 4]
    assert history(api, path, "2020-01-01T00:00:00Z") == {"record": {}, "changes": []}


def test_a_moment_may_be_written_in_any_zone_or_in_none(api):
    cluster_id = a_cluster(api)
    path = f"/clusters/{cluster_id}"
    for late in (
        "2999-01-01T00:00:00",
        "2999-01-01T00:00:00+02:00",
        "2999-01-01T00:00:00%2B02:00",
        "2999-01-01T00:00:00Z",
    ):
        assert len(history(api, path, late)["changes"]) == 1


def test_the_record_is_the_one_that_the_changes_make(api):
    it = a_ready_single_node(api)
    told = history(api, it.host)
    shown = api.v2(f"GET {it.host}").json
    assert told["record"]["status"] == shown["status"] == "known"
    assert told["record"]["inventory"]["hostname"] == shown["requested_hostname"]
    assert {each["key"] for each in told["changes"]} == {f"{it.infra_env_id}/{it.host_id}"}


def test_the_history_of_one_host_is_not_that_of_another(api):
    it = made(api)
    other = a_host(api, it.infra_env_id)
    api.v2(f"PATCH {it.host}", {"host_name": "first"})
    changes = history(api, f"/infra-envs/{it.infra_env_id}/hosts/{other}")["changes"]
    assert all("requested_hostname" not in each["patch"] for each in changes)

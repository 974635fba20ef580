"""Events over the API: what can be asked for, how it is counted, and what others may report."""

import json

import pytest
from calling import Caller, Reply
from making import a_cluster, a_host, an_infra_env, made
from refusing import is_malformed

from parts.service import RunningService

COUNTS = ("Severity-Count-Info", "Severity-Count-Warning", "Severity-Count-Error", "Severity-Count-Critical")
REPORT = {"severity": "info", "message": "it happened", "event_time": "2026-01-02T03:04:05Z"}


def report(api: Caller, **written: str) -> Reply:
    return api.v2("POST /events", REPORT | written)


def counts(reply: Reply) -> tuple[int, ...]:
    """How many events are info, warning, error, critical, and how many were found."""
    return tuple(int(reply.headers[name]) for name in (*COUNTS, "Event-Count"))


def messages(reply: Reply) -> list[str]:
    return [each["message"] for each in reply.json]


@pytest.fixture(scope="module")
def told(service):
    """A cluster of which exactly these things are told besides what the service itself tells."""
    api = Caller(service.url)
    it = made(api)
    gone = a_host(api, it.infra_env_id)
    mine = {"cluster_id": it.cluster_id, "infra_env_id": it.infra_env_id}
    for written in (
        {"message": "mine: 100% of the cluster", "severity": "warning"},
        {"message": "mine: Host", "host_id": it.host_id, "severity": "error"},
        {"message": "mine: gone", "host_id": gone, "severity": "critical"},
        {"message": "mine: figures", "category": "metrics", "props": '{"duration": 5}'},
    ):
        assert report(api, **mine | written).status == 201
    assert api.v2(f"DELETE /infra-envs/{it.infra_env_id}/hosts/{gone}").status == 204
    yield it, gone
    api.close()


def asked(api: Caller, told: tuple, query: str) -> list[str]:
    """The reported messages among those found."""
    found = messages(api.v2(f"GET /events?cluster_id={told[0].cluster_id}&{query}"))
    return [each.removeprefix("mine: ") for each in found if each.startswith("mine")]


# What is reported


def test_a_report_is_kept_and_shown(api):
    it = made(api)
    reply = report(
        api,
        name="reboots_for_node",
        cluster_id=it.cluster_id,
        host_id=it.host_id,
        infra_env_id=it.infra_env_id,
        message="Node master-0 has been rebooted 3 times",
        props='["node_name", "master-0", "reboots", 3]',
    )
    assert (reply.status, reply.body) == (201, b"")
    (shown,) = [
        each
        for each in api.v2(f"GET /events?cluster_id={it.cluster_id}&host_ids={it.host_id}").json
        if each["name"] == "reboots_for_node"
    ]
    assert json.loads(shown.pop("props")) == {"node_name": "master-0", "reboots": 3}
    assert shown.pop("event_time") > "2026-01-03"
    assert shown == {
        "cluster_id": it.cluster_id,
        "host_id": it.host_id,
        "infra_env_id": it.infra_env_id,
        "message": "Node master-0 has been rebooted 3 times",
        "name": "reboots_for_node",
        "severity": "info",
    }


def test_figures_are_shown_only_to_those_who_ask_for_them(api):
    cluster_id = a_cluster(api)
    assert report(api, cluster_id=cluster_id, category="metrics", message="cluster.installation.results").status == 201
    path = f"GET /events?cluster_id={cluster_id}"
    assert "cluster.installation.results" not in messages(api.v2(path))
    assert messages(api.v2(f"{path}&categories=metrics")) == ["cluster.installation.results"]
    assert "cluster.installation.results" in messages(api.v2(f"{path}&categories=metrics,user"))
    assert api.v2(f"{path}&categories=nosuch").json == []


def test_what_is_told_besides_is_left_out_if_it_cannot_be_read(api):
    cluster_id = a_cluster(api)
    assert report(api, cluster_id=cluster_id, props="{not json").status == 201
    assert not any("props" in each for each in api.v2(f"GET /events?cluster_id={cluster_id}").json)


def test_a_report_of_nothing_in_particular_is_kept(api):
    assert report(api, message="of nothing in particular").status == 201
    assert "of nothing in particular" in messages(api.v2("GET /events?order=descending&limit=20"))


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ({"category": "gossip"}, "metrics, user"),
        ({"severity": "loud"}, "info, warning, error, critical"),
        ({"severity": None}, "body.severity: is required"),
        ({"event_time": None}, "body.event_time: is required"),
        ({"message": None}, "body.message: is required"),
        ({"event_time": "noon"}, "body.event_time"),
        ({"cluster_id": "mine"}, "UUID"),
        ({"extra": 1}, "body.extra"),
    ],
)
def test_a_report_against_the_schema_is_malformed(api, written, word):
    assert is_malformed(api.v2("POST /events", REPORT | written), word)


def test_the_like_is_told_only_so_often(tmp_path, calling):
    running = RunningService(tmp_path, {"EVENT_RATE_LIMITS": '{"noise": "1h", "proxy_settings_changed": "1h"}'})
    running.start()
    api = calling(running)
    one, other = a_cluster(api), a_cluster(api)
    try:
        for cluster_id in (one, one, other):
            assert report(api, name="noise", cluster_id=cluster_id).status == 201
        for proxy in ("http://a.example.com", "http://b.example.com"):
            assert api.v2(f"PATCH /clusters/{one}", {"http_proxy": proxy}).status == 201
        names = [each["name"] for each in api.v2(f"GET /events?cluster_id={one}").json]
        assert (names.count("noise"), names.count("proxy_settings_changed")) == (1, 1)
        assert "noise" in [each["name"] for each in api.v2(f"GET /events?cluster_id={other}").json]
    finally:
        running.stop()


# What is asked for


def test_groups_of_a_cluster_add_up(api, told):
    it, gone = told
    assert asked(api, told, "") == ["100% of the cluster", "Host", "gone"]
    assert asked(api, told, f"host_ids={it.host_id}") == ["Host"]
    assert asked(api, told, f"host_id={it.host_id}") == ["Host"]
    assert asked(api, told, f"host_ids={it.host_id},{gone}") == ["Host", "gone"]
    assert asked(api, told, "deleted_hosts=true") == ["gone"]
    assert asked(api, told, "cluster_level=true") == ["100% of the cluster"]
    assert asked(api, told, f"host_ids={it.host_id}&cluster_level=true") == ["100% of the cluster", "Host"]
    assert asked(api, told, "deleted_hosts=true&cluster_level=1") == ["100% of the cluster", "gone"]


def test_hosts_alone_are_found_while_they_live(api, told):
    it, gone = told
    assert "mine: Host" in messages(api.v2(f"GET /events?host_ids={it.host_id},{gone}"))
    assert messages(api.v2(f"GET /events?host_ids={gone}")) == []
    reply = api.v2(f"GET /events?infra_env_id={it.infra_env_id}&host_ids={it.host_id}")
    assert "mine: Host" in messages(reply)
    other = an_infra_env(api)
    assert messages(api.v2(f"GET /events?infra_env_id={other}&host_ids={it.host_id}")) == []


def test_messages_are_searched_as_they_are_written(api, told):
    assert asked(api, told, "message=MINE") == ["100% of the cluster", "Host", "gone"]
    assert asked(api, told, "message=100%25") == ["100% of the cluster"]
    assert asked(api, told, "message=1_0%25") == []
    assert asked(api, told, "message=%5C") == []


def test_severities_narrow_the_list_and_its_count_but_not_the_counts_by_severity(api, told):
    path = f"GET /events?cluster_id={told[0].cluster_id}&message=mine"
    everything = api.v2(path)
    assert counts(everything) == (0, 1, 1, 1, 3)
    narrowed = api.v2(f"{path}&severities=warning,critical")
    assert messages(narrowed) == ["mine: 100% of the cluster", "mine: gone"]
    assert counts(narrowed) == (0, 1, 1, 1, 2)
    assert messages(api.v2(f"{path}&severities=warning&severities=error")) == ["mine: Host"]
    assert is_malformed(api.v2(f"{path}&severities=loud"), "severities")


def test_pages_change_no_count(api, told):
    path = f"GET /events?cluster_id={told[0].cluster_id}&message=mine"
    whole = messages(api.v2(path))
    assert whole == messages(api.v2(f"{path}&limit=-1")) == messages(api.v2(f"{path}&limit=-7&offset=-1"))
    for query, page in (
        ("limit=1", whole[:1]),
        ("limit=1&offset=1", whole[1:2]),
        ("offset=2", whole[2:]),
        ("limit=0", []),
        ("order=descending", whole[::-1]),
        ("order=descending&limit=1&offset=1", whole[1:2]),
        ("order=ascending", whole),
    ):
        reply = api.v2(f"{path}&{query}")
        assert (messages(reply), counts(reply)) == (page, (0, 1, 1, 1, 3)), query
    assert is_malformed(api.v2(f"{path}&limit=ten"), "limit")
    assert is_malformed(api.v2(f"{path}&order=any"), "order")


def test_only_a_cluster_is_counted_by_severity(api, told):
    reply = api.v2(f"GET /events?infra_env_id={told[0].infra_env_id}&limit=0")
    assert counts(reply)[:4] == (0, 0, 0, 0)
    assert counts(reply)[4] > 3
    everything = api.v2("GET /events?limit=3")
    assert (len(everything.json), counts(everything)) == (3, (0, 0, 0, 0, 0))


def test_a_cluster_that_was_given_up_can_still_be_asked_about(api):
    it = made(api)
    assert api.v2(f"DELETE {it.cluster}").status == 204
    names = [each["name"] for each in api.v2(f"GET /events?cluster_id={it.cluster_id}").json]
    assert {"cluster_registration_succeeded", "cluster_deregistered", "host_deregistered"} <= set(names)
    deleted = api.v2(f"GET /events?cluster_id={it.cluster_id}&deleted_hosts=true").json
    assert {each["host_id"] for each in deleted} == {it.host_id}

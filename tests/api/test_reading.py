"""Clusters, discovery images, hosts, operators and events as they are read: which of them, and how much of each."""

import http.client
import uuid
from urllib.parse import urlsplit

import pytest
from calling import V2, Caller
from making import (
    a_cluster,
    a_host,
    a_ready_single_node,
    an_infra_env,
    finalizing,
    installed,
    installing,
    made,
    replies,
    said_by_the_recorded_host,
)
from uploading import of_host, upload

from parts.service import RunningService

NOBODY = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"
COUNTS = {"enabled_host_count", "ready_host_count", "total_host_count"}


@pytest.fixture
def own(tmp_path):
    running = RunningService(tmp_path)
    running.start()
    yield running
    running.stop()


# Clusters


def test_a_list_of_clusters_counts_their_hosts_and_shows_them_only_if_asked(api):
    it = a_ready_single_node(api)
    for query, shown in (("", 0), ("?with_hosts=false", 0), ("?with_hosts=True", 1), ("?with_hosts=1", 1)):
        listed = {each["id"]: each for each in api.v2(f"GET /clusters{query}").json}[it.cluster_id]
        assert {name: listed[name] for name in COUNTS} == dict.fromkeys(COUNTS, 1)
        assert len(listed["hosts"]) == shown
        assert listed["host_networks"] is None
        assert listed["operator_bundles"] is None


def test_a_cluster_can_be_read_without_its_hosts(api):
    it = made(api)
    cluster = api.v2(f"GET {it.cluster}?exclude-hosts=true").json
    assert cluster["hosts"] is None
    assert not COUNTS & set(cluster)
    assert len(api.v2(f"GET {it.cluster}?exclude-hosts=false").json["hosts"]) == 1


def test_clusters_are_found_by_the_id_that_openshift_gave_them(api):
    it = a_ready_single_node(api)
    installing(api, it)
    known = api.v2(f"GET {it.cluster}").json["openshift_cluster_id"]
    found = api.v2(f"GET /clusters?openshift_cluster_id={known}").json
    assert [each["id"] for each in found] == [it.cluster_id]
    assert api.v2(f"GET /clusters?openshift_cluster_id={NOBODY}").json == []


def test_a_cluster_that_was_given_up_is_not_listed(api):
    cluster_id = a_cluster(api)
    assert api.v2(f"DELETE /clusters/{cluster_id}").status == 204
    assert cluster_id not in [each["id"] for each in api.v2("GET /clusters").json]
    assert api.v2(f"DELETE /clusters/{cluster_id}").status == 404


def test_a_cluster_goes_all_the_way(api):
    it = a_ready_single_node(api)
    states = [api.v2(f"GET {it.cluster}").json["status"]]
    for grow in (installing, finalizing, installed):
        grow(api, it)
        states.append(api.v2(f"GET {it.cluster}").json["status"])
    assert states == ["ready", "installing", "finalizing", "installed"]
    assert api.v2(f"GET {it.cluster}").json["progress"]["total_percentage"] == 100
    for action in ("install", "cancel", "reset"):
        assert api.v2(f"POST {it.cluster}/actions/{action}").status == 409


# Infra-envs


def test_discovery_images_are_listed_all_or_by_cluster(api):
    cluster_id = a_cluster(api)
    mine, other = an_infra_env(api, cluster_id), an_infra_env(api)
    assert [each["id"] for each in api.v2(f"GET /infra-envs?cluster_id={cluster_id}").json] == [mine]
    assert {mine, other} <= {each["id"] for each in api.v2("GET /infra-envs?owner=anyone").json}


def test_a_discovery_image_with_hosts_cannot_be_given_up(api):
    it = made(api)
    path = f"/infra-envs/{it.infra_env_id}"
    reply = api.v2(f"DELETE {path}")
    assert (reply.status, reply.json["kind"]) == (400, "Error")
    assert api.v2(f"DELETE {it.host}").status == 204
    assert api.v2(f"DELETE {path}").status == 204
    assert api.v2(f"GET {path}").status == 404


# Hosts


def test_hosts_of_a_cluster_are_listed_by_role_and_state(api):
    it = a_ready_single_node(api)
    path = f"{it.cluster}/hosts"
    assert [each["id"] for each in api.v2(f"GET {path}").json] == [it.host_id]
    for query, found in (("role=master", 1), ("role=worker", 0), ("status=known", 1), ("status=error", 0)):
        assert len(api.v2(f"GET {path}?{query}").json) == found


def test_what_takes_much_room_is_left_out_of_a_list_of_hosts_unless_asked(api):
    it = made(api)
    replies(api, it.host, "inventory", said_by_the_recorded_host()["inventory"])
    replies(api, it.host, "connectivity-check", {"remote_hosts": []})
    for query, shown in (
        ("", set()),
        ("?with-inventory=true", {"inventory"}),
        ("?with-connectivity=true", {"connectivity"}),
        ("?with-inventory=true&with-connectivity=true", {"inventory", "connectivity"}),
    ):
        (host,) = api.v2(f"GET {it.cluster}/hosts{query}").json
        assert {"inventory", "connectivity"} & set(host) == shown
        assert host["progress_stages"] is None


def test_the_hosts_of_a_cluster_that_is_not_there_are_none(api):
    assert api.v2(f"GET /clusters/{NOBODY}/hosts").json == []


def test_a_host_that_was_given_up_is_gone_and_may_come_back(api):
    it = made(api)
    assert api.v2(f"DELETE {it.host}").status == 204
    for call in (f"GET {it.host}", f"DELETE {it.host}", f"GET {it.host}/instructions"):
        assert api.v2(call).status == 404
    assert api.v2(f"GET /infra-envs/{it.infra_env_id}/hosts").json == []
    again = api.v2(f"POST /infra-envs/{it.infra_env_id}/hosts", {"host_id": it.host_id})
    assert (again.status, again.json["status"]) == (201, "discovering")
    assert api.v2(f"GET {it.host}").status == 200


def test_the_hosts_of_a_cluster_that_was_given_up_are_gone(api):
    it = made(api)
    assert api.v2(f"GET {it.host}").status == 200
    assert api.v2(f"DELETE {it.cluster}").status == 204
    assert api.v2(f"GET {it.host}").status == 404
    assert api.v2(f"GET /infra-envs/{it.infra_env_id}/hosts").json == []


def test_a_host_belongs_to_one_discovery_image(api):
    it, other = made(api), an_infra_env(api)
    assert api.v2(f"GET /infra-envs/{other}/hosts/{it.host_id}").status == 404


def test_the_only_host_of_a_single_node_is_told_its_stages_when_it_registers(api):
    cluster_id = a_cluster(api, high_availability_mode="None")
    infra_env_id = an_infra_env(api, cluster_id)
    reply = api.v2(f"POST /infra-envs/{infra_env_id}/hosts", {"host_id": str(uuid.uuid4())})
    listed = api.v2(f"GET /infra-envs/{infra_env_id}/hosts").json[0]
    assert "Waiting for bootkube" in reply.json["progress_stages"]
    assert listed["progress_stages"] == reply.json["progress_stages"]


# Operators


def test_the_operators_of_a_cluster_are_listed_all_or_by_name(api):
    cluster_id = a_cluster(api, olm_operators=[{"name": "lso"}])
    path = f"/clusters/{cluster_id}/monitored-operators"
    assert {each["name"] for each in api.v2(f"GET {path}").json} == {"console", "lso"}
    assert [each["name"] for each in api.v2(f"GET {path}?operator_name=lso").json] == ["lso"]
    assert api.v2(f"GET {path}?operator_name=nosuch").status == 404
    assert api.v2(f"GET /clusters/{NOBODY}/monitored-operators").json == []
    assert '"LSO"' in api.v2(f"GET /clusters/{cluster_id}").json["feature_usage"]


# Events


def test_events_are_paged_and_counted(api):
    cluster_id = a_cluster(api)
    for tag in ("http://a.example.com", "http://b.example.com"):
        api.v2(f"PATCH /clusters/{cluster_id}", {"http_proxy": tag})
    path = f"/events?cluster_id={cluster_id}"
    everything = api.v2(f"GET {path}")
    names = [each["name"] for each in everything.json]
    assert names[0] == "cluster_registration_succeeded"
    assert everything.headers["Event-Count"] == str(len(names))
    assert [each["name"] for each in api.v2(f"GET {path}&order=descending").json] == names[::-1]
    assert [each["name"] for each in api.v2(f"GET {path}&limit=1&offset=1").json] == names[1:2]
    empty = api.v2(f"GET {path}&limit=0")
    assert (empty.json, empty.headers["Event-Count"]) == ([], str(len(names)))
    critical = api.v2(f"GET {path}&severities=critical")
    assert (critical.json, critical.headers["Event-Count"]) == ([], "0")
    assert critical.headers["Severity-Count-Info"] == everything.headers["Severity-Count-Info"] != "0"
    assert len(api.v2(f"GET {path}&message=PROXY").json) == 2


def test_events_of_one_host_are_found(api):
    it = made(api)
    other = a_host(api, it.infra_env_id)
    for query in (
        f"host_id={it.host_id}",
        f"host_ids={it.host_id}",
        f"cluster_id={it.cluster_id}&host_ids={it.host_id}",
    ):
        assert {each["host_id"] for each in api.v2(f"GET /events?{query}").json} == {it.host_id}
    both = api.v2(f"GET /events?infra_env_id={it.infra_env_id}").json
    assert {each.get("host_id") for each in both} >= {it.host_id, other}
    alone = api.v2(f"GET /events?cluster_id={it.cluster_id}&cluster_level=true").json
    assert all("host_id" not in each for each in alone)


# Versions


def test_the_releases_on_offer_are_listed(api):
    listed = api.v2("GET /openshift-versions").json
    assert listed["4.20.1"] == {
        "cpu_architectures": ["x86_64", "arm64"],
        "default": True,
        "display_name": "4.20.1",
        "support_level": "production",
    }
    assert list(api.v2("GET /openshift-versions?version=4.19").json) == ["4.19.4"]


# After a restart


def test_what_was_there_before_a_restart_is_there_after_it(own, calling):
    api = calling(own)
    it = made(api)
    asked = api.v2(f"GET {it.host}/instructions").json
    before = [api.v2(f"GET {path}").json for path in (it.host, it.cluster)]
    own.stop()
    api.close()
    own.start()
    api = calling(own)
    assert [api.v2(f"GET {path}").json for path in (it.host, it.cluster)] == before
    assert api.v2(f"GET {it.host}/instructions").json == asked


# What nobody foresaw


def test_what_nobody_foresaw_is_told_in_one_sentence_with_the_request_to_look_for(tmp_path, calling):
    running = RunningService(tmp_path)
    running.start()
    api = calling(running)
    running.within(running.service.store.close())
    reply = api.v2("GET /events", **{"X-Request-ID": "look-here"})
    running.stop()
    assert (reply.status, reply.json["kind"]) == (500, "Error")
    assert "look-here" in reply.said
    assert "Traceback" not in reply.said


def test_an_archive_that_cannot_be_finished_does_not_pass_for_whole(own, tmp_path):
    api = Caller(own.url)
    it = made(api)
    assert upload(api, it, b"logs", of_host(it)).status == 204
    folder = tmp_path / "files" / it.cluster_id / "logs"
    first, last, logs = (folder / name / "logs.tar.gz" for name in ("!first", "~last", it.host_id))
    for file, size in ((first, 48 * 1024 * 1024), (last, 1)):
        file.parent.mkdir()
        file.write_bytes(bytes(size))
    connection = http.client.HTTPConnection(urlsplit(own.url).netloc, timeout=20)
    connection.request("GET", f"{V2}{it.cluster}/logs")
    response = connection.getresponse()
    assert response.read(1024 * 1024)
    last.unlink()
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        response.read()
    connection.close()
    logs.unlink()
    assert api.call("GET", f"{V2}{it.cluster}/logs?logs_type=host&host_id={it.host_id}").status == 404
    api.close()

"""Parameters and headers that cannot be read are named; those that are merely odd are forgiven."""

import pytest
from making import CLUSTER
from refusing import is_malformed, is_refused, placed

ID = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"

WRONG_QUERIES = [
    ("/events?limit=many", "query.limit"),
    ("/events?limit=" + "9" * 30, "query.limit"),
    ("/events?offset=x", "query.offset"),
    ("/events?order=up", "query.order", "ascending, descending"),
    ("/events?severities=info,bad", "query.severities[1]", "info, warning, error, critical"),
    ("/events?cluster_id=x", "query.cluster_id", "UUID"),
    ("/events?infra_env_id=x", "query.infra_env_id"),
    ("/events?host_id=x", "query.host_id"),
    (f"/events?host_ids={ID},x", "query.host_ids[1]"),
    ("/clusters?openshift_cluster_id=x", "query.openshift_cluster_id"),
    ("/infra-envs?cluster_id=x", "query.cluster_id"),
    ("{cluster}/hosts?role=king", "query.role", "master"),
    ("{cluster}/downloads/files", "query.file_name: is required"),
    ("{cluster}/downloads/files?file_name=", "query.file_name: is required"),
    ("{cluster}/downloads/files?file_name=kubeconfig", "query.file_name", "bootstrap.ign"),
    ("{cluster}/downloads/files?file_name=../../etc/passwd", "query.file_name"),
    ("{cluster}/downloads/credentials?file_name=master.ign", "query.file_name", "kubeadmin-password"),
    ("{cluster}/logs?logs_type=some", "query.logs_type", "controller"),
    ("{cluster}/logs?logs_type=host&host_id=x", "query.host_id"),
    ("{host}/instructions?timestamp=now", "query.timestamp"),
    ("{host}/instructions?timestamp=%C2%B2", "query.timestamp"),
    ("{host}/instructions?timestamp=" + "9" * 5000, "query.timestamp"),
    ("{host}/instructions?timestamp=999999999999999", "query.timestamp"),
]


@pytest.mark.parametrize(
    ("path", "words"), [(each[0], each[1:]) for each in WRONG_QUERIES], ids=lambda it: str(it)[:60]
)
def test_a_parameter_that_cannot_be_read_is_named(api, it, path, words):
    assert is_malformed(api.v2(f"GET {placed(path, it)}"), *words)


OUR_WRONG_QUERIES = [
    ("/stream?scope=everything", "query.scope"),
    ("/stream?scope=cluster:x", "query.scope"),
    ("/clusters/{id}/history?at=yesterday", "query.at"),
    ("/clusters/{id}/history?at=2026-13-45", "query.at"),
]


@pytest.mark.parametrize(("path", "word"), OUR_WRONG_QUERIES)
def test_a_parameter_of_our_own_that_cannot_be_read_is_named(api, it, path, word):
    assert is_malformed(api.ours(f"GET {path.format(id=it.cluster_id)}"), word)


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00%2B14:00", "9999-12-31T23:59:59-14:00"])
def test_a_moment_that_no_clock_in_utc_can_show_is_refused(api, it, moment):
    assert is_refused(api.ours(f"GET /clusters/{it.cluster_id}/history?at={moment}"), "at:")


@pytest.mark.parametrize("cursor", ["x", "1", "1.x", "-1.0", "1.1.1", "9" * 40 + ".1", "\u00b2.1"])
def test_a_place_in_the_stream_that_nobody_gave_out_is_refused(api, cursor):
    reply = api.call("GET", "/api/muster/v1/stream", **{"Last-Event-ID": cursor})
    assert is_refused(reply, "cursor")


FORGIVEN_QUERIES = [
    "/events?limit=-1", "/events?limit=0", "/events?offset=-5", "/events?limit=9223372036854775807", "/events?nosuch=1",
    "/events?severities=&order=&limit=", "/events?message=%00%25&cluster_id=" + ID, "/events?deleted_hosts=perhaps",
    "/clusters?with_hosts=perhaps", "/clusters?with_hosts=", "/openshift-versions?version=%FF", "/events?%FF=%FF&&==",
]  # fmt: skip


@pytest.mark.parametrize("path", FORGIVEN_QUERIES)
def test_odd_but_harmless_parameters_are_forgiven(api, path):
    assert api.v2(f"GET {path}").status == 200


def test_a_caller_that_cannot_read_the_answer_is_told_so(api, it):
    path = f"{it.cluster}/downloads/files?file_name=master.ign"
    assert is_malformed(api.v2(f"GET {path}", Accept="application/json"), "accept", "application/octet-stream")
    assert is_malformed(api.v2("GET /clusters", Accept="text/html, application/json;q=0"), "accept")
    assert api.v2("GET /clusters", Accept="text/html, */*;q=0.1").status == 200
    assert api.v2("GET /clusters", Accept="application/*").status == 200
    assert api.v2("GET /clusters", Accept="application/json;q=high").status == 200


def test_a_call_with_a_body_is_answered_whatever_the_caller_can_read(api):
    assert api.v2("POST /clusters", CLUSTER, Accept="text/html").status == 201

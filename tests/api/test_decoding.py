"""In which order a call is looked at, and what becomes of bodies, content types and fields that nobody asked for."""

import pytest
from calling import V2, Caller
from making import CLUSTER, a_cluster
from refusing import is_malformed

from parts.service import RunningService

NOBODY = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"
BODY = b'{"name": 7}'


@pytest.mark.parametrize(
    ("call", "headers", "body", "word"),
    [
        ("PATCH /clusters/no-id", {"Content-Type": "text/plain"}, BODY, "content-type"),
        ("PATCH /clusters/no-id", {"Content-Type": "text/plain", "Accept": "text/html"}, BODY, "content-type"),
        ("PATCH /clusters/no-id", {}, BODY, "content-type"),
        ("PATCH /clusters/no-id", {"Content-Type": "application/json"}, BODY, "path.cluster_id"),
        (
            "PATCH /clusters/no-id",
            {"Content-Type": "application/json", "Accept": "text/html"},
            BODY,
            "path.cluster_id",
        ),
        ("GET /clusters/no-id", {"Accept": "text/html"}, None, "accept"),
        ("GET /clusters/no-id?exclude-hosts=x", {}, None, "path.cluster_id"),
        ("GET /clusters?openshift_cluster_id=x", {}, None, "query.openshift_cluster_id"),
        (f"PATCH /clusters/{NOBODY}", {"Content-Type": "application/json"}, BODY, "body.name"),
        (f"POST /clusters/{NOBODY}/actions/install", {"Content-Type": "text/plain"}, b"now", "content-type"),
        (
            f"POST /clusters/{NOBODY}/logs?logs_type=host",
            {"Content-Type": "application/json"},
            b"{}",
            "content-type",
        ),
    ],
)
def test_what_is_wrong_first_is_told(api, call, headers, body, word):
    method, path = call.split(" ")
    assert is_malformed(api.raw(method, V2 + path, body, headers), word)


def test_a_body_that_nobody_asked_for_does_no_harm_if_it_could_be_read(api):
    headers = {"Content-Type": "application/json; charset=utf-8", "Accept": "text/html"}
    reply = api.raw("POST", f"{V2}/clusters/{a_cluster(api)}/actions/install", b"{}", headers)
    assert reply.status == 409


def test_a_body_of_unknown_length_is_looked_at_when_it_has_come(api):
    path = f"{V2}/clusters/{a_cluster(api)}"
    assert is_malformed(api.raw("PATCH", path, iter([b'{"tags":', b'"x"}'])), "content-type")
    headers = {"Content-Type": "application/json"}
    assert api.raw("PATCH", path, iter([b'{"tags":', b'"x"}']), headers).status == 201
    assert is_malformed(api.raw("PATCH", path, iter([]), headers), "body: is required")


def test_fields_that_nobody_knows_are_refused_unless_they_are_to_be_passed_over(api, tmp_path):
    strange = CLUSTER | {"colour": "red", "platform": {"type": "baremetal", "taste": "sweet"}, "proxy": None}
    assert is_malformed(api.v2("POST /clusters", strange), "colour")
    running = RunningService(tmp_path, {"ENABLE_REJECT_UNKNOWN_FIELDS": "false"})
    running.start()
    caller = Caller(running.url)
    made = caller.v2("POST /clusters", strange)
    assert (made.status, made.json["name"], made.json["platform"]["type"]) == (201, "lab", "baremetal")
    assert is_malformed(caller.v2("POST /clusters", strange | {"name": 7}), "body.name")
    assert is_malformed(caller.v2("POST /clusters", {"Name": "x", "colour": "red"}), "is required")
    caller.close()
    running.stop()

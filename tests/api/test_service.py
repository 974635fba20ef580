"""The service about itself, and what holds for every call."""

import gzip
import sqlite3
import uuid

import pytest
from calling import V2, Caller
from listening import Listener
from making import a_cluster, made
from processes import ServiceProcess

from muster.wire.endpoints import ENDPOINTS
from parts.postgres import Postgres
from parts.service import RunningService

NOBODY = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"


@pytest.mark.parametrize("path", ["/health", "/ready"])
def test_a_service_that_is_well_says_so_without_words(api, path):
    reply = api.call("GET", path)
    assert (reply.status, reply.body) == (200, b"")
    assert "Content-Type" not in reply.headers


def test_a_service_without_its_database_is_not_ready_until_it_is_back(tmp_path):
    postgres = Postgres()
    postgres.start()
    running = RunningService(tmp_path, database=postgres.fresh())
    running.start()
    api = Caller(running.url)
    try:
        assert api.call("GET", "/ready").status == 200
        cluster_id = a_cluster(api)
        postgres.stop()
        reply = api.call("GET", "/ready")
        assert (reply.status, reply.headers["Content-Type"]) == (503, "text/plain")
        assert b"database" in reply.body
        assert api.call("GET", "/health").status == 200
        for call, body in (("GET /events", None), (f"PATCH /clusters/{cluster_id}", {"tags": "x"})):
            refused = api.v2(call, body)
            assert (refused.status, refused.json["code"]) == (503, "503")
            assert "database" in refused.said
        postgres.start()
        assert api.call("GET", "/ready").status == 200
        assert api.v2(f"PATCH /clusters/{cluster_id}", {"tags": "x"}).status == 201
    finally:
        api.close()
        running.stop()
        postgres.remove()


def test_calls_are_counted_by_operation_and_status(api):
    api.v2(f"GET /clusters/{NOBODY}")
    api.v2("GET /nosuch")
    reply = api.call("GET", "/metrics")
    assert reply.headers["Content-Type"].startswith("text/plain")
    assert b'muster_http_request_seconds_count{operation="v2GetCluster",status="404"}' in reply.body
    assert b'muster_http_request_seconds_count{operation="unknown",status="404"}' in reply.body


@pytest.mark.parametrize(
    "path", ["/nosuch", "/", "", f"{V2}/nosuch", f"{V2}/clusters/{NOBODY}/nosuch", "/api/muster/v1"]
)
def test_an_unknown_path_is_not_found(api, path):
    reply = api.call("GET", path or "/")
    assert (reply.status, reply.json["code"], set(reply.json)) == (404, 404, {"code", "message"})


@pytest.mark.parametrize("path", [f"{V2}/clusters/", f"/{V2}//clusters", f"{V2}/clusters//"])
def test_too_many_slashes_do_no_harm(api, path):
    assert api.call("GET", path).status == 200


def test_another_method_is_not_allowed_and_told_which_is(api):
    reply = api.v2("DELETE /clusters")
    assert (reply.status, reply.headers["Allow"], reply.json["code"]) == (405, "GET,POST", 405)
    assert api.v2(f"PUT /clusters/{NOBODY}").headers["Allow"] == "DELETE,GET,PATCH"
    for path in ("/health", "/metrics", "/openapi.json"):
        reply = api.call("POST", path, {})
        assert (reply.status, reply.headers["Allow"]) == (405, "GET,HEAD")


def test_the_head_alone_cannot_be_had_of_any_operation(api):
    alone = {each.path for each in ENDPOINTS if each.method == "HEAD"}
    others = [each for each in ENDPOINTS if each.path not in alone and not each.file]
    for path in sorted({each.url(**dict.fromkeys(each.parameters, NOBODY)) for each in others}):
        reply = api.call("HEAD", path)
        assert (reply.status, reply.body) == (405, b"")


def test_the_head_alone_can_be_had_of_what_says_how_the_service_is(api):
    reply = api.call("HEAD", "/health")
    assert (reply.status, reply.body) == (200, b"")


def test_large_answers_are_compressed_for_those_who_can_read_it(api):
    cluster_id = a_cluster(api)
    plain = api.v2(f"GET /clusters/{cluster_id}")
    small = api.v2(f"GET /clusters/{cluster_id}", **{"Accept-Encoding": "br, gzip;q=0.5"})
    assert small.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.body) == plain.body
    assert len(small.body) < len(plain.body)
    assert "Content-Encoding" not in plain.headers
    for unable in ("gzip;q=0", "br", "identity"):
        reply = api.v2(f"GET /clusters/{cluster_id}", **{"Accept-Encoding": unable})
        assert "Content-Encoding" not in reply.headers
    short = api.v2(f"GET /clusters/{NOBODY}", **{"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in short.headers
    assert {each.headers["Vary"] for each in (plain, small, short)} == {"Accept-Encoding"}


def test_answers_of_operations_end_with_a_line_and_errors_before_them_do_not(api):
    assert api.v2("GET /clusters").body.endswith(b"\n")
    assert api.v2(f"GET /clusters/{NOBODY}").body.endswith(b"\n")
    assert not api.v2("GET /clusters/x").body.endswith(b"\n")
    refused = api.v2(f"GET /clusters/{NOBODY}/downloads/files?file_name=master.ign")
    assert refused.headers["Content-Type"] == "application/octet-stream"
    assert not refused.body.endswith(b"\n")


def test_an_answer_without_a_body_has_no_content_type(api):
    it = made(api)
    reply = api.v2(f"DELETE {it.host}")
    assert (reply.status, reply.body) == (204, b"")
    assert "Content-Type" not in reply.headers


# As a process


@pytest.fixture(scope="module")
def process(tmp_path_factory):
    with ServiceProcess(tmp_path_factory.mktemp("process"), LOG_LEVEL="debug") as running:
        yield running


@pytest.fixture
def talk(process):
    caller = Caller(process.url)
    yield caller
    caller.close()


def of_request(process: ServiceProcess, request_id: str) -> list[dict]:
    return [each for each in process.lines() if each.get("request_id") == request_id]


def request_ids_of_events(process: ServiceProcess) -> set[str]:
    with sqlite3.connect(process.data / "muster.db") as database:
        rows = database.execute("select request_id from events").fetchall()
    database.close()
    return {row[0] for row in rows}


def test_the_request_id_reaches_events_and_log(process, talk):
    request_id = f"mine-{uuid.uuid4()}"
    reply = talk.v2("POST /clusters", CREATE, **{"X-Request-ID": request_id})
    assert "X-Request-ID" not in reply.headers
    assert request_id in request_ids_of_events(process)
    (line,) = of_request(process, request_id)
    assert {name: line[name] for name in ("event", "level", "operation", "method", "path", "status")} == {
        "event": "called",
        "level": "info",
        "operation": "v2RegisterCluster",
        "method": "POST",
        "path": f"{V2}/clusters",
        "status": 201,
    }
    assert line["timestamp"].endswith("Z")
    assert isinstance(line["milliseconds"], int)


CREATE = {
    "name": "lab",
    "openshift_version": "4.20",
    "pull_secret": '{"auths":{"a.b":{"auth":"dXNlcjpwYXNzd29yZAo="}}}',
}


@pytest.mark.parametrize("given", ["", "x" * 129, "two\tparts", "\u00e9"])
def test_a_request_without_an_id_that_can_be_written_gets_one(process, talk, given):
    before = request_ids_of_events(process)
    assert talk.v2("POST /clusters", CREATE, **{"X-Request-ID": given}).status == 201
    (new,) = request_ids_of_events(process) - before
    assert str(uuid.UUID(new)) == new
    assert of_request(process, new)


def test_every_line_of_the_log_is_json_with_a_level_and_a_moment(process, talk):
    talk.v2("GET /clusters")
    talk.v2("GET /nosuch")
    lines = process.lines()
    assert {"event", "level", "timestamp"} <= set.intersection(*(set(each) for each in lines))
    assert {each["level"] for each in lines} >= {"info", "debug"}


def test_what_is_only_read_is_logged_only_if_that_is_wanted(process, talk):
    request_id = f"mine-{uuid.uuid4()}"
    talk.v2("GET /clusters", **{"X-Request-ID": request_id})
    assert [each["level"] for each in of_request(process, request_id)] == ["debug"]


def test_a_signal_ends_the_service_though_someone_listens(tmp_path):
    with ServiceProcess(tmp_path) as running, Listener(running.url) as listener:
        assert not listener.ended

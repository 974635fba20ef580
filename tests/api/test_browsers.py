"""What browsers are told: which pages may call the service, and what they may read of its answers."""

from collections.abc import Iterator

import pytest
from calling import Caller, Reply

from parts.service import RunningService

PAGE = "https://console.example.com"
COUNTS = "Severity-Count-Info, Severity-Count-Warning, Severity-Count-Error, Severity-Count-Critical, Event-Count"


def started(folder, origins: str) -> tuple[RunningService, Caller]:
    running = RunningService(folder, {"ALLOWED_DOMAINS": origins})
    running.start()
    return running, Caller(running.url)


@pytest.fixture(scope="module")
def api(tmp_path_factory) -> Iterator[Caller]:
    running, caller = started(tmp_path_factory.mktemp("browsers"), f"{PAGE}/, https://*.lab.example")
    yield caller
    caller.close()
    running.stop()


def asked(api: Caller, origin: str) -> Reply:
    """A browser asks whether a page may call."""
    headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    return api.v2("OPTIONS /clusters", **headers)


def varies(reply: Reply) -> set[str]:
    return {word.strip() for line in reply.headers.get_all("Vary") for word in line.split(",")}


@pytest.mark.parametrize("origin", [PAGE, PAGE.upper(), "https://a.lab.example", "https://a.b.lab.example"])
def test_pages_that_may_call_are_told_so(api, origin):
    reply = asked(api, origin)
    assert (reply.status, reply.body) == (204, b"")
    told = {name: reply.headers[f"Access-Control-{name}"] for name in ("Allow-Origin", "Allow-Methods", "Max-Age")}
    assert told == {
        "Allow-Origin": origin,
        "Allow-Methods": "DELETE, GET, PATCH, POST, PUT, HEAD, OPTIONS",
        "Max-Age": "600",
    }
    assert {"Authorization", "Content-Type"} <= set(reply.headers["Access-Control-Allow-Headers"].split(", "))
    assert "Access-Control-Allow-Credentials" not in reply.headers
    assert varies(reply) >= {"Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers"}


@pytest.mark.parametrize("origin", ["https://evil.example", "http://console.example.com", "https://lab.example", ""])
def test_other_pages_are_told_nothing(api, origin):
    for reply in (asked(api, origin), api.v2("GET /clusters", Origin=origin)):
        assert reply.status in {200, 204}
        assert not [name for name in reply.headers if name.lower().startswith("access-control")]
        assert "Origin" in varies(reply)


def test_a_page_that_may_call_may_read_the_answer_and_its_counts(api):
    for call in ("GET /clusters", "GET /nosuch"):
        reply = api.v2(call, Origin=PAGE)
        assert reply.headers["Access-Control-Allow-Origin"] == PAGE
        assert reply.headers["Access-Control-Expose-Headers"] == COUNTS
        assert varies(reply) == {"Accept-Encoding", "Origin"}


def test_who_does_not_ask_for_leave_is_not_answered_for_it(api):
    assert api.v2("OPTIONS /clusters", Origin=PAGE).status == 405


def test_every_page_may_call_where_that_is_wanted(tmp_path):
    running, caller = started(tmp_path, "*")
    assert asked(caller, "https://anywhere.example").headers["Access-Control-Allow-Origin"] == "*"
    caller.close()
    running.stop()


def test_without_the_setting_browsers_are_told_nothing(service):
    caller = Caller(service.url)
    assert asked(caller, PAGE).status == 405
    reply = caller.v2("GET /clusters", Origin=PAGE)
    assert varies(reply) == {"Accept-Encoding"}
    assert "Access-Control-Allow-Origin" not in reply.headers
    caller.close()

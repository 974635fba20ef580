"""Events as clients see them, ask for them and report them."""

import msgspec
import pytest

from builders import CLUSTER_ID, NOW
from muster.domain.events import Event, EventPage, Severity
from muster.wire.events import LONGEST, EventReport, EventsQuery, event_out, page_out
from muster.wire.query import parse_query

REPORT = {"severity": "info", "message": "it happened", "event_time": "2026-01-02T03:04:05Z"}
HOST = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"
OTHER = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f2"


def reported(**written):
    return msgspec.convert(REPORT | written, EventReport)


# What is asked for


def test_what_is_not_said_is_as_clients_expect():
    wanted = parse_query(EventsQuery, {}).wanted
    assert (wanted.limit, wanted.offset, wanted.descending, wanted.categories) == (5000, 0, False, ("user",))
    assert wanted.cluster_id is wanted.infra_env_id is None
    assert (wanted.host_ids, wanted.severities, wanted.message) == ((), (), "")
    assert wanted.deleted_hosts is wanted.cluster_level is False


def test_a_cluster_counts_more_than_an_infra_env_and_messages_are_searched_only_there():
    query = {"cluster_id": CLUSTER_ID, "infra_env_id": HOST, "message": "Disk"}
    with_cluster = parse_query(EventsQuery, query).wanted
    assert (with_cluster.cluster_id, with_cluster.infra_env_id, with_cluster.message) == (CLUSTER_ID, None, "Disk")
    without = parse_query(EventsQuery, {name: query[name] for name in ("infra_env_id", "message")}).wanted
    assert (without.infra_env_id, without.message) == (HOST, "")


def test_one_host_and_several_are_asked_for_together():
    assert parse_query(EventsQuery, {"host_ids": HOST, "host_id": OTHER}).wanted.host_ids == (HOST, OTHER)
    assert parse_query(EventsQuery, {"host_ids": f"{HOST},{OTHER}"}).wanted.host_ids == (HOST, OTHER)


def test_everything_else_is_handed_on():
    query = {
        "categories": "user,metrics",
        "severities": "warning,error",
        "deleted_hosts": "yes",
        "cluster_level": "on",
        "order": "descending",
        "limit": "-1",
        "offset": "-5",
    }
    wanted = parse_query(EventsQuery, query).wanted
    assert wanted.categories == ("user", "metrics")
    assert wanted.severities == ("warning", "error")
    assert (wanted.deleted_hosts, wanted.cluster_level, wanted.descending) == (True, True, True)
    assert (wanted.limit, wanted.offset) == (-1, 0)


@pytest.mark.parametrize("query", [{"severities": "loud"}, {"order": "random"}, {"limit": "many"}, {"host_ids": "x"}])
def test_what_makes_no_sense_is_refused(query):
    with pytest.raises(msgspec.ValidationError):
        parse_query(EventsQuery, query)


# What is shown


def test_an_event_shows_only_what_it_has():
    told = Event(name="n", severity=Severity.INFO, message="m", at=NOW)
    assert event_out(told) == {
        "event_time": "2026-01-02T03:04:05.000Z",
        "message": "m",
        "name": "n",
        "severity": "info",
    }
    whole = event_out(told.but(cluster_id="c", host_id="h", infra_env_id="i", props='{"a": 1}', category="metrics"))
    assert set(whole) == {*event_out(told), "cluster_id", "host_id", "infra_env_id", "props"}


def test_a_page_is_counted_in_its_headers():
    told = Event(name="n", severity=Severity.INFO, message="m", at=NOW)
    page = EventPage(events=(told,), count=7, severities={"info": 4, "warning": 3, "error": 2, "critical": 1})
    body, headers = page_out(page)
    assert msgspec.json.decode(body) == [event_out(told)]
    assert headers == {
        "Severity-Count-Info": "4",
        "Severity-Count-Warning": "3",
        "Severity-Count-Error": "2",
        "Severity-Count-Critical": "1",
        "Event-Count": "7",
    }


# What is reported


def test_a_report_is_told_at_the_time_of_the_service():
    event = reported(name="reboots_for_node", host_id=HOST, category="metrics", request_id=OTHER).event
    assert event == Event(
        name="reboots_for_node", severity=Severity.INFO, message="it happened", host_id=HOST, category="metrics"
    )
    assert event.at is None


def test_a_message_that_is_too_long_is_cut():
    assert len(reported(message="x" * 5000).event.message) == LONGEST


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ('{"node_name": "a", "reboots": 2}', '{"node_name":"a","reboots":2}'),
        ('["node_name", "a", "reboots", 2]', '{"node_name":"a","reboots":2}'),
        ('["node_name"]', ""),
        ('[1, "a"]', ""),
        ("{}", ""),
        ("[]", ""),
        ('"text"', ""),
        ("{not json", ""),
        ("[" * 100_000, ""),
        ("", ""),
    ],
)
def test_what_is_reported_besides_is_an_object_or_nothing(written, kept):
    assert reported(props=written).event.props == kept


@pytest.mark.parametrize("moment", ["2026-01-02", "2026-01-02T03:04", "2026-01-02 03:04:05.678901+0200", ""])
def test_the_time_of_a_report_may_be_written_in_many_ways(moment):
    assert reported(event_time=moment)


@pytest.mark.parametrize(
    "written", [{"severity": "loud"}, {"category": "other"}, {"event_time": "noon"}, {"host_id": "h1"}, {"extra": 1}]
)
def test_a_report_against_the_schema_is_refused(written):
    with pytest.raises(msgspec.ValidationError):
        reported(**written)


@pytest.mark.parametrize("name", sorted(REPORT))
def test_a_report_needs_a_severity_a_message_and_a_time(name):
    with pytest.raises(msgspec.ValidationError, match=name):
        msgspec.convert({key: value for key, value in REPORT.items() if key != name}, EventReport)

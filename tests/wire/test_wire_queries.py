"""Query strings become records, leniently where nothing can go wrong."""

from datetime import UTC, datetime, timedelta, timezone

import msgspec
import pytest

from muster.domain.errors import Invalid
from muster.domain.events import Severity
from muster.wire.cluster_requests import ClusterHostsQuery, ClusterQuery, ClustersQuery, LogsQuery, UploadQuery
from muster.wire.events import EventsQuery
from muster.wire.hosts import InstructionsQuery
from muster.wire.muster import HistoryQuery, StreamQuery
from muster.wire.query import TRUE, parse_query

ID = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"


@pytest.mark.parametrize("text", sorted(TRUE) + [each.upper() for each in sorted(TRUE)])
def test_many_words_mean_yes(text):
    assert parse_query(ClusterQuery, {"exclude-hosts": text}).exclude_hosts


@pytest.mark.parametrize("text", ["false", "0", "no", "perhaps", "", " true"])
def test_all_others_mean_no(text):
    assert not parse_query(ClusterQuery, {"exclude-hosts": text}).exclude_hosts


def test_lists_are_separated_by_commas_and_empty_parts_are_nothing():
    assert parse_query(ClustersQuery, {"ams_subscription_ids": "a,,b,"}).ams_subscription_ids == ("a", "b")
    assert parse_query(ClustersQuery, {"ams_subscription_ids": ","}).ams_subscription_ids == ()


def test_what_is_unknown_or_empty_is_ignored():
    assert parse_query(ClustersQuery, {"nosuch": "1", "owner": ""}) == ClustersQuery()


def test_numbers_are_numbers_and_not_too_large():
    assert parse_query(EventsQuery, {"limit": "-1", "offset": "7"}).wanted.limit == -1
    for text in ("x", "1.5", "0x1", "9" * 20):
        with pytest.raises(msgspec.ValidationError):
            parse_query(EventsQuery, {"limit": text})


def test_a_text_loses_the_one_character_that_cannot_be_looked_for():
    assert parse_query(ClusterHostsQuery, {"status": "a\0b"}).status == "ab"


def test_what_events_are_wanted_is_said_as_the_store_understands_it():
    query = parse_query(
        EventsQuery,
        {"cluster_id": ID, "infra_env_id": ID, "host_id": ID, "host_ids": f"{ID},{ID}", "message": "x",
         "severities": "info,error", "order": "descending", "offset": "-3", "categories": "metrics"},
    )  # fmt: skip
    wanted = query.wanted
    assert (wanted.cluster_id, wanted.infra_env_id, wanted.host_ids) == (ID, None, (ID, ID, ID))
    assert (wanted.severities, wanted.descending, wanted.offset) == ((Severity.INFO, Severity.ERROR), True, 0)
    assert (wanted.message, wanted.categories, wanted.limit) == ("x", ("metrics",), 5000)


def test_only_the_events_of_a_cluster_are_searched_for_words():
    wanted = parse_query(EventsQuery, {"infra_env_id": ID, "message": "x"}).wanted
    assert (wanted.infra_env_id, wanted.message, wanted.categories) == (ID, "", ("user",))


def test_logs_are_all_logs_unless_said_otherwise():
    assert parse_query(LogsQuery, {}).logs_type == "all"
    with pytest.raises(msgspec.ValidationError):
        parse_query(UploadQuery, {})


@pytest.mark.parametrize("text", ["0", "1794733063", "-1"])
def test_the_clock_of_a_host_is_a_number(text):
    assert parse_query(InstructionsQuery, {"timestamp": text}).timestamp == int(text)


@pytest.mark.parametrize("scope", ["", f"cluster:{ID}", f"infra-env:{ID}", f"host:{ID}/{ID}"])
def test_a_listener_names_a_scope_or_none(scope):
    assert parse_query(StreamQuery, {"scope": scope}).scope == scope


@pytest.mark.parametrize("scope", ["cluster", f"host:{ID}", f"cluster:{ID}\n", f"cluster:{ID} "])
def test_what_is_no_scope_is_none(scope):
    with pytest.raises(msgspec.ValidationError):
        parse_query(StreamQuery, {"scope": scope})


MOMENTS = [
    ("2026-01-31T12:00:00Z", datetime(2026, 1, 31, 12, tzinfo=UTC)),
    ("2026-01-31T12:00:00", datetime(2026, 1, 31, 12, tzinfo=UTC)),
    ("2026-01-31T12:00:00+02:00", datetime(2026, 1, 31, 10, tzinfo=UTC)),
    ("2026-01-31T12:00:00 02:00", datetime(2026, 1, 31, 10, tzinfo=UTC)),
]


@pytest.mark.parametrize(("text", "moment"), MOMENTS)
def test_a_moment_is_read_in_utc(text, moment):
    assert parse_query(HistoryQuery, {"at": text}).until == moment


def test_no_moment_is_now():
    assert parse_query(HistoryQuery, {}).until is None


def test_a_moment_beyond_all_clocks_is_refused():
    first = datetime.min.replace(tzinfo=timezone(timedelta(hours=14)))
    with pytest.raises(Invalid, match="at: "):
        HistoryQuery(at=first).until  # noqa: B018 - reading it is the act

"""Timelines as our own API shows them."""

import msgspec
import pytest

from builders import a_cluster
from histories import Tale, after
from muster.domain.timeline import timeline
from muster.wire.query import read_query
from muster.wire.timeline import TimelineOut, TimelineQuery, timeline_out


def shown(tale: Tale, at: float) -> dict:
    out = timeline_out(timeline(tale.rows, now=after(at)), a_cluster(), after(at))
    written = msgspec.json.decode(msgspec.json.encode(out))
    assert msgspec.convert(written, TimelineOut) == out
    return written


def test_everything_is_shown_with_the_seconds_it_took():
    tale = Tale().registered("m0").install(10, "m0").cluster(40, "ready", by="Cancel")
    out = shown(tale, 100)
    assert (out["name"], out["at"]) == ("lab", "2026-01-02T03:05:45Z")
    assert (out["attempt"]["number"], out["attempt"]["seconds"], out["attempt"]["result"]) == (1, 30.0, "cancelled")
    assert (out["attempt"]["start"], out["attempt"]["end"]) == ("2026-01-02T03:04:15Z", "2026-01-02T03:04:45Z")
    assert [each["seconds"] for each in out["attempts"]] == [10.0, 30.0]
    assert sum(leg["seconds"] for leg in out["critical_path"]) == 30.0
    assert out["spans"][out["slowest"]]["critical"] is True


def test_what_goes_on_has_no_end_and_has_lasted_until_now():
    out = shown(Tale().registered("m0").install(10, "m0"), 25)
    assert (out["attempt"]["end"], out["attempt"]["seconds"]) == (None, 15.0)
    assert {(each["end"], each["seconds"], each["result"]) for each in out["spans"]} == {(None, 15.0, "running")}


def test_where_no_time_has_passed_nothing_was_slow():
    assert shown(Tale().registered("m0").install(10, "m0"), 10)["slowest"] is None


def test_the_last_attempt_is_meant_where_none_is_named():
    assert read_query(TimelineQuery, "").attempt is None
    assert read_query(TimelineQuery, "attempt=2").attempt == 2


@pytest.mark.parametrize("text", ["attempt=-1", "attempt=last", "attempt=99999999999"])
def test_an_attempt_is_named_by_its_number(text):
    with pytest.raises(msgspec.ValidationError, match="attempt"):
        read_query(TimelineQuery, text)

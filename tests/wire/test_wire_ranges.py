"""Which bytes of a file a caller wants."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.wire.ranges import MOST, Span, Version, selected

VERSION = Version(tag='"abc"', modified=datetime(2026, 11, 15, 12, 0, 0, 654321, tzinfo=UTC))
THEN, BEFORE, LATER = (f"Sun, 15 Nov 2026 {hour}:00:00 GMT" for hour in ("12", "11", "13"))
WHOLE = (200, [(0, 1000)])


def chosen(length=1000, **headers):
    found = selected({name.replace("_", "-"): value for name, value in headers.items()}, length, VERSION)
    return found.status, [each.ends for each in found.spans]


def test_who_asks_for_nothing_special_gets_the_whole():
    assert chosen() == WHOLE


@pytest.mark.parametrize(
    ("asked", "spans"),
    [
        ("bytes=0-99", [(0, 100)]),
        ("bytes=900-", [(900, 1000)]),
        ("bytes=-10", [(990, 1000)]),
        ("bytes=-5000", [(0, 1000)]),
        ("bytes=990-5000", [(990, 1000)]),
        ("bytes=0-0, 999-999", [(0, 1), (999, 1000)]),
        ("bytes=0-1,5000-", [(0, 2)]),
        ("BYTES = 5-6", [(5, 7)]),
    ],
)
def test_ranges_that_the_file_has_are_sent(asked, spans):
    assert chosen(range=asked) == (206, spans)


@pytest.mark.parametrize("asked", ["bytes=1000-", "bytes=1000-2000,5000-6000", "bytes=-0"])
def test_ranges_beyond_the_end_cannot_be_sent(asked):
    assert chosen(range=asked) == (416, [])


@pytest.mark.parametrize(
    "asked",
    ["", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-4", "lines=0-1", "bytes=0-1,x", "bytes=0-999,0-999"],
)
def test_ranges_that_make_no_sense_are_passed_over(asked):
    assert chosen(range=asked) == WHOLE


def test_too_many_ranges_are_passed_over():
    assert chosen(range="bytes=" + ",".join(f"{at}-{at}" for at in range(MOST + 1))) == WHOLE
    assert chosen(range="bytes=" + ",".join(f"{at}-{at}" for at in range(MOST)))[0] == 206


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"if_match": '"abc"'}, 200),
        ({"if_match": "*"}, 200),
        ({"if_match": '"old", "abc"'}, 200),
        ({"if_match": '"old"'}, 412),
        ({"if_match": 'W/"abc"'}, 412),
        ({"if_unmodified_since": THEN}, 200),
        ({"if_unmodified_since": BEFORE}, 412),
        ({"if_unmodified_since": "whenever"}, 200),
        ({"if_none_match": '"abc"'}, 304),
        ({"if_none_match": 'W/"abc"'}, 304),
        ({"if_none_match": "*"}, 304),
        ({"if_none_match": '"old"', "if_modified_since": LATER}, 200),
        ({"if_modified_since": THEN}, 304),
        ({"if_modified_since": BEFORE}, 200),
        ({"if_modified_since": "Sun, 15 Nov 2026 13:00:00 -0000"}, 304),
    ],
)
def test_a_caller_may_make_conditions(said, status):
    assert chosen(**said)[0] == status


@pytest.mark.parametrize(
    ("known", "status"),
    [('"abc"', 206), ('"old"', 200), ('W/"abc"', 200), (THEN, 206), (BEFORE, 200), (LATER, 200), ("whenever", 200)],
)
def test_parts_are_sent_only_to_who_has_parts_of_the_same_file(known, status):
    assert chosen(range="bytes=0-9", if_range=known)[0] == status


def test_a_file_says_which_it_is():
    assert VERSION.headers == {"etag": '"abc"', "last-modified": THEN}
    assert Span(start=5, stop=7).of(10) == "bytes 5-6/10"


@given(st.text(alphabet="bytes=0123456789-, ", max_size=60), st.integers(0, 100))
def test_whatever_is_asked_spans_lie_within_the_file(asked, length):
    status, spans = chosen(length, range=asked)
    assert status in {200, 206, 416}
    assert all(0 <= start <= stop <= length for start, stop in spans)
    assert sum(stop - start for start, stop in spans) <= length
    assert status != 206 or all(start < stop for start, stop in spans)

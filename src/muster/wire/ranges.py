"""Which bytes of a file a caller wants, by the headers of its call (RFC 9110, sections 13 and 14).

Turns headers into a `Selection`: the status and the ranges. The API asks it for every image; firmware reads one in
thousands of small ranges, and must never be given parts of two different files.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime

from muster.domain.record import Record

MOST = 64
"""Ranges that one call may ask for; whoever asks for more gets the whole."""

_RANGE = re.compile(r"\A(?P<first>\d{0,18})-(?P<last>\d{0,18})\Z")
_TAG = re.compile(r'(?:W/)?"[^"]*"')


class Version(Record):
    """Which file it is: its bytes are the same as long as this is."""

    tag: str
    modified: datetime

    @property
    def headers(self) -> dict[str, str]:
        """How callers are told."""
        return {"etag": self.tag, "last-modified": format_datetime(self.modified, usegmt=True)}


class Span(Record):
    """Bytes from `start` to before `stop`."""

    start: int
    stop: int

    @property
    def ends(self) -> tuple[int, int]:
        """Where it begins, and where what follows does."""
        return self.start, self.stop

    def of(self, length: int) -> str:
        """As callers are told which bytes of how many they get."""
        return f"bytes {self.start}-{self.stop - 1}/{length}"


class Selection(Record):
    """What is sent: 200 the whole, 206 some ranges, 304 and 412 nothing, 416 nothing of what was asked."""

    status: int
    spans: tuple[Span, ...] = ()


def selected(headers: Mapping[str, str], length: int, version: Version) -> Selection:
    """What a caller with these headers is to be sent of a file."""
    if _has_failed(headers, version):
        return Selection(status=412)
    if _is_known(headers, version):
        return Selection(status=304)
    whole = Selection(status=200, spans=(Span(start=0, stop=length),))
    asked = headers.get("range", "")
    unit, _, listed = asked.partition("=")
    if unit.strip().lower() != "bytes" or not _still(headers.get("if-range", ""), version):
        return whole
    spans = _spans(listed.split(","), length)
    if spans is None:
        return whole
    return Selection(status=206, spans=spans) if spans else Selection(status=416)


def _spans(listed: Sequence[str], length: int) -> tuple[Span, ...] | None:
    """The ranges that the file has; none if it has none of them, None if they are to be passed over."""
    matches = [_RANGE.match(each.strip()) for each in listed]
    if len(matches) > MOST:
        return None
    spans = []
    for match in matches:
        if match is None or match.group() == "-":
            return None
        span = _span(match["first"], match["last"], length)
        if span is None:
            return None
        if span.start < span.stop:
            spans.append(span)
    # Ranges that add up to more than the file are asked for to do harm, or in error.
    return None if sum(each.stop - each.start for each in spans) > length else tuple(spans)


def _span(first: str, last: str, length: int) -> Span | None:
    """One range, empty if it lies beyond the end; None if it makes no sense."""
    if not first:
        return Span(start=max(length - int(last), 0), stop=length)
    start, stop = int(first), min(int(last) + 1, length) if last else length
    return None if last and int(last) < start else Span(start=start, stop=stop)


def _has_failed(headers: Mapping[str, str], version: Version) -> bool:
    """The caller wants the file only if it is one that it knows, and it is another."""
    tags = headers.get("if-match", "")
    if tags:
        return tags.strip() != "*" and version.tag not in _TAG.findall(tags)
    since = _moment(headers.get("if-unmodified-since", ""))
    return since is not None and version.modified.replace(microsecond=0) > since


def _is_known(headers: Mapping[str, str], version: Version) -> bool:
    """The caller has the file already."""
    tags = headers.get("if-none-match", "")
    if tags:
        return tags.strip() == "*" or version.tag in (tag.removeprefix("W/") for tag in _TAG.findall(tags))
    since = _moment(headers.get("if-modified-since", ""))
    return since is not None and version.modified.replace(microsecond=0) <= since


def _still(known: str, version: Version) -> bool:
    """Whether a caller's parts are of this file; whoever does not say takes the risk."""
    if not known or '"' in known:
        return known in ("", version.tag)
    return _moment(known) == version.modified.replace(microsecond=0)


def _moment(text: str) -> datetime | None:
    """A moment as headers write it; None if it cannot be read."""
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment

"""Recordings: all that is known of a cluster and how it came to be so, in one file, secrets removed.

A recording is a zip archive: `recording.json` says of what, when and by which policy it was taken; `records.jsonl`,
`history.jsonl` and `events.jsonl` hold a JSON object in each line. The API writes it piece by piece; `muster replay`
reads it, on any machine.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

import msgspec

from muster import __version__
from muster.domain import clusters, hosts, infra_envs
from muster.domain.clusters import Cluster
from muster.domain.errors import Invalid
from muster.domain.events import Event
from muster.domain.history import HistoryRow
from muster.domain.hosts import Host
from muster.domain.infra_envs import InfraEnv
from muster.domain.policy import Policy
from muster.domain.record import SECRET, Record
from muster.domain.states.hosts import GONE

from .muster import replayed

AnyRecord = Cluster | Host | InfraEnv
T = TypeVar("T")

FORMAT = 1
"""Which way recordings are written; another is not read here."""

HEAD, RECORDS, HISTORY, EVENTS = "recording.json", "records.jsonl", "history.jsonl", "events.jsonl"
ABOUT = "What muster knew of a cluster, without its secrets. Open it with `muster replay FILE`."

KINDS: dict[str, type[AnyRecord]] = {"cluster": Cluster, "host": Host, "infra_env": InfraEnv}
"""The records there are, as history calls them."""

SECRETS: dict[type, frozenset[str]] = {
    Cluster: clusters.SECRETS,
    Host: hosts.SECRETS,
    InfraEnv: infra_envs.SECRETS,
}
"""The fields of each whose value nobody is shown."""


class Head(Record, omit_defaults=False):
    """Of what a recording was taken, when and where."""

    cluster_id: str
    name: str
    taken_at: datetime
    version: int
    """The version of the cluster's scope; no row of its history is later."""
    policy: Policy
    """What the service it was taken from decides by."""
    heard_at: dict[str, datetime] = {}
    """When each host had last asked for instructions."""
    format: int = FORMAT
    muster: str = __version__
    about: str = ABOUT


class Line(Record):
    """A record in a recording."""

    kind: str
    record: dict[str, Any]


class Recording(Record):
    """All that a recording holds."""

    head: Head
    cluster: Cluster
    hosts: tuple[Host, ...] = ()
    infra_envs: tuple[InfraEnv, ...] = ()
    history: tuple[HistoryRow, ...] = ()
    events: tuple[Event, ...] = ()


def masked(record: AnyRecord) -> dict[str, Any]:
    """A record as it may be shown to anybody: that there is a secret is told, what it is is not."""
    hidden = SECRETS[type(record)]
    written: dict[str, Any] = msgspec.to_builtins(record)
    return {name: SECRET if name in hidden and value else value for name, value in written.items()}


def line_of(record: AnyRecord) -> Line:
    """A record as it is put down in a recording."""
    kind = next(name for name, kind in KINDS.items() if kind is type(record))
    return Line(kind=kind, record=masked(record))


def unmasked(kind: type[AnyRecord], written: dict[str, Any]) -> Any:
    """The record that was masked. Where words cannot stand in place of a secret, there is none."""
    texts = {field.name for field in msgspec.structs.fields(kind) if field.type is str}
    known = {name: value for name, value in written.items() if value != SECRET or name in texts}
    return msgspec.convert(known, kind)


# Writing


class _Outlet:
    """Where the archive is written to: keeps what has not been sent yet."""

    def __init__(self) -> None:
        self.kept = bytearray()

    def write(self, data: bytes, /) -> int:
        """Keep it."""
        self.kept += data
        return len(data)

    def flush(self) -> None:
        """Nothing is held back here."""

    def close(self) -> None:
        """What was kept is still to be taken."""


class Pack:
    """A recording in the making. What is ready can be taken away and sent at any time."""

    def __init__(self, head: Head) -> None:
        self._outlet = _Outlet()
        self._zip = ZipFile(self._outlet, "w", ZIP_DEFLATED)
        self._stamp = head.taken_at.timetuple()[:6]
        with self.part(HEAD) as write:
            write(head)

    @contextmanager
    def part(self, name: str) -> Iterator[Callable[[Any], None]]:
        """A file of the archive, to write to line by line."""
        entry = ZipInfo(name, self._stamp)
        entry.compress_type = ZIP_DEFLATED
        with self._zip.open(entry, "w", force_zip64=True) as file:
            yield lambda line: _write(file.write, line)

    def __len__(self) -> int:
        return len(self._outlet.kept)

    def ready(self) -> bytes:
        """What can be sent by now; it is forgotten here."""
        piece = bytes(self._outlet.kept)
        self._outlet.kept.clear()
        return piece

    def end(self) -> bytes:
        """The last of it."""
        self._zip.close()
        return self.ready()


def _write(write: Callable[[bytes], int], line: Any) -> None:
    write(msgspec.json.encode(line) + b"\n")


# Reading


def read_recording(path: Path) -> Recording:
    """All that a recording holds; `Invalid` if the file is none."""
    try:
        with ZipFile(path) as archive:
            return _read(archive)
    except (OSError, BadZipFile, KeyError, msgspec.MsgspecError) as error:
        raise Invalid(f"{path} cannot be opened as a recording: {error}") from error


def _read(archive: ZipFile) -> Recording:
    written = msgspec.json.decode(archive.read(HEAD), type=dict[str, Any])
    if written.get("format") != FORMAT:
        raise Invalid(
            f"The recording was written by muster {written.get('muster')} in format {written.get('format')};"
            f" muster {__version__} reads format {FORMAT}"
        )
    found: dict[str, list[Any]] = {kind: [] for kind in KINDS}
    for line in _lines(archive, RECORDS, Line):
        found[line.kind].append(unmasked(KINDS[line.kind], line.record))
    if len(found["cluster"]) != 1:
        raise Invalid(f"The recording is of {len(found['cluster'])} clusters, not of one")
    return Recording(
        head=msgspec.convert(written, Head),
        cluster=found["cluster"][0],
        hosts=tuple(found["host"]),
        infra_envs=tuple(found["infra_env"]),
        history=tuple(sorted(_lines(archive, HISTORY, HistoryRow), key=_place)),
        events=tuple(_lines(archive, EVENTS, Event)),
    )


def _lines(archive: ZipFile, name: str, kind: type[T]) -> Iterator[T]:
    decoder = msgspec.json.Decoder(kind)
    with archive.open(name) as file:
        yield from map(decoder.decode, file)


def _place(row: HistoryRow) -> tuple[int, ...]:
    """Where a row stands in the order of commits."""
    return tuple(int(number) for number in row.cursor.split("."))


# Another moment


def as_of(recording: Recording, at: datetime) -> Recording:
    """The recording as it would be, had it been taken at an earlier moment; `Invalid` if it does not reach there."""
    first, last = recording.history[0].at if recording.history else recording.head.taken_at, recording.head.taken_at
    rows = tuple(row for row in recording.history if row.at <= at)
    found = {kind: tuple(_remade(rows, kind)) for kind in KINDS}
    if at > last or not found["cluster"]:
        raise Invalid(
            f"{at.isoformat()} is not in the recording: it reaches from {first.isoformat()} to {last.isoformat()}"
        )
    of_cluster = tuple(host for host in found["host"] if host.cluster_id == recording.cluster.id)
    return recording.but(
        head=recording.head.but(
            taken_at=at,
            version=max((row.version for row in rows if row.scope.startswith("cluster:")), default=1),
            heard_at={host.id: at for host in of_cluster if host.status not in GONE},
        ),
        cluster=found["cluster"][0],
        hosts=of_cluster,
        infra_envs=found["infra_env"],
        history=rows,
        events=tuple(event for event in recording.events if event.at is not None and event.at <= at),
    )


def _remade(rows: Iterable[HistoryRow], kind: str) -> Iterator[Any]:
    """What rows make of every record of a kind. One whose beginning they do not tell is left out."""
    patches: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row.kind == kind:
            patches.setdefault(row.key, []).append(row.patch)
    for each in patches.values():
        written = replayed(each)
        if "created_at" in written:
            yield unmasked(KINDS[kind], written)

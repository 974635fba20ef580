"""Turns a commit into what every store keeps of it: records with their place, history, neighbours.

Both `sql` and `memory` write what is said here, so they cannot differ in it.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from muster.domain import clusters, hosts, infra_envs
from muster.domain.errors import Conflict, Finished, Invalid
from muster.domain.record import Record, record_patch
from muster.domain.views import cluster_scope, infra_env_scope, scope_of
from muster.ports import AnyRecord, Change, Commit, Committed


class Noun(Record):
    """How records of one type are filed."""

    kind: str
    secrets: frozenset[str]
    key: Callable[[Any], str]
    parent: Callable[[Any], str | None]
    gone: Callable[[Any], bool]


NOUNS: dict[type, Noun] = {
    clusters.Cluster: Noun(
        kind="cluster",
        secrets=clusters.SECRETS,
        key=lambda cluster: cluster.id,
        parent=lambda _: None,
        gone=lambda cluster: cluster.deleted_at is not None,
    ),
    hosts.Host: Noun(
        kind="host",
        secrets=hosts.SECRETS,
        key=lambda host: host_key(host.infra_env_id, host.id),
        parent=lambda host: host.infra_env_id,
        gone=lambda host: host.deleted_at is not None,
    ),
    infra_envs.InfraEnv: Noun(
        kind="infra_env",
        secrets=infra_envs.SECRETS,
        key=lambda infra_env: infra_env.id,
        parent=lambda infra_env: infra_env.cluster_id,
        gone=lambda infra_env: infra_env.deleted,
    ),
}
"""Every type of record that is kept."""


class Filed(Record):
    """A changed record, the place where it belongs, and what has changed about it."""

    record: AnyRecord
    kind: str
    key: str
    scope: str
    parent: str | None
    gone: bool
    patch: dict[str, Any]
    was_in: str | None
    """The scope it was in before; None if it is new."""
    was_under: str | None
    """Its parent before."""
    counts_anew: bool
    """Whether it came, went or came back, so that those who count it must count again."""

    @property
    def is_the_scopes_own(self) -> bool:
        """Whether the scope lives and goes with this record; a host in a cluster is only a part of it."""
        return self.kind != "host" or scope_kind(self.scope) == "host"


class Neighbour(Record):
    """Another scope whose own records a commit changes: it gets a new version too, and is looked at soon."""

    scope: str
    version: int | None
    """The version that was looked at, None if nobody looked."""
    live: bool
    deadline: datetime | None


MOST_DIGITS = 18
"""Digits of the largest number in a cursor; what is longer no database can hold."""


def host_key(infra_env_id: str, host_id: str) -> str:
    """The key of a host: the same machine may be known to several infra-envs."""
    return f"{infra_env_id}/{host_id}"


def scope_kind(scope: str) -> str:
    """The kind of a scope, from its name."""
    return scope.partition(":")[0]


def outdated(commit: Commit) -> Conflict:
    """Someone else was faster with this scope or with one that was looked at."""
    return Conflict(f"{commit.scope} is no longer at version {commit.version}, or what it was decided from has changed")


def finished_already(commit: Commit) -> Finished:
    """Another worker brought the same effect to its end."""
    return Finished(f"Effect {commit.finished_effect} of {commit.scope} has been finished by another worker")


def printable(text: str) -> str:
    """The text without the one character that not every database can keep."""
    return text.replace("\0", "")


def cursor(tx: int, row: int) -> str:
    """The name of a place in the history: after this row of this transaction."""
    return f"{tx}.{row}"


def position(cursor: str) -> tuple[int, int]:
    """The transaction and row that a cursor names."""
    tx, _, row = cursor.partition(".")
    if not (tx.isdecimal() and row.isdecimal()) or max(len(tx), len(row)) > MOST_DIGITS:
        raise Invalid(f"cursor: {cursor!r} was not given out here; leave it out to begin at the start")
    return int(tx), int(row)


def is_after(cursor: str, other: str) -> bool:
    """Whether a cursor names a place behind that of another, or of the beginning if that is ""."""
    return bool(cursor) and (not other or position(cursor) > position(other))


def filed(change: Change) -> Filed:
    """A change, ready to be written."""
    old, new = change.old, change.new
    noun = NOUNS[type(new)]
    gone = noun.gone(new)
    return Filed(
        record=new,
        kind=noun.kind,
        key=noun.key(new),
        scope=scope_of(new),
        parent=noun.parent(new),
        gone=gone,
        patch=record_patch(old, new, hidden=noun.secrets),
        was_in=None if old is None else scope_of(old),
        was_under=None if old is None else noun.parent(old),
        counts_anew=old is None or noun.gone(old) != gone,
    )


def neighbours(commit: Commit, changes: Iterable[Filed]) -> tuple[Neighbour, ...]:
    """The other scopes that records of this commit belong to or leave, in one order for everybody."""
    places: dict[str, bool] = {}
    for change in changes:
        if change.scope != commit.scope:
            places[change.scope] = not change.gone if change.is_the_scopes_own else places.get(change.scope, True)
        if change.was_in not in (None, commit.scope, change.scope):
            # A host that leaves its own scope leaves it empty; a cluster or infra-env lives on.
            places.setdefault(str(change.was_in), scope_kind(str(change.was_in)) != "host")
    return tuple(
        Neighbour(scope=scope, version=commit.reads.get(scope), live=live, deadline=commit.at if live else None)
        for scope, live in sorted(places.items())
    )


def news_of(commit: Commit, changes: Iterable[Filed]) -> Committed:
    """What is told of a commit: the new version, and other scopes whose views hold what it changes."""
    scopes: set[str] = set()
    counts: set[str] = set()
    for change in changes:
        scopes.add(change.scope)
        if change.was_in:
            scopes.add(change.was_in)
        if change.kind == "host" and change.counts_anew:
            counts.add(infra_env_scope(str(change.parent)))
        if change.kind == "infra_env":
            scopes.update(cluster_scope(owner) for owner in (change.parent, change.was_under) if owner)
    return Committed(
        scope=commit.scope,
        version=commit.version + 1,
        touches=tuple(sorted(scopes - {commit.scope})),
        counts=tuple(sorted(counts)),
    )

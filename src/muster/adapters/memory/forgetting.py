"""Says what is left when a scope is forgotten; the twin of `sql/forgetting.py`."""

from collections.abc import Iterable, Iterator

from muster.adapters.rows import host_key, scope_kind
from muster.domain.events import Event
from muster.domain.history import HistoryRow

from .records import Filing


def forget(filing: Filing, scope: str) -> set[tuple[str, str]]:
    """Remove the scope with its records and what was heard of its hosts. Returns the kinds and keys that are gone."""
    kind, _, key = scope.partition(":")
    hosts = [each for each in filing.records.values() if each.kind == "host"]
    silent = [each for each in hosts if each.scope == scope or (each.parent == key and each.gone)]
    leaving = [each for each in silent if each.scope == scope or scope_kind(each.scope) == "host"]
    gone = {(kind.replace("-", "_"), key), *((each.kind, each.key) for each in leaving)}
    for each in silent:
        filing.presence.pop(each.key, None)
    for place in gone:
        filing.records.pop(place, None)
    for name in _scopes_below(filing, scope):
        del filing.scopes[name]
    return gone


def _scopes_below(filing: Filing, scope: str) -> list[str]:
    """The scope, and those of hosts without a cluster that were started from it if it is an infra-env."""
    pool = f"host:{host_key(scope.partition(':')[2], '')}"
    return [name for name in filing.scopes if name == scope or name.startswith(pool)]


def remaining_history(rows: list[HistoryRow], gone: set[tuple[str, str]]) -> Iterator[HistoryRow]:
    """The rows of other records, and the newest, whosever it is: cursors are compared with it."""
    return (row for row in rows if (row.kind, row.key) not in gone or row is rows[-1])


def remaining_events(filing: Filing, events: Iterable[Event], scope: str) -> Iterator[Event]:
    """What was told of others; what was told of an infra-env for a cluster that is still known stays with that."""
    kind, _, key = scope.partition(":")
    if kind == "cluster":
        return (event for event in events if event.cluster_id != key)
    return (
        event for event in events if event.infra_env_id != key or ("cluster", event.cluster_id or "") in filing.records
    )

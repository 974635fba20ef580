"""Our own API: the live stream, explanations, history, the pages of hosts."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import msgspec

from muster.api.call import Answer, Call, serves
from muster.api.clusters import view_of
from muster.api.hosts import host_in_view
from muster.domain.errors import NotFound, Refused, Unavailable
from muster.domain.history import HistoryRow
from muster.domain.hosts import Host
from muster.domain.role_reasons import role_reasons
from muster.domain.states.clusters import JUDGED
from muster.domain.validations.catalogue import (
    CLUSTER_VALIDATIONS,
    HOST_VALIDATIONS,
    Assessment,
    assess_cluster,
    assess_host,
)
from muster.domain.views import ClusterView, HostView, View, host_scope, peers_of
from muster.domain.what_if import what_if
from muster.ports import Committed
from muster.wire.endpoints import ours as rows
from muster.wire.endpoints.endpoint import PAGE
from muster.wire.muster import explained, replayed, supposed
from muster.wire.pages import host_page

QUIET = 15.0
"""Seconds after which a silent stream says that it lives."""

SOON = 0.25
"""Seconds after which is looked again for rows that were announced and are not shown yet."""


BEGIN_AGAIN = b"id: %s\nevent: reset\ndata: {}\n\n"
"""Said to a listener whose place is not in the history any more, as after a restore: it has to look at all anew."""


@serves(rows.STREAM_CHANGES)
async def stream(call: Call) -> Answer:
    """Every change as it happens; resumes after the `Last-Event-ID` a listener names."""
    store = call.service.store
    after = call.headers.get("last-event-id", "") or await store.last_cursor()
    # Read once before the answer begins: a cursor that nobody gave out is refused, not dropped half-way.
    await store.history(after=after, limit=1)
    return Answer(stream=_changes(call, after), headers={"cache-control": "no-cache"})


async def _changes(call: Call, after: str) -> AsyncGenerator[bytes]:
    news, doubt, store = asyncio.Event(), asyncio.Event(), call.service.store
    doubt.set()

    def hear(told: Committed | None) -> None:
        news.set()
        if told is None:
            doubt.set()

    unsubscribe = call.service.bus.subscribe(hear)
    patience = QUIET
    try:
        yield b"retry: 1000\n\n"
        while True:
            news.clear()
            if doubt.is_set() and await store.is_ahead(after):
                after = await store.last_cursor()
                yield BEGIN_AGAIN % after.encode()
            doubt.clear()
            rows = await store.history(after=after, scope=call.query.scope)
            for row in rows:
                after = row.cursor
                yield _written(row)
            if rows:
                patience = QUIET
                continue
            try:
                async with asyncio.timeout(patience):
                    await news.wait()
                patience = SOON
            except TimeoutError:
                if patience == QUIET:
                    yield b": still here\n\n"
                patience = QUIET
    except Unavailable:
        # Whoever listens comes back by itself and goes on from where it was.
        return
    finally:
        unsubscribe()


def _written(row: HistoryRow) -> bytes:
    data = msgspec.json.encode(row)
    return b"id: %s\nevent: %s\ndata: %s\n\n" % (row.cursor.encode(), row.kind.encode(), data)


SHORTEST_CODE = 8
"""How many characters of an id tell a host from others well enough."""


def _host_explained(view: View, host: Host, role_because: str, *, failing: bool) -> dict[str, Any]:
    assessment = assess_host(HostView(view, host, peers_of(view.living)))
    return {
        "id": host.id,
        "name": host.name,
        "status": host.status,
        "meaning": host.status.meaning,
        "because": host.status_info,
        "role": host.effective_role,
        "role_because": role_because,
        "verdicts": explained(assessment, HOST_VALIDATIONS, failing=failing),
    }


@serves(rows.EXPLAIN_HOST)
async def explain_host(call: Call) -> dict[str, Any]:
    """Why a host is as it is, and what would put it right."""
    view, host = await host_in_view(call)
    view = _now(call, view)
    return _host_explained(view, host, role_reasons(view).get(host.id, ""), failing=call.query.failing)


@serves(rows.HOST_PAGE)
async def host_page_by_code(call: Call) -> Answer:
    """The page of a host, by what its console shows of its id."""
    code = call.parameters["code"].lower()
    found = await call.service.store.hosts_called(code) if len(code) >= SHORTEST_CODE else ()
    if not found:
        raise NotFound(f"No host is called {code}; its console shows the {SHORTEST_CODE} characters that it is called")
    if len(found) > 1:
        names = ", ".join(each for each, _ in found)
        raise Refused(f"{len(found)} hosts are called {code}; write more of the id: {names}")
    host_id, scope = found[0]
    view = _now(call, await call.service.engine.view(scope))
    host = _host_explained(view, view.hosts[host_id], "", failing=True)
    page = host_page(host, "" if view.cluster is None else view.cluster.name)
    return Answer(page.encode(), content_type=PAGE, status=200)


@serves(rows.EXPLAIN_CLUSTER)
async def explain_cluster(call: Call) -> dict[str, Any]:
    """Why a cluster and its hosts are as they are, and what would put them right."""
    view = _now(call, await view_of(call))
    cluster = view.cluster
    assert cluster is not None
    failing, roles = call.query.failing, role_reasons(view)
    assessment = (
        assess_cluster(ClusterView(view, cluster, peers_of(view.living)))
        if cluster.status in JUDGED
        else Assessment(verdicts=cluster.verdicts)
    )
    return {
        "id": cluster.id,
        "name": cluster.name,
        "status": cluster.status,
        "meaning": cluster.status.meaning,
        "because": cluster.status_info,
        "verdicts": explained(assessment, CLUSTER_VALIDATIONS, failing=failing),
        "hosts": [_host_explained(view, host, roles[host.id], failing=failing) for host in view.living],
    }


@serves(rows.WHAT_IF)
async def suppose(call: Call) -> dict[str, Any]:
    """What would become of a cluster and its hosts if something were changed."""
    view = _now(call, await view_of(call))
    added = tuple([await _pool_host(call, index, each) for index, each in enumerate(call.body.added)])
    return supposed(what_if(view, call.body, added))


async def _pool_host(call: Call, index: int, key: str) -> Host:
    """A host that belongs to no cluster."""
    infra_env_id, _, host_id = key.partition("/")
    try:
        view = await call.service.engine.view(host_scope(infra_env_id, host_id))
        return view.hosts[host_id]
    except (NotFound, KeyError):
        raise NotFound(
            f"add[{index}]: there is no host {key!r} in the pool; write the id of its infra-env, a slash, and its id"
        ) from None


def _now(call: Call, view: View) -> View:
    return call.service.engine.present(view).but(now=call.service.clock.now())


async def _history(call: Call, kind: str, key: str) -> dict[str, Any]:
    rows = await call.service.store.history_of(kind, key, call.query.until)
    return {
        "record": replayed([row.patch for row in rows]),
        "changes": [msgspec.to_builtins(row) for row in rows],
    }


@serves(rows.HISTORY_OF_CLUSTER)
async def history_of_cluster(call: Call) -> dict[str, Any]:
    """What changed about a cluster, and what it was at a moment."""
    await view_of(call)
    return await _history(call, "cluster", call.parameters["cluster_id"])


@serves(rows.HISTORY_OF_HOST)
async def history_of_host(call: Call) -> dict[str, Any]:
    """What changed about a host, and what it was at a moment."""
    _, host = await host_in_view(call)
    return await _history(call, "host", f"{host.infra_env_id}/{host.id}")

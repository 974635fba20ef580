"""Recordings over REST: a cluster with all its past as one file, read and sent piece by piece."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from muster.api.call import Answer, Call, saved_as, serves
from muster.api.clusters import view_of
from muster.api.timeline import history_in
from muster.domain.errors import NotFound
from muster.domain.events import Event, EventQuery
from muster.domain.history import HistoryRow
from muster.domain.views import cluster_scope, infra_env_scope
from muster.ports import Store, Stored
from muster.wire.endpoints import ours as rows
from muster.wire.recorder import EVENTS, HISTORY, RECORDS, Head, Pack, line_of

PIECE = 64 * 1024
"""The bytes that are sent at a time, at least."""

PAGE = 500
"""How many events are read at a time."""

HOST = "host:"


@serves(rows.RECORDING)
async def record_cluster(call: Call) -> Answer:
    """All that is known of a cluster, to be opened elsewhere with `muster replay`."""
    view = await view_of(call)
    stored = await call.service.store.load(view.scope, gone=True)
    assert view.cluster is not None
    if stored is None:
        raise NotFound(f"There is no cluster {view.cluster.id} any more")
    head = Head(
        cluster_id=view.cluster.id,
        name=view.cluster.name,
        taken_at=call.service.clock.now(),
        version=stored.version,
        policy=call.service.policy,
        heard_at=view.presence,
    )
    stamp = head.taken_at.strftime("%Y%m%dT%H%M%SZ")
    name = f"{view.cluster.name}-{stamp}.muster.zip"
    return Answer(stream=_packed(call.service.store, head, stored), headers=saved_as(name))


async def _packed(store: Store, head: Head, stored: Stored) -> AsyncGenerator[bytes]:
    """The recording, as its pieces become ready."""
    pack = Pack(head)
    with pack.part(RECORDS) as write:
        for record in (stored.cluster, *stored.hosts.values(), *stored.infra_envs.values()):
            if record is not None:
                write(line_of(record))
    for name, lines in ((HISTORY, _history(store, head, stored)), (EVENTS, _events(store, head))):
        with pack.part(name) as write:
            async with aclosing(lines):
                async for line in lines:
                    write(line)
                    if len(pack) >= PIECE:
                        yield pack.ready()
    yield pack.end()


async def _history(store: Store, head: Head, stored: Stored) -> AsyncGenerator[HistoryRow]:
    """What has changed up to the records: of the cluster, of its images, and of its hosts before they were its own."""
    hosts: dict[str, None] = {}
    async for row in history_in(store, cluster_scope(head.cluster_id)):
        if row.kind == "host":
            hosts[row.key] = None
        if row.version <= head.version:
            yield row
    for infra_env in stored.infra_envs:
        scope = infra_env_scope(infra_env)
        async for row in history_in(store, scope):
            if row.version <= stored.reads[scope]:
                yield row
    for key in hosts:
        async for row in history_in(store, f"{HOST}{key}"):
            if row.at <= head.taken_at:
                yield row


async def _events(store: Store, head: Head) -> AsyncGenerator[Event]:
    """What was told of the cluster and its hosts."""
    query = EventQuery(cluster_id=head.cluster_id, categories=(), limit=PAGE)
    while page := (await store.events(query)).events:
        for event in page:
            if event.at is not None and event.at <= head.taken_at:
                yield event
        query = query.but(offset=query.offset + len(page))

"""Timelines over REST: what the time of an installation was spent on."""

from collections.abc import AsyncGenerator

from muster.api.call import Call, serves
from muster.api.clusters import view_of
from muster.domain.history import HistoryRow
from muster.domain.timeline import timeline
from muster.domain.traces import relevant
from muster.domain.views import cluster_scope
from muster.ports import Store
from muster.wire.endpoints import ours as rows
from muster.wire.timeline import TimelineOut, timeline_out


async def history_in(store: Store, scope: str) -> AsyncGenerator[HistoryRow]:
    """All that has changed in a scope, oldest first, never much of it at a time."""
    after = ""
    while page := await store.history(after=after, scope=scope):
        for row in page:
            yield row
        after = page[-1].cursor


@serves(rows.TIMELINE)
async def timeline_of_cluster(call: Call) -> TimelineOut:
    """An attempt to install a cluster, the last if none is named."""
    view = await view_of(call)
    assert view.cluster is not None
    now = call.service.clock.now()
    kept = [relevant(row) async for row in history_in(call.service.store, cluster_scope(view.cluster.id))]
    told = timeline(
        (row for row in kept if row is not None),
        now=now,
        attempt=call.query.attempt,
        names={host.id: host.name for host in view.hosts.values()},
    )
    return timeline_out(told, view.cluster, now)

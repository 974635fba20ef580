"""The names of a cluster: created in the DNS before its hosts are installed, withdrawn when it is given up.

`preparation.py` calls `publish`, `effects.py` `withdraw`, and the API `looked_up` when a cluster is renamed. What may
be in the DNS is written down before it is, so that whoever is killed in between leaves nothing that nobody knows of.
"""

from collections.abc import Sequence

import structlog

from muster.domain.cluster_names import check_free, names_of, names_to_look_for, unwanted_names
from muster.domain.effects import WithdrawNames
from muster.domain.errors import Broken, NotFound, Unavailable
from muster.domain.inputs.clusters import ClusterUpdate
from muster.domain.names import DnsName
from muster.domain.triggers import NamesChosen, NamesWithdrawn, Ticked, Trigger
from muster.domain.views import View, cluster_scope
from muster.ports import Names

from .engine import Engine, Sender

log = structlog.get_logger()


class NoNames:
    """Who keeps no domain, where the service has none to create names in."""

    async def found(self, names: Sequence[DnsName]) -> tuple[DnsName, ...]:  # noqa: ARG002 - whatever is asked for
        """None."""
        return ()

    async def publish(self, names: Sequence[DnsName]) -> None:
        """Nobody is told of them."""

    async def withdraw(self, names: Sequence[DnsName]) -> None:
        """They are nowhere."""


NOBODY = NoNames()


async def publish(view: View, engine: Engine, names: Names) -> None:
    """Let a cluster that is about to be installed be found, if its domain is one that the service manages.

    `Broken` if a name of it is somebody else's, or the provider refuses; `Unavailable` if that may be otherwise later.
    """
    cluster = view.cluster
    assert cluster is not None
    wanted = names_of(cluster, view.living, view.policy.managed_domains)
    if not wanted and not cluster.dns_names:
        return
    check_free(cluster, wanted, await names.found(wanted))
    await names.withdraw(unwanted_names(cluster, wanted))
    chosen = NamesChosen(attempt=cluster.preparation.attempt, names=wanted)
    decision = await engine.submit(cluster_scope(cluster.id), chosen, Sender(actor="worker"))
    if decision.cluster.dns_names == wanted:
        await names.publish(wanted)


async def looked_up(view: View, changes: ClusterUpdate, names: Names) -> tuple[DnsName, ...]:
    """Where the names lead already that a cluster would have if it were called as a user wants.

    None where nobody can tell: that is told when the cluster is to be installed, and keeps nobody from describing it.
    """
    cluster = view.cluster
    assert cluster is not None
    try:
        return await names.found(names_to_look_for(cluster, changes, view.policy.managed_domains))
    except (Broken, Unavailable) as error:
        log.warning("it is not known whether names are taken", cluster=cluster.id, error=str(error))
        return ()


async def withdraw(effect: WithdrawNames, engine: Engine, names: Names) -> Trigger:
    """Let the names of a cluster go, unless it is being installed anew: that attempt sees to them.

    What the provider refuses stays, and is told in the log only: whoever gives a cluster up is not kept from it.
    """
    scope = cluster_scope(effect.cluster_id)
    engine.forget(scope)
    try:
        cluster = (await engine.view(scope)).cluster
    except NotFound:
        cluster = None
    if cluster is not None and cluster.deleted_at is None and cluster.preparation.attempt > effect.attempt:
        return Ticked()
    try:
        await names.withdraw(effect.names)
    except Broken as error:
        left = [each.name for each in effect.names]
        log.warning("names of a cluster stay in the DNS", cluster=effect.cluster_id, names=left, error=str(error))
        return Ticked()
    return NamesWithdrawn(names=effect.names)

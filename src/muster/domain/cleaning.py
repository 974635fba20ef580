"""What time alone clears away: what nobody has touched for long is given up, what was given up long ago is forgotten.

`decide` asks `clean` what is to go when a scope is woken, and `cleaning_due` when to wake it for that. `wiring` asks
for the `horizon` when the service starts, since it may have been given other times than before.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from . import events
from .accepts.clusters import give_up
from .accepts.infra_envs import give_up as give_up_infra_env
from .accepts.names import withdraw_names
from .clusters import Cluster
from .draft import Draft
from .effects import DeleteFiles
from .infra_envs import InfraEnv
from .policy import Policy
from .record import Record
from .states.clusters import RUNNING, UNDER_WAY
from .states.hosts import IN_PREPARATION, INSTALLING
from .states.table import TICK
from .views import View

BUSY = INSTALLING | IN_PREPARATION
"""States of hosts that keep their cluster from being given up."""


class Cleaning(Record):
    """Something that is to be cleared away, when, and how."""

    due: datetime
    act: Callable[[Draft], None]


class Horizon(Record):
    """The latest moments at which something can be due to be cleared away that nobody touches from now on.

    A deadline behind them was set when more time was given. One before them comes soon enough.
    """

    clusters: datetime
    infra_envs: datetime
    gone: datetime
    """For what was given up already."""


def horizon(policy: Policy, now: datetime) -> Horizon:
    """How far a policy looks ahead."""
    return Horizon(
        clusters=now + policy.inactivity + TICK,
        infra_envs=now + policy.infra_env_inactivity + TICK,
        gone=now + policy.deleted_kept + TICK,
    )


def clean(draft: Draft) -> bool:
    """Clear away what is due; False if nothing is."""
    cleaning = _cleaning(draft.view)
    if cleaning is None or cleaning.due > draft.view.now:
        return False
    cleaning.act(draft)
    return True


def cleaning_due(view: View) -> datetime | None:
    """When there may be something to clear away."""
    cleaning = _cleaning(view)
    return None if cleaning is None else cleaning.due


def _cleaning(view: View) -> Cleaning | None:
    cluster, infra_env = view.cluster, view.own_infra_env
    if cluster is not None:
        since = cluster.deleted_at
        return _of_cluster(view, cluster) if since is None else _of_gone_cluster(view, cluster, since)
    if infra_env is None:
        return None
    return _of_gone_infra_env(view, infra_env) if infra_env.deleted else _of_infra_env(view, infra_env)


# Clusters


def _of_cluster(view: View, cluster: Cluster) -> Cleaning | None:
    """Given up if nobody has changed it and no host of it was heard of for long, unless it is being installed."""
    policy, living = view.policy, view.living
    if not policy.gives_up_clusters or cluster.status in UNDER_WAY or any(host.status in BUSY for host in living):
        return None
    touched = max([cluster.updated_at, *(max(host.updated_at, view.seen_at(host)) for host in living)])
    return Cleaning(due=touched + policy.inactivity + TICK, act=_give_up_cluster)


def _give_up_cluster(draft: Draft) -> None:
    hours = draft.view.policy.inactivity / timedelta(hours=1)
    draft.tell(events.after_inactivity_cluster_deregistered(draft.cluster, f"{hours:g} hours"))
    if draft.cluster.status not in RUNNING:
        # Whoever runs is found by its names, however long nobody has asked for it here.
        withdraw_names(draft)
    give_up(draft)


def _of_gone_cluster(view: View, cluster: Cluster, since: datetime) -> Cleaning | None:
    """Forgotten once its files are; those that fetch logs and manifests of it have had their time."""
    if cluster.forgetting or not view.policy.forgets:
        return None
    return Cleaning(due=since + view.policy.deleted_kept + TICK, act=_delete_the_rest)


def _delete_the_rest(draft: Draft) -> None:
    assert draft.view.cluster is not None
    draft.put(draft.view.cluster.but(forgetting=True))
    draft.start(DeleteFiles(cluster_id=draft.view.cluster.id, everything=True))


# Infra-envs


def _of_infra_env(view: View, infra_env: InfraEnv) -> Cleaning | None:
    """Given up, with its hosts, if nobody has changed it and none of them was heard of for long.

    As long as a cluster needs it, it is looked at again after the same time: that the cluster is gone is not told here.
    """
    policy = view.policy
    if not policy.gives_up_infra_envs:
        return None
    touched = max(infra_env.updated_at, view.heard_at or infra_env.updated_at)
    if view.needed:
        touched = max(touched, view.now)
    return Cleaning(due=touched + policy.infra_env_inactivity + TICK, act=give_up_infra_env)


def _of_gone_infra_env(view: View, infra_env: InfraEnv) -> Cleaning | None:
    """Forgotten, unless hosts of it are still to be given up."""
    if not view.policy.forgets:
        return None
    since = view.now if view.tenants else infra_env.updated_at
    return Cleaning(due=since + view.policy.deleted_kept + TICK, act=Draft.forget)

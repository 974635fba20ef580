"""Commits as the engine would make them, for the contract of the store."""

from typing import Any

from builders import CLUSTER_ID, INFRA_ENV_ID, NOW, a_cluster, a_host, an_infra_env
from muster.domain.events import Event, Severity
from muster.domain.views import cluster_scope, host_scope, infra_env_scope
from muster.ports import AnyRecord, Change, Commit, Store

CLUSTER = cluster_scope(CLUSTER_ID)
INFRA_ENV = infra_env_scope(INFRA_ENV_ID)


def new(*records: AnyRecord) -> tuple[Change, ...]:
    return tuple(Change(old=None, new=record) for record in records)


def changed(old: AnyRecord, **changes: Any) -> tuple[Change, ...]:
    return (Change(old=old, new=old.but(**changes)),)


def a_commit(scope: str = CLUSTER, version: int = 0, **changes: Any) -> Commit:
    return Commit(scope=scope, version=version, at=NOW, actor="tester", triggers=("Ticked",)).but(**changes)


def an_event(message: str = "Something happened", **changes: Any) -> Event:
    return Event(name="something_happened", severity=Severity.INFO, message=message, cluster_id=CLUSTER_ID).but(
        **changes
    )


def unbound(host_id: str) -> Any:
    return a_host(host_id, cluster_id=None)


def pool(host_id: str) -> str:
    return host_scope(INFRA_ENV_ID, host_id)


async def with_infra_env(store: Store) -> None:
    await store.commit(a_commit(INFRA_ENV, changes=new(an_infra_env())))


async def with_cluster(store: Store, *host_ids: str) -> None:
    """A cluster at version 1 with its infra-env and hosts."""
    await with_infra_env(store)
    await store.commit(a_commit(changes=new(a_cluster(), *(a_host(host_id) for host_id in host_ids))))

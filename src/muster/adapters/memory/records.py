"""Finds the records of a scope among those in memory; the twin of `sql/records.py`."""

from collections.abc import Callable, Iterable
from datetime import datetime

from muster.adapters.rows import Filed, host_key, scope_kind
from muster.domain.clusters import Cluster
from muster.domain.hosts import Host
from muster.domain.infra_envs import InfraEnv
from muster.domain.record import Record
from muster.domain.views import infra_env_scope
from muster.ports import Stored


class Scope(Record):
    """What is kept of a scope itself."""

    version: int
    deadline: datetime | None
    live: bool


class Filing(Record):
    """All records with their scopes and what was last heard of hosts. The dictionaries are the store's own."""

    scopes: dict[str, Scope]
    records: dict[tuple[str, str], Filed]
    presence: dict[str, datetime]

    def version(self, scope: str) -> int:
        """The version of a scope, 0 if there is none."""
        found = self.scopes.get(scope)
        return found.version if found else 0

    def living_hosts(self) -> Iterable[Filed]:
        """The hosts that have not been given up."""
        return (each for each in self.records.values() if each.kind == "host" and not each.gone)

    def infra_env(self, infra_env_id: str) -> InfraEnv | None:
        """An infra-env, given up or not."""
        found = self.records.get(("infra_env", infra_env_id))
        return found.record if found and isinstance(found.record, InfraEnv) else None

    def stored(self, scope: str, hosts: Iterable[Filed], infra_env_ids: Iterable[str]) -> Stored:
        """These hosts and infra-envs, as a scope."""
        members = [each.record for each in hosts if isinstance(each.record, Host)]
        seen = {host.id: self.presence.get(host_key(host.infra_env_id, host.id)) for host in members}
        used = [found for infra_env_id in infra_env_ids if (found := self.infra_env(infra_env_id))]
        return Stored(
            version=self.version(scope),
            hosts={host.id: host for host in members},
            infra_envs={infra_env.id: infra_env for infra_env in used},
            reads={name: self.version(name) for name in (infra_env_scope(each.id) for each in used)},
            presence={host_id: at for host_id, at in seen.items() if at is not None},
        )


def load(filing: Filing, scope: str, *, gone: bool = False) -> Stored | None:
    """The scope with all that its decisions may look at; None if there is none. `gone` adds hosts given up."""
    kind, _, key = scope.partition(":")
    found = _LOADERS.get(kind)
    return found(filing, scope, key, gone) if found else None


def _load_cluster(filing: Filing, scope: str, key: str, gone: bool) -> Stored | None:
    own = filing.records.get(("cluster", key))
    if own is None or not isinstance(own.record, Cluster):
        return None
    filed = [each for each in filing.records.values() if each.kind == "host" and each.scope == scope]
    hosts = [each for each in filed if gone or not each.gone]
    known = [each for each in filing.records.values() if each.kind == "infra_env"]
    sources = {each.parent for each in hosts if not each.gone}
    used = [each.key for each in known if each.key in sources or (each.parent == key and not each.gone)]
    return filing.stored(scope, hosts, used).but(cluster=own.record)


def _load_host(filing: Filing, scope: str, key: str, _: bool) -> Stored | None:
    infra_env_id = key.partition("/")[0]
    hosts = [each for each in filing.living_hosts() if (each.key, each.scope) == (key, scope)]
    infra_env = filing.infra_env(infra_env_id)
    nowhere = infra_env is None or infra_env.deleted
    return None if nowhere and not hosts else filing.stored(scope, hosts, [infra_env_id])


def _load_infra_env(filing: Filing, scope: str, key: str, _: bool) -> Stored | None:
    infra_env = filing.infra_env(key)
    if infra_env is None:
        return None
    tenants = [each for each in filing.living_hosts() if each.parent == key]
    owner = filing.records.get(("cluster", infra_env.cluster_id or ""))
    return filing.stored(scope, (), [key]).but(
        reads={},
        tenants=len(tenants),
        needed=(owner is not None and not owner.gone) or any(scope_kind(each.scope) == "cluster" for each in tenants),
        heard_at=max((filing.presence[each.key] for each in tenants if each.key in filing.presence), default=None),
    )


_LOADERS: dict[str, Callable[[Filing, str, str, bool], Stored | None]] = {
    "cluster": _load_cluster,
    "host": _load_host,
    "infra-env": _load_infra_env,
}

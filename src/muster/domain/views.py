"""All a decision may see: the records of one scope, the present moment, and the house rules."""

from collections.abc import Iterable
from datetime import datetime
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from .clusters import Cluster
from .hosts import Host, HostKind
from .infra_envs import InfraEnv
from .joining import ApiVipReply
from .operators import additions
from .policy import Policy
from .progress import AFTER_REBOOT
from .record import Record
from .requirements import Figures, Requirements, is_edge_worker
from .roles import WITH_ARBITER, Role


def cluster_scope(cluster_id: str) -> str:
    """The scope of a cluster with its hosts."""
    return f"cluster:{cluster_id}"


def host_scope(infra_env_id: str, host_id: str) -> str:
    """The scope of a host without a cluster."""
    return f"host:{infra_env_id}/{host_id}"


def infra_env_scope(infra_env_id: str) -> str:
    """The scope of a discovery image."""
    return f"infra-env:{infra_env_id}"


def scope_of(record: Cluster | Host | InfraEnv) -> str:
    """The scope in which a record changes."""
    if isinstance(record, Cluster):
        return cluster_scope(record.id)
    if isinstance(record, InfraEnv):
        return infra_env_scope(record.id)
    return cluster_scope(record.cluster_id) if record.cluster_id else host_scope(record.infra_env_id, record.id)


class View(Record):
    """One scope at one moment.

    A cluster's view holds the cluster, its hosts, and, to read only, the infra-envs they come from.
    The view of a host without a cluster holds that host and its infra-env; an infra-env's own view
    holds nothing else. `presence` says when each host last asked for instructions.
    """

    scope: str
    now: datetime
    policy: Policy
    version: int = 0
    cluster: Cluster | None = None
    hosts: dict[str, Host] = {}
    infra_envs: dict[str, InfraEnv] = {}
    tenants: int = 0
    """How many hosts were started from an infra-env and have not been given up."""
    needed: bool = False
    """Whether a cluster needs the infra-env: its own, or one that some of its hosts were given to."""
    heard_at: datetime | None = None
    """When any host of the infra-env last asked for instructions."""
    presence: dict[str, datetime] = {}
    beside: dict[str, "View"] = {}
    """Other scopes that a trigger has asked to look at, to read only."""
    memo: Any = None
    """What `settle` worked out last time, so that it need not do so again for what has not changed."""

    @property
    def living(self) -> tuple[Host, ...]:
        """The hosts that have not been given up and are still in this scope."""
        own = self.cluster.id if self.cluster else None
        return tuple([host for host in self.hosts.values() if host.deleted_at is None and host.cluster_id == own])

    @property
    def own_infra_env(self) -> InfraEnv | None:
        """The infra-env whose own view this is, given up or not."""
        kind, _, key = self.scope.partition(":")
        return self.infra_envs.get(key) if kind == "infra-env" else None

    def seen_at(self, host: Host) -> datetime:
        """When the host last asked for instructions."""
        return max(self.presence.get(host.id, host.registered_at), host.registered_at)

    def with_host(self, host: Host) -> "View":
        """This view with a host added or changed; itself when nothing differs."""
        if self.hosts.get(host.id) is host:
            return self
        return replace(self, hosts={**self.hosts, host.id: host})

    def with_cluster(self, cluster: Cluster) -> "View":
        """This view with its cluster changed; itself when nothing differs."""
        return self if cluster is self.cluster else replace(self, cluster=cluster)


class Peers(Record):
    """What has to be known of all hosts of a cluster to judge one of them."""

    count: int = 0
    hostnames: dict[str, int] = {}
    """How many hosts go by each name."""
    roles: dict[str, Role] = {}
    """The effective role of each host."""
    declared: dict[Role, int] = {}
    """How many hosts were asked to take each role; `auto-assign` where nothing was asked."""
    names: dict[str, str] = {}
    """What to call each host."""
    fenced: frozenset[str] = frozenset()
    """The hosts that can be switched off from outside."""
    joining: tuple[ApiVipReply, ...] = ()
    """What a running cluster has handed to those that are to join it."""

    def counted(self, role: Role) -> int:
        """How many hosts have a role."""
        return sum(1 for each in self.roles.values() if each is role)

    @property
    def fenced_pair(self) -> bool:
        """Whether two control plane hosts can do without an arbiter, since each can switch the other off."""
        masters = [host_id for host_id, role in self.roles.items() if role is Role.MASTER]
        return len(masters) == WITH_ARBITER and not self.counted(Role.ARBITER) and self.fenced.issuperset(masters)


NO_PEERS = Peers()
"""For those to whom the others do not matter."""

TOGETHER = frozenset({"ip_collisions", "majority_groups"})
"""Fields of a cluster that say how its hosts find each other: what the others are to a host, besides `Peers`."""

OTHERS = TOGETHER.union(Peers.__struct_fields__)
"""All that there is to know of the others."""


def peers_of(hosts: Iterable[Host]) -> Peers:
    """The peers that these hosts are to each other."""
    hosts = tuple(hosts)
    hostnames: dict[str, int] = {}
    declared: dict[Role, int] = {}
    for host in hosts:
        declared[host.role] = declared.get(host.role, 0) + 1
        if host.inventory is not None:
            hostnames[host.hostname] = hostnames.get(host.hostname, 0) + 1
    return Peers(
        count=len(hosts),
        hostnames=hostnames,
        roles={host.id: host.effective_role for host in hosts},
        declared=declared,
        names={host.id: host.name for host in hosts},
        fenced=frozenset(host.id for host in hosts if host.fencing_credentials is not None),
        joining=tuple(host.api_vip for host in hosts if host.api_vip is not None and host.api_vip.is_success),
    )


class HostView:
    """One host as its validations and its state table see it."""

    def __init__(self, view: View, host: Host, peers: Peers) -> None:
        self.view = view
        self.host = host
        self.peers = peers
        self.cluster = view.cluster
        self.policy = view.policy
        self.now = view.now
        self._known: frozenset[str] | None = None
        """Hosts that are known to be in the cluster."""

    @cached_property
    def infra_env(self) -> InfraEnv | None:
        """The discovery image the host was started from."""
        return self.view.infra_envs.get(self.host.infra_env_id)

    @property
    def unbound(self) -> bool:
        """The host belongs to no cluster."""
        return self.cluster is None

    @property
    def day2(self) -> bool:
        """The host joins a cluster that runs."""
        return self.host.kind is HostKind.DAY2

    @property
    def single_node(self) -> bool:
        """The host is to be the whole cluster."""
        return self.cluster is not None and self.cluster.single_node

    @property
    def role(self) -> Role:
        """The part the host is judged for."""
        return self.host.effective_role

    @property
    def version(self) -> str:
        """The OpenShift version the host is judged for."""
        if self.cluster is not None and not self.cluster.day2:
            return self.cluster.openshift_version
        return self.infra_env.openshift_version if self.infra_env else ""

    @cached_property
    def requirements(self) -> Requirements:
        """What every role needs in the version the host is judged for."""
        return self.policy.requirements.for_version(self.version)

    @cached_property
    def base_figures(self) -> Figures:
        """How much machine the host's role needs by itself."""
        if self.cluster is None:
            return self.requirements.pool
        edge = is_edge_worker(self.host.inventory, self.policy.edge_products)
        return self.requirements.of(self.role, single_node=self.cluster.single_node, edge=edge)

    @cached_property
    def figures(self) -> Figures:
        """How much machine the host needs: its role's share, and what each selected operator adds to it."""
        base, added = self.base_figures, additions(self).values()
        return base.but(
            cpu_cores=base.cpu_cores + sum(each.cpu_cores for each in added),
            ram_mib=base.ram_mib + sum(each.ram_mib for each in added),
        )

    def knows_all(self, host_ids: frozenset[str]) -> bool:
        """Whether all these hosts are in the cluster. Asked more than once of the same hosts, it is worked out once."""
        if self._known is not host_ids and host_ids <= self.peers.roles.keys():
            self._known = host_ids
        return self._known is host_ids

    @property
    def after_reboot(self) -> bool:
        """No agent runs on the host any more, so its silence means nothing."""
        return self.host.progress.current_stage in AFTER_REBOOT

    @property
    def seen_at(self) -> datetime:
        """When the host last asked for instructions."""
        return self.view.seen_at(self.host)

    @property
    def silent_at(self) -> datetime:
        """When the host counts as gone if it does not ask for instructions before."""
        patience = self.policy.disconnection
        if self.host.bootstrap:
            patience += self.policy.bootstrap_grace
        return self.seen_at + patience

    @cached_property
    def connected(self) -> bool:
        """The host has asked for instructions lately, or need not any more."""
        return self.after_reboot or self.now <= self.silent_at


class ClusterView:
    """A cluster with its hosts, as its validations and its state table see it."""

    def __init__(self, view: View, cluster: Cluster, peers: Peers) -> None:
        self.view = view
        self.cluster = cluster
        self.peers = peers
        self.policy = view.policy
        self.now = view.now

    @cached_property
    def hosts(self) -> tuple[Host, ...]:
        """The hosts of the cluster that have not been given up."""
        return self.view.living

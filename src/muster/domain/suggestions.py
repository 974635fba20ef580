"""Which role each host should have where the user has not said, and who carries the bootstrap.

Turns the hosts of a cluster into roles. `derive` asks at every settling and the install once more at its
beginning; `role_reasons` says why. What was suggested before is never looked at, so that the same machines
always get the same roles.
"""

from collections.abc import Callable, Iterable
from datetime import datetime

from .clusters import Cluster
from .disks import GB, TOO_SMALL
from .hosts import Host
from .inventory import Disk, Inventory
from .monitored import OperatorType
from .record import Record
from .requirements import has_cpu_and_memory_for
from .roles import WITH_ARBITER, Role
from .states.hosts import BEFORE_INSTALL, HostState
from .validations.catalogue import assess_host
from .validations.hardware import has_cpu_cores_for_role, has_memory_for_role
from .validations.operators import OF_HOSTS
from .views import HostView, Peers, View, peers_of

GIB = 2**30
MASTERS = frozenset({Role.MASTER, Role.BOOTSTRAP})

MACHINE_CHECKS = (has_cpu_cores_for_role, has_memory_for_role)
CARRIED = frozenset({
    "lso-requirements-satisfied", "odf-requirements-satisfied", "cnv-requirements-satisfied",
    "lvm-requirements-satisfied",
})  # fmt: skip
"""Checks of operators that run on the control plane."""

CHECKS = {
    Role.MASTER: (*MACHINE_CHECKS, *(check for check in OF_HOSTS if check.id in CARRIED)),
    Role.ARBITER: MACHINE_CHECKS,
}
"""What a host must pass in a role before the role is suggested to it."""

Fits = Callable[[Host, Role], bool]
"""Whether a host will do for a role."""


def weight(inventory: Inventory, least_gb: int) -> float:
    """How much machine a host is; the least that will do becomes control plane, the rest carry workloads.

    Disks count that a control plane host could be installed to. Which disks count must not depend on the role
    a host happens to have, or the weight would change the role and the role the weight.
    """
    if inventory.cpu is None or inventory.memory is None:
        return 0.0
    memory = inventory.memory.usable_bytes // GIB
    return (inventory.cpu.count - 4) + 0.1 * (memory - 16) + 0.004 * (disk_gib(inventory, least_gb) - 100)


def disk_gib(inventory: Inventory, least_gb: int) -> int:
    """How much room there is on the disks that count."""
    return sum(disk.size_bytes // GIB for disk in inventory.disks or () if _counts(disk, least_gb))


def _counts(disk: Disk, least_gb: int) -> bool:
    reasons = disk.installation_eligibility.not_eligible_reasons or ()
    return disk.size_bytes >= least_gb * GB and all(reason.startswith(TOO_SMALL) for reason in reasons)


class Plan(Record):
    """The hosts whose role is open, in the order in which they are asked, and the places still to be filled."""

    hosts: tuple[Host, ...] = ()
    settled: tuple[Host, ...] = ()
    """The other hosts, whose roles stay as they are."""
    masters: int = 0
    arbiters: int = 0
    least_gb: int = 0
    """How large a disk must be to count."""
    paired: bool = False
    """Whether the control plane is two hosts that can switch each other off."""
    peers: Peers = Peers()
    """What the hosts would be to each other if their size alone decided."""


NOBODY = Plan()


def suggested_roles(view: View, *, forced: bool = False) -> dict[str, Role]:
    """The role of every host whose role is left to the service.

    A service may be set not to suggest roles; `forced` asks all the same, for an installation that is to begin.
    """
    if not (forced or view.policy.auto_assign):
        return {}
    plan = planned(view)
    return filled(plan, lambda host, role: _will_do(view, host, role, plan.peers))


def filled(plan: Plan, fits: Fits) -> dict[str, Role]:
    """The hosts in their places."""
    roles: dict[str, Role] = {}
    masters, arbiters = plan.masters, plan.arbiters
    for host in plan.hosts:
        role = Role.WORKER
        if masters > 0 and fits(host, Role.MASTER):
            role, masters = Role.MASTER, masters - 1
        elif arbiters > 0 and fits(host, Role.ARBITER):
            role, arbiters = Role.ARBITER, arbiters - 1
        roles[host.id] = role
    return roles


def _will_do(view: View, host: Host, role: Role, peers: Peers) -> bool:
    """Whether nothing speaks against a host in a role. Where only its size counts, no words are made about it."""
    cluster = view.cluster
    by_size = cluster is not None and not any(each.operator_type is OperatorType.OLM for each in cluster.operators)
    if by_size and has_cpu_and_memory_for(host, HostView(view, host.but(role=role), peers).figures):
        return True
    return not against(view, host, role, peers)


def against(view: View, host: Host, role: Role, peers: Peers) -> list[str]:
    """What speaks against a host in a role, in words."""
    assessment = assess_host(HostView(view, host.but(role=role), peers), CHECKS[role])
    return [verdict.message for name, verdict in assessment.verdicts.items() if name in assessment.held]


def planned(view: View) -> Plan:
    """Who is asked for which places, weakest host first, hosts with a GPU last."""
    cluster, hosts = view.cluster, view.living
    undecided = tuple(host for host in hosts if is_undecided(host))
    if cluster is None or not undecided:
        return NOBODY
    if cluster.day2:
        return Plan(hosts=undecided)
    if any(host.inventory is None for host in hosts):
        return NOBODY
    least_gb = view.policy.requirements.for_version(cluster.openshift_version).master.disk_size_gb
    settled = tuple(host for host in hosts if not is_undecided(host))
    roles = [host.effective_role for host in settled]
    of_two = cluster.control_plane_count == WITH_ARBITER
    plan = Plan(
        hosts=tuple(sorted(undecided, key=lambda host: _order(host, least_gb))),
        settled=settled,
        masters=cluster.control_plane_count - sum(role in MASTERS for role in roles),
        arbiters=int(of_two and view.policy.arbiters and Role.ARBITER not in roles),
        least_gb=least_gb,
    )
    plan = plan.but(peers=_imagined(view, cluster, plan))
    paired = _with_fenced_pair(view, plan) if of_two and view.policy.fencing else plan
    return plan if paired is plan else paired.but(peers=_imagined(view, cluster, paired))


def is_undecided(host: Host) -> bool:
    """Whether the role of a host is left to the service, and can still change."""
    return host.role is Role.AUTO and host.status in BEFORE_INSTALL


def _order(host: Host, least_gb: int) -> tuple[bool, float, datetime, str]:
    """Hosts with a GPU are kept for workloads as long as there are others; of equal hosts the oldest come first."""
    assert host.inventory is not None, "hosts are weighed once all have described themselves"
    return bool(host.inventory.gpus), weight(host.inventory, least_gb), host.created_at, host.id


def _imagined(view: View, cluster: Cluster, plan: Plan) -> Peers:
    """The hosts with roles given by size alone. Operators ask how many hosts of a role there are going to be."""
    if not any(operator.operator_type is OperatorType.OLM for operator in cluster.operators):
        return plan.peers
    figures = view.policy.requirements.for_version(cluster.openshift_version)

    def by_size(host: Host, role: Role) -> bool:
        return has_cpu_and_memory_for(host, figures.of(role, single_node=cluster.single_node))

    roles = filled(plan, by_size)
    return peers_of((*plan.settled, *(host.but(suggested_role=roles[host.id]) for host in plan.hosts)))


def _with_fenced_pair(view: View, plan: Plan) -> Plan:
    """Two control plane hosts that can switch each other off need no arbiter, so such hosts come first."""
    masters = [host for host in plan.settled if host.effective_role in MASTERS]
    if Role.ARBITER in {host.effective_role for host in plan.settled} or not all(map(_is_fenced, masters)):
        return plan
    fenced = [host for host in plan.hosts if _is_fenced(host) and not against(view, host, Role.MASTER, plan.peers)]
    if len(fenced) < plan.masters:
        return plan
    first = {host.id for host in fenced}
    return plan.but(hosts=(*fenced, *(host for host in plan.hosts if host.id not in first)), arbiters=0, paired=True)


def _is_fenced(host: Host) -> bool:
    return host.fencing_credentials is not None


CAN_BOOTSTRAP = frozenset({HostState.KNOWN, HostState.PREPARING})


def bootstrap_among(hosts: Iterable[Host]) -> Host | None:
    """The control plane host that carries the temporary control plane: the one already chosen, else the last."""
    masters = [host for host in hosts if host.effective_role in MASTERS and host.status in CAN_BOOTSTRAP]
    chosen = next((host for host in masters if host.bootstrap), None)
    return chosen or (masters[-1] if masters else None)

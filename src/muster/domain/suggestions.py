"""Which role each host should have, where the user has not said, and who carries the bootstrap."""

from collections.abc import Iterable

from .hosts import Host
from .policy import Policy
from .record import Record
from .requirements import Figures, has_cpu_and_memory_for
from .roles import WITH_ARBITER, Role
from .states.hosts import BEFORE_INSTALL, HostState
from .views import View

GIB = 2**30
MASTERS = frozenset({Role.MASTER, Role.BOOTSTRAP})


def weight(host: Host) -> float:
    """How much machine a host is; the least that will do becomes control plane, the rest carry workloads."""
    inventory = host.inventory
    if inventory is None or inventory.cpu is None or inventory.memory is None:
        return 0.0
    disks = sum(disk.size_bytes // GIB for disk in inventory.disks or () if disk.installation_eligibility.eligible)
    return (inventory.cpu.count - 4) + 0.1 * (inventory.memory.usable_bytes // GIB - 16) + 0.004 * (disks - 100)


def _order(host: Host) -> tuple[bool, float]:
    """Hosts with a GPU are kept for workloads as long as there are others."""
    return bool(host.inventory and host.inventory.gpus), weight(host)


class Posts(Record):
    """The places still to be filled."""

    masters: int
    arbiters: int


def suggested_roles(view: View) -> dict[str, Role]:
    """The role of every host whose role is left to the service, weakest host first."""
    cluster = view.cluster
    undecided = [host for host in view.living if host.role is Role.AUTO and host.status in BEFORE_INSTALL]
    if cluster is None or not undecided:
        return {}
    if cluster.day2:
        return {host.id: Role.WORKER for host in undecided}
    if any(host.inventory is None for host in view.living):
        return {}
    asked = [host.role for host in view.living if host.role is not Role.AUTO]
    posts = Posts(
        masters=cluster.control_plane_count - sum(role in MASTERS for role in asked),
        arbiters=int(cluster.control_plane_count == WITH_ARBITER and Role.ARBITER not in asked),
    )
    suggested: dict[str, Role] = {}
    for host in sorted(undecided, key=_order):
        role, posts = _place(host, posts, view.policy, single_node=cluster.single_node)
        suggested[host.id] = role
    return suggested


def _place(host: Host, posts: Posts, policy: Policy, *, single_node: bool) -> tuple[Role, Posts]:
    def fits(figures: Figures) -> bool:
        return has_cpu_and_memory_for(host, figures)

    if posts.masters > 0 and fits(policy.requirements.of(Role.MASTER, single_node=single_node)):
        return Role.MASTER, posts.but(masters=posts.masters - 1)
    if posts.arbiters > 0 and fits(policy.requirements.arbiter):
        return Role.ARBITER, posts.but(arbiters=posts.arbiters - 1)
    return Role.WORKER, posts


CAN_BOOTSTRAP = frozenset({HostState.KNOWN, HostState.PREPARING})


def bootstrap_among(hosts: Iterable[Host]) -> Host | None:
    """The control plane host that carries the temporary control plane: the one already chosen, else the last."""
    masters = [host for host in hosts if host.effective_role in MASTERS and host.status in CAN_BOOTSTRAP]
    chosen = next((host for host in masters if host.bootstrap), None)
    return chosen or (masters[-1] if masters else None)

"""Which role each host should have, where the user has not said, and who carries the bootstrap."""

from collections.abc import Iterable

from .hosts import Host
from .record import Record
from .requirements import has_cpu_and_memory_for
from .roles import WITH_ARBITER, Role
from .states.hosts import BEFORE_INSTALL, HostState
from .validations.operators import OF_HOSTS
from .views import HostView, View, peers_of

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
    # What was suggested before must not be looked at, or suggestions would chase each other.
    peers = peers_of(host.but(suggested_role=None) for host in view.living)
    suggested: dict[str, Role] = {}
    for host in sorted(undecided, key=_order):
        role, posts = _place(HostView(view, host.but(role=Role.MASTER), peers), posts)
        suggested[host.id] = role
    return suggested


def _place(as_master: HostView, posts: Posts) -> tuple[Role, Posts]:
    host, requirements = as_master.host, as_master.policy.requirements
    if posts.masters > 0 and has_cpu_and_memory_for(host, as_master.figures) and _carries_operators(as_master):
        return Role.MASTER, posts.but(masters=posts.masters - 1)
    if posts.arbiters > 0 and has_cpu_and_memory_for(host, requirements.arbiter):
        return Role.ARBITER, posts.but(arbiters=posts.arbiters - 1)
    return Role.WORKER, posts


def _carries_operators(as_master: HostView) -> bool:
    """Whether the operators that run on the control plane could run on a host."""
    verdicts = (check(as_master) for check in ON_CONTROL_PLANE)
    return all(verdict is None or verdict.passes for verdict in verdicts)


ON_CONTROL_PLANE = tuple(
    check
    for check in OF_HOSTS
    if check.id in {"cnv-requirements-satisfied", "lvm-requirements-satisfied", "odf-requirements-satisfied"}
)


CAN_BOOTSTRAP = frozenset({HostState.KNOWN, HostState.PREPARING})


def bootstrap_among(hosts: Iterable[Host]) -> Host | None:
    """The control plane host that carries the temporary control plane: the one already chosen, else the last."""
    masters = [host for host in hosts if host.effective_role in MASTERS and host.status in CAN_BOOTSTRAP]
    chosen = next((host for host in masters if host.bootstrap), None)
    return chosen or (masters[-1] if masters else None)

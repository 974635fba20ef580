"""Why each host has the role it has, or is to have, in words.

Turns the plan that `suggestions` makes into a sentence for every host of a cluster; explanations ask for it.
"""

from .hosts import Host, HostKind
from .roles import Role
from .states.hosts import BEFORE_INSTALL, IN_POOL
from .suggestions import GIB, Plan, against, disk_gib, filled, planned, weight
from .validations.facts import some
from .views import View

ASKED = "The role was asked for (host_role)"
JOINS = "Hosts that join a running cluster are workers unless another role is asked for (host_role)"
NO_CLUSTER = "A host without a cluster has no role yet"
NOT_SUGGESTED = "This service suggests no roles (ENABLE_AUTO_ASSIGN); they are given when the installation begins"
SETTLED = "The role was settled when the installation began"
WHOLE = "The host is the whole cluster"


def role_reasons(view: View) -> dict[str, str]:
    """A sentence for every host of a view."""
    reasons = {host.id: _without_suggestion(view, host) for host in view.living}
    return reasons | (_suggested(view, planned(view)) if view.policy.auto_assign else {})


def _without_suggestion(view: View, host: Host) -> str:
    """Why a host has its role if nothing was suggested."""
    if host.status not in BEFORE_INSTALL | IN_POOL:
        return SETTLED
    if view.cluster is None:
        return NO_CLUSTER
    if host.role is Role.AUTO:
        return _not_yet(view)
    if host.kind is HostKind.DAY2 and host.role is Role.WORKER:
        return JOINS
    return WHOLE if view.cluster.single_node and host.role is Role.MASTER else ASKED


def _not_yet(view: View) -> str:
    silent = [host.name for host in view.living if host.inventory is None]
    if not view.policy.auto_assign:
        return NOT_SUGGESTED
    return f"Roles are suggested once every host has told what it is made of; still waited for: {some(silent)}"


def _suggested(view: View, plan: Plan) -> dict[str, str]:
    """Why each host has the place that was suggested."""
    if view.cluster is None or view.cluster.day2:
        return {host.id: JOINS for host in plan.hosts}
    unfit = {host.id: against(view, host, Role.MASTER, plan.peers) for host in plan.hosts}
    fitting = [host.id for host in plan.hosts if not unfit[host.id]]

    def fits(host: Host, role: Role) -> bool:
        return not (unfit[host.id] if role is Role.MASTER else against(view, host, role, plan.peers))

    roles = filled(plan, fits)
    return {host.id: _because(host, roles[host.id], plan, unfit[host.id], fitting) for host in plan.hosts}


def _because(host: Host, role: Role, plan: Plan, unfit: list[str], fitting: list[str]) -> str:
    size = _size(host, plan.least_gb)
    if role is Role.MASTER and plan.paired:
        return f"The host and the other of its pair can switch each other off, so they need no arbiter ({size})"
    if role is Role.MASTER:
        place = fitting.index(host.id) + 1
        return (
            f"Of the hosts that fit the control plane, weakest first, this is number {place} of {len(fitting)}"
            f" ({size}); {plan.masters} are needed"
        )
    if role is Role.ARBITER:
        return f"A control plane of two needs an arbiter; this is the weakest host left that fits ({size})"
    if unfit:
        return f"The host does not fit the control plane: {some(unfit)}"
    return f"The control plane is complete with hosts that come before this one, weakest first ({size})"


def _size(host: Host, least_gb: int) -> str:
    """A host by what it is weighed by."""
    inventory = host.inventory
    if inventory is None or inventory.cpu is None or inventory.memory is None:
        return "of unknown size"
    card = ", with a GPU and therefore last" if inventory.gpus else ""
    return (
        f"weight {weight(inventory, least_gb):.1f}: {inventory.cpu.count} cores,"
        f" {inventory.memory.usable_bytes // GIB} GiB, {disk_gib(inventory, least_gb)} GiB on disks{card}"
    )

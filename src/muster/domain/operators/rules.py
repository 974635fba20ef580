"""What several operators ask in the same way: room on a host, a role, a version."""

from typing import TYPE_CHECKING

from muster.domain.clusters import Cluster
from muster.domain.releases import at_least
from muster.domain.roles import Role
from muster.domain.validations.facts import INVENTORY, MIB, NO_INVENTORY, asked, told
from muster.domain.verdicts import Verdict, failed, passed

from .operator import Addition, Operator, settled
from .settings import OperatorSettings

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import HostView

FEWEST_WORKERS = 2
"""With fewer workers than this, the control plane carries workloads too."""

CONTROL_PLANE = frozenset({Role.MASTER, Role.BOOTSTRAP})


def fits(view: "HostView", title: str, need: Addition) -> Verdict:
    """The host has the cores and the memory that an operator itself needs."""
    inventory = view.host.inventory
    if inventory is None or inventory.cpu is None or inventory.memory is None:
        return NO_INVENTORY
    have = Addition(cpu_cores=inventory.cpu.count, ram_mib=inventory.memory.usable_bytes // MIB)
    evidence = told(view.host, INVENTORY, in_words(have), in_words(need))
    if have.cpu_cores >= need.cpu_cores and have.ram_mib >= need.ram_mib:
        return passed(f"The host is large enough for {title}", evidence)
    return failed(
        f"{title} needs {evidence.required} for itself; the host has {evidence.measured}",
        evidence.but(fix=f"Give the machine more, use another one, or leave {title} out."),
    )


def in_words(amount: Addition) -> str:
    """Cores and memory, for a sentence."""
    return f"{amount.cpu_cores} core{'' if amount.cpu_cores == 1 else 's'} and {amount.ram_mib} MiB"


def wants_role(title: str) -> Verdict:
    """What is said of a host without a role by an operator that asks something else of each role."""
    return failed(
        f"{title} needs to know the host's role",
        asked(Role.AUTO, "a role", "Choose a role for the host, or add hosts until roles can be suggested."),
    )


def too_old(operator: Operator, cluster: Cluster, settings: OperatorSettings) -> Verdict | None:
    """Why there is no such operator for the cluster's version; None if there is."""
    version, first = cluster.openshift_version, settled(operator.first_version, cluster, settings)
    if not first or at_least(version, first):
        return None
    return failed(
        f"{operator.title} needs OpenShift {first}; the cluster is to be {version}",
        asked(version, f"{first} or newer", f"Choose a newer version, or leave {operator.title} out."),
    )


def carries_workloads(cluster: Cluster, role: Role, workers: int) -> bool:
    """Whether workloads run on a host of a role; `workers` is how many hosts are workers."""
    if role is Role.WORKER:
        return True
    schedulable = cluster.schedulable_masters or cluster.single_node or workers < FEWEST_WORKERS
    return schedulable and role is not Role.ARBITER

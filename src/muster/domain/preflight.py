"""What a cluster is going to need of its hosts, told before there are any: of OpenShift itself and of each operator.

Turns a cluster and the policy into a `Preflight`, whose fields are named as clients know them.
"""

from .clusters import Cluster
from .operators import OLM_OPERATORS
from .operators.operator import Needs, Operator, settled
from .operators.settings import OperatorSettings
from .policy import Policy
from .record import Record
from .requirements import Figures, Requirements
from .roles import Role
from .validations.encryption import encrypts_role


class Quantities(Record):
    """What can be told in figures."""

    cpu_cores: int = 0
    ram_mib: int = 0
    disk_size_gb: int = 0
    installation_disk_speed_threshold_ms: int = 0
    network_latency_threshold_ms: float | None = None
    packet_loss_percentage: float | None = None
    tpm_enabled_in_bios: bool = False


class OfHost(Record):
    """What is needed of a host: in figures, and in words what figures cannot say."""

    quantitative: Quantities
    qualitative: tuple[str, ...] | None


class OfRoles(Record):
    """What is needed of a host of either role."""

    master: OfHost
    worker: OfHost


class OfOperator(Record):
    """What an operator needs, on top of what OpenShift does."""

    operator_name: str
    dependencies: tuple[str, ...]
    requirements: OfRoles


class Preflight(Record):
    """What is needed of the hosts of a cluster, whichever operators come to be selected."""

    ocp: OfRoles
    operators: tuple[OfOperator, ...]


def preflight(cluster: Cluster, policy: Policy) -> Preflight:
    """What the hosts of a cluster need; a cluster that runs has its operators already, so they ask nothing."""
    requirements = policy.requirements.for_version(cluster.openshift_version)
    offered = () if cluster.day2 else OLM_OPERATORS.values()
    return Preflight(
        ocp=OfRoles(
            master=_of_openshift(requirements, cluster, Role.MASTER),
            worker=_of_openshift(requirements, cluster, Role.WORKER),
        ),
        operators=tuple(_of_operator(operator, cluster, policy.operators) for operator in offered),
    )


def _of_openshift(requirements: Requirements, cluster: Cluster, role: Role) -> OfHost:
    figures = quantities(requirements.of(role, single_node=cluster.single_node))
    by_tpm = cluster.disk_encryption.mode == "tpmv2" and encrypts_role(cluster, role)
    return OfHost(quantitative=figures.but(tpm_enabled_in_bios=by_tpm), qualitative=None)


def quantities(figures: Figures) -> Quantities:
    """Figures as clients know them."""
    return Quantities(
        cpu_cores=figures.cpu_cores,
        ram_mib=figures.ram_mib,
        disk_size_gb=figures.disk_size_gb,
        installation_disk_speed_threshold_ms=figures.installation_disk_speed_threshold_ms,
        network_latency_threshold_ms=figures.network_latency_threshold_ms,
        packet_loss_percentage=figures.packet_loss_percentage,
    )


def _of_operator(operator: Operator, cluster: Cluster, settings: OperatorSettings) -> OfOperator:
    forecast = settled(operator.forecast, cluster, settings)
    return OfOperator(
        operator_name=operator.name,
        dependencies=settled(operator.dependencies, cluster, settings),
        requirements=OfRoles(master=_told(forecast.master), worker=_told(forecast.worker)),
    )


def _told(needs: Needs) -> OfHost:
    figures = Quantities(cpu_cores=needs.addition.cpu_cores, ram_mib=needs.addition.ram_mib)
    return OfHost(quantitative=figures, qualitative=needs.words)

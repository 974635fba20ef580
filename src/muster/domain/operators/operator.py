"""What an operator is that OLM adds to a cluster. The module of each operator makes one such record.

The checks of `validations/operators`, the figures of `views`, the choice in `inputs/operators`, the bundles, the
preflight and the manifests of `artifacts/system_manifests` follow from these records.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from muster.domain.clusters import Cluster
from muster.domain.monitored import MonitoredOperator, OperatorType
from muster.domain.record import Record
from muster.domain.validations.facts import asked
from muster.domain.verdicts import Verdict, passed

from .manifests import Manifests
from .settings import OperatorSettings

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView, HostView

T = TypeVar("T")

Varying: TypeAlias = T | Callable[[Cluster, OperatorSettings], T]
"""Something that is the same everywhere, or depends on the cluster and on what the service is set to."""

HostRule = Callable[["HostView"], Verdict]
ClusterRule = Callable[["ClusterView"], Verdict]


def settled(value: Varying[T], cluster: Cluster, settings: OperatorSettings) -> T:
    """What is so in a cluster, of something that may vary."""
    return value(cluster, settings) if callable(value) else value


class Addition(Record):
    """Cores and memory for one operator on one host, on top of what the host's role needs."""

    cpu_cores: int = 0
    ram_mib: int = 0


NOTHING = Addition()
GIB_IN_MIB = 1024


class Needs(Record):
    """What an operator needs of every host of a role: in figures, and in words what figures cannot say."""

    addition: Addition = NOTHING
    words: tuple[str, ...] | None = None


class Forecast(Record):
    """What an operator is going to need, told before there are any hosts."""

    master: Needs = Needs()
    worker: Needs = Needs()


class BundleId(StrEnum):
    """The bundles there are."""

    VIRTUALIZATION = "virtualization"
    OPENSHIFT_AI = "openshift-ai"


class Membership(Record):
    """An operator's place in a bundle."""

    bundle: BundleId
    optional: bool = False
    """Whether it is left to the user to have it."""
    on_single_node: bool = True
    on_more_nodes: bool = True

    def holds(self, *, single_node: bool) -> bool:
        """Whether the operator belongs to the bundle on a cluster of that size."""
        return self.on_single_node if single_node else self.on_more_nodes


IN_VIRTUALIZATION = (Membership(bundle=BundleId.VIRTUALIZATION),)
IN_OPENSHIFT_AI = (Membership(bundle=BundleId.OPENSHIFT_AI),)
IN_LARGER_OPENSHIFT_AI = (Membership(bundle=BundleId.OPENSHIFT_AI, on_single_node=False),)


DataType = Literal["boolean", "string", "integer", "float"]


class Property(Record):
    """Something a user may set about an operator."""

    name: str
    data_type: DataType
    mandatory: bool = False
    options: tuple[str, ...] = ()
    description: str = ""
    default_value: str = ""


FINE = passed("The operator asks nothing more", asked("selected", "nothing more"))


def adds_nothing(_: "HostView") -> Addition:
    """The operator needs no more of a host than its role does."""
    return NOTHING


def asks_nothing(_: "HostView | ClusterView") -> Verdict:
    """The operator asks nothing more."""
    return FINE


def clashes_with_nothing(_: Cluster) -> str:
    """The operator gets along with all others."""
    return ""


class Operator(Record):
    """An operator that OLM can add to a cluster."""

    name: str
    title: str
    namespace: Varying[str]
    subscription: Varying[str]
    manifests: Varying[Manifests]
    """What gets it into a cluster."""
    timeout_seconds: int = 1800
    """How long an installation waits for it."""
    dependencies: Varying[tuple[str, ...]] = ()
    """The operators it cannot be without, by name."""
    bundles: tuple[Membership, ...] = ()
    first_version: Varying[str] = ""
    """The first OpenShift it is there for; "" for all."""
    clash: Callable[[Cluster], str] = clashes_with_nothing
    """Why it cannot be beside another operator that is selected; "" if it can."""
    addition: Callable[["HostView"], Addition] = adds_nothing
    on_host: HostRule = asks_nothing
    on_cluster: ClusterRule = asks_nothing
    forecast: Varying[Forecast] = Forecast()
    properties: tuple[Property, ...] = ()
    own_check: str = ""

    @property
    def check(self) -> str:
        """What clients call its checks, of hosts and of clusters."""
        return self.own_check or f"{self.name}-requirements-satisfied"

    @property
    def bundle_ids(self) -> tuple[str, ...]:
        """The bundles it can be in."""
        return tuple(each.bundle.value for each in self.bundles)

    def monitored(self, cluster: Cluster, settings: OperatorSettings) -> MonitoredOperator:
        """The operator as a cluster waits for it."""
        return MonitoredOperator(
            name=self.name,
            operator_type=OperatorType.OLM,
            timeout_seconds=self.timeout_seconds,
            namespace=settled(self.namespace, cluster, settings),
            subscription_name=settled(self.subscription, cluster, settings),
        )


def selected(cluster: Cluster, name: str) -> bool:
    """Whether an operator is to be installed along with the cluster."""
    for operator in cluster.operators:  # noqa: SIM110 - asked at every judgement; a generator costs four times as much
        if operator.name == name:
            return True
    return False

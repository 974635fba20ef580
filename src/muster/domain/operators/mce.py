"""Multicluster engine: other clusters are made and looked after from this one."""

from typing import TYPE_CHECKING

from muster.domain.clusters import Cluster

from .everywhere import on_every_host
from .manifests import SHORT, Manifests, Tree, resource
from .operator import GIB_IN_MIB, Addition
from .settings import OperatorSettings

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView

ON_SINGLE_NODE = Addition(cpu_cores=8, ram_mib=32 * GIB_IN_MIB)
ON_MORE_NODES = Addition(cpu_cores=4, ram_mib=16 * GIB_IN_MIB)


def share(_: OperatorSettings, single_node: bool) -> Addition:
    """What each host gives."""
    return ON_SINGLE_NODE if single_node else ON_MORE_NODES


def first_version(_: Cluster, settings: OperatorSettings) -> str:
    """As the service is set."""
    return settings.mce_min_openshift_version


def later(_: "ClusterView") -> tuple[Tree, ...]:
    """The engine itself, with all that it has unasked."""
    return (resource("multicluster.openshift.io/v1", "MultiClusterEngine", "multiclusterengine", spec={}),)


OPERATOR = on_every_host(
    share,
    in_words=False,
    name="mce",
    title="multicluster engine",
    namespace="multicluster-engine",
    subscription="multicluster-engine",
    manifests=Manifests(stem="50_openshift-mce", names=SHORT.but(subscription="operator_subscription"), later=later),
    timeout_seconds=3600,
    first_version=first_version,
)

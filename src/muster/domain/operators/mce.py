"""Multicluster engine: other clusters are made and looked after from this one."""

from muster.domain.clusters import Cluster

from .everywhere import on_every_host
from .operator import GIB_IN_MIB, Addition
from .settings import OperatorSettings

ON_SINGLE_NODE = Addition(cpu_cores=8, ram_mib=32 * GIB_IN_MIB)
ON_MORE_NODES = Addition(cpu_cores=4, ram_mib=16 * GIB_IN_MIB)


def share(_: OperatorSettings, single_node: bool) -> Addition:
    """What each host gives."""
    return ON_SINGLE_NODE if single_node else ON_MORE_NODES


def first_version(_: Cluster, settings: OperatorSettings) -> str:
    """As the service is set."""
    return settings.mce_min_openshift_version


OPERATOR = on_every_host(
    share,
    in_words=False,
    name="mce",
    title="multicluster engine",
    namespace="multicluster-engine",
    subscription="multicluster-engine",
    timeout_seconds=3600,
    first_version=first_version,
)

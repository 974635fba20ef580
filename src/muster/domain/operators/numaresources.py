"""NUMA Resources: pods are placed close to the memory they use."""

from typing import TYPE_CHECKING

from muster.domain.roles import Role

from .manifests import Manifests, Tree, resource
from .operator import IN_VIRTUALIZATION, Operator

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView


def later(view: "ClusterView") -> tuple[Tree, ...]:
    """What watches the nodes that carry workloads: the workers, or the control plane where there are none."""
    pool = Role.WORKER if view.peers.counted(Role.WORKER) else Role.MASTER
    selector = {"matchLabels": {f"pools.operator.machineconfiguration.openshift.io/{pool}": ""}}
    spec = {"nodeGroups": [{"machineConfigPoolSelector": selector}]}
    return (resource("nodetopology.openshift.io/v1", "NUMAResourcesOperator", "numaresourcesoperator", spec=spec),)


OPERATOR = Operator(
    name="numaresources",
    title="NUMA Resources",
    namespace="openshift-numaresources",
    subscription="numaresources-operator",
    manifests=Manifests(stem="50_numaresources", measured=True, later=later),
    bundles=IN_VIRTUALIZATION,
    own_check="numa-resources-requirements-satisfied",
)

"""Every operator that OLM can add to a cluster, one module each, and what those that are selected need of a host.

To add an operator, write its module and list it here.
"""

from typing import TYPE_CHECKING

from . import (
    amd_gpu,
    authorino,
    cluster_observability,
    cnv,
    fence_agents_remediation,
    kmm,
    kube_descheduler,
    loki,
    lso,
    lvm,
    mce,
    metallb,
    mtv,
    nmstate,
    node_feature_discovery,
    node_healthcheck,
    node_maintenance,
    numaresources,
    nvidia_gpu,
    oadp,
    odf,
    openshift_ai,
    openshift_logging,
    osc,
    pipelines,
    self_node_remediation,
    serverless,
    servicemesh,
)
from .operator import Addition, Operator

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import HostView

OLM_OPERATORS: dict[str, Operator] = {
    module.OPERATOR.name: module.OPERATOR
    for module in (
        amd_gpu, authorino, cluster_observability, cnv, fence_agents_remediation, kmm, kube_descheduler, loki, lso, lvm,
        mce, metallb, mtv, nmstate, node_feature_discovery, node_healthcheck, node_maintenance, numaresources,
        nvidia_gpu, oadp, odf, openshift_ai, openshift_logging, osc, pipelines, self_node_remediation, serverless,
        servicemesh,
    )
}  # fmt: skip
"""Every operator by its name, in order of name."""

DEPENDENCIES = {
    name: operator.dependencies for name, operator in OLM_OPERATORS.items() if isinstance(operator.dependencies, tuple)
}
"""The operators that each cannot be without whatever the cluster is like, by their names."""


def additions(view: "HostView") -> dict[str, Addition]:
    """What each selected operator needs of a host on top of its role; a running cluster has made room already."""
    cluster = view.cluster
    if cluster is None or cluster.day2:
        return {}
    names = (operator.name for operator in cluster.operators)
    return {name: OLM_OPERATORS[name].addition(view) for name in names if name in OLM_OPERATORS}

"""Features of how many nodes a cluster has and what they are: a table that `FEATURES` is made of."""

from muster.domain.clusters import Cluster
from muster.domain.roles import Role
from muster.domain.views import peers_of

from .feature import Choice, Feature, Plan, of_cluster
from .levels import Level, Levels, ever, since

_STANDARD = 3
_PAIR = 2

_ON_MAINFRAMES: Levels = (("4.13", Level.DEV_PREVIEW), ("4.14", Level.SUPPORTED))
_SINGLE_NODE_ON = {"s390x": _ON_MAINFRAMES, "ppc64le": _ON_MAINFRAMES}
_SINGLE_NODE_NOT_ON = {"s390x": "4.13", "ppc64le": "4.13"}
_SINGLE_NODE_NOT_FOR = ever("nutanix", "vsphere")


def _has_arbiter(plan: Plan) -> bool:
    return any(host.effective_role is Role.ARBITER for host in plan.hosts)


def _is_fenced_pair(plan: Plan) -> bool:
    asked = plan.cluster is not None and plan.cluster.control_plane_count == _PAIR
    return asked and peers_of(plan.hosts).fenced_pair


def _is_large(cluster: Cluster) -> bool:
    return cluster.control_plane_count > _STANDARD


TOPOLOGY = (
    Feature(
        id="SNO",
        levels_on=_SINGLE_NODE_ON,
        not_on=_SINGLE_NODE_NOT_ON,
        not_for=_SINGLE_NODE_NOT_FOR,
        excludes={
            **ever(
                "ODF", "NUTANIX_INTEGRATION", "VSPHERE_INTEGRATION", "CLUSTER_MANAGED_NETWORKING", "VIP_AUTO_ALLOC",
                "USER_MANAGED_LOAD_BALANCER", "NODE_HEALTHCHECK", "SELF_NODE_REMEDIATION", "FENCE_AGENTS_REMEDIATION",
                "NODE_MAINTENANCE", "KUBE_DESCHEDULER",
            ),
            "DUAL_STACK_PRIMARY_IPV6": "4.19",
        },
        choice=Choice(
            field="control_plane_count",
            words="a single node",
            instead="set control_plane_count to 3",
            made=of_cluster(lambda cluster: cluster.single_node),
        ),
    ),
    Feature(
        id="TNA",
        levels=(("4.19", Level.TECH_PREVIEW), ("4.20", Level.SUPPORTED)),
        not_for={**ever("nutanix", "vsphere", "external"), "none": "4.22"},
        excludes={
            **ever("NUTANIX_INTEGRATION", "VSPHERE_INTEGRATION", "EXTERNAL_PLATFORM", "EXTERNAL_PLATFORM_OCI"),
            "NONE_PLATFORM": "4.22",
        },
        choice=Choice(
            field="host_role",
            words="a control plane with an arbiter",
            instead="give the arbiter another role",
            made=_has_arbiter,
        ),
    ),
    Feature(
        id="TNF",
        levels=(("4.20", Level.TECH_PREVIEW), ("4.22", Level.SUPPORTED)),
        not_for=ever("nutanix", "vsphere", "external"),
        excludes=ever("NUTANIX_INTEGRATION", "VSPHERE_INTEGRATION", "EXTERNAL_PLATFORM", "EXTERNAL_PLATFORM_OCI"),
        choice=Choice(
            field="fencing_credentials",
            words="a control plane of two nodes that fence each other",
            instead="set control_plane_count to 3, or add an arbiter",
            made=_is_fenced_pair,
        ),
    ),
    Feature(
        id="NON_STANDARD_HA_CONTROL_PLANE",
        levels=since("4.18"),
        not_on=ever("arm64", "s390x", "ppc64le", "multi"),
        not_for=ever("nutanix", "vsphere"),
        excludes=ever("NUTANIX_INTEGRATION", "VSPHERE_INTEGRATION"),
        choice=Choice(
            field="control_plane_count",
            words="a control plane of more than 3 nodes",
            instead="set control_plane_count to 3",
            made=of_cluster(_is_large),
        ),
    ),
    Feature(
        id="SINGLE_NODE_EXPANSION",
        levels=since("4.11"),
        levels_on=_SINGLE_NODE_ON,
        not_on=_SINGLE_NODE_NOT_ON,
        not_for=_SINGLE_NODE_NOT_FOR,
    ),
    Feature(id="CUSTOM_MANIFEST"),
)  # fmt: skip
"""How many nodes there are, what they are, and what may be added."""

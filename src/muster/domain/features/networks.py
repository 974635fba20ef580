"""Features of networks and addresses: a table that `FEATURES` is made of."""

from muster.domain.address_families import dual_stack, leading_list
from muster.domain.clusters import Cluster, PlatformType
from muster.domain.networks import IPV6

from .feature import OCI, Choice, Feature, of_cluster
from .levels import ALWAYS, Level, Levels, ever, since

_PAIR = 2

_TYPES: dict[str, tuple[str, Levels]] = {
    "OVN_NETWORK_TYPE": ("OVNKubernetes", ALWAYS),
    "SDN_NETWORK_TYPE": ("OpenShiftSDN", (("0", Level.SUPPORTED), ("4.15", Level.UNAVAILABLE))),
    "CILIUM_NETWORK_TYPE": ("Cilium", ALWAYS),
    "CALICO_NETWORK_TYPE": ("Calico", ALWAYS),
    "CISCO_ACI_NETWORK_TYPE": ("CiscoACI", ALWAYS),
    "NONE_NETWORK_TYPE": ("None", ALWAYS),
}
"""Every kind of network for pods: the id of its feature, its own name, and its levels."""


def _network_type(feature_id: str, name: str, levels: Levels) -> Feature:
    return Feature(
        id=feature_id,
        levels=levels,
        excludes=ever(*(other for other in _TYPES if other != feature_id)),
        choice=Choice(
            field="network_type",
            words=f"network type {name}",
            instead="use OVNKubernetes",
            made=of_cluster(lambda cluster: cluster.network_type == name),
        ),
    )


def _leaves_network_to_platform(cluster: Cluster) -> bool:
    return cluster.platform.type in {PlatformType.EXTERNAL, PlatformType.NONE}


_OWN_BALANCER = Choice(
    field="load_balancer.type",
    words="a user-managed load balancer",
    instead="set load_balancer.type to cluster-managed",
    made=of_cluster(lambda cluster: cluster.user_managed_load_balancer),
)
_BY_DHCP = Choice(
    field="vip_dhcp_allocation",
    words="having virtual addresses from DHCP",
    instead="set vip_dhcp_allocation to false and give api_vips and ingress_vips",
    made=of_cluster(lambda cluster: cluster.vip_dhcp_allocation),
)

NETWORKS = (
    Feature(
        id="VIP_AUTO_ALLOC",
        levels=(("0", Level.DEV_PREVIEW), ("4.15", Level.UNAVAILABLE)),
        not_for=ever("external"),
        excludes=ever(
            "SNO", "EXTERNAL_PLATFORM_OCI", "NONE_PLATFORM", "EXTERNAL_PLATFORM", "USER_MANAGED_LOAD_BALANCER"
        ),
        choice=_BY_DHCP,
    ),
    Feature(
        id="CLUSTER_MANAGED_NETWORKING",
        not_on={**ever("s390x", "ppc64le"), "arm64": "4.11"},
        not_for=ever("external"),
        excludes=ever("SNO", "USER_MANAGED_NETWORKING", "EXTERNAL_PLATFORM_OCI", "NONE_PLATFORM", "EXTERNAL_PLATFORM"),
        choice=Choice(
            field="user_managed_networking",
            words="cluster-managed networking",
            instead="set user_managed_networking to true",
            made=of_cluster(lambda cluster: not cluster.user_managed_networking),
        ),
    ),
    Feature(
        id="USER_MANAGED_NETWORKING",
        not_for=ever("nutanix"),
        excludes=ever(
            "CLUSTER_MANAGED_NETWORKING", "NUTANIX_INTEGRATION", "BAREMETAL_PLATFORM", "USER_MANAGED_LOAD_BALANCER"
        ),
        choice=Choice(
            field="user_managed_networking",
            words="user-managed networking",
            instead="set user_managed_networking to false",
            made=of_cluster(lambda cluster: cluster.user_managed_networking),
        ),
    ),
    Feature(
        id="DUAL_STACK",
        excludes={**ever("USER_MANAGED_LOAD_BALANCER"), "VSPHERE_INTEGRATION": "4.13"},
        choice=Choice(
            field="machine_networks",
            words="a network of both address families",
            instead="use networks and addresses of one family",
            made=of_cluster(dual_stack),
        ),
    ),
    Feature(
        id="DUAL_STACK_VIPS",
        levels=since("4.12"),
        not_for=ever(OCI),
        excludes=ever("EXTERNAL_PLATFORM_OCI", "USER_MANAGED_LOAD_BALANCER"),
        choice=Choice(
            field="api_vips",
            words="a second virtual address",
            instead="give one address in api_vips and one in ingress_vips",
            made=of_cluster(lambda cluster: len(cluster.api_vips) == _PAIR),
        ),
    ),
    Feature(
        id="DUAL_STACK_PRIMARY_IPV6",
        levels=since("4.12", Level.TECH_PREVIEW),
        not_for=ever("nutanix", "vsphere", "external"),
        excludes={
            **ever(
                "USER_MANAGED_LOAD_BALANCER", "EXTERNAL_PLATFORM", "EXTERNAL_PLATFORM_OCI", "NUTANIX_INTEGRATION",
                "VSPHERE_INTEGRATION",
            ),
            "SNO": "4.19",
        },
        choice=Choice(
            field="machine_networks",
            words="IPv6 as the first of both address families",
            instead="put IPv4 first in every list",
            made=of_cluster(lambda cluster: leading_list(cluster)[1] == IPV6),
        ),
    ),
    Feature(
        id="PLATFORM_MANAGED_NETWORKING",
        not_for=ever("baremetal", "vsphere", "nutanix"),
        elsewhere=Level.UNSUPPORTED,
        excludes=ever("BAREMETAL_PLATFORM", "VSPHERE_INTEGRATION", "NUTANIX_INTEGRATION"),
        choice=Choice(
            field="platform.type",
            words="networking by the platform",
            instead="choose another platform",
            made=of_cluster(_leaves_network_to_platform),
        ),
    ),
    Feature(
        id="USER_MANAGED_LOAD_BALANCER",
        levels=since("4.16"),
        excludes=ever(
            "EXTERNAL_PLATFORM", "EXTERNAL_PLATFORM_OCI", "NONE_PLATFORM", "NUTANIX_INTEGRATION",
            "USER_MANAGED_NETWORKING", "VIP_AUTO_ALLOC", "DUAL_STACK", "DUAL_STACK_VIPS", "SNO",
            "DUAL_STACK_PRIMARY_IPV6",
        ),
        choice=_OWN_BALANCER,
    ),
    *(_network_type(feature_id, name, levels) for feature_id, (name, levels) in _TYPES.items()),
)  # fmt: skip
"""Who looks after the network, which addresses there are, and what connects pods."""

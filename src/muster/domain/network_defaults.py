"""The networks that a new cluster gets where none are named; `policy` holds them, `runtime/settings` reads them."""

from collections.abc import Iterator
from ipaddress import ip_network

from .networks import FAMILY_NAMES, IPV4, IPV6, ClusterNetwork, prefix_problem
from .record import Record
from .setting import setting


class NetworkDefaults(Record):
    """One network of each kind and family. The names in capitals are those of the environment."""

    cluster_network_cidr: str = setting("CLUSTER_NETWORK_CIDR", "10.128.0.0/14", "The IPv4 addresses for pods.")
    cluster_network_host_prefix: int = setting(
        "CLUSTER_NETWORK_HOST_PREFIX", 23, "The length of the prefix that each host gets of them."
    )
    service_network_cidr: str = setting("SERVICE_NETWORK_CIDR", "172.30.0.0/16", "The IPv4 addresses for services.")
    cluster_network_cidr_ipv6: str = setting("CLUSTER_NETWORK_CIDR_IPV6", "fd01::/48", "The IPv6 addresses for pods.")
    cluster_network_host_prefix_ipv6: int = setting(
        "CLUSTER_NETWORK_HOST_PREFIX_IPV6", 64, "The length of the prefix that each host gets of them."
    )
    service_network_cidr_ipv6: str = setting(
        "SERVICE_NETWORK_CIDR_IPV6", "fd02::/112", "The IPv6 addresses for services."
    )

    @property
    def cluster_networks(self) -> tuple[ClusterNetwork, ...]:
        """The ranges for pods, IPv4 first."""
        return (
            ClusterNetwork(cidr=self.cluster_network_cidr, host_prefix=self.cluster_network_host_prefix),
            ClusterNetwork(cidr=self.cluster_network_cidr_ipv6, host_prefix=self.cluster_network_host_prefix_ipv6),
        )

    @property
    def service_networks(self) -> tuple[str, ...]:
        """The ranges for services, IPv4 first."""
        return self.service_network_cidr, self.service_network_cidr_ipv6


def default_network_problems(defaults: NetworkDefaults) -> Iterator[str]:
    """What is wrong with the networks, each sentence beginning with the name of the setting."""
    for name, cidr, family in (
        ("CLUSTER_NETWORK_CIDR", defaults.cluster_network_cidr, IPV4),
        ("SERVICE_NETWORK_CIDR", defaults.service_network_cidr, IPV4),
        ("CLUSTER_NETWORK_CIDR_IPV6", defaults.cluster_network_cidr_ipv6, IPV6),
        ("SERVICE_NETWORK_CIDR_IPV6", defaults.service_network_cidr_ipv6, IPV6),
    ):
        try:
            found = ip_network(cidr).version
        except ValueError as error:
            yield f"{name}: {error}; write it as 10.128.0.0/14 or fd01::/48"
            continue
        if found != family:
            yield f"{name}: {cidr} is {FAMILY_NAMES[found]}; it must be {FAMILY_NAMES[family]}"
    names = ("CLUSTER_NETWORK_HOST_PREFIX", "CLUSTER_NETWORK_HOST_PREFIX_IPV6")
    for name, network in zip(names, defaults.cluster_networks, strict=True):
        if problem := prefix_problem(network, hosts=0):
            yield f"{name}: {problem}"

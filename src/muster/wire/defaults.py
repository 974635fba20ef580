"""What a cluster is going to be where its user says nothing, as clients see it."""

from datetime import timedelta

from muster.domain.networks import ClusterNetwork
from muster.domain.policy import Policy
from muster.domain.record import Record
from muster.domain.validations.hardware import LOOPBACK_NAMES


class ServiceNetworkOut(Record):
    """A range for services."""

    cidr: str


class DefaultConfig(Record, omit_defaults=False, kw_only=True):
    """The usual networks and limits of this service."""

    cluster_network_cidr: str
    cluster_network_host_prefix: int
    cluster_networks_dualstack: tuple[ClusterNetwork, ...]
    cluster_networks_ipv4: tuple[ClusterNetwork, ...]
    forbidden_hostnames: tuple[str, ...]
    inactive_deletion_hours: int
    ntp_source: str
    service_network_cidr: str
    service_networks_dualstack: tuple[ServiceNetworkOut, ...]
    service_networks_ipv4: tuple[ServiceNetworkOut, ...]


def default_config_out(policy: Policy) -> DefaultConfig:
    """What this service takes where nothing is said, and what it forbids."""
    networks = policy.networks
    services = tuple(ServiceNetworkOut(cidr=cidr) for cidr in networks.service_networks)
    return DefaultConfig(
        cluster_network_cidr=networks.cluster_network_cidr,
        cluster_network_host_prefix=networks.cluster_network_host_prefix,
        cluster_networks_dualstack=networks.cluster_networks,
        cluster_networks_ipv4=networks.cluster_networks[:1],
        forbidden_hostnames=tuple(sorted(LOOPBACK_NAMES)),
        inactive_deletion_hours=policy.inactivity // timedelta(hours=1),
        ntp_source=policy.ntp_default,
        service_network_cidr=networks.service_network_cidr,
        service_networks_dualstack=services,
        service_networks_ipv4=services[:1],
    )

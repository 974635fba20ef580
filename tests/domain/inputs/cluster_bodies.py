"""Clusters and bodies for the tests of cluster inputs."""

from typing import Any

import msgspec

from builders import NOW, a_cluster, a_host, a_machine, a_policy, a_view
from muster.domain.clusters import Cluster, ClusterKind, ClusterState, Platform, PlatformType
from muster.domain.hosts import Host
from muster.domain.infra_envs import InfraEnv
from muster.domain.inputs.clusters import ClusterCreate, ClusterUpdate, changed_cluster, new_cluster
from muster.domain.networks import ClusterNetwork
from muster.domain.policy import Policy

HOSTS = (a_host("h1"), a_host("h2", inventory=a_machine(address="192.168.1.11/24")))
SECRET = '{"auths":{"cloud.openshift.com":{"auth":"dXNlcjpwYXNzd29yZAo="}}}'


def create(policy: Policy | None = None, **written: Any) -> Cluster:
    """The cluster a body makes, decoded as it comes from the wire."""
    body = {"name": "lab", "openshift_version": "4.20", "pull_secret": SECRET, **written}
    inputs = msgspec.json.decode(msgspec.json.encode(body), type=ClusterCreate)
    return new_cluster(inputs, cluster_id="c1", owner="me", now=NOW, policy=policy or a_policy())


def patch(cluster: Cluster, hosts: tuple[Host, ...] = HOSTS, **written: Any) -> Cluster:
    """The cluster a body changes, decoded as it comes from the wire."""
    return patched(cluster, written, hosts)


def patched(
    cluster: Cluster,
    written: dict[str, Any],
    hosts: tuple[Host, ...] = (),
    infra_envs: tuple[InfraEnv, ...] = (),
    policy: Policy | None = None,
) -> Cluster:
    """The cluster a body changes, with the images that are made for it and the rules of the house."""
    changes = msgspec.json.decode(msgspec.json.encode(written), type=ClusterUpdate)
    view = a_view(cluster, hosts, policy or a_policy(), infra_envs={each.id: each for each in infra_envs})
    return changed_cluster(cluster, changes, view)


def vips(*addresses: str) -> list[dict[str, str]]:
    return [{"ip": address} for address in addresses]


def networks(*cidrs: str) -> list[dict[str, str]]:
    return [{"cidr": cidr} for cidr in cidrs]


def a_dual_cluster(**changes: Any) -> Cluster:
    return a_cluster(
        machine_networks=("192.168.1.0/24", "fd00::/64"),
        service_networks=("172.30.0.0/16", "fd02::/112"),
        cluster_networks=(
            ClusterNetwork(cidr="10.128.0.0/14", host_prefix=23),
            ClusterNetwork(cidr="fd01::/48", host_prefix=64),
        ),
    ).but(**changes)


def an_unmanaged_cluster(**changes: Any) -> Cluster:
    return a_cluster(
        platform=Platform(type=PlatformType.NONE),
        user_managed_networking=True,
        api_vips=(),
        ingress_vips=(),
        machine_networks=(),
    ).but(**changes)


def an_old_cluster(**changes: Any) -> Cluster:
    """A cluster of the last version that can have its addresses from DHCP."""
    return a_cluster(openshift_version="4.14.8").but(**changes)


def a_single_node(**changes: Any) -> Cluster:
    return an_unmanaged_cluster(control_plane_count=1, high_availability_mode="None").but(**changes)


def a_cluster_with_load_balancer(**changes: Any) -> Cluster:
    return a_cluster(load_balancer="user-managed").but(**changes)


def a_day2_cluster(**changes: Any) -> Cluster:
    return a_cluster(kind=ClusterKind.ADD_HOSTS, status=ClusterState.ADDING_HOSTS).but(**changes)

"""The networks that clusters get where nobody names any."""

import pytest
from cluster_bodies import create

from builders import a_policy
from muster.domain.network_defaults import NetworkDefaults, default_network_problems
from muster.domain.networks import ClusterNetwork


def test_the_usual_networks_lack_nothing():
    assert list(default_network_problems(NetworkDefaults())) == []


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"cluster_network_cidr": "10.128.0.1/14"}, "CLUSTER_NETWORK_CIDR: 10.128.0.1/14 has host bits set; write it"),
        ({"service_network_cidr": "many"}, "SERVICE_NETWORK_CIDR: 'many' does not appear to be an IPv4 or IPv6"),
        ({"service_network_cidr": "fd02::/112"}, "SERVICE_NETWORK_CIDR: fd02::/112 is IPv6; it must be IPv4"),
        ({"service_network_cidr_ipv6": "10.0.0.0/8"}, "SERVICE_NETWORK_CIDR_IPV6: 10.0.0.0/8 is IPv4; it must be"),
        ({"cluster_network_host_prefix": 30}, "CLUSTER_NETWORK_HOST_PREFIX: the cluster network 10.128.0.0/14 has"),
        ({"cluster_network_host_prefix_ipv6": 48}, "CLUSTER_NETWORK_HOST_PREFIX_IPV6: the cluster network fd01::/48"),
    ],
)
def test_networks_that_cannot_work_are_named_by_their_setting(changes, problem):
    (said,) = default_network_problems(NetworkDefaults(**changes))
    assert said.startswith(problem)


def test_a_new_cluster_has_the_networks_of_the_house_unless_it_names_its_own():
    house = NetworkDefaults(cluster_network_cidr="10.0.0.0/14", cluster_network_host_prefix=24)
    policy = a_policy(networks=house.but(service_network_cidr="172.16.0.0/16"))
    cluster = create(policy)
    assert cluster.cluster_networks == (ClusterNetwork(cidr="10.0.0.0/14", host_prefix=24),)
    assert cluster.service_networks == ("172.16.0.0/16",)
    assert create(policy, service_networks=[{"cidr": "172.20.0.0/16"}]).service_networks == ("172.20.0.0/16",)

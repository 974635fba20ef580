"""What is usual, what is ignored and what is gone, as clients read it."""

from datetime import timedelta

import msgspec
import pytest

from builders import CLUSTER_ID, NOW, a_cluster, a_host, a_view
from muster.domain.network_defaults import NetworkDefaults
from muster.domain.policy import Policy
from muster.wire.cluster_requests import ClusterHeaders, ClustersHeaders
from muster.wire.clusters import cluster_out, ignored_out
from muster.wire.defaults import default_config_out
from muster.wire.query import parse_query


def test_what_is_usual_is_what_the_policy_says():
    networks = NetworkDefaults(cluster_network_cidr="10.0.0.0/14", service_network_cidr_ipv6="fd09::/112")
    usual = default_config_out(
        Policy(networks=networks, ntp_default="clock.example.com", inactivity=timedelta(hours=3, minutes=59))
    )
    assert usual.cluster_network_cidr == usual.cluster_networks_ipv4[0].cidr == "10.0.0.0/14"
    assert [each.cidr for each in usual.service_networks_dualstack] == ["172.30.0.0/16", "fd09::/112"]
    assert (usual.inactive_deletion_hours, usual.ntp_source) == (3, "clock.example.com")


def test_an_empty_time_source_is_told_all_the_same():
    assert msgspec.to_builtins(default_config_out(Policy()))["ntp_source"] == ""


def test_what_is_ignored_is_told_as_it_can_be_written_again():
    assert msgspec.json.encode(ignored_out(a_cluster())) == b"{}"
    cluster = a_cluster(ignored_host_validations=("all",), ignored_cluster_validations=("a", "b"))
    assert msgspec.to_builtins(ignored_out(cluster)) == {
        "host-validation-ids": '["all"]',
        "cluster-validation-ids": '["a","b"]',
    }


def test_hosts_that_were_given_up_are_shown_and_counted_only_if_asked():
    hosts = [a_host("here"), a_host("gone", deleted_at=NOW), a_host("elsewhere", cluster_id=None)]
    view = a_view(a_cluster(deleted_at=NOW), hosts)
    usual, everything = (
        msgspec.json.decode(msgspec.json.encode(out)) for out in (cluster_out(view), cluster_out(view, gone=True))
    )
    assert ([each["id"] for each in usual["hosts"]], usual["total_host_count"]) == (["here"], 1)
    assert ([each["id"] for each in everything["hosts"]], everything["total_host_count"]) == (["here", "gone"], 2)
    assert everything["deleted_at"] == "2026-01-02T03:04:05.000Z"
    assert everything["id"] == CLUSTER_ID


def test_time_limits_are_told_to_be_soft_where_they_may_be():
    assert cluster_out(a_view())["org_soft_timeouts_enabled"] is True
    assert "org_soft_timeouts_enabled" not in cluster_out(a_view(a_cluster(org_soft_timeouts_enabled=False)))


@pytest.mark.parametrize(("text", "wanted"), [("true", True), ("Yes", True), ("1", True), ("no", False), ("", False)])
def test_a_header_is_read_as_leniently_as_a_parameter(text, wanted):
    given = {"get_unregistered_clusters": text, "discovery_agent_version": "quay.io/agent:1", "accept": "*/*"}
    assert parse_query(ClustersHeaders, given) == ClustersHeaders(get_unregistered_clusters=wanted)
    assert parse_query(ClusterHeaders, given).discovery_agent_version == "quay.io/agent:1"

"""Clusters that are not installed from here: those that run already, and those that are installed elsewhere."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from builders import CLUSTER_ID, NOW, a_policy
from muster.domain.clusters import Cluster, ClusterKind, ClusterState, PlatformType
from muster.domain.decide import decide
from muster.domain.errors import Invalid
from muster.domain.inputs.clusters import ClusterUpdate
from muster.domain.inputs.clusters_elsewhere import ClusterImport, DisconnectedClusterCreate, imported_cluster
from muster.domain.triggers import ImportCluster, RegisterDisconnectedCluster, UpdateCluster
from muster.domain.views import View, cluster_scope

OCP_ID = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"


def nothing() -> View:
    return View(scope=cluster_scope(CLUSTER_ID), now=NOW, policy=a_policy())


def imported(**written: Any) -> Cluster:
    body = {"name": "given", "api_vip_dnsname": "192.168.1.5", "openshift_cluster_id": OCP_ID, **written}
    inputs = msgspec.json.decode(msgspec.json.encode(body), type=ClusterImport)
    return imported_cluster(inputs, cluster_id=CLUSTER_ID, owner="me", now=NOW)


def test_an_imported_cluster_runs_takes_in_hosts_and_has_nothing_that_nobody_told():
    inputs = ClusterImport(name="given", api_vip_dnsname="10.0.0.5", openshift_cluster_id=OCP_ID)
    decision = decide(nothing(), ImportCluster(cluster_id=CLUSTER_ID, inputs=inputs, owner="me"))
    cluster = decision.cluster
    assert (cluster.kind, cluster.status, cluster.imported) == (ClusterKind.ADD_HOSTS, ClusterState.ADDING_HOSTS, True)
    assert (cluster.name, cluster.base_dns_domain, cluster.user_name) == ("given", "", "me")
    assert (cluster.api_vip_dns_name, cluster.openshift_cluster_id) == ("10.0.0.5", OCP_ID)
    assert cluster.platform.type is PlatformType.BAREMETAL
    assert (cluster.cluster_networks, cluster.service_networks, cluster.operators) == ((), (), ())
    assert (cluster.pull_secret, cluster.cpu_architecture, cluster.openshift_version) == ("", "", "")
    assert [event.name for event in decision.events] == ["cluster_registration_succeeded"]


def test_the_version_of_an_imported_cluster_is_kept_as_it_was_told():
    assert imported(openshift_version="4.20").openshift_version == "4.20"


@pytest.mark.parametrize(
    "written", [OCP_ID, OCP_ID.upper(), f"{{{OCP_ID}}}", f"urn:uuid:{OCP_ID}", OCP_ID.replace("-", "")]
)
def test_an_id_is_kept_as_everybody_writes_it(written):
    assert imported(openshift_cluster_id=written).openshift_cluster_id == OCP_ID


@pytest.mark.parametrize(
    ("address", "name", "domain"),
    [
        ("api.real.lab.example.com", "real", "lab.example.com"),
        ("api.real.local", "real", "local"),
        ("api.real", "given", ""),
        ("api..local", "given", ""),
        ("apis.real.local", "given", ""),
        ("10.1.2.3", "given", ""),
        ("fd00::5", "given", ""),
    ],
)
def test_an_address_that_tells_the_name_and_the_domain_of_a_cluster_wins_over_the_name_that_was_written(
    address, name, domain
):
    cluster = imported(api_vip_dnsname=address)
    assert (cluster.name, cluster.base_dns_domain) == (name, domain)


@pytest.mark.parametrize("written", [{"name": "Bad_Name"}, {"api_vip_dnsname": "api.Bad_Name.example.com"}])
def test_a_name_that_cannot_be_part_of_a_domain_is_refused(written):
    with pytest.raises(Invalid, match=r"name: 'Bad_Name' must consist of lower-case letters"):
        imported(**written)


@pytest.mark.parametrize("missing", ["name", "api_vip_dnsname", "openshift_cluster_id"])
def test_an_import_needs_name_address_and_id(missing):
    body = {"name": "given", "api_vip_dnsname": "10.0.0.5", "openshift_cluster_id": OCP_ID}
    for wrong in ({key: value for key, value in body.items() if key != missing}, body | {missing: ""}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(msgspec.json.encode(wrong), type=ClusterImport)


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "other", "api_vip_dns_name": "api.other.example.com"},
        {"user_managed_networking": True},
        {"pull_secret": '{"auths":{"cloud.openshift.com":{"auth":"dXNlcjpwYXNzd29yZAo="}}}'},
        {"ignition_endpoint": {"url": "https://10.0.0.5:22623/config"}},
        {"http_proxy": "http://proxy.example.com:3128"},
        {"control_plane_count": 1},
    ],
)
def test_what_is_learnt_of_an_imported_cluster_later_can_be_written_down(changes):
    view = nothing().but(cluster=imported())
    update = msgspec.json.decode(msgspec.json.encode(changes), type=ClusterUpdate)
    decision = decide(view, UpdateCluster(changes=update))
    assert decision.outcomes == (None,)
    assert decision.cluster.status is ClusterState.ADDING_HOSTS


def test_the_disks_of_an_imported_cluster_are_as_they_are():
    view = nothing().but(cluster=imported())
    update = msgspec.json.decode(b'{"disk_encryption": {"enable_on": "all"}}', type=ClusterUpdate)
    (outcome,) = decide(view, UpdateCluster(changes=update)).outcomes
    assert isinstance(outcome, Invalid)


def test_a_cluster_that_is_installed_elsewhere_has_a_name_and_a_version_and_nothing_happens_to_it():
    inputs = DisconnectedClusterCreate(name="Any Name", openshift_version="4.20")
    decision = decide(nothing(), RegisterDisconnectedCluster(cluster_id=CLUSTER_ID, inputs=inputs, owner="me"))
    cluster = decision.cluster
    assert (cluster.kind, cluster.status) == (ClusterKind.DISCONNECTED, ClusterState.UNMONITORED)
    assert (cluster.name, cluster.openshift_version, cluster.user_name) == ("Any Name", "4.20", "me")
    assert (cluster.pull_secret, cluster.cluster_networks, cluster.operators) == ("", (), ())
    assert decision.deadline == NOW + timedelta(hours=480, milliseconds=1)
    assert [event.name for event in decision.events] == ["cluster_registration_succeeded"]


@pytest.mark.parametrize("body", [{"name": "", "openshift_version": "4.20"}, {"name": "x", "openshift_version": ""}])
def test_a_cluster_that_is_installed_elsewhere_needs_both(body):
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(msgspec.json.encode(body), type=DisconnectedClusterCreate)

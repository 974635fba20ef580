"""What only old clients ask: a cluster along with its hosts, one address at a time, an id of their own."""

from typing import ClassVar

import pytest

from builders import NOW, a_cluster, a_host, a_policy, a_view
from muster.domain.decide import decide
from muster.domain.errors import Invalid, NotFound
from muster.domain.inputs.clusters import ClusterCreate, ClusterUpdate, new_cluster
from muster.domain.inputs.clusters_elsewhere import ClusterImport
from muster.domain.inputs.hosts import HostUpdate
from muster.domain.inputs.vips import VipInput
from muster.domain.roles import Role
from muster.domain.triggers import ImportCluster, UpdateHost, UpdateTogether
from muster.domain.views import View, cluster_scope

VIEW = a_view(a_cluster(), [a_host("h1"), a_host("h2")])


def asked(*hosts: str) -> UpdateTogether:
    return UpdateTogether(
        changes=ClusterUpdate(tags="new"),
        hosts=tuple(UpdateHost(host_id=each, changes=HostUpdate(host_role="worker")) for each in hosts),
    )


def test_a_cluster_and_its_hosts_change_together():
    decision = decide(VIEW, asked("h1", "h2"))
    assert decision.outcomes == (None,)
    assert decision.cluster.tags == "new"
    assert {each.role for each in decision.view.living} == {Role.WORKER}


def test_one_host_that_is_not_there_leaves_everything_as_it_was():
    decision = decide(VIEW, asked("h1", "nobody"))
    assert isinstance(decision.outcomes[0], NotFound)
    assert (decision.cluster.tags, decision.host("h1").role) == ("", a_host("h1").role)


class OneByOne(ClusterCreate):
    """A cluster whose addresses come one at a time."""

    IN_PAIRS: ClassVar[bool] = False


SECRET = '{"auths":{"a.b":{"auth":"dXNlcjpwYXNzd29yZAo="}}}'
ADDRESS = {"ingress_vips": (VipInput(ip="192.168.1.8"),)}


def described(kind: type[ClusterCreate], **written):
    inputs = kind(name="old", openshift_version="4.20", pull_secret=SECRET, **written)
    return new_cluster(inputs, cluster_id="c1", owner="admin", now=NOW, policy=a_policy())


def test_an_address_may_come_before_the_other_only_if_they_come_one_at_a_time():
    assert [each.ip for each in described(OneByOne, **ADDRESS).ingress_vips] == ["192.168.1.8"]
    with pytest.raises(Invalid, match="ingress_vips: there are 1 addresses, but 0 api_vips"):
        described(ClusterCreate, **ADDRESS)


def test_once_both_are_there_they_are_as_many_of_each():
    two = (VipInput(ip="192.168.1.7"), VipInput(ip="fd00::7"))
    with pytest.raises(Invalid, match="ingress_vips: there are 1 addresses, but 2 api_vips"):
        described(OneByOne, **ADDRESS, api_vips=two)


def test_a_cluster_that_runs_is_taken_over_once():
    inputs = ClusterImport(name="old", api_vip_dnsname="api.old.example.com", openshift_cluster_id="c1")
    trigger = ImportCluster(cluster_id="c1", inputs=inputs)
    first = decide(View(scope=cluster_scope("c1"), now=NOW, policy=a_policy()), trigger)
    assert first.outcomes == (None,)
    again = decide(first.view, trigger)
    assert isinstance(again.outcomes[0], Invalid)
    assert str(again.outcomes[0]).startswith("id:")

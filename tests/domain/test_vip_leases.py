"""Virtual addresses from a DHCP server: what hosts are asked, and what becomes of what they are given."""

import pytest

from asking import args, of
from builders import CLUSTER_ID, a_cluster, a_machine, a_nic, a_pool_view, a_ready_host
from muster.domain.clusters import ClusterState
from muster.domain.decide import decide
from muster.domain.errors import Refused
from muster.domain.leases import vip_mac
from muster.domain.networks import Vip, VipVerification
from muster.domain.states.clusters import BEFORE_INSTALL
from muster.domain.steps import STEPS
from muster.domain.steps.dhcp_lease_allocate import LeaseReply
from muster.domain.triggers import Replied

C = ClusterState
STEP = "dhcp-lease-allocate"


def leasing(**changes):
    """A cluster that takes its virtual addresses from DHCP and has none yet."""
    return a_cluster(vip_dhcp_allocation=True, api_vips=(), ingress_vips=()).but(**changes)


def a_lease(name="api", renew="1 2026/01/05 12:00:00"):
    return f'lease {{\n  interface "{name}";\n  renew {renew};\n}}\n'


REPLY = LeaseReply(
    api_vip_address="192.168.1.250",
    ingress_vip_address="192.168.1.251",
    api_vip_lease=a_lease(),
    ingress_vip_lease=a_lease("ingress"),
)


def learnt(cluster, reply=REPLY):
    return STEPS[STEP].learn_cluster(cluster, reply)


# What is asked


def test_a_host_leases_on_its_interface_in_the_first_machine_network():
    nics = (a_nic("eth0", "10.0.0.10/24"), a_nic("eth1", "192.168.1.10/24", "fd00::10/64"))
    view = of(cluster=leasing(), inventory=a_machine(interfaces=nics))
    assert args(view, STEP) == [
        {
            "interface": "eth1",
            "api_vip_mac": vip_mac(CLUSTER_ID, "api"),
            "ingress_vip_mac": vip_mac(CLUSTER_ID, "ingress"),
        }
    ]


def test_a_host_goes_on_with_what_was_leased_before():
    (request,) = args(of(cluster=leasing(api_vip_lease="a", ingress_vip_lease="b")), STEP)
    assert (request["api_vip_lease"], request["ingress_vip_lease"]) == ("a", "b")


@pytest.mark.parametrize(
    ("cluster", "host"),
    [
        ({"vip_dhcp_allocation": False}, {}),
        ({"machine_networks": ()}, {}),
        ({"machine_networks": ("10.0.0.0/24",)}, {}),
        ({}, {"inventory": None}),
        ({}, {"inventory": a_machine(interfaces=None)}),
    ],
)
def test_nothing_is_leased_where_nobody_knows_what_for(cluster, host):
    assert args(of(cluster=leasing(**cluster), **host), STEP) is None


def test_a_host_without_a_cluster_leases_nothing():
    assert args(a_pool_view(a_ready_host("m1")), STEP) is None


# What is learnt


@pytest.mark.parametrize("status", sorted(BEFORE_INSTALL))
def test_the_leased_addresses_become_those_of_the_cluster(status):
    cluster = learnt(leasing(status=status))
    assert [vip.ip for vip in (*cluster.api_vips, *cluster.ingress_vips)] == ["192.168.1.250", "192.168.1.251"]
    assert cluster.api_vip_lease == a_lease(renew="never")
    assert cluster.ingress_vip_lease == a_lease("ingress", renew="never")
    assert learnt(cluster) is cluster


def test_what_is_known_of_an_address_that_is_leased_again_stays_known():
    known = (Vip(ip="192.168.1.250", verification=VipVerification.SUCCEEDED),)
    assert learnt(leasing(api_vips=known)).api_vips == known
    other = learnt(leasing(api_vips=(Vip(ip="192.168.1.249", verification=VipVerification.SUCCEEDED),)))
    assert other.api_vips == (Vip(ip="192.168.1.250"),)


def test_the_user_is_told_of_addresses_that_are_new():
    replied = Replied(host_id="m1", step=STEP, reply=REPLY)
    first = decide(of(cluster=leasing()), replied)
    (event,) = [each for each in first.events if each.name == "api_ingress_vip_updated"]
    assert "192.168.1.250" in event.message
    assert "192.168.1.251" in event.message
    assert first.cluster.api_vips[0].ip == "192.168.1.250"
    again = decide(first.view, replied)
    assert not [each for each in again.events if each.name == "api_ingress_vip_updated"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"api_vip_address": "10.0.0.1"}, "api_vips: .*'10.0.0.1'.*192.168.1.0/24"),
        ({"ingress_vip_address": ""}, "ingress_vips: .*192.168.1.0/24"),
        ({"api_vip_lease": "nonsense"}, "api_vip_lease"),
        ({"ingress_vip_lease": "lease {}"}, "ingress_vip_lease"),
    ],
)
def test_a_lease_that_does_not_fit_is_refused(changes, words):
    with pytest.raises(Refused, match=words):
        learnt(leasing(), REPLY.but(**changes))


@pytest.mark.parametrize("changes", [{"vip_dhcp_allocation": False}, {"machine_networks": ()}])
def test_a_lease_that_nobody_wants_any_more_is_refused(changes):
    with pytest.raises(Refused, match="takes no addresses from DHCP"):
        learnt(leasing(**changes))


DURING = (C.PREPARING, C.INSTALLING, C.FINALIZING)
LEASED = {"api_vips": (Vip(ip="192.168.1.250"),), "ingress_vips": (Vip(ip="192.168.1.251"),)}


@pytest.mark.parametrize("status", DURING)
def test_addresses_stay_once_the_installation_has_begun(status):
    cluster = leasing(status=status, **LEASED)
    assert learnt(cluster) is cluster
    with pytest.raises(Refused, match=r"ingress_vips: .*192\.168\.1\.252.*192\.168\.1\.251"):
        learnt(cluster, REPLY.but(ingress_vip_address="192.168.1.252"))
    with pytest.raises(Refused, match="no address"):
        learnt(leasing(status=status))


def test_a_refused_lease_changes_nothing():
    view = of(cluster=leasing(status=C.INSTALLING, **LEASED))
    other = REPLY.but(api_vip_address="192.168.1.252")
    (outcome,) = decide(view, Replied(host_id="m1", step=STEP, reply=other)).outcomes
    assert isinstance(outcome, Refused)


def test_a_lease_of_a_host_that_has_left_its_cluster_comes_too_late():
    (outcome,) = decide(a_pool_view(a_ready_host("m1")), Replied(host_id="m1", step=STEP, reply=REPLY)).outcomes
    assert isinstance(outcome, Refused)
    assert "belongs to no cluster any more" in str(outcome)

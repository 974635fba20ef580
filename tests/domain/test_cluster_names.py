"""The names by which a cluster is found, in a domain that the service manages."""

from datetime import timedelta

import pytest

from builders import NOW, a_cluster, a_day2_host, a_ready_host, a_ready_view, a_running_cluster, a_view, later
from muster.domain.cluster_names import check_free, check_unused, names_of, names_to_look_for, unwanted_names
from muster.domain.clusters import ClusterState, Preparation
from muster.domain.decide import decide
from muster.domain.effects import WithdrawNames
from muster.domain.errors import Broken, Refused
from muster.domain.inputs.clusters import ClusterUpdate
from muster.domain.managed_domains import ManagedDomain
from muster.domain.names import DnsName
from muster.domain.networks import Vip
from muster.domain.triggers import DeleteCluster, NamesChosen, NamesWithdrawn, Reset, Ticked, UpdateCluster

DOMAINS = (
    ManagedDomain(domain="example.org", provider="route53", zone_id="Z2"),
    ManagedDomain(domain="example.com", provider="route53", zone_id="Z1"),
)


def a_name(label="api", address="192.168.1.5", kind="A", cluster="lab"):
    return DnsName(zone_id="Z1", name=f"{label}.{cluster}.example.com", kind=kind, address=address)


API, APPS = a_name(), a_name("*.apps", "192.168.1.6")


def test_a_cluster_is_found_by_its_virtual_addresses():
    assert names_of(a_cluster(), (), DOMAINS) == (API, APPS)


def test_a_single_node_is_found_by_its_own_address():
    alone = a_cluster(control_plane_count=1, api_vips=(), ingress_vips=(), machine_networks=("192.168.1.0/24",))
    names = names_of(alone, (a_ready_host("h1"),), DOMAINS)
    assert names == tuple(a_name(label, "192.168.1.10") for label in ("api", "api-int", "*.apps"))
    assert names_of(alone.but(machine_networks=()), (a_ready_host("h1"),), DOMAINS) == ()
    assert names_of(alone, (), DOMAINS) == ()


def test_addresses_of_the_new_internet_have_names_of_their_own_kind():
    cluster = a_cluster(api_vips=(Vip(ip="fd00::5"), Vip(ip="192.168.1.5")), ingress_vips=(Vip(ip="fd00::6"),))
    assert names_of(cluster, (), DOMAINS) == (a_name("api", "fd00::5", "AAAA"), a_name("*.apps", "fd00::6", "AAAA"))


@pytest.mark.parametrize(
    "changes", [{"base_dns_domain": "lab.example.com"}, {"base_dns_domain": ""}, {"api_vips": (), "ingress_vips": ()}]
)
def test_a_cluster_elsewhere_or_without_addresses_gets_no_names(changes):
    assert names_of(a_cluster(**changes), (), DOMAINS) == ()


def test_names_that_a_cluster_had_under_another_name_are_not_wanted_any_more():
    old = a_name(cluster="old")
    cluster = a_cluster(dns_names=(old, API.but(address="192.168.1.99")))
    assert unwanted_names(cluster, (API, APPS)) == (old,)


def test_a_name_that_is_somebody_elses_is_not_led_elsewhere():
    ours = API.but(address="192.168.1.99")
    check_free(a_cluster(dns_names=(ours,)), (API, APPS), (ours, APPS))
    with pytest.raises(Broken, match=r"api\.lab\.example\.com leads to 192\.168\.1\.99\. Remove them"):
        check_free(a_cluster(), (API, APPS), (ours,))
    with pytest.raises(Broken, match="leads to another name"):
        check_free(a_cluster(), (API, APPS), (API.but(address=""),))


# What a user wants to call it

ELSEWHERE = a_cluster(base_dns_domain="home.arpa")
MOVED = ClusterUpdate(base_dns_domain="example.com")


def test_a_cluster_that_moves_into_a_managed_domain_is_looked_for_there():
    found = names_to_look_for(ELSEWHERE, MOVED, DOMAINS)
    assert {(each.name, each.kind) for each in found} == {
        (f"{label}.lab.example.com", kind) for label in ("api", "*.apps") for kind in ("A", "AAAA")
    }
    alone = names_to_look_for(ELSEWHERE.but(control_plane_count=1), MOVED, DOMAINS)
    assert {each.name.partition(".lab")[0] for each in alone} == {"api", "api-int", "*.apps"}
    assert names_to_look_for(a_cluster(), ClusterUpdate(name="other"), DOMAINS)[0].name == "api.other.example.com"


@pytest.mark.parametrize(
    ("cluster", "changes"),
    [
        (ELSEWHERE, ClusterUpdate(name="other")),
        (a_cluster(), ClusterUpdate(tags="mine")),
        (a_cluster(), MOVED),
        (a_running_cluster(), ClusterUpdate(name="other")),
    ],
    ids=["elsewhere", "something else", "as it is", "it runs"],
)
def test_otherwise_nothing_is_looked_for(cluster, changes):
    assert names_to_look_for(cluster, changes, DOMAINS) == ()


def test_a_cluster_is_not_called_by_a_name_that_is_taken():
    view = a_view(ELSEWHERE)
    taken = UpdateCluster(changes=MOVED, found=(API,))
    decision = decide(view, taken)
    assert isinstance(decision.outcomes[0], Refused)
    assert str(decision.outcomes[0]).startswith(
        "base_dns_domain: The names of cluster lab are taken in example.com: api."
    )
    assert decision.cluster.base_dns_domain == "home.arpa"
    assert decide(view, UpdateCluster(changes=MOVED)).cluster.base_dns_domain == "example.com"
    check_unused(a_cluster(dns_names=(API,)), (API,))


# What is known of them


def preparing(**changes):
    cluster = a_cluster(status=ClusterState.PREPARING, preparation=Preparation(attempt=2), **changes)
    return a_view(cluster, (a_ready_host("h1"),))


def test_names_are_known_before_they_are_created():
    assert decide(preparing(), NamesChosen(attempt=2, names=(API, APPS))).cluster.dns_names == (API, APPS)


@pytest.mark.parametrize("view", [preparing(), a_view(a_cluster(), (a_ready_host("h1"),))], ids=["later", "cancelled"])
def test_an_attempt_that_is_over_creates_no_names(view):
    assert decide(view, NamesChosen(attempt=1, names=(API,))).cluster.dns_names == ()


def test_names_that_are_gone_are_not_known_any_more():
    view = a_view(a_cluster(dns_names=(API, APPS)))
    assert decide(view, NamesWithdrawn(names=(API,))).cluster.dns_names == (APPS,)
    assert not decide(a_view(a_cluster()).but(cluster=None, hosts={}), NamesWithdrawn(names=(API,))).changed


# When they go


def withdrawn(decision):
    return [effect for effect in decision.effects if isinstance(effect, WithdrawNames)]


def test_names_go_when_the_installation_is_reset():
    cluster = a_cluster(status=ClusterState.CANCELLED, preparation=Preparation(attempt=3), dns_names=(API, APPS))
    decision = decide(a_view(cluster), Reset())
    assert withdrawn(decision) == [WithdrawNames(cluster_id=cluster.id, attempt=3, names=(API, APPS))]
    assert decision.cluster.dns_names == (API, APPS)
    assert withdrawn(decide(a_view(cluster.but(dns_names=())), Reset())) == []


@pytest.mark.parametrize("cluster", [a_cluster(), a_running_cluster()], ids=["described", "running"])
def test_names_go_when_the_user_deletes_the_cluster(cluster):
    assert withdrawn(decide(a_view(cluster.but(dns_names=(API,))), DeleteCluster()))


@pytest.mark.parametrize(("state", "go"), [(ClusterState.ERROR, True), (ClusterState.INSTALLED, False)])
def test_a_cluster_that_runs_keeps_its_names_however_long_nobody_asks_for_it(state, go):
    view = a_ready_view(cluster=a_cluster(status=state, dns_names=(API,), logs_info="completed"))
    silent = decide(later(view, seen=False, minutes=10), Ticked()).view
    decision = decide(silent.but(now=silent.now + timedelta(hours=481)), Ticked())
    assert decision.cluster.deleted_at is not None
    assert bool(withdrawn(decision)) is go


def test_a_running_cluster_with_hosts_that_join_keeps_its_names():
    view = a_view(a_running_cluster(dns_names=(API,), updated_at=NOW), (a_day2_host("h9"),))
    assert decide(view, Ticked()).effects == ()

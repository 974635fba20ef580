"""The checks of the names a cluster is found by."""

from base64 import b64encode

import msgspec
import pytest

from builders import NOW, a_cluster, a_day2_host, a_nic, a_policy, a_ready_host, a_running_cluster, some_answers
from judging import explained, host_verdict, status_of
from muster.domain.joining import ApiVipReply
from muster.domain.networks import Resolution
from muster.domain.verdicts import Status

NAMES = {
    "api-domain-name-resolved-correctly": ("api", "api"),
    "api-int-domain-name-resolved-correctly": ("api-int", "api-int"),
    "apps-domain-name-resolved-correctly": ("console-openshift-console.apps", "*.apps"),
}
HOST = a_ready_host("h1", 11, heard_at={"domain-resolution": NOW})
HOST = HOST.but(inventory=HOST.inventory.but(interfaces=(a_nic("eth0", "192.168.1.11/24", "fd00::11/64"),)))
UNMANAGED = a_cluster(user_managed_networking=True)
SINGLE = UNMANAGED.but(control_plane_count=1)


def knowing(prefix: str, **answer):
    name = Resolution(domain_name=f"{prefix}.lab.example.com", **answer)
    return HOST.but(resolutions=(*some_answers(), name))


@pytest.mark.parametrize(("check", "prefixes"), NAMES.items())
@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ({"ipv4_addresses": ("10.0.0.9",)}, Status.SUCCESS),
        ({"ipv6_addresses": ("fd00::9",)}, Status.SUCCESS),
        ({"cnames": ("lb.example.com",)}, Status.SUCCESS),
        ({"ipv4_addresses": ("10.0.0.9", "192.168.1.11")}, Status.FAILURE),
        ({"ipv4_addresses": ("192.168.1.1",)}, Status.SUCCESS),
        ({"ipv6_addresses": ("FD00:0:0::11",)}, Status.FAILURE),
        ({}, Status.FAILURE),
    ],
)
def test_a_name_must_lead_to_a_load_balancer(check, prefixes, answer, status):
    found = host_verdict(check, knowing(prefixes[0], **answer), cluster=UNMANAGED)
    assert found.status is status
    assert explained(found)
    assert f"{prefixes[1]}.lab.example.com" in found.message


def test_a_name_that_leads_to_the_host_itself_is_told_with_the_address():
    found = host_verdict(
        "api-domain-name-resolved-correctly", knowing("api", ipv4_addresses=("192.168.1.11",)), cluster=UNMANAGED
    )
    assert found.message == "The name api.lab.example.com leads to this host itself (192.168.1.11)"
    assert (found.evidence.measured, found.evidence.observed_at) == ("192.168.1.11, its own", NOW)


def test_the_first_answer_that_means_anything_counts():
    empty, full = (Resolution(domain_name="api.lab.example.com", ipv4_addresses=found) for found in ((), ("10.0.0.9",)))
    host = HOST.but(resolutions=(empty, full, full.but(ipv4_addresses=("192.168.1.11",))))
    found = host_verdict("api-domain-name-resolved-correctly", host, cluster=UNMANAGED)
    assert (found.status, found.evidence.measured) == (Status.SUCCESS, "10.0.0.9")


def test_before_a_host_has_told_its_addresses_none_is_its_own():
    host = knowing("api", ipv4_addresses=("192.168.1.11",)).but(inventory=None)
    assert host_verdict("api-domain-name-resolved-correctly", host, cluster=UNMANAGED).status is Status.SUCCESS


@pytest.mark.parametrize("check", NAMES)
@pytest.mark.parametrize("resolutions", [None, ()])
def test_names_are_not_judged_before_they_are_looked_up(check, resolutions):
    found = host_verdict(check, HOST.but(resolutions=resolutions), cluster=UNMANAGED)
    assert found.status is Status.ERROR
    assert explained(found)


@pytest.mark.parametrize("check", NAMES)
def test_a_cluster_without_a_domain_has_no_names_to_judge(check):
    found = host_verdict(check, HOST, cluster=UNMANAGED.but(base_dns_domain=""))
    assert found.status is Status.ERROR
    assert explained(found)


@pytest.mark.parametrize("check", NAMES)
def test_a_cluster_that_manages_its_network_answers_for_its_names(check):
    assert host_verdict(check, HOST.but(resolutions=None)).status is Status.SUCCESS


def test_a_single_node_answers_for_its_names():
    assert host_verdict("api-domain-name-resolved-correctly", HOST, cluster=SINGLE).status is Status.SUCCESS


def test_without_its_own_name_service_a_single_node_is_where_its_names_lead():
    policy = a_policy(single_node_dnsmasq=False)
    check = "api-domain-name-resolved-correctly"
    here = knowing("api", ipv4_addresses=("192.168.1.11",))
    assert host_verdict(check, here, cluster=SINGLE, policy=policy).status is Status.SUCCESS
    assert host_verdict(check, HOST, cluster=SINGLE, policy=policy).status is Status.FAILURE


def test_a_host_that_joins_a_single_node_is_not_where_its_names_lead():
    running = a_running_cluster(control_plane_count=1, user_managed_networking=True)
    answer = Resolution(domain_name="api.lab.example.com", ipv4_addresses=("192.168.1.99",))
    host = a_day2_host(resolutions=(answer,))
    assert host_verdict("api-domain-name-resolved-correctly", host, cluster=running).status is Status.FAILURE


# A cluster that was imported


def an_ignition(**files: str) -> ApiVipReply:
    contents = [{"path": path, "contents": {"source": source}} for path, source in files.items()]
    text = msgspec.json.encode({"ignition": {"version": "3.2.0"}, "storage": {"files": contents}}).decode()
    return ApiVipReply(is_success=True, ignition=text)


def a_kubeconfig(server: str) -> str:
    text = f"clusters:\n- cluster:\n    server: {server}\n  name: local\n"
    return f"data:text/plain;charset=utf-8;base64,{b64encode(text.encode()).decode()}"


@pytest.mark.parametrize(
    ("replies", "status"),
    [
        ([], Status.PENDING),
        ([ApiVipReply(is_success=False)], Status.PENDING),
        ([ApiVipReply(is_success=True)], Status.SUCCESS),
        ([an_ignition(**{"/etc/kubernetes/manifests/coredns.yaml": "data:,"})], Status.SUCCESS),
        ([an_ignition(**{"/etc/kubernetes/kubeconfig": a_kubeconfig("https://192.168.1.5:6443")})], Status.SUCCESS),
        ([an_ignition(**{"/etc/kubernetes/kubeconfig": a_kubeconfig("https://api-int.lab:6443")})], Status.FAILURE),
        ([ApiVipReply(is_success=True), an_ignition()], Status.FAILURE),
    ],
    ids=["nobody asked", "nobody was answered", "unreadable", "own services", "by address", "by name", "second"],
)
def test_who_answers_for_the_names_of_an_imported_cluster_is_in_its_ignition(replies, status):
    others = [a_day2_host(f"h{number}", api_vip=reply) for number, reply in enumerate(replies)]
    cluster = a_running_cluster(imported=True)
    found = host_verdict("api-domain-name-resolved-correctly", a_day2_host("h9"), *others, cluster=cluster)
    assert found.status is status
    assert explained(found)


# Wildcards


def wildcard(*domains: str):
    answers = tuple(
        each.but(ipv4_addresses=("10.0.0.1",)) if each.domain_name in domains else each for each in some_answers()
    )
    return HOST.but(resolutions=answers)


UNKNOWN_NAME = "validateNoWildcardDNS.lab.example.com"
ALIASED = HOST.but(
    resolutions=tuple(
        each.but(cnames=("wild.example.com",)) if each.domain_name == UNKNOWN_NAME else each for each in some_answers()
    )
)


@pytest.mark.parametrize(
    ("host", "status", "words"),
    [
        (HOST, Status.SUCCESS, "no wildcard"),
        (HOST.but(resolutions=None), Status.PENDING, "Waiting"),
        (HOST.but(resolutions=()), Status.ERROR, "not looked up"),
        (HOST.but(resolutions=some_answers()[:-1]), Status.ERROR, f"{UNKNOWN_NAME}."),
        (wildcard(f"{UNKNOWN_NAME}."), Status.FAILURE, "name server"),
        (wildcard(UNKNOWN_NAME), Status.FAILURE, "search domain"),
        (wildcard(UNKNOWN_NAME, f"{UNKNOWN_NAME}."), Status.FAILURE, "name server"),
        (ALIASED, Status.FAILURE, "search domain"),
        (HOST.but(resolutions=some_answers()[:-2]), Status.ERROR, f"{UNKNOWN_NAME}."),
        (HOST.but(resolutions=some_answers()[-1:]), Status.ERROR, UNKNOWN_NAME),
        (a_day2_host(resolutions=None), Status.SUCCESS, "in use"),
    ],
)
def test_a_name_nobody_has_must_not_resolve(host, status, words):
    found = host_verdict("dns-wildcard-not-configured", host)
    assert status_of(found) is status
    assert words in found.message
    assert explained(found)


def test_what_a_name_nobody_has_resolves_to_is_told():
    assert (
        host_verdict("dns-wildcard-not-configured", ALIASED).evidence.measured == f"{UNKNOWN_NAME} is wild.example.com"
    )

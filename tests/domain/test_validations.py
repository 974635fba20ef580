"""All checks together: their names, their order, and what each holds back."""

import re
from pathlib import Path

import pytest
import yaml

from builders import a_cluster, a_policy, a_pool_view, a_ready_host, a_view, host_view
from equipping import selecting
from judging import OF_CLUSTERS, OF_HOSTS
from muster.domain.operators import OLM_OPERATORS
from muster.domain.progress import AFTER_REBOOT, Stage
from muster.domain.validations.catalogue import CLUSTER_VALIDATIONS, HOST_VALIDATIONS, assess_host
from muster.domain.verdicts import NO_EVIDENCE, Finding, Gate, Status, evidence_of

SWAGGER = Path(__file__).parents[3] / "shared" / "reference" / "swagger.yaml"

NEVER_SAID = {"ocs-requirements-satisfied", "release-domain-name-resolved-correctly"}
"""Names that are reserved but never used."""


def published(name: str) -> set[str]:
    if not SWAGGER.exists():
        pytest.skip("the reference swagger.yaml is not there")
    return set(yaml.safe_load(SWAGGER.read_text())["definitions"][name]["enum"])


def test_the_checks_of_hosts_are_those_that_clients_know():
    assert set(OF_HOSTS) == published("host-validation-id") - NEVER_SAID


def test_the_checks_of_clusters_are_those_that_clients_know():
    assert set(OF_CLUSTERS) == published("cluster-validation-id") - NEVER_SAID


def test_no_two_checks_have_one_name():
    assert len(OF_HOSTS) == len(HOST_VALIDATIONS) == 66
    assert len(OF_CLUSTERS) == len(CLUSTER_VALIDATIONS) == 48


def in_category(name: str) -> list[str]:
    return [check.id for check in HOST_VALIDATIONS if check.category == name]


def test_checks_of_the_machine_are_listed_in_the_known_order():
    assert in_category("hardware") == [
        "has-inventory",
        "inventory-not-partially-truncated",
        "inventory-not-fully-truncated",
        "has-min-cpu-cores",
        "has-min-memory",
        "has-min-valid-disks",
        "has-cpu-cores-for-role",
        "has-memory-for-role",
        "hostname-unique",
        "hostname-valid",
        "sufficient-installation-disk-speed",
        "compatible-with-cluster-platform",
        "disk-encryption-requirements-satisfied",
        "vsphere-disk-uuid-enabled",
        "compatible-agent",
        "no-skip-installation-disk",
        "no-skip-missing-disk",
    ]


def test_checks_of_the_network_are_listed_in_the_known_order():
    assert in_category("network") == [
        "connected",
        "media-connected",
        "machine-cidr-defined",
        "belongs-to-machine-cidr",
        "ignition-downloadable",
        "belongs-to-majority-group",
        "mtu-valid",
        "valid-platform-network-settings",
        "ntp-synced",
        "time-synced-between-host-and-service",
        "container-images-available",
        "sufficient-network-latency-requirement-for-role",
        "sufficient-packet-loss-requirement-for-role",
        "has-default-route",
        "api-domain-name-resolved-correctly",
        "api-int-domain-name-resolved-correctly",
        "apps-domain-name-resolved-correctly",
        "dns-wildcard-not-configured",
        "non-overlapping-subnets",
        "no-ip-collisions-in-network",
        "no-iscsi-nic-belongs-to-machine-cidr",
    ]


def test_checks_of_operators_and_clusters_are_listed_by_name():
    assert in_category("operators") == sorted(in_category("operators"))
    assert [check.id for check in CLUSTER_VALIDATIONS] == sorted(OF_CLUSTERS)


GATES = {
    Gate.CONNECTION: {"connected", "media-connected"},
    Gate.INVENTORY: {"has-inventory", "inventory-not-fully-truncated"},
    Gate.HARDWARE: {
        "has-min-cpu-cores",
        "has-min-memory",
        "has-min-valid-disks",
        "compatible-with-cluster-platform",
        "disk-encryption-requirements-satisfied",
    },
    Gate.INPUT: {"machine-cidr-defined"},
    Gate.DISK_UUID: {"vsphere-disk-uuid-enabled"},
    Gate.PREPARATION: {"container-images-available", "sufficient-installation-disk-speed"},
    Gate.POOL: {"has-min-cpu-cores", "has-min-memory", "has-min-valid-disks", "hostname-valid"},
}
UNGATED = {"inventory-not-partially-truncated", "mtu-valid", "ntp-synced"}


@pytest.mark.parametrize(("gate", "names"), GATES.items())
def test_a_gate_is_held_by_these_checks(gate, names):
    assert {name for name, check in OF_HOSTS.items() if gate in check.gates} == names


def test_an_installation_is_held_by_all_checks_that_hold_nothing_earlier():
    elsewhere = set().union(*GATES.values()) - {"hostname-valid", "sufficient-installation-disk-speed"}
    assert {name for name, check in OF_HOSTS.items() if Gate.INSTALL in check.gates} == (
        set(OF_HOSTS) - elsewhere - UNGATED
    )


def test_input_addresses_and_the_rest_of_a_cluster_hold_different_gates():
    gates = {name: check.gates for name, check in OF_CLUSTERS.items()}
    inputs = {
        "machine-cidr-defined",
        "cluster-cidr-defined",
        "service-cidr-defined",
        "dns-domain-defined",
        "pull-secret-set",
    }
    addresses = {"api-vips-defined", "ingress-vips-defined"}
    told_only = {"platform-requirements-satisfied", "openshift-ai-gpu-requirements-satisfied"}
    assert {name for name, held in gates.items() if held == {Gate.INPUT}} == inputs
    assert {name for name, held in gates.items() if held == {Gate.VIPS}} == addresses
    assert {name for name, held in gates.items() if not held} == told_only
    assert {name for name, held in gates.items() if held == {Gate.INSTALL}} == (
        set(gates) - inputs - addresses - told_only
    )


def test_six_checks_of_hosts_may_not_be_ignored():
    assert {name for name, check in OF_HOSTS.items() if not check.ignorable} == {
        "connected",
        "has-inventory",
        "inventory-not-fully-truncated",
        "machine-cidr-defined",
        "hostname-unique",
        "hostname-valid",
    }


def test_some_checks_are_silent_once_the_agent_is_gone():
    after_reboot = {name for name, check in OF_HOSTS.items() if check.unspoken == AFTER_REBOOT}
    assert after_reboot == {"connected", "media-connected", "ntp-synced", "time-synced-between-host-and-service"}
    assert OF_HOSTS["compatible-agent"].unspoken == frozenset(Stage)


def test_a_host_in_the_pool_shows_what_can_be_said_without_a_cluster():
    silent_about_time = a_ready_host("h1", ntp_sources=None, clock_skew=None)
    found = assess_host(host_view(a_pool_view(silent_about_time), "h1")).verdicts
    assert list(found) == [
        "has-inventory",
        "inventory-not-partially-truncated",
        "inventory-not-fully-truncated",
        "has-min-cpu-cores",
        "has-min-memory",
        "has-min-valid-disks",
        "has-cpu-cores-for-role",
        "has-memory-for-role",
        "hostname-valid",
        "sufficient-installation-disk-speed",
        "compatible-agent",
        "no-skip-installation-disk",
        "no-skip-missing-disk",
        "connected",
        "media-connected",
        "valid-platform-network-settings",
        "time-synced-between-host-and-service",
        "container-images-available",
        "has-default-route",
        "no-ip-collisions-in-network",
    ]
    assert found["time-synced-between-host-and-service"].status is Status.PENDING


@pytest.mark.parametrize("check", [*HOST_VALIDATIONS, *CLUSTER_VALIDATIONS], ids=lambda check: check.id)
def test_every_check_says_what_it_promises(check):
    assert re.fullmatch(r"[A-Z].*\.", check.promise)


# What an assessment remembers and forgives


def assessed(host, **cluster):
    return assess_host(host_view(a_view(a_cluster(**cluster), [host]), host.id))


NAMELESS = a_ready_host("h1", requested_hostname="localhost", clock_skew=9999)


def test_what_fails_is_told_in_the_order_of_the_words():
    words = assessed(NAMELESS).failing.split(" ; ")
    assert words == sorted(words)
    assert 'The name "localhost" means every machine to itself' in words


def test_a_user_may_ignore_checks_but_not_all_of_them():
    clock, name = "time-synced-between-host-and-service", "hostname-valid"
    assert {clock, name} <= assessed(NAMELESS).held
    assert clock not in assessed(NAMELESS, ignored_host_validations=(clock, name)).held
    assert name in assessed(NAMELESS, ignored_host_validations=(clock, name)).held
    assert name in assessed(NAMELESS, ignored_host_validations=("all",)).held


def test_a_check_may_be_switched_off_for_the_whole_service():
    off = a_policy(disabled_host_validations=frozenset({"hostname-valid"}))
    verdict = assess_host(host_view(a_view(hosts=[NAMELESS], policy=off), "h1")).verdicts["hostname-valid"]
    assert verdict.status is Status.DISABLED
    assert verdict.passes


def test_checks_of_operators_on_hosts_cannot_be_switched_off():
    unswitchable = {name for name, check in OF_HOSTS.items() if not check.switchable}
    assert unswitchable == set(in_category("operators"))
    assert all(check.switchable for check in OF_CLUSTERS.values())
    off = a_policy(disabled_host_validations=frozenset(unswitchable))
    every = selecting(*OLM_OPERATORS)
    found = assess_host(host_view(a_view(every, hosts=[NAMELESS], policy=off), "h1")).verdicts
    assert unswitchable <= found.keys()
    assert Status.DISABLED not in {found[name].status for name in unswitchable}


def test_what_a_cluster_ignores_by_itself_makes_up_for_what_is_switched_off():
    off = a_policy(disabled_host_validations=frozenset({"hostname-valid"}))
    own = a_cluster(ignored_host_validations=("ntp-synced",))
    assert "hostname-valid" in assess_host(host_view(a_view(own, [NAMELESS], policy=off), "h1")).held


def test_findings_that_stay_the_same_are_the_same():
    view = host_view(a_view(a_cluster(), [NAMELESS]), "h1")
    once = assess_host(view, before={}).verdicts
    again = assess_host(view, before=once).verdicts
    assert again == once
    assert all(again[name] is once[name] for name in once)


def test_what_was_found_is_kept_without_its_evidence():
    view = host_view(a_view(a_cluster(), [NAMELESS]), "h1")
    judged, kept = assess_host(view), assess_host(view, before={})
    assert (judged.held, judged.closed) == (kept.held, kept.closed)
    for name, verdict in judged.verdicts.items():
        assert kept.verdicts[name] == Finding(status=verdict.status, message=verdict.message)
        assert evidence_of(verdict).source
        assert evidence_of(kept.verdicts[name]) == NO_EVIDENCE

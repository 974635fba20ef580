"""Which steps a host is asked to do and how, and what is learnt from them."""

import inspect
import json
from typing import get_args

import msgspec
import pytest

from asking import of
from builders import (
    a_cluster,
    a_host,
    a_policy,
    a_pool_view,
    a_ready_host,
    a_running_cluster,
    a_view,
    an_infra_env,
)
from muster.domain.clusters import ClusterState, DiskEncryption, Preparation
from muster.domain.hosts import HostKind, HostState
from muster.domain.inventory import Inventory
from muster.domain.joining import ApiVipReply
from muster.domain.networks import Vip
from muster.domain.releases import Catalogue, Release, ReleaseImages
from muster.domain.roles import Role
from muster.domain.steps import STEPS, Instructions, instruct
from muster.domain.steps.upgrade_agent import UPGRADABLE, UpgradeRequest
from muster.wire.steps import StepType, encode_instructions
from parts import recordings

S = HostState

DISCOVERY = [
    "inventory",
    "connectivity-check",
    "tang-connectivity-check",
    "free-network-addresses",
    "dhcp-lease-allocate",
    "ntp-synchronizer",
    "domain-resolution",
    "verify-vips",
]
KNOWN = [
    "connectivity-check",
    "tang-connectivity-check",
    "free-network-addresses",
    "dhcp-lease-allocate",
    "inventory",
    "ntp-synchronizer",
    "domain-resolution",
    "verify-vips",
]
PREPARATION = ["dhcp-lease-allocate", "installation-disk-speed-check", "container-image-availability"]
AFTERMATH = ["logs-gather", "stop-installation"]
JOINING = ["connectivity-check", "api-vip-connectivity-check", "tang-connectivity-check"]
CLOCK_AND_NAMES = ["ntp-synchronizer", "domain-resolution"]
GO_ON, EXIT = "continue", "exit"

DAY1 = {
    S.KNOWN: (KNOWN, 60, GO_ON),
    S.INSUFFICIENT: (DISCOVERY, 60, GO_ON),
    S.PENDING_FOR_INPUT: (DISCOVERY, 60, GO_ON),
    S.DISCOVERING: (["inventory"], 60, GO_ON),
    S.DISCONNECTED: (["inventory"], 120, GO_ON),
    S.PREPARING: (PREPARATION, 60, GO_ON),
    S.INSTALLING: (["install", "dhcp-lease-allocate"], 60, GO_ON),
    S.IN_PROGRESS: (["dhcp-lease-allocate"], 60, GO_ON),
    S.DISABLED: ([], 120, GO_ON),
    S.RESETTING: ([], 0, EXIT),
    S.RESETTING_PENDING: (["stop-installation"], 60, GO_ON),
    S.ERROR: (AFTERMATH, 120, GO_ON),
    S.CANCELLED: (AFTERMATH, 120, GO_ON),
    S.BINDING: ([], 0, EXIT),
}
DAY2 = {
    S.KNOWN: ([*JOINING, "inventory", *CLOCK_AND_NAMES], 60, GO_ON),
    S.INSUFFICIENT: (["inventory", *JOINING, *CLOCK_AND_NAMES], 60, GO_ON),
    S.PENDING_FOR_INPUT: (["inventory", *JOINING], 60, GO_ON),
    S.DISCOVERING: (["inventory", *CLOCK_AND_NAMES], 60, GO_ON),
    S.DISCONNECTED: (["inventory"], 120, GO_ON),
    S.PREPARING: ([], 60, GO_ON),
    S.INSTALLING: (["install"], 60, GO_ON),
    S.IN_PROGRESS: ([], 60, GO_ON),
    S.DISABLED: ([], 120, GO_ON),
    S.RESETTING: ([], 0, EXIT),
    S.RESETTING_PENDING: (["stop-installation"], 60, GO_ON),
    S.ERROR: (AFTERMATH, 120, GO_ON),
    S.CANCELLED: (AFTERMATH, 120, GO_ON),
    S.BINDING: ([], 60, GO_ON),
}
POOL = {
    S.DISCOVERING_UNBOUND: (["inventory", "ntp-synchronizer"], 60, GO_ON),
    S.INSUFFICIENT_UNBOUND: (["inventory", "ntp-synchronizer"], 60, GO_ON),
    S.KNOWN_UNBOUND: (["inventory", "ntp-synchronizer"], 60, GO_ON),
    S.DISCONNECTED_UNBOUND: (["inventory"], 120, GO_ON),
    S.DISABLED_UNBOUND: ([], 120, GO_ON),
    S.UNBINDING: ([], 0, EXIT),
    S.UNBINDING_PENDING: ([], 0, EXIT),
    S.RECLAIMING: (["download-boot-artifacts"], 60, GO_ON),
    S.RECLAIMING_REBOOTING: (["reboot-for-reclaim"], 120, EXIT),
}
QUIET = {
    each: ([], 60, GO_ON) for each in (S.PREPARED, S.PREPARING_FAILED, S.INSTALLED, S.PENDING_USER_ACTION, S.ADDED)
}
"""Nothing to do, whatever kind of host it is."""


def asked(instructions: Instructions):
    return [step.kind for step in instructions.steps], instructions.seconds, instructions.action


# Which steps


WITH_EVERYTHING = a_cluster(
    vip_dhcp_allocation=True,
    ocp_release_image="quay.io/release:1",
    preparation=Preparation(images=ReleaseImages()),
    disk_encryption=DiskEncryption(enable_on="all", mode="tang", tang_servers="[]"),
)
"""A cluster in which no step is without an object."""

TANG = {"ignition": {"version": "3.2.0"}, "storage": {"luks": [{"clevis": {"tang": [{"url": "http://tang"}]}}]}}
HANDED_OUT = ApiVipReply(is_success=True, ignition=json.dumps(TANG))


@pytest.mark.parametrize("status", list(S))
def test_a_host_is_asked_what_its_state_needs(status):
    expected = (DAY1 | QUIET).get(status, ([], 60, GO_ON))
    assert asked(instruct(of(status=status, cluster=WITH_EVERYTHING), "m1")) == expected


@pytest.mark.parametrize("status", list(S))
def test_a_host_that_joins_a_running_cluster_is_asked_what_its_state_needs(status):
    cluster = a_running_cluster(vip_dhcp_allocation=True, api_vip_dns_name="api.lab.example.com")
    view = of(status=status, kind=HostKind.DAY2, cluster=cluster, api_vip=HANDED_OUT)
    assert asked(instruct(view, "m1")) == (DAY2 | QUIET).get(status, ([], 60, GO_ON))


@pytest.mark.parametrize("status", list(S))
def test_a_host_without_a_cluster_is_asked_what_its_state_needs(status):
    view = a_pool_view(a_ready_host("m1"))
    view = view.but(hosts={"m1": view.hosts["m1"].but(status=status)})
    assert asked(instruct(view, "m1")) == (POOL | QUIET).get(status, ([], 60, GO_ON))


def test_a_step_that_is_switched_off_is_not_asked_for():
    view = of(cluster=WITH_EVERYTHING, policy=a_policy(disabled_steps=frozenset({"inventory", "verify-vips"})))
    assert asked(instruct(view, "m1"))[0] == [each for each in KNOWN if each not in {"inventory", "verify-vips"}]


# Another agent


UPGRADE = (["upgrade-agent"], 60, GO_ON)
OLD = {"discovery_agent_version": "quay.io/agent:old"}


@pytest.mark.parametrize("status", list(S))
def test_an_agent_that_is_not_expected_is_told_nothing_but_to_start_anew(status):
    asked_now = asked(instruct(of(status=status, cluster=WITH_EVERYTHING, **OLD), "m1"))
    assert (asked_now == UPGRADE) == (status in UPGRADABLE)


def test_the_agents_of_hosts_without_a_cluster_are_exchanged_too():
    view = a_pool_view(a_ready_host("m1", **OLD))
    assert asked(instruct(view, "m1")) == UPGRADE
    (step,) = instruct(view, "m1").steps
    assert step.args == (UpgradeRequest(agent_image=view.policy.agent_image),)


@pytest.mark.parametrize(
    "policy",
    [
        {"upgrade_agents": False},
        {"disabled_steps": frozenset({"upgrade-agent"})},
        {"agent_image": OLD["discovery_agent_version"]},
    ],
)
def test_an_agent_stays_where_the_service_does_not_mind(policy):
    view = of(cluster=WITH_EVERYTHING, policy=a_policy(**policy), **OLD)
    assert asked(instruct(view, "m1"))[0] == KNOWN


def test_every_step_has_the_name_of_its_module():
    modules = {kind: inspect.getmodule(step.ask).__name__.rpartition(".")[2] for kind, step in STEPS.items()}
    assert modules == {kind: kind.replace("-", "_") for kind in STEPS}
    assert all(
        step.reads is not None or not (step.learn or step.learn_cluster or step.tells) for step in STEPS.values()
    )


def test_every_step_of_the_protocol_is_there():
    assert STEPS.keys() | {"", "execute", "next-step-runner"} == set(get_args(StepType))


# As recorded


@pytest.fixture(scope="module")
def recorded():
    """Every recorded instruction, by the host and the call."""
    return recordings.recorded("multi-node-install")


def recorded_view(recorded, before):
    """The cluster as it was at a line of the recording, in our records."""
    seen = next(
        line["response"]
        for line in reversed(recorded[:before])
        if line["call"].startswith("GET /v2/clusters/") and "hosts" in (line["response"] or {})
    )
    hosts = []
    for each in seen["hosts"]:
        inventory = msgspec.json.decode(each["inventory"], type=Inventory)
        host = a_host(
            each["id"],
            infra_env_id=each["infra_env_id"],
            cluster_id=each["cluster_id"],
            role=Role(each["role"]),
            bootstrap=each.get("bootstrap", False),
            inventory=inventory,
            installation_disk_id=each["installation_disk_id"],
            discovery_agent_version=each["discovery_agent_version"],
            disks_to_be_formatted=tuple(filter(None, each.get("disks_to_be_formatted", "").split(","))),
        )
        hosts.append(host)
    release = Release(
        version=seen["openshift_version"],
        url=seen["ocp_release_image"],
        images=ReleaseImages(
            mco="quay.io/openshift-release-dev/ocp-v4.0-art-dev:machine-config-operator",
            must_gather="quay.io/openshift-release-dev/ocp-v4.0-art-dev:must-gather",
        ),
    )
    cluster = a_cluster(
        id=seen["id"],
        name=seen["name"],
        base_dns_domain=seen["base_dns_domain"],
        openshift_version=seen["openshift_version"],
        ocp_release_image=seen["ocp_release_image"],
        additional_ntp_source=seen.get("additional_ntp_source", ""),
        machine_networks=tuple(each["cidr"] for each in seen["machine_networks"]),
        api_vips=tuple(Vip(ip=each["ip"]) for each in seen["api_vips"]),
        ingress_vips=tuple(Vip(ip=each["ip"]) for each in seen["ingress_vips"]),
    )
    view = a_view(cluster, hosts, policy=a_policy(catalogue=Catalogue(releases=(release,))))
    env = an_infra_env(id=hosts[0].infra_env_id, additional_ntp_sources="ntp1.lab.local")
    return view.but(infra_envs={env.id: env})


STATES = {15: S.KNOWN, 38: S.PREPARING, 44: S.INSTALLING, 45: S.INSTALLING}
"""The recorded polls, by line, and the state of the host that asked."""


@pytest.mark.parametrize(("line", "state"), STATES.items())
def test_instructions_read_as_recorded(recorded, line, state):
    host_id = recorded[line]["call"].split("/")[5]
    view = recorded_view(recorded, max(line, 44))
    view = view.with_host(view.hosts[host_id].but(status=state))
    theirs = recorded[line]["response"]
    ours = json.loads(encode_instructions(instruct(view, host_id)))
    assert ours["next_instruction_seconds"] == theirs["next_instruction_seconds"]
    assert ours["post_step_action"] == theirs["post_step_action"]
    assert [each["step_type"] for each in ours["instructions"]] == [
        each["step_type"] for each in theirs["instructions"]
    ]
    for our, their in zip(ours["instructions"], theirs["instructions"], strict=True):
        assert spelled(our["args"]) == spelled(their["args"])


def spelled(arguments):
    """Arguments letter by letter; only the order of the other hosts, which follows no rule, is made equal."""
    return [
        sorted(each.removeprefix("[").removesuffix("]").replace("},{", "}\n{").split("\n"))
        if each.startswith('[{"host_id"')
        else each
        for each in arguments
    ]


def test_the_single_node_recording_has_no_virtual_addresses_to_verify():
    cluster = a_cluster(control_plane_count=1, api_vips=(), ingress_vips=(), status=ClusterState.READY)
    steps = asked(instruct(a_view(cluster, [a_ready_host("m1")]), "m1"))[0]
    assert steps == ["free-network-addresses", "inventory", "ntp-synchronizer", "domain-resolution"]

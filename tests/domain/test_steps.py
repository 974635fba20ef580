"""Which steps a host is asked to do and how, and what is learnt from them."""

import json

import msgspec
import pytest

from asking import of
from builders import (
    a_cluster,
    a_host,
    a_machine,
    a_nic,
    a_policy,
    a_pool_view,
    a_ready_host,
    a_running_cluster,
    a_view,
    an_infra_env,
)
from muster.domain.clusters import ClusterState
from muster.domain.connectivity import ConnectivityReport
from muster.domain.hosts import DiskSpeed, HostKind, HostState, ImageStatus, VipCheck
from muster.domain.inventory import Inventory
from muster.domain.networks import FreeAddresses, NtpSource, Resolution, Vip
from muster.domain.releases import Catalogue, Release
from muster.domain.roles import Role
from muster.domain.steps import STEPS, Instructions, instruct
from muster.domain.steps.container_image_availability import ImagesReply
from muster.domain.steps.domain_resolution import DomainReply
from muster.domain.steps.installation_disk_speed_check import DiskSpeedReply
from muster.domain.steps.ntp_synchronizer import NtpReply
from muster.wire.steps import encode_instructions
from parts import recordings

S = HostState

DISCOVERY = [
    "inventory",
    "connectivity-check",
    "free-network-addresses",
    "ntp-synchronizer",
    "domain-resolution",
    "verify-vips",
]
KNOWN = [
    "connectivity-check",
    "free-network-addresses",
    "inventory",
    "ntp-synchronizer",
    "domain-resolution",
    "verify-vips",
]
PREPARATION = ["installation-disk-speed-check", "container-image-availability"]
AFTERMATH = ["logs-gather", "stop-installation"]
GO_ON, EXIT = "continue", "exit"

DAY1 = {
    S.KNOWN: (KNOWN, 60, GO_ON),
    S.INSUFFICIENT: (DISCOVERY, 60, GO_ON),
    S.PENDING_FOR_INPUT: (DISCOVERY, 60, GO_ON),
    S.DISCOVERING: (["inventory"], 60, GO_ON),
    S.DISCONNECTED: (["inventory"], 120, GO_ON),
    S.PREPARING: (PREPARATION, 60, GO_ON),
    S.INSTALLING: (["install"], 60, GO_ON),
    S.IN_PROGRESS: ([], 60, GO_ON),
    S.DISABLED: ([], 120, GO_ON),
    S.RESETTING: ([], 120, GO_ON),
    S.ERROR: (AFTERMATH, 120, GO_ON),
    S.CANCELLED: (AFTERMATH, 120, GO_ON),
    S.BINDING: ([], 0, EXIT),
}
DAY2 = {
    S.KNOWN: (["connectivity-check", "inventory", "ntp-synchronizer", "domain-resolution"], 60, GO_ON),
    S.INSUFFICIENT: (["inventory", "connectivity-check", "ntp-synchronizer", "domain-resolution"], 60, GO_ON),
    S.PENDING_FOR_INPUT: (["inventory", "connectivity-check"], 60, GO_ON),
    S.DISCOVERING: (["inventory", "ntp-synchronizer", "domain-resolution"], 60, GO_ON),
    S.DISCONNECTED: (["inventory"], 120, GO_ON),
    S.PREPARING: ([], 60, GO_ON),
    S.INSTALLING: (["install"], 60, GO_ON),
    S.IN_PROGRESS: ([], 60, GO_ON),
    S.DISABLED: ([], 120, GO_ON),
    S.RESETTING: ([], 120, GO_ON),
    S.ERROR: (AFTERMATH, 120, GO_ON),
    S.CANCELLED: (AFTERMATH, 120, GO_ON),
}
POOL = {
    S.DISCOVERING_UNBOUND: (["inventory", "ntp-synchronizer"], 60, GO_ON),
    S.INSUFFICIENT_UNBOUND: (["inventory", "ntp-synchronizer"], 60, GO_ON),
    S.KNOWN_UNBOUND: (["inventory", "ntp-synchronizer"], 60, GO_ON),
    S.DISCONNECTED_UNBOUND: (["inventory"], 120, GO_ON),
    S.DISABLED_UNBOUND: ([], 120, GO_ON),
    S.UNBINDING: ([], 0, EXIT),
    S.UNBINDING_PENDING: ([], 0, EXIT),
    S.RECLAIMING: ([], 60, GO_ON),
    S.RECLAIMING_REBOOTING: ([], 120, EXIT),
}
QUIET = {
    each: ([], 60, GO_ON)
    for each in (S.PREPARED, S.PREPARING_FAILED, S.INSTALLED, S.PENDING_USER_ACTION, S.RESETTING_PENDING, S.ADDED)
}
"""Nothing to do, whatever kind of host it is."""


def asked(instructions: Instructions):
    return [step.kind for step in instructions.steps], instructions.seconds, instructions.action


# Which steps


@pytest.mark.parametrize(("status", "expected"), (DAY1 | QUIET).items(), ids=str)
def test_a_host_is_asked_what_its_state_needs(status, expected):
    assert asked(instruct(of(status=status), "m1")) == expected


@pytest.mark.parametrize(("status", "expected"), (DAY2 | QUIET).items(), ids=str)
def test_a_host_that_joins_a_running_cluster_is_asked_what_its_state_needs(status, expected):
    view = of(status=status, kind=HostKind.DAY2, cluster=a_running_cluster())
    assert asked(instruct(view, "m1")) == expected


@pytest.mark.parametrize(("status", "expected"), (POOL | QUIET).items(), ids=str)
def test_a_host_without_a_cluster_is_asked_what_its_state_needs(status, expected):
    view = a_pool_view(a_ready_host("m1"))
    view = view.but(hosts={"m1": view.hosts["m1"].but(status=status)})
    assert asked(instruct(view, "m1")) == expected


def test_a_step_that_is_switched_off_is_not_asked_for():
    view = of(policy=a_policy(disabled_steps=frozenset({"inventory", "verify-vips"})))
    assert asked(instruct(view, "m1"))[0] == [each for each in KNOWN if each not in {"inventory", "verify-vips"}]


def test_every_step_has_the_name_of_its_module():
    assert all(kind == step.kind for kind, step in STEPS.items())
    assert all(step.learn is None or step.reads is not None for step in STEPS.values())


# What is learnt


REPORT = ConnectivityReport(remote_hosts=())
LEARNT = {
    "connectivity-check": (REPORT, {"connectivity": REPORT}),
    "free-network-addresses": (
        (FreeAddresses(network="n"),),
        {"free_addresses": (FreeAddresses(network="n"),)},
    ),
    "ntp-synchronizer": (
        NtpReply(ntp_sources=(NtpSource(source_name="n"),)),
        {"ntp_sources": (NtpSource(source_name="n"),)},
    ),
    "domain-resolution": (
        DomainReply(resolutions=(Resolution(domain_name="n"),)),
        {"resolutions": (Resolution(domain_name="n"),)},
    ),
    "verify-vips": ((VipCheck(vip="v"),), {"vip_checks": (VipCheck(vip="v"),)}),
    "installation-disk-speed-check": (
        DiskSpeedReply(path="d", io_sync_duration=3),
        {"disk_speeds": {"d": DiskSpeed(tested=True, speed_ms=3)}},
    ),
    "container-image-availability": (
        ImagesReply(images=(ImageStatus(name="i", result="success"),)),
        {"images": {"i": ImageStatus(name="i", result="success")}},
    ),
}


@pytest.mark.parametrize(("kind", "reply", "fields"), [(kind, *each) for kind, each in LEARNT.items()], ids=LEARNT)
def test_what_is_learnt_from_a_step(kind, reply, fields):
    host = STEPS[kind].learn(a_host("h1"), reply)
    assert {name: getattr(host, name) for name in fields} == fields
    assert STEPS[kind].learn(host, reply) is host


def test_interfaces_that_no_cluster_can_use_are_left_out_of_the_inventory():
    types = ("", "physical", "vlan", "bond", "bridge", "veth", "tun")
    machine = a_machine(interfaces=tuple(a_nic(f"n{number}", type=each) for number, each in enumerate(types)))
    learnt = STEPS["inventory"].learn(a_host("h1"), machine).inventory
    assert [nic.type for nic in learnt.interfaces] == ["", "physical", "vlan", "bond"]
    assert STEPS["inventory"].learn(a_host("h1"), Inventory()).inventory.interfaces == ()


def test_what_nothing_is_learnt_from():
    assert {kind for kind, step in STEPS.items() if step.learn is None} == {
        "install",
        "logs-gather",
        "stop-installation",
    }
    assert {kind for kind, step in STEPS.items() if step.fail is not None} == {"installation-disk-speed-check"}


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
            disks_to_be_formatted=tuple(filter(None, each.get("disks_to_be_formatted", "").split(","))),
        )
        hosts.append(host)
    release = Release(
        version=seen["openshift_version"],
        url=seen["ocp_release_image"],
        mco_image="quay.io/openshift-release-dev/ocp-v4.0-art-dev:machine-config-operator",
        must_gather_image="quay.io/openshift-release-dev/ocp-v4.0-art-dev:must-gather",
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

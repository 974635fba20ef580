"""What is learnt from the replies to steps, and what the user is told of them."""

import pytest

from asking import of
from builders import NOW, a_host, a_machine, a_nic, a_policy, a_pool_view, a_view, host_view, later
from muster.domain.connectivity import ConnectivityReport
from muster.domain.decide import decide
from muster.domain.errors import Refused
from muster.domain.hosts import DiskSpeed, ImageStatus, VipCheck
from muster.domain.inventory import Inventory
from muster.domain.joining import ApiVipReply, TangAnswer, TangReply
from muster.domain.networks import FreeAddresses, NtpSource, Resolution
from muster.domain.roles import Role
from muster.domain.steps import STEPS
from muster.domain.steps.container_image_availability import ImagesReply
from muster.domain.steps.domain_resolution import DomainReply
from muster.domain.steps.installation_disk_speed_check import DiskSpeedReply
from muster.domain.steps.ntp_synchronizer import NtpReply
from muster.domain.steps.upgrade_agent import UpgradeReply
from muster.domain.triggers import CheckedIn, Replied

HANDED_OUT = ApiVipReply(is_success=True, ignition="{}")


def learnt(kind, reply, host=None, **policy):
    """A host of a cluster after a good reply."""
    host = host or a_host("h1")
    return STEPS[kind].learn(host_view(a_view(hosts=[host], policy=a_policy(**policy)), host.id), reply)


REPORT = ConnectivityReport(remote_hosts=())
TANG_REPLY = TangReply(is_success=True, tang_server_response=(TangAnswer(tang_url="t"),))
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
    "api-vip-connectivity-check": (HANDED_OUT, {"api_vip": HANDED_OUT}),
    "tang-connectivity-check": (TANG_REPLY, {"tang": TANG_REPLY}),
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
    host = learnt(kind, reply)
    assert {name: getattr(host, name) for name in fields} == fields
    assert learnt(kind, reply, host) is host


def test_interfaces_that_no_cluster_can_use_are_left_out_of_the_inventory():
    types = ("", "physical", "vlan", "bond", "bridge", "veth", "tun")
    machine = a_machine(interfaces=tuple(a_nic(f"n{number}", type=each) for number, each in enumerate(types)))
    kept = learnt("inventory", machine).inventory
    assert [nic.type for nic in kept.interfaces] == ["", "physical", "vlan", "bond"]
    assert learnt("inventory", Inventory()).inventory.interfaces == ()
    every = learnt("inventory", machine, virtual_interfaces=True).inventory
    assert [nic.type for nic in every.interfaces] == list(types)


@pytest.mark.parametrize(
    ("mac", "changes", "chosen"),
    [
        ("52:54:00:00:00:10", {}, True),
        ("52:54:00:00:00:1A", {}, False),
        ("", {}, False),
        ("52:54:00:00:00:10", {"bootstrap": True, "role": Role.AUTO}, False),
    ],
)
def test_the_machine_that_the_operator_has_named_becomes_the_bootstrap(mac, changes, chosen):
    host = learnt("inventory", a_machine(), a_host("h1", **changes), bootstrap_mac=mac.upper())
    assert (host.bootstrap and host.role is Role.MASTER) == chosen


def test_a_machine_without_a_cluster_is_nobodys_bootstrap():
    view = a_pool_view(a_host("h1")).but(policy=a_policy(bootstrap_mac="52:54:00:00:00:10"))
    assert not STEPS["inventory"].learn(host_view(view, "h1"), a_machine()).bootstrap


def test_a_host_that_names_no_network_at_all_is_not_believed():
    with pytest.raises(Refused, match="free_addresses"):
        learnt("free-network-addresses", ())


def test_what_an_agent_says_of_tang_servers_is_not_taken_for_a_failure():
    assert learnt("tang-connectivity-check", TangReply(error="made up")).tang == TangReply()


def test_an_agent_that_cannot_ask_the_tang_servers_says_why():
    happened = Replied(host_id="m1", step="tang-connectivity-check", exit_code=-1, error="no route to tang.lab")
    decision = decide(of(tang=TANG_REPLY), happened)
    assert decision.host("m1").tang == TangReply(error="no route to tang.lab")
    assert decision.host("m1").heard_at["tang-connectivity-check"] == NOW
    well = decide(decision.view, Replied(host_id="m1", step="tang-connectivity-check", reply=TANG_REPLY))
    assert well.host("m1").tang == TANG_REPLY


def test_a_disk_that_could_not_be_tried_is_noted_with_its_exit_code():
    happened = Replied(host_id="m1", step="installation-disk-speed-check", exit_code=255)
    speeds = decide(of(), happened).host("m1").disk_speeds
    assert speeds == {"/dev/disk/by-id/wwn-0x1": DiskSpeed(tested=True, exit_code=255)}


@pytest.mark.parametrize(
    ("speed", "before", "told"),
    [(11, {}, 1), (10, {}, 0), (11, {"/dev/disk/by-id/wwn-0x1": DiskSpeed(tested=True, speed_ms=99)}, 0)],
)
def test_a_slow_disk_is_told_of_once(speed, before, told):
    reply = DiskSpeedReply(path="/dev/disk/by-id/wwn-0x1", io_sync_duration=speed)
    decision = decide(of(disk_speeds=before), Replied(host_id="m1", step="installation-disk-speed-check", reply=reply))
    assert [event.name for event in decision.events] == ["disk_speed_slower_than_supported"] * told


def test_an_image_is_told_of_when_it_is_first_heard_of():
    reply = ImagesReply(images=(ImageStatus(name="a", result="success"), ImageStatus(name="b", result="success")))
    known = {"a": ImageStatus(name="a", result="failure", time=3.0)}
    happened = Replied(host_id="m1", step="container-image-availability", reply=reply)
    decision = decide(of(images=known), happened)
    assert decision.host("m1").images["a"] == ImageStatus(name="a", result="success", time=3.0)
    assert [event.message for event in decision.events] == ["Host m1: image b: success"]


def test_what_nothing_is_learnt_from():
    assert {kind for kind, step in STEPS.items() if step.learn is None} == {
        "dhcp-lease-allocate",
        "download-boot-artifacts",
        "install",
        "logs-gather",
        "reboot-for-reclaim",
        "stop-installation",
        "upgrade-agent",
    }
    assert {kind for kind, step in STEPS.items() if step.learn_cluster is not None} == {"dhcp-lease-allocate"}
    assert {kind for kind, step in STEPS.items() if step.fail is not None} == {
        "installation-disk-speed-check",
        "tang-connectivity-check",
    }


# Agents that are exchanged


def told(view, *triggers):
    """What the user is told of an agent's exchange."""
    return [event.name for event in decide(view, *triggers).events if event.name.startswith("upgrade")]


def test_the_user_is_told_that_an_agent_is_exchanged_but_not_all_the_time():
    asks, old = CheckedIn(host_id="m1"), of(discovery_agent_version="quay.io/agent:old")
    after = decide(old, asks).view
    assert told(old, asks) == ["upgrade_agent_started"]
    assert told(later(after, minutes=59), asks) == []
    assert told(later(after, minutes=60), asks) == ["upgrade_agent_started"]
    assert told(of(), asks) == []


@pytest.mark.parametrize(
    ("result", "told"), [("success", ["upgrade_agent_finished"]), ("failure", ["upgrade_agent_failed"]), ("", [])]
)
def test_the_user_is_told_how_the_exchange_of_an_agent_went(result, told):
    reply = UpgradeReply(agent_image="quay.io/agent:new", result=result)
    decision = decide(of(), Replied(host_id="m1", step="upgrade-agent", reply=reply))
    assert [event.name for event in decision.events] == told
    assert all("quay.io/agent:new" in event.message for event in decision.events)

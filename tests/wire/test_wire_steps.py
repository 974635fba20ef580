"""The agent protocol: instructions are the same bytes for the same view, replies read back as they were written."""

import json
from typing import get_args

import msgspec
import pytest

from builders import a_cluster, a_machine, a_mesh, a_ready_host, a_view
from muster.domain.hosts import ImageStatus, VipCheck
from muster.domain.joining import ApiVipReply, TangAnswer, TangReply, TangSignature
from muster.domain.monitored import OperatorStatus
from muster.domain.networks import FreeAddresses, NtpSource, Resolution
from muster.domain.progress import FinalizingStage, Stage
from muster.domain.roles import Role
from muster.domain.steps import STEPS, Instruction, Instructions, instruct
from muster.domain.steps.container_image_availability import ImagesReply
from muster.domain.steps.dhcp_lease_allocate import LeaseReply
from muster.domain.steps.domain_resolution import DomainReply
from muster.domain.steps.download_boot_artifacts import BootArtifactsRequest
from muster.domain.steps.installation_disk_speed_check import DiskSpeedReply
from muster.domain.steps.ntp_synchronizer import NtpReply
from muster.domain.steps.upgrade_agent import UpgradeReply
from muster.wire.cluster_requests import ClusterHostsQuery, FinalizingProgress, OperatorReport
from muster.wire.hosts import HostProgressReport
from muster.wire.json import text
from muster.wire.steps import StepReply, StepsOut, StepType, decode_reply, encode_instructions


def test_instructions_read_back_as_they_were_given():
    view = a_view(hosts=a_mesh(a_ready_host("h1", 10), a_ready_host("h2", 11)))
    given = instruct(view, "h1")
    read = msgspec.json.decode(encode_instructions(given), type=StepsOut)
    assert [each.step_type for each in read.instructions or ()] == [each.kind for each in given.steps]
    assert (read.next_instruction_seconds, read.post_step_action) == (given.seconds, given.action)
    args = [json.loads(each.args[0]) for each in read.instructions or () if each.step_type == "connectivity-check"]
    assert [peer["host_id"] for peer in args[0]] == ["h2"]


def test_the_same_instructions_are_the_same_bytes_and_others_have_other_ids():
    def given(*args: object) -> bytes:
        return encode_instructions(Instructions(steps=(Instruction(kind="inventory", args=args),), seconds=60))

    assert given("h1") == given("h1")
    assert (
        json.loads(given("h1"))["instructions"][0]["step_id"] != json.loads(given("h2"))["instructions"][0]["step_id"]
    )


def test_a_host_that_fetches_an_image_gets_a_link_that_lets_it_in():
    parts = BootArtifactsRequest(kernel_url="k", rootfs_url="r", initrd_url="i?a", host_fs_mount_dir="/host")
    step = Instruction(kind="download-boot-artifacts", args=(parts,))
    sent = encode_instructions(Instructions(steps=(step,), seconds=60), lambda url: f"{url}&api_key=x")
    assert json.loads(json.loads(sent)["instructions"][0]["args"][0]) == {
        "kernel_url": "k",
        "rootfs_url": "r",
        "initrd_url": "i?a&api_key=x",
        "host_fs_mount_dir": "/host",
    }


def test_nothing_to_do_is_null():
    read = json.loads(encode_instructions(Instructions(steps=(), seconds=0, action="exit")))
    assert read == {"instructions": None, "post_step_action": "exit"}


REPLIES = {
    "inventory": a_machine(),
    "connectivity-check": a_mesh(a_ready_host("h1"), a_ready_host("h2", 11))[0].connectivity,
    "free-network-addresses": (FreeAddresses(network="10.0.0.0/24", free_addresses=("10.0.0.5",)),),
    "ntp-synchronizer": NtpReply(ntp_sources=(NtpSource(source_name="a", source_state="synced"),)),
    "domain-resolution": DomainReply(resolutions=(Resolution(domain_name="a", ipv4_addresses=("1.2.3.4",)),)),
    "verify-vips": (VipCheck(vip="1.2.3.4", vip_type="api", verification="succeeded"),),
    "installation-disk-speed-check": DiskSpeedReply(io_sync_duration=3, path="/dev/sda"),
    "container-image-availability": ImagesReply(images=(ImageStatus(name="a", result="success", time=1.5),)),
    "api-vip-connectivity-check": ApiVipReply(is_success=True, url="http://a", ignition="{}"),
    "tang-connectivity-check": TangReply(
        is_success=True,
        tang_server_response=(
            TangAnswer(tang_url="http://t", payload="p", signatures=(TangSignature(protected="x"),)),
        ),
    ),
    "dhcp-lease-allocate": LeaseReply(api_vip_address="10.0.0.5", ingress_vip_address="10.0.0.6", api_vip_lease="l"),
    "upgrade-agent": UpgradeReply(agent_image="a", result="success"),
}


@pytest.mark.parametrize("kind", [kind for kind, step in STEPS.items() if step.reads is not None])
def test_a_reply_reads_back_as_it_was_written(kind):
    assert decode_reply(kind, text(REPLIES[kind])) == REPLIES[kind]


def test_there_is_nothing_to_read_where_nothing_is_said():
    assert decode_reply("install", "done") is None
    assert decode_reply("nosuch", "{}") is None
    assert decode_reply("container-image-availability", "") is None
    with pytest.raises(msgspec.DecodeError):
        decode_reply("inventory", "")


@pytest.mark.parametrize("kind", sorted(REPLIES))
def test_what_a_step_does_not_read_is_dropped(kind):
    written = json.loads(text(REPLIES[kind]))
    for each in written if isinstance(written, list) else [written]:
        each["nosuch"] = {"deeper": [None, 1]}
    assert decode_reply(kind, json.dumps(written)) == REPLIES[kind]


@pytest.mark.parametrize(
    ("kind", "output", "read"),
    [
        ("ntp-synchronizer", '{"ntp_sources": null}', NtpReply()),
        (
            "container-image-availability",
            '{"images": [{"name": "a", "time": null}]}',
            ImagesReply(images=(ImageStatus(name="a"),)),
        ),
        ("free-network-addresses", '[{"network": "n", "free_addresses": null}]', (FreeAddresses(network="n"),)),
        ("tang-connectivity-check", '{"tang_server_response": null}', TangReply(tang_server_response=None)),
        ("upgrade-agent", '{"agent_image": "a", "result": null}', UpgradeReply(agent_image="a")),
    ],
)
def test_agents_write_null_where_they_have_nothing_to_say(kind, output, read):
    assert decode_reply(kind, output) == read


@pytest.mark.parametrize(
    ("kind", "output"),
    [
        ("inventory", "[]"),
        ("inventory", '{"hostname": 1}'),
        ("connectivity-check", '{"remote_hosts": [{"host_id": []}]}'),
        ("free-network-addresses", "null"),
        ("free-network-addresses", '[{"free_addresses": []}]'),
        ("dhcp-lease-allocate", '{"api_vip_address": 5}'),
        ("api-vip-connectivity-check", '{"is_success": "yes"}'),
        ("tang-connectivity-check", "no JSON"),
        ("upgrade-agent", '{"other": ' + "[" * 100_000 + "]" * 100_000 + "}"),
        ("upgrade-agent", '{"result": 1, "other": ' + "[" * 900 + "]" * 900 + "}"),
    ],
)
def test_a_reply_of_another_shape_is_not_understood(kind, output):
    with pytest.raises(msgspec.DecodeError):
        decode_reply(kind, output)


def test_every_step_that_is_asked_for_may_be_replied_to():
    assert set(STEPS) <= set(get_args(StepType))
    assert StepReply().step_type == ""


def values_of(kind: type, field: str) -> set[str]:
    (found,) = (each for each in msgspec.structs.fields(kind) if each.name == field)
    return set(get_args(found.type)) - {""}


def test_words_of_the_wire_are_the_words_of_the_core():
    assert values_of(OperatorReport, "status") == set(OperatorStatus)
    assert values_of(FinalizingProgress, "finalizing_stage") == set(FinalizingStage)
    assert values_of(ClusterHostsQuery, "role") == set(Role) - {Role.BOOTSTRAP}
    assert msgspec.convert({"current_stage": "Done"}, HostProgressReport).current_stage is Stage.DONE


def test_a_cluster_that_is_described_asks_its_hosts_for_its_names():
    view = a_view(a_cluster(name="lab"), [a_ready_host("h1")])
    steps = json.loads(encode_instructions(instruct(view, "h1")))["instructions"]
    asked = next(each for each in steps if each["step_type"] == "domain-resolution")
    assert "api.lab.example.com" in asked["args"][0]

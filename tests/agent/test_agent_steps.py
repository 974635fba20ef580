"""Each step an agent can do, on a simulated machine."""

import asyncio
import json
from pathlib import Path

import msgspec
import pytest

import muster.agent.steps
import muster.domain.steps
from muster.adapters.machine.profile import DiskProfile, NicProfile
from muster.agent.steps import STEPS, Reply, perform
from muster.client import Client
from muster.domain.connectivity import ConnectivityReport
from muster.domain.inventory import Inventory
from muster.domain.steps import STEPS as ASKED
from muster.domain.steps.install import InstallRequest, ProxyRequest
from muster.machine import Ended
from parts.machines import a_profile, a_room, a_running_machine

NOBODY = Client("http://127.0.0.1:9")
"""No step that is tried here calls the service."""

HOST_ID = "11111111-2222-3333-4444-555555555555"


async def do(machine, kind, *args) -> Reply:
    texts = [each if isinstance(each, str) else msgspec.json.encode(each).decode() for each in args]
    return await perform(kind, machine, texts, NOBODY)


def peer(machine) -> dict:
    nics = [
        {"name": nic.name, "mac": nic.mac, "ip_addresses": [address.split("/")[0] for address in nic.addresses]}
        for nic in machine.profile.nics
    ]
    return {"host_id": machine.identity(), "nics": nics}


def test_what_the_service_asks_for_and_what_an_agent_does_are_the_same_steps():
    def modules(package):
        return {path.stem for path in Path(package.__file__).parent.glob("*.py")}

    assert modules(muster.agent.steps) == modules(muster.domain.steps)
    assert STEPS.keys() == ASKED.keys()


@pytest.mark.parametrize(
    ("kind", "args"),
    [
        ("inventory", ["no id"]),
        ("inventory", []),
        ("inventory", [HOST_ID, "--colour=red"]),
        ("inventory", [HOST_ID, "--disk-min-size=some"]),
        ("connectivity-check", ["{"]),
        ("ntp-synchronizer", ['{"ntp_source": "no name!"}']),
        ("domain-resolution", ['{"domains": [{"domain_name": "fine.example.com"}, {"domain_name": "not fine"}]}']),
        ("free-network-addresses", ['["192.168.1.7/24"]']),
        ("verify-vips", ['[{"vip": "nowhere"}]']),
        ("installation-disk-speed-check", ['{"path": "/dev/vda"}']),
        ("installation-disk-speed-check", ['{"path": "/dev/vda"}', "soon"]),
        ("container-image-availability", ["[]"]),
        ("install", ["{}"]),
        ("api-vip-connectivity-check", ["{}"]),
        ("dhcp-lease-allocate", ["{}"]),
        ("tang-connectivity-check", ["{}"]),
        ("upgrade-agent", ["{}"]),
        ("download-boot-artifacts", ["{}"]),
        ("reboot-for-reclaim", ["{}"]),
        ("execute", ["ls"]),
        ("next-step-runner", ["{}"]),
        ("stop-installation", ["something"]),
        ("logs-gather", ["{}"]),
        ("make-coffee", []),
    ],
)
async def test_arguments_that_cannot_be_read_are_answered_with_the_reason(kind, args):
    reply = await do(a_running_machine(a_room()), kind, *args)
    assert reply.exit_code == -1
    assert reply.output == ""
    assert kind in reply.error


async def test_a_machine_describes_itself():
    machine = a_running_machine(a_room(), cores=12, memory_gib=64)
    reply = await do(machine, "inventory", HOST_ID)
    inventory = msgspec.json.decode(reply.output, type=Inventory)
    assert reply.exit_code == 0
    assert inventory.cpu is not None
    assert inventory.cpu.count == 12
    assert inventory.hostname == "one"
    assert inventory.addresses == ("192.168.1.10/24",)
    assert inventory.routes is not None
    assert inventory.routes[0].family == 2


async def test_the_same_machine_describes_itself_in_the_same_words():
    machine = a_running_machine(a_room())
    assert await do(machine, "inventory", HOST_ID) == await do(machine, "inventory", HOST_ID)


async def test_a_machine_finds_the_others_on_the_wire_and_by_routing():
    room = a_room()
    one, two = a_running_machine(room), a_running_machine(room, "two", 11)
    reply = await do(one, "connectivity-check", [peer(two)])
    (remote,) = msgspec.json.decode(reply.output, type=ConnectivityReport).remote_hosts
    (on_wire,), (routed,) = remote.l2_connectivity or (), remote.l3_connectivity or ()
    assert (on_wire.outgoing_nic, on_wire.outgoing_ip_address) == ("eth0", "192.168.1.10")
    assert (on_wire.remote_ip_address, on_wire.remote_mac) == ("192.168.1.11", "52:54:00:00:00:0b")
    assert on_wire.successful
    assert routed.successful
    assert routed.average_rtt_ms == 0.4


async def test_what_failed_is_left_out_rather_than_called_false():
    room = a_room()
    one, two = a_running_machine(room), a_running_machine(room, "two", 11)
    two.switch_off()
    reply = await do(one, "connectivity-check", [peer(two)])
    (remote,) = json.loads(reply.output)["remote_hosts"]
    assert remote["l2_connectivity"] == []
    assert remote["l3_connectivity"] == [{"remote_ip_address": "192.168.1.11", "packet_loss_percentage": 100.0}]


async def test_hosts_and_addresses_come_in_order():
    room = a_room()
    one = a_running_machine(room)
    nic = NicProfile(mac="52:54:00:00:00:63", addresses=("192.168.1.99/24", "192.168.1.20/24"))
    others = [a_running_machine(room, "many", 99, nics=(nic,)), a_running_machine(room, "two", 11)]
    reply = await do(one, "connectivity-check", [peer(each) for each in others])
    report = msgspec.json.decode(reply.output, type=ConnectivityReport)
    assert [remote.host_id for remote in report.remote_hosts] == sorted(each.identity() for each in others)
    many = next(each for each in report.remote_hosts if each.host_id == others[0].identity())
    assert [entry.remote_ip_address for entry in many.l3_connectivity or ()] == ["192.168.1.20", "192.168.1.99"]


async def test_a_second_machine_with_the_same_address_shows_as_a_foreign_mac():
    room = a_room()
    one, two = a_running_machine(room), a_running_machine(room, "two", 11)
    twin = a_running_machine(room, "twin", 12).profile
    a_running_machine(room, "impostor", nics=(twin.nics[0].but(addresses=two.profile.addresses),))
    reply = await do(one, "connectivity-check", [peer(two)])
    (remote,) = msgspec.json.decode(reply.output, type=ConnectivityReport).remote_hosts
    found = {entry.remote_mac: entry.successful for entry in remote.l2_connectivity or ()}
    assert found == {"52:54:00:00:00:0b": True, "52:54:00:00:00:0c": False}


async def test_an_address_in_another_network_is_not_looked_for_on_the_wire():
    room = a_room()
    one = a_running_machine(room)
    far = a_running_machine(room, "far", nics=(NicProfile(mac="52:54:00:00:00:77", addresses=("10.0.0.9/24",)),))
    reply = await do(one, "connectivity-check", [peer(far)])
    (remote,) = msgspec.json.decode(reply.output, type=ConnectivityReport).remote_hosts
    assert remote.l2_connectivity == ()
    assert (remote.l3_connectivity or ())[0].successful


async def test_free_addresses_are_all_but_those_that_answer():
    room = a_room()
    one = a_running_machine(room)
    a_running_machine(room, "two", 11)
    reply = await do(one, "free-network-addresses", ["192.168.1.0/28"])
    taken = {"192.168.1.1", "192.168.1.10", "192.168.1.11"}
    assert json.loads(reply.output) == [
        {
            "network": "192.168.1.0/28",
            "free_addresses": [f"192.168.1.{n}" for n in range(16) if f"192.168.1.{n}" not in taken],
        }
    ]


async def test_of_a_large_network_only_so_many_free_addresses_are_listed():
    reply = await do(a_running_machine(a_room()), "free-network-addresses", ["10.0.0.0/16"])
    assert len(json.loads(reply.output)[0]["free_addresses"]) == 8192


async def test_a_virtual_address_is_usable_only_if_nothing_answers():
    vips = [{"vip": "192.168.1.5", "vip_type": "api"}, {"vip": "192.168.1.10", "vip_type": "ingress"}]
    reply = await do(a_running_machine(a_room()), "verify-vips", vips)
    assert [each["verification"] for each in json.loads(reply.output)] == ["succeeded", "failed"]


async def test_the_clock_is_set_by_the_wanted_sources():
    reply = await do(a_running_machine(a_room()), "ntp-synchronizer", {"ntp_source": "time.example.com,10.0.0.1"})
    assert json.loads(reply.output)["ntp_sources"] == [
        {"source_name": "time.example.com", "source_state": "synced"},
        {"source_name": "10.0.0.1", "source_state": "combined"},
    ]


async def test_a_machine_without_time_sources_says_that_it_reaches_none():
    reply = await do(a_running_machine(a_room(), keeps_time=False), "ntp-synchronizer", {"ntp_source": ""})
    (source,) = json.loads(reply.output)["ntp_sources"]
    assert source["source_state"] == "unreachable"


async def test_names_mean_what_the_name_server_says():
    machine = a_running_machine(a_room(api_lab_example_com=("192.168.1.5",)))
    wanted = ["api.lab.example.com", "validateNoWildcardDNS.lab.example.com."]
    reply = await do(machine, "domain-resolution", {"domains": [{"domain_name": name} for name in wanted]})
    known, unknown = json.loads(reply.output)["resolutions"]
    assert known["ipv4_addresses"] == ["192.168.1.5"]
    assert known["cnames"] == ["api.lab.example.com."]
    assert unknown == {"domain_name": wanted[1], "ipv4_addresses": [], "ipv6_addresses": [], "cnames": None}


async def test_the_speed_of_a_disk_is_told_in_milliseconds():
    machine = a_running_machine(a_room(), disks=(DiskProfile(sync_ms=7),))
    path = machine.profile.disks[0].path
    reply = await do(machine, "installation-disk-speed-check", {"path": path}, "480.00")
    assert json.loads(reply.output) == {"io_sync_duration": 7, "path": path}


@pytest.mark.parametrize(("path", "seconds"), [("/dev/gone", "480.00"), ("/dev/vda", "1.00")])
async def test_a_disk_that_cannot_be_tried_in_time_is_said_to_have_failed(path, seconds):
    reply = await do(a_running_machine(a_room()), "installation-disk-speed-check", {"path": path}, seconds)
    assert reply.exit_code == 255
    assert json.loads(reply.output) == {"path": path}
    assert path in reply.error


async def test_images_that_were_fetched_come_with_their_speed():
    machine = a_running_machine(a_room(), pull_megabytes_a_second=200.0)
    request = {"images": ["lab/a", "lab/b"], "timeout": 960}
    reply = await do(machine, "container-image-availability", request)
    assert reply.exit_code == 0
    assert json.loads(reply.output)["images"] == [
        {"name": name, "size_bytes": 4e8, "time": 2.0, "download_rate": 200.0, "result": "success"}
        for name in request["images"]
    ]


async def test_an_image_that_is_there_already_is_not_measured_again():
    machine = a_running_machine(a_room())
    request = {"images": ["lab/a"], "timeout": 960}
    await do(machine, "container-image-availability", request)
    reply = await do(machine, "container-image-availability", request)
    assert json.loads(reply.output)["images"] == [{"name": "lab/a", "result": "success"}]


async def test_images_share_the_time_there_is_and_the_reply_is_complete_even_so():
    machine = a_running_machine(a_room(), pull_megabytes_a_second=10.0)
    reply = await do(machine, "container-image-availability", {"images": ["lab/a", "lab/b"], "timeout": 50})
    assert reply.exit_code == 2
    assert [each["result"] for each in json.loads(reply.output)["images"]] == ["success", "failure"]
    assert "lab/b" in reply.error


def a_request(**changes) -> InstallRequest:
    request = InstallRequest(
        role="master", cluster_id=HOST_ID, infra_env_id=HOST_ID, host_id=HOST_ID, boot_device="/dev/vda",
        control_plane_count=3, controller_image="lab/controller", installer_image="lab/installer", check_cvo=False,
    )  # fmt: skip
    return request.but(**changes)


async def test_the_installer_is_given_the_request_and_waited_for():
    machine = a_running_machine(a_room())
    given = []

    async def installer(args):
        given.extend(args)
        return Ended(code=3, error="it was not to be")

    machine.programs["installer"] = installer
    reply = await do(machine, "install", a_request())
    assert (reply.exit_code, reply.error) == (3, "it was not to be")
    assert json.loads(given[0])["boot_device"] == "/dev/vda"


async def test_a_machine_is_not_installed_twice():
    machine = a_running_machine(a_room())
    under_way = asyncio.Event()

    async def installer(_):
        under_way.set()
        await asyncio.Event().wait()

    machine.programs["installer"] = installer
    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(do(machine, "install", a_request()))
        await under_way.wait()
        second = await do(machine, "install", a_request())
        assert second.exit_code == 125
        assert "is already in use" in second.error
        stopped = await do(machine, "stop-installation")
        assert stopped.exit_code == 0
    assert first.result().exit_code == 137


@pytest.mark.parametrize(
    "changes",
    [
        {"boot_device": "vda"},
        {"disks_to_format": ("/dev/vda", "/etc/passwd")},
        {"installer_args": '["--image-url", "x", "--firstboot-args=x"]'},
        {"installer_args": "{}"},
        {"proxy": ProxyRequest(http_proxy="ftp://proxy")},
        {"proxy": ProxyRequest(https_proxy="https://proxy")},
    ],
)
async def test_what_does_not_look_like_an_installation_is_not_begun(changes):
    machine = a_running_machine(a_room())
    assert (await do(machine, "install", a_request(**changes))).exit_code == -1


async def test_an_installation_may_have_a_proxy_and_arguments_of_its_own():
    machine = a_running_machine(a_room())
    machine.programs["installer"] = lambda _: asyncio.sleep(0, Ended(code=0))
    proxy = ProxyRequest(http_proxy="http://proxy", https_proxy="http://proxy")
    request = a_request(proxy=proxy, installer_args='["--append-karg", "quiet", "-n"]')
    assert (await do(machine, "install", request)).exit_code == 0


async def test_without_its_image_the_installer_is_not_started():
    reply = await do(a_running_machine(a_room(), pulls=False), "install", a_request())
    assert reply.exit_code == 2
    assert "lab/installer" in reply.error


async def test_stopping_an_installation_that_never_began_is_no_error():
    assert (await do(a_running_machine(a_room()), "stop-installation")).exit_code == 0


def test_a_profile_can_be_changed_without_touching_the_others():
    assert a_profile().but(cores=1).cores == 1
    assert a_profile().cores == 8

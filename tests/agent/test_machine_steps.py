"""The steps of an agent that ask more of its machine than facts: leases, another agent, another system."""

import asyncio
import json

import msgspec
import pytest

from muster.adapters.machine.profile import DiskProfile, NicProfile
from muster.adapters.machine.simulated import Boot
from muster.agent.steps import Reply, perform
from muster.agent.steps.download_boot_artifacts import ENTRY, boot_entry
from muster.client import Client
from muster.domain.connectivity import ConnectivityReport
from muster.domain.inventory import Inventory
from muster.domain.leases import is_lease
from parts.machines import a_room, a_running_machine

NOBODY = Client("http://127.0.0.1:9")
HOST_ID = "11111111-2222-3333-4444-555555555555"


async def do(machine, kind, *args) -> Reply:
    texts = [each if isinstance(each, str) else msgspec.json.encode(each).decode() for each in args]
    return await perform(kind, machine, texts, NOBODY)


# Virtual addresses

REQUEST = {"interface": "eth0", "api_vip_mac": "00:1a:4a:2c:13:55", "ingress_vip_mac": "00:1a:4a:11:95:b9"}


async def test_all_machines_of_a_room_lease_the_same_virtual_addresses():
    room = a_room()
    one, two = a_running_machine(room), a_running_machine(room, "two", 11)
    first, second = await do(one, "dhcp-lease-allocate", REQUEST), await do(two, "dhcp-lease-allocate", REQUEST)
    leased = json.loads(first.output)
    assert (leased["api_vip_address"], leased["ingress_vip_address"]) == ("192.168.1.254", "192.168.1.253")
    assert is_lease(leased["api_vip_lease"])
    assert 'interface "ingress";' in leased["ingress_vip_lease"]
    assert first == second


async def test_what_was_leased_before_is_leased_again():
    machine = a_running_machine(a_room())
    first = json.loads((await do(machine, "dhcp-lease-allocate", REQUEST)).output)
    lease = first["api_vip_lease"].replace('"api"', '"eth7"').replace("}", "  option routers 192.168.1.1;\n}")
    again = json.loads((await do(machine, "dhcp-lease-allocate", REQUEST | {"api_vip_lease": lease})).output)
    assert again["api_vip_address"] == first["api_vip_address"]
    assert again["api_vip_lease"] == lease.replace('"eth7"', '"api"')


@pytest.mark.parametrize(
    ("profile", "request_"),
    [({"leases": False}, REQUEST), ({}, REQUEST | {"interface": "eth9"}), ({"nics": (NicProfile(),)}, REQUEST)],
)
async def test_without_a_dhcp_server_nothing_is_leased(profile, request_):
    reply = await do(a_running_machine(a_room(), **profile), "dhcp-lease-allocate", request_)
    assert reply.exit_code == -1
    assert "No DHCP server" in reply.error
    assert reply.output == ""


# Another agent


@pytest.mark.parametrize(("pulls", "result"), [(True, "success"), (False, "failure")])
async def test_whether_another_agent_could_be_fetched_is_no_matter_of_the_exit_code(pulls, result):
    reply = await do(a_running_machine(a_room(), pulls=pulls), "upgrade-agent", {"agent_image": "lab/agent:2"})
    assert reply.exit_code == 0
    assert json.loads(reply.output) == {"agent_image": "lab/agent:2", "result": result}


# Another system


async def restarted(machine):
    """The last word of a machine that is told to start the discovery image from its disk."""
    waiting = asyncio.create_task(do(machine, "reboot-for-reclaim", {"host_fs_mount_dir": "/host"}))
    await machine.until(lambda: not machine.on)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    return machine.noted[-1].partition(" ")[2]


async def test_a_machine_starts_the_discovery_image_that_it_has_fetched():
    machine = a_running_machine(a_room())
    async for _ in machine.write_image("/dev/vda", b"{}", ()):
        pass
    machine.switch_off()
    assert machine.switch_on() is Boot.DISK
    entry = await machine.boot_folder("/host") / ENTRY
    entry.parent.mkdir(parents=True)
    entry.write_text(boot_entry("http://images/rootfs", "x86_64"))
    assert await restarted(machine) == "starting what lies at /host"
    assert machine.switch_on() is Boot.IMAGE
    assert not machine.astray


async def test_a_mainframe_is_told_where_its_network_and_its_disks_are():
    line = "ro rd.dasd=0.0.1 nameserver=1.2.3.4 ip=a ip=b ipv6.disable=1 rd.znet=qeth"
    machine = a_running_machine(a_room(), architecture="s390x", command_line=line)
    entry = await machine.boot_folder("/host") / ENTRY
    entry.parent.mkdir(parents=True)
    entry.write_text("title x\noptions quiet\n")
    options = "quiet ip=a nameserver=1.2.3.4 rd.znet=qeth rd.dasd=0.0.1"
    assert await restarted(machine) == f"starting what lies at /host with {options}"


async def test_a_mainframe_that_has_fetched_nothing_is_not_restarted():
    machine = a_running_machine(a_room(), architecture="s390x")
    reply = await do(machine, "reboot-for-reclaim", {"host_fs_mount_dir": "/host"})
    assert reply.exit_code == -1
    assert "discovery image" in reply.error
    assert machine.on


# Large packets


def with_mtu(mtu, *addresses):
    return (NicProfile(mac="52:54:00:00:00:63", addresses=addresses or ("192.168.1.99/24",), mtu=mtu),)


async def tried(one, other):
    """What a machine says of packets in full size to the other."""
    addresses = [address.split("/")[0] for address in other.profile.addresses]
    nics = [{"name": "eth0", "mac": other.profile.nics[0].mac, "ip_addresses": addresses}]
    reply = await do(one, "connectivity-check", [{"host_id": other.identity(), "nics": nics}])
    (remote,) = msgspec.json.decode(reply.output, type=ConnectivityReport).remote_hosts
    return [(each.outgoing_nic, each.remote_ip_address, each.mtu_successful) for each in remote.mtu_report or ()]


@pytest.mark.parametrize(("theirs", "passes"), [(9000, True), (1500, False)])
async def test_packets_in_full_size_arrive_where_both_ends_take_them(theirs, passes):
    room = a_room()
    one = a_running_machine(room, nics=with_mtu(9000, "192.168.1.10/24"))
    other = a_running_machine(room, "two", nics=with_mtu(theirs, "192.168.1.30/24", "192.168.1.20/24"))
    assert await tried(one, other) == [("eth0", "192.168.1.20", passes), ("eth0", "192.168.1.30", passes)]


async def test_packets_of_the_usual_size_are_not_tried():
    room = a_room()
    assert await tried(a_running_machine(room), a_running_machine(room, "two", 11)) == []


async def test_nothing_is_said_of_the_size_of_packets_that_do_not_arrive_at_all():
    room = a_room()
    one = a_running_machine(room, nics=with_mtu(9000, "192.168.1.10/24"))
    six = a_running_machine(room, "six", nics=with_mtu(9000, "fd00::6/64"))
    gone = a_running_machine(room, "gone", 11)
    gone.switch_off()
    assert await tried(one, six) == []
    assert await tried(one, gone) == []
    assert await one.carries("eth9", "192.168.1.11") is None
    assert await one.carries("eth0", "fd00::6") is None


# An inventory that is too large

DISKS = (
    DiskProfile(name="vda", smart="x" * 500),
    DiskProfile(name="vdb", gigabytes=1, unfit="too small"),
    DiskProfile(name="vdc", gigabytes=2, unfit="too small"),
)


async def described(*limits) -> Inventory:
    """What a machine of several disks says of itself within limits; only the first disk can be installed to."""
    reply = await do(a_running_machine(a_room(), disks=DISKS), "inventory", HOST_ID, *limits)
    return msgspec.json.decode(reply.output, type=Inventory)


def names(inventory):
    return [disk.name for disk in inventory.disks or ()]


async def test_small_disks_are_not_mentioned_where_nobody_wants_them():
    assert names(await described("--disk-min-size=2000000000")) == ["vda", "vdc"]
    assert (await described("--disk-min-size=2000000000")).truncation is None


async def test_an_inventory_that_has_room_is_whole():
    whole = await described("--output-max-size=100000")
    assert names(whole) == ["vda", "vdb", "vdc"]
    assert whole == await described()
    assert whole == await described("--output-max-size=0", "--disk-min-size=0")


async def test_an_inventory_that_is_too_large_keeps_what_an_installation_needs():
    kept = await described("--output-max-size=1700")
    assert names(kept) == ["vda"]
    assert kept.disks[0].smart == ""
    assert kept.truncation.type == "partial"
    assert "1700 bytes" in kept.truncation.reasons[0]


async def test_an_inventory_that_is_far_too_large_says_only_that():
    nothing = await described("--output-max-size=100")
    assert nothing == Inventory(truncation=nothing.truncation)
    assert nothing.truncation.type == "full"

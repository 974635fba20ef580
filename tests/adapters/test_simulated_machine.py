"""The simulated machine: what it is, whom it reaches, what it does to its disk, and what becomes of it."""

import asyncio
import io
import tarfile

import pytest

from muster.adapters.machine.identity import NAMELESS, host_id
from muster.adapters.machine.simulated import Boot
from muster.adapters.machine.world import World
from muster.domain.errors import Broken
from muster.machine import Ended, Landmark, Machine
from parts.machines import a_profile, a_room, a_running_machine

PRODUCT = "4C4C4544-0032-3510-8052-B4C04F4A4E32"


def test_the_id_of_a_machine_follows_from_its_serial_number():
    assert host_id("ABC123", PRODUCT, ()) == host_id(" ABC123 ", "", ())
    assert host_id("ABC123", "", ()) != host_id("abc123", "", ())


def test_the_id_is_the_digest_of_the_serial_number_in_groups():
    assert host_id("x", "", ()) == "9dd4e461-268c-8034-f5c8-564e155c67a6"


@pytest.mark.parametrize("filler", ["", "None", "To be filled by O.E.M.", "Default string", "-"])
def test_what_vendors_write_for_want_of_a_serial_number_does_not_count(filler):
    assert host_id(filler, PRODUCT, ()) == PRODUCT.lower()


def test_without_either_the_smallest_mac_address_counts():
    shared = "03000200-0400-0500-0006-000700080009"
    macs = ["52:54:00:00:00:0B", "52:54:00:00:00:0a"]
    assert host_id("", shared, macs) == host_id("", "", ["52:54:00:00:00:0a"])
    assert host_id("", "", ()) == NAMELESS


def test_every_machine_has_an_id_of_its_own_that_stays():
    room = a_room()
    one, two = a_running_machine(room), a_running_machine(room, "two", 11)
    before = one.identity()
    one.switch_off()
    one.switch_on()
    assert one.identity() == before != two.identity()


def test_it_is_a_machine():
    machine: Machine = a_running_machine(a_room())
    assert machine.identity()


async def test_machines_that_are_off_answer_nobody():
    room = a_room()
    one, two = a_running_machine(room), a_running_machine(room, "two", 11)
    assert (await one.ping("192.168.1.11")).answered
    two.switch_off()
    assert not (await one.ping("192.168.1.11")).answered
    assert await one.arp("eth0", "192.168.1.11") == ()
    assert await one.occupied("192.168.1.0/24") == ("192.168.1.1", "192.168.1.10")


async def test_a_cut_way_is_cut_for_both_ends():
    room = a_room()
    one, two = a_running_machine(room, unreachable=("two",)), a_running_machine(room, "two", 11)
    assert not (await one.ping("192.168.1.11")).answered
    assert not (await two.ping("192.168.1.10")).answered


async def test_the_worse_of_two_machines_makes_the_loss_between_them():
    room = a_room()
    one = a_running_machine(room)
    a_running_machine(room, "two", 11, loss_percentage=30.0, latency_ms=9.8)
    echo = await one.ping("192.168.1.11")
    assert (echo.packet_loss_percentage, echo.average_rtt_ms) == (30.0, 10.0)


async def test_time_runs_as_fast_as_the_room_says():
    world = World(speed=1000.0)
    before = world.elapsed()
    await world.sleep(30)
    assert world.elapsed() - before >= 30


async def written(machine, ignition=b"{}") -> list[int]:
    return [percent async for percent in machine.write_image("/dev/vda", ignition, ())]


async def test_a_machine_starts_from_its_disk_once_there_is_something_on_it():
    machine = a_running_machine(a_room())
    assert machine.booted is Boot.IMAGE
    assert await written(machine) == list(range(0, 101, 5))
    machine.switch_off()
    assert machine.switch_on() is Boot.DISK


async def test_a_wiped_disk_is_not_started_from():
    machine = a_running_machine(a_room())
    await written(machine)
    await machine.wipe("/dev/vda")
    assert machine.switch_on() is Boot.IMAGE


async def test_a_machine_may_start_the_image_again_in_spite_of_its_disk():
    machine = a_running_machine(a_room(), boots_image_again=True)
    await written(machine)
    assert machine.switch_on() is Boot.IMAGE
    assert machine.astray


async def test_somebody_may_choose_the_image_for_the_next_start():
    machine = a_running_machine(a_room())
    await written(machine)
    machine.start_image()
    assert not machine.on
    assert (machine.switch_on(), machine.switch_on()) == (Boot.IMAGE, Boot.DISK)


async def test_a_disk_that_fails_says_where():
    with pytest.raises(Broken, match="40%"):
        await written(a_running_machine(a_room(), write_fails_at=40))


async def test_nothing_is_written_without_a_configuration_or_to_a_disk_that_is_not_there():
    machine = a_running_machine(a_room())
    with pytest.raises(Broken, match="configuration"):
        await written(machine, b"")
    with pytest.raises(Broken, match="no disk /dev/sdx"):
        await machine.wipe("/dev/sdx")


async def test_a_disk_that_is_written_anew_no_longer_starts_the_discovery_image():
    machine = a_running_machine(a_room())
    entry = await machine.boot_folder("/") / "loader/entries/00-assisted-discovery.conf"
    entry.parent.mkdir(parents=True)
    entry.write_text("title discovery\n")
    await machine.make_boot_room("/")
    assert await machine.boot_folder("/") == entry.parent.parent.parent
    await written(machine)
    assert machine.switch_on() is Boot.DISK


async def test_a_machine_needs_what_it_was_started_from_until_it_starts_from_its_disk():
    machine = a_running_machine(a_room(), media=False)
    assert not await machine.media_is_readable()
    await written(machine)
    machine.switch_on()
    assert await machine.media_is_readable()


def test_a_network_that_is_full_has_nothing_to_lease():
    room = a_room()
    a_running_machine(room)
    assert room.lease("192.168.1.8/30", "00:1a:4a:00:00:01") == "192.168.1.9"
    assert room.lease("192.168.1.8/30", "00:1a:4a:00:00:02") == ""
    assert room.lease("192.168.1.8/30", "00:1a:4a:00:00:01") == "192.168.1.9"


async def test_a_restart_ends_whoever_asked_for_it():
    machine = a_running_machine(a_room())

    async def installer(_):
        await machine.reboot()
        return Ended(code=0)

    machine.programs["installer"] = installer
    waiting = asyncio.create_task(machine.run("it", "lab/installer", ("installer",)))
    await machine.until(lambda: not machine.on)
    assert not waiting.done()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)


async def test_a_container_outlives_whoever_waits_for_it():
    machine = a_running_machine(a_room())
    go_on, began, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def installer(_):
        began.set()
        await go_on.wait()
        ended.set()
        return Ended(code=0)

    machine.programs["installer"] = installer
    waiting = asyncio.create_task(machine.run("it", "lab/installer", ("installer",)))
    await began.wait()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    go_on.set()
    await ended.wait()
    assert (await machine.run("it", "lab/installer", ("installer",))).code == 125


async def test_an_image_without_the_program_says_so():
    ended = await a_running_machine(a_room()).run("it", "lab/installer", ("tea",))
    assert ended.code == 127
    assert "tea" in ended.error


async def test_the_temporary_control_plane_takes_its_time():
    machine = a_running_machine(World(1.0))
    await machine.start_bootstrap(b"{}")
    assert not await machine.reached(Landmark.BOOTKUBE)
    instant = a_profile().timings.but(bootkube=0)
    machine.alter("instant", lambda profile: profile.but(timings=instant))
    assert await machine.reached(Landmark.BOOTKUBE)
    assert not await machine.reached(Landmark.CONTROLLER)


def test_the_power_fails_at_the_words_it_is_to_fail_at():
    machine = a_running_machine(a_room(), power_fails_at="stage Writing")
    machine.journal("stage Installing")
    assert machine.on
    machine.journal("stage Writing image to disk")
    assert not machine.on
    assert not machine.powered


async def test_the_logs_are_the_journal():
    machine = a_running_machine(a_room())
    machine.journal("all is well")
    with tarfile.open(fileobj=io.BytesIO(await machine.logs())) as archive:
        content = archive.extractfile("one/journal.logs")
        assert content is not None
        assert content.read().decode().endswith("all is well\n")

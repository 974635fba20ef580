"""Two machines with one identity: they are told apart, shown, and not merged; one machine is left in peace."""

from datetime import timedelta

import pytest

from builders import (
    INFRA_ENV_ID,
    NOW,
    a_cluster,
    a_machine,
    a_nic,
    a_policy,
    a_pool_view,
    a_ready_host,
    a_ready_view,
    a_view,
    a_view_of,
    later,
    some_ready_hosts,
)
from moving import at_stage
from muster.domain.clusters import ClusterState
from muster.domain.decide import decide
from muster.domain.errors import Refused
from muster.domain.hosts import HostState
from muster.domain.inventory import Inventory, SystemVendor
from muster.domain.progress import Stage
from muster.domain.sightings import Sighting, is_first, sighted, sighting_of, still_there
from muster.domain.steps import instruct
from muster.domain.triggers import CheckedIn, Install, Registered, Replied, Ticked
from muster.domain.verdicts import Status
from muster.domain.views import View

H = HostState
MINUTE = timedelta(minutes=1)


def a_box(number: int, *extra: str) -> Inventory:
    """A machine that can be told by its MAC address, and otherwise is as its clone."""
    nics = (a_nic("eth0", f"192.168.1.{number}/24", mac_address=f"52:54:00:00:00:{number:02X}"),)
    nics += tuple(a_nic(f"eth{count}", mac_address=mac) for count, mac in enumerate(extra, start=1))
    maker = SystemVendor(manufacturer="Dell", product_name="R640", serial_number="ABC123")
    return a_machine(interfaces=nics, hostname=f"box-{number}", system_vendor=maker)


ONE, TWO, THREE = a_box(11), a_box(12), a_box(13)


class Room:
    """A service to which machines talk that all have the id `h1`. Every word takes a second."""

    def __init__(self, view: View | None = None) -> None:
        self.view = view or a_view(a_cluster(status=ClusterState.INSUFFICIENT), policy=a_policy())
        self.told: list[str] = []

    def decide(self, trigger) -> None:
        decision = decide(self.view, trigger)
        assert decision.outcomes == (None,)
        self.told += [event.name for event in decision.events]
        self.view = decision.view

    def hear(self, trigger) -> None:
        """Something comes in; whoever sends it is there."""
        self.view = later(self.view, seen=False, seconds=1)
        self.decide(trigger)
        self.view = self.view.but(presence={"h1": self.view.now})

    def registers(self) -> None:
        self.hear(Registered(host_id="h1", infra_env_id=INFRA_ENV_ID, agent_version=self.view.policy.agent_image))

    def describes(self, machine: Inventory) -> None:
        self.hear(Replied(host_id="h1", step="inventory", reply=machine))

    def starts(self, machine: Inventory) -> None:
        self.registers()
        self.describes(machine)

    def waits(self, *, silent: bool = False, **passed: float) -> None:
        self.view = later(self.view, seen=not silent, **passed)
        self.decide(Ticked())

    @property
    def host(self):
        return self.view.hosts["h1"]

    @property
    def plan(self):
        return instruct(self.view, "h1")


# Who was seen


@pytest.mark.parametrize(
    ("inventory", "macs"),
    [
        (ONE, ("52:54:00:00:00:0b",)),
        (a_box(11, "52:54:00:00:00:0A"), ("52:54:00:00:00:0a", "52:54:00:00:00:0b")),
        (a_machine(interfaces=(a_nic(type="bond", mac_address="52:54:00:00:00:0b"),)), ()),
        (a_machine(interfaces=(a_nic(type="physical", mac_address="00:00:00:00:00:00"),)), ()),
        (a_machine(interfaces=(a_nic(mac_address=""),)), ()),
        (a_machine(interfaces=None), ()),
    ],
)
def test_a_machine_is_told_by_the_macs_of_its_own_interfaces(inventory, macs):
    assert sighting_of(inventory, NOW).macs == macs


def seen(*macs: str, at=NOW, **facts) -> Sighting:
    return Sighting(macs=macs, seen_at=at, **facts)


LATER = NOW + MINUTE
SIGHTED = [
    ("the first", (), seen("a"), (seen("a"),)),
    ("the same again", (seen("a"),), seen("a", at=LATER), (seen("a"),)),
    ("with one more interface", (seen("a"),), seen("a", "b", at=LATER), (seen("a", "b", at=LATER),)),
    ("with one interface exchanged", (seen("a", "b"),), seen("b", "c", at=LATER), (seen("b", "c", at=LATER),)),
    ("by another name", (seen("a"),), seen("a", hostname="x", at=LATER), (seen("a", hostname="x", at=LATER),)),
    ("another", (seen("a"),), seen("b", at=LATER), (seen("a", at=LATER), seen("b", at=LATER))),
    ("one of two again", (seen("a"), seen("b")), seen("a", at=LATER), (seen("a", at=LATER), seen("b"))),
    ("one without interfaces", (seen("a"),), seen(at=LATER), (seen("a"),)),
]


@pytest.mark.parametrize(
    ("before", "machine", "after"), [case[1:] for case in SIGHTED], ids=[case[0] for case in SIGHTED]
)
def test_who_is_known_after_another_look(before, machine, after):
    assert sighted(before, machine) == after


def test_a_machine_that_repeats_itself_changes_nothing():
    before = (seen("a"),)
    assert sighted(before, seen("a", at=LATER)) is before


def test_the_first_machine_is_the_host_and_one_that_cannot_be_told_is_not_another():
    both = (seen("a"), seen("b"))
    assert is_first(both, seen("a", "c"))
    assert not is_first(both, seen("b"))
    assert is_first(both, seen())


@pytest.mark.parametrize(
    ("minutes", "left"),
    [((0, 0), "ab"), ((6, 0), "b"), ((0, 6), "a"), ((5, 5), "ab"), ((9, 6), "b"), ((6, 6), "a")],
)
def test_the_machines_that_were_seen_lately_are_still_there_or_else_the_last_one(minutes, left):
    two = tuple(seen(mac, at=NOW - ago * MINUTE) for mac, ago in zip("ab", minutes, strict=True))
    assert "".join(each.macs[0] for each in still_there(two, NOW, 5 * MINUTE)) == left


def test_a_machine_is_named_as_one_looks_for_it():
    assert sighting_of(ONE, NOW).words == "box-11 (R640, serial number ABC123, 52:54:00:00:00:0b)"
    assert seen("a", "b").words == "a machine without a name (a, b)"
    assert sighting_of(a_machine(system_vendor=None), NOW).serial == ""


# How doubles are noticed


def one_after_the_other(room: Room) -> None:
    room.starts(ONE)
    room.waits(minutes=1)
    room.starts(TWO)


def long_after_the_other(room: Room) -> None:
    room.starts(ONE)
    room.waits(hours=3)
    room.starts(TWO)


def both_at_once(room: Room) -> None:
    room.registers()
    room.registers()
    room.describes(ONE)
    room.describes(TWO)


def crosswise(room: Room) -> None:
    room.registers()
    room.registers()
    room.describes(TWO)
    room.describes(ONE)


def interleaved(room: Room) -> None:
    room.starts(ONE)
    room.registers()
    room.describes(ONE)
    room.describes(TWO)


WAYS = (one_after_the_other, long_after_the_other, both_at_once, crosswise, interleaved)


@pytest.fixture(params=WAYS, ids=[way.__name__ for way in WAYS])
def contested(request) -> Room:
    room = Room()
    request.param(room)
    return room


def test_two_machines_with_one_id_are_noticed_however_they_start(contested):
    assert contested.host.contested
    assert contested.host.status is H.INSUFFICIENT
    assert contested.told.count("host_identity_clash") == 1


def test_the_host_says_which_machines_report_as_it_and_what_to_do(contested):
    finding = contested.host.verdicts["has-inventory"]
    assert finding.status is Status.FAILURE
    assert "2 machines report as this one host" in finding.message
    assert "box-11 (R640, serial number ABC123, 52:54:00:00:00:0b)" in finding.message
    assert "box-12 (R640, serial number ABC123, 52:54:00:00:00:0c)" in finding.message
    assert "2 machines report as this one host" in contested.host.status_info


def test_the_host_stays_the_machine_it_was_first(contested):
    first = contested.host.sightings[0].hostname
    for machine in (ONE, TWO, ONE, TWO, TWO):
        contested.describes(machine)
        assert contested.host.inventory.hostname == first


def test_each_machine_is_asked_to_describe_itself_and_to_start_anew(contested):
    assert [step.kind for step in contested.plan.steps] == ["inventory"]
    assert (contested.plan.action, contested.plan.seconds) == ("exit", 60)


def test_machines_that_start_again_and_again_are_told_of_once(contested):
    contested.starts(ONE)
    contested.starts(TWO)
    before = len(contested.told)
    for machine in (ONE, TWO) * 5:
        contested.waits(seconds=30)
        contested.starts(machine)
    assert contested.host.contested
    assert contested.host.status is H.INSUFFICIENT
    assert contested.told[before:] == []


def test_a_third_machine_is_told_of_too(contested):
    contested.starts(THREE)
    assert len(contested.host.sightings) == 3
    assert contested.told.count("host_identity_clash") == 2


# How it ends


def goes_on(room: Room, machine: Inventory, minutes: int) -> None:
    """One machine starts anew every minute, as it is told to."""
    for _ in range(minutes):
        room.waits(seconds=58)
        room.starts(machine)


@pytest.mark.parametrize("left", [ONE, TWO], ids=["one", "two"])
def test_when_one_machine_is_left_the_host_is_that_one(contested, left):
    goes_on(contested, left, 4)
    assert contested.host.contested
    goes_on(contested, left, 3)
    assert not contested.host.contested
    assert contested.told.count("host_identity_settled") == 1
    assert contested.host.inventory.hostname == left.hostname
    assert contested.host.verdicts["has-inventory"].status is Status.SUCCESS
    assert contested.plan.action == "continue"


def test_the_first_machine_need_not_describe_itself_again_when_the_other_is_gone():
    room = Room()
    one_after_the_other(room)
    room.describes(ONE)
    room.waits(minutes=4)
    room.describes(ONE)
    room.waits(minutes=3)
    assert not room.host.contested
    assert room.host.inventory.hostname == "box-11"


def test_while_both_are_heard_of_it_does_not_end(contested):
    for _ in range(10):
        goes_on(contested, ONE, 1)
        goes_on(contested, TWO, 1)
    assert contested.host.contested
    assert "host_identity_settled" not in contested.told


def test_there_is_a_moment_at_which_it_ends_by_itself(contested):
    decision = decide(contested.view, Ticked())
    assert decision.deadline <= contested.view.now + contested.view.policy.identity_memory
    silent = later(contested.view, minutes=6)
    assert not decide(silent, Ticked()).host("h1").contested


def test_of_three_machines_the_last_two_still_contest_the_host(contested):
    contested.starts(THREE)
    for _ in range(7):
        goes_on(contested, ONE, 1)
        contested.starts(THREE)
    assert {each.hostname for each in contested.host.sightings} == {"box-11", "box-13"}
    assert "host_identity_settled" not in contested.told


def test_a_host_that_was_silent_comes_back_as_the_machine_it_is(contested):
    contested.waits(silent=True, minutes=4)
    contested.starts(THREE)
    assert [each.hostname for each in contested.host.sightings] == ["box-13"]


# What is no double


def test_a_machine_that_starts_again_at_once_is_the_same():
    room = Room()
    for _ in range(3):
        room.starts(ONE)
    assert not room.host.contested


@pytest.mark.parametrize("mac", ["52:54:00:00:00:0b", "52:54:00:00:00:aa"])
def test_another_interface_does_not_make_another_machine(mac):
    room = Room()
    room.starts(a_box(11, "52:54:00:00:00:aa"))
    room.starts(a_box(14, mac))
    room.describes(a_box(14, mac))
    assert not room.host.contested
    assert room.host.inventory.hostname == "box-14"


def test_hardware_that_was_exchanged_while_the_machine_was_off_is_not_another_machine():
    room = Room()
    room.starts(ONE)
    room.waits(silent=True, minutes=10)
    room.starts(TWO)
    assert not room.host.contested
    assert room.host.inventory.hostname == "box-12"


def test_a_machine_without_interfaces_contests_nothing():
    room = Room()
    room.starts(ONE)
    room.describes(ONE.but(interfaces=None))
    assert not room.host.contested


def test_a_host_that_was_deleted_begins_anew():
    room = Room()
    one_after_the_other(room)
    room.view = room.view.with_host(room.host.but(deleted_at=room.view.now))
    room.starts(TWO)
    assert [each.hostname for each in room.host.sightings] == ["box-12"]


# In every situation


def test_a_known_host_of_a_ready_cluster_is_not_installed_while_another_machine_reports_as_it():
    view = a_ready_view()
    host = view.hosts["m1"]
    view = view.with_host(host.but(sightings=(sighting_of(ONE, NOW),)))
    decision = decide(view, Replied(host_id="m1", step="inventory", reply=TWO))
    assert decision.host("m1").status is H.INSUFFICIENT
    assert decision.host("m1").inventory is host.inventory
    assert decision.cluster.status is ClusterState.INSUFFICIENT
    assert isinstance(decide(decision.view, Install()).outcomes[0], Refused)


def test_nobody_can_ignore_that_two_machines_report_as_one_host():
    view = a_ready_view()
    ignoring = view.cluster.but(ignored_host_validations=("all",))
    host = view.hosts["m1"].but(sightings=(sighting_of(ONE, NOW), sighting_of(TWO, NOW)))
    decision = decide(view.with_host(host).but(cluster=ignoring), Ticked())
    assert decision.host("m1").status is H.INSUFFICIENT


def test_a_host_of_the_pool_is_not_given_away_while_it_is_contested():
    room = Room(a_pool_view(a_ready_host("h1", sightings=(sighting_of(ONE, NOW),))))
    room.waits(seconds=1)
    assert room.host.status is H.KNOWN_UNBOUND
    room.describes(TWO)
    assert room.host.status is H.INSUFFICIENT_UNBOUND
    assert room.plan.action == "exit"
    goes_on(room, TWO, 7)
    assert room.host.status is H.KNOWN_UNBOUND


def test_a_host_that_installs_keeps_its_inventory_and_is_not_told_to_start_anew():
    one = sighting_of(ONE, NOW)
    hosts = [host.but(status=H.IN_PROGRESS, progress=at_stage(Stage.WRITING)) for host in some_ready_hosts()]
    view = a_view_of(ClusterState.INSTALLING, [hosts[0].but(sightings=(one,), inventory=ONE), *hosts[1:]])
    decision = decide(view, Replied(host_id="m1", step="inventory", reply=TWO))
    assert decision.host("m1").contested
    assert decision.host("m1").status is H.IN_PROGRESS
    assert decision.host("m1").inventory == ONE
    assert instruct(decision.view, "m1").action == "continue"


def test_a_contested_host_that_nobody_hears_of_is_disconnected_and_wakes_up_contested():
    room = Room()
    one_after_the_other(room)
    room.waits(silent=True, minutes=4)
    assert room.host.status is H.DISCONNECTED
    room.hear(CheckedIn(host_id="h1"))
    room.decide(Ticked())
    assert room.host.status is H.INSUFFICIENT


def test_a_host_that_is_not_contested_costs_no_writing():
    room = Room()
    room.starts(ONE)
    settled = later(room.view, minutes=1)
    decision = decide(settled, Ticked())
    assert not decision.changed
    again = decide(settled, Replied(host_id="h1", step="inventory", reply=room.host.inventory))
    assert not again.changed

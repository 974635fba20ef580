"""Which disks are installed to, and which are made unbootable."""

import pytest

from builders import a_disk, a_machine, a_nic
from muster.domain.disks import (
    A_PATH,
    BAD_ADDRESS,
    BAD_PATH,
    DEFAULT_NIC,
    MIXED_PATHS,
    NO_ADDRESS,
    NO_ROUTE_NIC,
    NO_USABLE_PATHS,
    OUR_REASONS,
    TOO_SMALL,
    WRONG_TYPE,
    chosen,
    eligible,
    judged,
    to_be_formatted,
    valid_types,
)
from muster.domain.inventory import Eligibility, Iscsi, Route
from muster.domain.requirements import Requirements

MASTER = Requirements().master
GB = 10**9


def holding(*disks, **machine):
    return a_machine(disks=disks, **machine)


def reasons(inventory, index=0, version="4.20", architecture="x86_64"):
    return judged(inventory, MASTER, version, architecture).disks[index].installation_eligibility.not_eligible_reasons


# Names and verdicts of the agent


def test_a_disk_without_an_id_is_called_by_its_device():
    assert judged(holding(a_disk(id="")), MASTER, "4.20", "x86_64").disks[0].id == "/dev/sda"


def test_judging_twice_gives_the_very_same_inventory():
    once = judged(holding(a_disk(id="", size_bytes=1), a_disk("sdb")), MASTER, "4.20", "x86_64")
    assert judged(once, MASTER, "4.20", "x86_64") is once


def test_an_inventory_without_disks_stays_as_it_is():
    machine = a_machine(disks=None)
    assert judged(machine, MASTER, "4.20", "x86_64") is machine


def test_what_the_agent_says_against_a_disk_stays():
    disk = a_disk(installation_eligibility=Eligibility(not_eligible_reasons=("It is mounted",)))
    assert reasons(holding(disk)) == ("It is mounted",)


def test_what_was_said_here_is_said_anew():
    small = judged(holding(a_disk(size_bytes=99 * GB)), MASTER, "4.20", "x86_64")
    assert small.disks[0].installation_eligibility.not_eligible_reasons[0].startswith(OUR_REASONS)
    assert judged(small, Requirements().arbiter, "4.20", "x86_64").disks[0].installation_eligibility == Eligibility(
        eligible=True, not_eligible_reasons=None
    )


def test_a_disk_that_an_old_agent_refuses_without_a_reason_is_fine():
    assert reasons(holding(a_disk(installation_eligibility=Eligibility(eligible=False)))) is None


# Size and type


def test_a_disk_that_is_too_small_is_told_with_both_sizes():
    assert reasons(holding(a_disk(size_bytes=80 * GB))) == (
        "The disk is too small: it has 80 GB and 100 GB are needed",
    )


def test_where_rounding_hides_the_difference_it_is_told_in_bytes():
    assert reasons(holding(a_disk(size_bytes=100 * GB - 1))) == (
        "The disk is too small: it has 100 GB, 1 bytes less than the 100 GB that are needed",
    )


@pytest.mark.parametrize(
    ("drive_type", "version", "architecture", "good"),
    [
        ("HDD", "4.9", "x86_64", True),
        ("SSD", "4.9", "arm64", True),
        ("RAID", "4.13.9", "x86_64", False),
        ("RAID", "4.14.0-rc.1", "x86_64", True),
        ("iSCSI", "4.14.9", "x86_64", False),
        ("iSCSI", "4.15.0", "x86_64", True),
        ("FC", "4.20", "x86_64", True),
        ("FC", "4.20", "s390x", True),
        ("FC", "4.20", "arm64", False),
        ("ECKD (ESE)", "4.20", "s390x", True),
        ("ECKD", "4.20", "x86_64", False),
        ("FBA", "4.20", "s390x", True),
        ("virtual", "4.20", "x86_64", False),
        ("RAID", "", "x86_64", False),
    ],
)
def test_a_drive_type_is_good_for_some_versions_and_architectures(drive_type, version, architecture, good):
    assert (drive_type in valid_types(version, architecture)) is good


def test_a_wrong_drive_type_is_told_with_the_right_ones():
    assert reasons(holding(a_disk(drive_type="ODD")))[0] == (
        "The drive type cannot be installed to: it is ODD; FC, HDD, Multipath, RAID, SSD, iSCSI can be"
    )
    assert "it is unknown" in reasons(holding(a_disk(drive_type="")))[0]


# Multipath

DEVICE = a_disk("dm-1", drive_type="Multipath")


def a_path(name="sdb", drive_type="FC", **changes):
    return a_disk(name, drive_type=drive_type, holders="dm-1").but(**changes)


def test_a_path_of_a_multipath_device_is_not_installed_to():
    assert reasons(holding(a_path(), DEVICE)) == (
        "The disk is one path of the multipath device dm-1; choose that one instead",
    )


def test_a_device_whose_name_only_begins_alike_holds_nothing():
    assert reasons(holding(a_path(holders="dm-10, sr0"), DEVICE)) is None


def test_a_multipath_device_over_fibre_channel_is_installed_to():
    assert reasons(holding(DEVICE, a_path(), a_path("sdc"))) is None


def test_a_multipath_device_without_remote_paths_is_not():
    assert reasons(holding(DEVICE)) == ("The multipath device has no FC and no iSCSI paths",)
    assert reasons(holding(DEVICE, a_path(drive_type="HDD"))) == ("The multipath device has no FC and no iSCSI paths",)


def test_a_multipath_device_over_paths_of_two_types_is_not():
    paths = a_path(), a_path("sdc", "HDD")
    assert reasons(holding(DEVICE, *paths)) == ("The multipath device has paths of different types: FC, HDD",)


# iSCSI

DEFAULT = (Route(interface="eth0", gateway="192.168.1.1", destination="0.0.0.0"),)


def iscsi(address="10.0.0.5"):
    return a_disk("sdb", drive_type="iSCSI", iscsi=Iscsi(host_ip_address=address))


def test_an_iscsi_disk_on_an_interface_of_its_own_is_installed_to():
    machine = holding(iscsi(), routes=DEFAULT)
    assert reasons(machine) is None


def test_an_iscsi_disk_on_the_interface_of_the_default_route_is_not():
    machine = holding(iscsi("192.168.1.10"), routes=DEFAULT)
    assert reasons(machine) == (
        "The iSCSI disk is reached over the interface of the default route eth0; give it an interface of its own",
    )


def test_without_a_default_route_of_its_family_an_iscsi_disk_is_fine():
    assert reasons(holding(iscsi("192.168.1.10"))) is None
    assert reasons(holding(iscsi("fd00::5"), routes=DEFAULT)) is None


def test_of_two_default_routes_the_preferred_one_counts():
    other = Route(interface="eth1", gateway="10.0.0.1", destination="0.0.0.0", metric=50)
    nics = a_nic("eth0", "192.168.1.10/24"), a_nic("eth1", "10.0.0.5/24")
    assert reasons(holding(iscsi(), routes=(other, *DEFAULT), interfaces=nics)) is None
    assert reasons(holding(iscsi(), routes=(other, DEFAULT[0].but(metric=100)), interfaces=nics)) is not None


@pytest.mark.parametrize(
    ("disk", "routes", "words"),
    [
        (iscsi().but(iscsi=None), DEFAULT, "does not tell the host address"),
        (iscsi(""), DEFAULT, "does not tell the host address"),
        (iscsi("somewhere"), DEFAULT, "cannot be read: somewhere"),
        (iscsi(), (DEFAULT[0].but(interface="eth9"),), "the interface of the default route is unknown: eth9"),
    ],
)
def test_an_iscsi_disk_that_cannot_be_placed_is_not_installed_to(disk, routes, words):
    assert words in reasons(holding(disk, routes=routes))[0]


def test_a_multipath_device_is_as_good_as_its_iscsi_paths():
    path = iscsi().but(holders="dm-1")
    assert reasons(holding(DEVICE, path, routes=DEFAULT)) is None
    (bad,) = reasons(holding(DEVICE, path.but(iscsi=None), routes=DEFAULT))
    assert bad.startswith("The multipath device has an iSCSI path that cannot be used: sdb: The iSCSI disk does not")
    (old,) = reasons(holding(DEVICE, path, routes=DEFAULT), version="4.14")
    assert "The drive type cannot be installed to" in old


# Every reason, by the disk it is given for

AT_HOME = iscsi("192.168.1.10")
LOST = (DEFAULT[0].but(interface="eth9"),)
REASONS = [
    # The first disk, the others, the routes, the version, and how each reason against the first one begins.
    (a_disk(size_bytes=100 * GB), (), DEFAULT, "4.20", ()),
    (a_disk(size_bytes=100 * GB - 1), (), DEFAULT, "4.20", (TOO_SMALL,)),
    (a_disk(drive_type="LVM"), (), DEFAULT, "4.20", (WRONG_TYPE,)),
    (a_disk(drive_type="RAID"), (), DEFAULT, "4.13.9", (WRONG_TYPE,)),
    (a_disk(drive_type="ODD", size_bytes=GB), (), DEFAULT, "4.20", (TOO_SMALL, WRONG_TYPE)),
    (a_path(), (DEVICE,), DEFAULT, "4.20", (A_PATH,)),
    (a_path(), (DEVICE.but(drive_type="LVM"),), DEFAULT, "4.20", ()),
    (a_path(drive_type="SSD"), (DEVICE,), DEFAULT, "4.20", ()),
    (iscsi().but(holders="dm-1"), (DEVICE,), DEFAULT, "4.20", (A_PATH,)),
    (DEVICE, (), DEFAULT, "4.20", (NO_USABLE_PATHS,)),
    (DEVICE, (a_path(), a_path("sdc", "SSD")), DEFAULT, "4.20", (MIXED_PATHS,)),
    (DEVICE, (a_path(), iscsi().but(holders="dm-1")), DEFAULT, "4.20", (MIXED_PATHS,)),
    (DEVICE, (AT_HOME.but(holders="dm-1"),), DEFAULT, "4.20", (BAD_PATH,)),
    (DEVICE, (iscsi().but(holders="dm-1"),), DEFAULT, "4.14", (BAD_PATH,)),
    (DEVICE, (a_path(), AT_HOME.but(holders="dm-1")), DEFAULT, "4.20", (MIXED_PATHS, BAD_PATH)),
    (iscsi(""), (), DEFAULT, "4.20", (NO_ADDRESS,)),
    (iscsi("somewhere"), (), DEFAULT, "4.20", (BAD_ADDRESS,)),
    (iscsi(), (), LOST, "4.20", (NO_ROUTE_NIC,)),
    (AT_HOME, (), DEFAULT, "4.20", (DEFAULT_NIC,)),
    (AT_HOME, (), (), "4.20", ()),
    (AT_HOME, (), DEFAULT, "4.14", (WRONG_TYPE, DEFAULT_NIC)),
]


@pytest.mark.parametrize(("disk", "others", "routes", "version", "expected"), REASONS)
def test_a_disk_is_refused_for_every_reason_there_is(disk, others, routes, version, expected):
    machine = judged(holding(disk, *others, routes=routes), MASTER, version, "x86_64")
    verdict = machine.disks[0].installation_eligibility
    given = verdict.not_eligible_reasons or ()
    assert len(given) == len(expected)
    assert all(reason.startswith(begin) for reason, begin in zip(given, expected, strict=True))
    assert verdict.eligible is (not given)
    assert (machine.disks[0] in eligible(machine)) is (not given)


@pytest.mark.parametrize(("disk", "others", "routes", "version", "expected"), REASONS)
def test_a_reason_goes_with_its_cause_and_what_the_agent_said_stays(disk, others, routes, version, expected):
    mounted = ("A partition of it is mounted",)
    told = disk.but(installation_eligibility=Eligibility(not_eligible_reasons=mounted))
    bad = judged(holding(told, *others, routes=routes), MASTER, version, "x86_64").disks[0]
    assert len(bad.installation_eligibility.not_eligible_reasons) == 1 + len(expected)
    cured = bad.but(drive_type="SSD", size_bytes=900 * GB)
    assert reasons(holding(cured)) == mounted


def test_there_is_a_case_for_every_reason():
    assert {begin for *_, expected in REASONS for begin in expected} == set(OUR_REASONS)


# The choice


def test_of_several_disks_the_likeliest_is_chosen():
    disks = (
        a_disk("nvme0n1", drive_type="SSD", size_bytes=200 * GB),
        a_disk("sdd", drive_type="SSD", size_bytes=200 * GB),
        a_disk("sdc", drive_type="HDD", size_bytes=300 * GB, hctl="1:0:0:0"),
        a_disk("sdb", drive_type="HDD", size_bytes=300 * GB, hctl="0:0:0:0"),
        a_disk("sda", drive_type="HDD", size_bytes=400 * GB),
        a_disk("sde", bootable=True, size_bytes=900 * GB),
    )
    order = []
    left = list(disks)
    while left:
        disk = chosen(holding(*left), "", "")
        order.append(disk.name)
        left.remove(disk)
    assert order == ["sde", "sdb", "sdc", "sda", "sdd", "nvme0n1"]


@pytest.mark.parametrize(
    ("current_id", "current_path"),
    [("/dev/disk/by-id/sdb", ""), ("/dev/disk/by-path/two", ""), ("", "/dev/sdb"), ("/dev/sdb", "/dev/sda")],
)
def test_the_present_choice_is_kept_while_it_is_good(current_id, current_path):
    machine = holding(a_disk("sda"), a_disk("sdb", by_path="/dev/disk/by-path/two"))
    assert chosen(machine, current_id, current_path).name == "sdb"


def test_a_choice_that_is_no_longer_good_is_made_anew():
    bad = a_disk("sdb", installation_eligibility=Eligibility(eligible=False))
    assert chosen(holding(bad, a_disk("sda")), bad.id, "").name == "sda"
    assert chosen(holding(bad), bad.id, "") is None


def test_only_disks_of_the_machine_itself_that_could_be_booted_are_formatted():
    disks = (
        a_disk("sda", bootable=True),
        a_disk("sdb"),
        a_disk("sdc", bootable=True, removable=True),
        a_disk("mmc", bootable=True, by_path="/dev/disk/by-path/mmcblk0"),
        a_disk("sdd", bootable=True, is_installation_media=True),
        a_disk("sde", bootable=True, drive_type="FC"),
        a_disk("sdf", bootable=True, drive_type="iSCSI"),
        a_disk("sdg", bootable=True, drive_type="LVM"),
        a_disk("sdh", bootable=True, drive_type="Multipath"),
    )
    assert to_be_formatted(holding(*disks)) == ("/dev/disk/by-id/sda",)
    assert to_be_formatted(a_machine(disks=None)) == ()

"""Which disks an installation may write to, which one it writes to, and which others it makes unbootable.

Turns the disks an agent reports into judged ones; `derive` calls it for every inventory and every change of
what a host's role needs. What the agent itself says against a disk stays, what is said here is said anew.
"""

from collections.abc import Iterator
from functools import lru_cache

from .inventory import Disk, DriveType, Eligibility, Inventory, Route
from .networks import family, is_unspecified, plain
from .releases import at_least
from .requirements import Figures

GB = 10**9

TOO_SMALL = "The disk is too small"
WRONG_TYPE = "The drive type cannot be installed to"
A_PATH = "The disk is one path of the multipath device"
NO_USABLE_PATHS = "The multipath device has no FC and no iSCSI paths"
MIXED_PATHS = "The multipath device has paths of different types"
BAD_PATH = "The multipath device has an iSCSI path that cannot be used"
NO_ADDRESS = "The iSCSI disk does not tell the host address it is reached from"
BAD_ADDRESS = "The iSCSI disk has a host address that cannot be read"
NO_ROUTE_NIC = "The iSCSI disk cannot be judged: the interface of the default route is unknown"
DEFAULT_NIC = "The iSCSI disk is reached over the interface of the default route"

OUR_REASONS = (
    TOO_SMALL, WRONG_TYPE, A_PATH, NO_USABLE_PATHS, MIXED_PATHS, BAD_PATH,
    NO_ADDRESS, BAD_ADDRESS, NO_ROUTE_NIC, DEFAULT_NIC,
)  # fmt: skip
"""How every reason begins that is given here."""

ALWAYS_VALID = frozenset({DriveType.HDD, DriveType.SSD, DriveType.MULTIPATH})
VALID_FROM = {DriveType.RAID: "4.14", DriveType.ISCSI: "4.15"}
VALID_ON = {
    "s390x": frozenset({DriveType.FC, DriveType.ECKD_ESE, DriveType.ECKD, DriveType.FBA}),
    "x86_64": frozenset({DriveType.FC}),
}
REMOTE = frozenset({DriveType.FC, DriveType.ISCSI})
NOT_FORMATTED = frozenset({DriveType.FC, DriveType.ISCSI, DriveType.LVM, DriveType.MULTIPATH})


@lru_cache(maxsize=256)
def valid_types(version: str, architecture: str) -> frozenset[str]:
    """The drive types that a version can be installed to on an architecture."""
    since = {kind for kind, first in VALID_FROM.items() if at_least(version, first)}
    return frozenset(ALWAYS_VALID | since | VALID_ON.get(architecture, frozenset()))


def judged(inventory: Inventory, figures: Figures, version: str, architecture: str) -> Inventory:
    """The inventory with every disk judged and named; the same object when nothing changes."""
    types = valid_types(version, architecture)
    disks = inventory.disks or ()
    judged_disks = tuple(_judged(disk, inventory, figures, types) for disk in disks)
    if all(now is before for now, before in zip(judged_disks, disks, strict=True)):
        return inventory
    return inventory.but(disks=judged_disks)


def _judged(disk: Disk, inventory: Inventory, figures: Figures, types: frozenset[str]) -> Disk:
    said = disk.installation_eligibility.not_eligible_reasons or ()
    reasons = tuple(reason for reason in said if not reason.startswith(OUR_REASONS))
    reasons += tuple(_reasons_against(disk, inventory, figures, types))
    eligibility = Eligibility(eligible=not reasons, not_eligible_reasons=reasons or None)
    return disk.but(id=disk.identifier, installation_eligibility=eligibility)


def _reasons_against(disk: Disk, inventory: Inventory, figures: Figures, types: frozenset[str]) -> Iterator[str]:
    """Every reason not to install to a disk."""
    needed = figures.disk_size_gb * GB
    if disk.size_bytes < needed:
        yield f"{TOO_SMALL}: it has {_sizes(disk.size_bytes, needed)} are needed"
    if disk.drive_type not in types:
        yield f"{WRONG_TYPE}: it is {disk.drive_type or 'unknown'}; {', '.join(sorted(types))} can be"
    if disk.drive_type in REMOTE:
        for holder in _holders(disk, inventory):
            yield f"{A_PATH} {holder.name}; choose that one instead"
    if disk.drive_type == DriveType.MULTIPATH:
        yield from _against_multipath(disk, inventory, types)
    if disk.drive_type == DriveType.ISCSI:
        yield from _against_iscsi(disk, inventory)


def _sizes(size: int, needed: int) -> str:
    """Both sizes for a sentence, and the difference where rounding hides it."""
    have, want = f"{size / GB:.0f} GB", f"{needed / GB:.0f} GB"
    if have == want:
        return f"{have}, {needed - size} bytes less than the {want} that"
    return f"{have} and {want}"


def is_path_of(disk: Disk, device: Disk) -> bool:
    """Whether a disk is one of the paths that make up a multipath device."""
    return device.name in (name.strip() for name in disk.holders.split(","))


def _holders(disk: Disk, inventory: Inventory) -> list[Disk]:
    return [
        other for other in inventory.disks or () if other.drive_type == DriveType.MULTIPATH and is_path_of(disk, other)
    ]


def _against_multipath(device: Disk, inventory: Inventory, types: frozenset[str]) -> Iterator[str]:
    paths = [disk for disk in inventory.disks or () if is_path_of(disk, device)]
    kinds = {path.drive_type for path in paths}
    if not kinds & REMOTE:
        yield NO_USABLE_PATHS
        return
    if len(kinds) > 1:
        yield f"{MIXED_PATHS}: {', '.join(sorted(kinds))}"
    for path in paths:
        wrong = _against_path(path, inventory, types)
        if wrong:
            yield f"{BAD_PATH}: {path.name}: {wrong}"
            return


def _against_path(path: Disk, inventory: Inventory, types: frozenset[str]) -> str:
    """What speaks against an iSCSI path of a multipath device; "" if nothing does, or it is none."""
    if path.drive_type != DriveType.ISCSI:
        return ""
    return WRONG_TYPE if DriveType.ISCSI not in types else next(_against_iscsi(path, inventory), "")


def _against_iscsi(disk: Disk, inventory: Inventory) -> Iterator[str]:
    """An iSCSI disk must not be reached over the interface that carries the default route: it is set up anew."""
    address = disk.iscsi.host_ip_address if disk.iscsi else ""
    if not address:
        yield NO_ADDRESS
        return
    own = plain(address)
    if not own:
        yield f"{BAD_ADDRESS}: {address}"
        return
    route = _default_route(inventory, family(own))
    if route is None:
        return
    nic = next((nic for nic in inventory.interfaces or () if nic.name == route.interface), None)
    if nic is None:
        yield f"{NO_ROUTE_NIC}: {route.interface}"
    elif own in map(plain, nic.addresses):
        yield f"{DEFAULT_NIC} {nic.name}; give it an interface of its own"


def _default_route(inventory: Inventory, version: int | None) -> Route | None:
    """The default route of a family that is preferred."""
    routes = [
        route
        for route in inventory.routes or ()
        if is_unspecified(route.destination) and family(route.destination) == version
    ]
    return min(routes, key=lambda route: route.metric, default=None)


def eligible(inventory: Inventory) -> list[Disk]:
    """The disks that may be installed to, the likeliest first."""
    return sorted(
        (disk for disk in inventory.disks or () if disk.installation_eligibility.eligible),
        key=lambda disk: (
            not disk.bootable,
            disk.name.startswith("nvme"),
            disk.drive_type,
            disk.size_bytes,
            disk.hctl,
        ),
    )


def chosen(inventory: Inventory, current_id: str, current_path: str) -> Disk | None:
    """The disk to install to: the present choice while it is still good, else the likeliest one."""
    candidates = eligible(inventory)
    current = current_id or current_path
    kept = next((disk for disk in candidates if disk.answers_to(current)), None) if current else None
    return kept or next(iter(candidates), None)


def to_be_formatted(inventory: Inventory) -> tuple[str, ...]:
    """The disks that could be booted from instead of the chosen one, by identifier."""
    return tuple(
        disk.identifier
        for disk in inventory.disks or ()
        if disk.bootable
        and not (disk.removable or "mmcblk" in disk.by_path or disk.is_installation_media)
        and disk.drive_type not in NOT_FORMATTED
    )

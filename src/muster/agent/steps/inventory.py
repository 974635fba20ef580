"""The `inventory` step: the machine describes itself."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from muster.client import Client
from muster.domain.errors import Invalid
from muster.domain.inventory import Inventory, Truncation
from muster.domain.steps.inventory import LARGEST, SMALLEST_DISK
from muster.machine import Machine

from .step import Reply, replied


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """Everything the machine says of itself, as far as there is room for it.

    The first argument is the host's id and must be one; the others limit how much is said.
    """
    if not args or not _is_id(args[0]):
        raise Invalid(f"the id of the host is needed, {list(args)} was given")
    limits = _limits(args[1:])
    inventory = _without_small_disks(await machine.inventory(), limits.get(SMALLEST_DISK, 0))
    return replied(_fitted(inventory, limits.get(LARGEST, 0)))


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _limits(args: Sequence[str]) -> dict[str, int]:
    """The limits by their option; `Invalid` if there are others."""
    found: dict[str, int] = {}
    for arg in args:
        option, _, number = arg.partition("=")
        if f"{option}=" not in {LARGEST, SMALLEST_DISK} or not number.isdecimal():
            raise Invalid(f"{arg!r} is not a limit of the inventory")
        found[f"{option}="] = int(number)
    return found


def _without_small_disks(inventory: Inventory, smallest: int) -> Inventory:
    if not smallest or inventory.disks is None:
        return inventory
    return inventory.but(disks=tuple(disk for disk in inventory.disks if disk.size_bytes >= smallest))


def _fitted(inventory: Inventory, largest: int) -> Inventory:
    """The inventory with as much of it as there is room for: all, what an installation needs, or nothing."""
    if _fits(inventory, largest):
        return inventory
    needed = inventory.but(
        disks=tuple(disk.but(smart="") for disk in inventory.disks or () if disk.installation_eligibility.eligible),
        truncation=Truncation(
            type="partial",
            reasons=(f"The inventory has more than {largest} bytes; disks that cannot be installed to are left out",),
        ),
    )
    if _fits(needed, largest):
        return needed
    reason = f"The inventory has more than {largest} bytes even without disks that cannot be installed to"
    return Inventory(truncation=Truncation(type="full", reasons=(reason,)))


def _fits(inventory: Inventory, largest: int) -> bool:
    return not largest or len(msgspec.json.encode(inventory)) <= largest

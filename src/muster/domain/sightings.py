"""Telling machines apart that report as one host.

A host's id follows from its firmware, and firmware repeats itself: virtual machines are cloned, boards come with
the same serial number. The `inventory` step turns every inventory into a sighting here; a host that has been
sighted as more than one machine is contested, and nothing is installed on it until one of them is left.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from .inventory import Inventory
from .record import Record

PHYSICAL = frozenset({"", "physical"})
"""Kinds of interfaces that have a MAC address of their own."""

NOT_TELLING = frozenset({"", "00:00:00:00:00:00"})
"""MAC addresses that many machines have."""


class Sighting(Record):
    """A machine that described itself as a host: what tells it from others, and when it last did so."""

    macs: tuple[str, ...]
    seen_at: datetime
    hostname: str = ""
    product: str = ""
    serial: str = ""

    def is_of(self, other: "Sighting") -> bool:
        """Whether both are of one machine: it may have got another interface, but not all of them at once."""
        return not set(self.macs).isdisjoint(other.macs)

    @property
    def words(self) -> str:
        """The machine as someone in front of the rack would look for it."""
        facts = (self.product, self.serial and f"serial number {self.serial}", ", ".join(self.macs))
        return f"{self.hostname or 'a machine without a name'} ({', '.join(filter(None, facts))})"


def sighting_of(inventory: Inventory, now: datetime) -> Sighting:
    """The machine that an inventory is of."""
    macs = {nic.mac_address.lower() for nic in inventory.interfaces or () if nic.type in PHYSICAL}
    vendor = inventory.system_vendor
    return Sighting(
        macs=tuple(sorted(macs - NOT_TELLING)),
        seen_at=now,
        hostname=inventory.hostname,
        product=vendor.product_name if vendor else "",
        serial=vendor.serial_number if vendor else "",
    )


def sighted(before: tuple[Sighting, ...], machine: Sighting) -> tuple[Sighting, ...]:
    """The machines known to be one host after another look; the first is the one the host is known by.

    While there is one, the time is not kept up: a machine that repeats itself is no news.
    """
    if not machine.macs:
        return before
    known = next((each for each in before if each.is_of(machine)), None)
    if known is None:
        # Whoever was there before is there now, or its host would have been given up when this one registered.
        return (*(each.but(seen_at=machine.seen_at) for each in before), machine)
    if len(before) == 1 and known == machine.but(seen_at=known.seen_at):
        return before
    return tuple(machine if each is known else each for each in before)


def is_first(sightings: Sequence[Sighting], machine: Sighting) -> bool:
    """Whether a machine is the one that its host is known by; one that cannot be told is."""
    return not machine.macs or sightings[0].is_of(machine)


def still_there(sightings: Sequence[Sighting], now: datetime, memory: timedelta) -> tuple[Sighting, ...]:
    """The machines that were seen lately; the last one seen if none was."""
    fresh = tuple(each for each in sightings if now - each.seen_at <= memory)
    return fresh or (max(sightings, key=lambda each: each.seen_at),)

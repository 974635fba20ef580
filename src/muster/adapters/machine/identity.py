"""The id of a machine, from what its firmware says of it. Every twin of `ports.Machine` answers with it."""

import hashlib
from collections.abc import Iterable
from uuid import UUID

FILLERS = frozenset({
    "", "unknown", "none", "(none)", "-", "default string", "not specified", "unspecified base board serial number",
    "unspecified system serial number", "pca_number.acc", "to be filled by o.e.m.",
})  # fmt: skip
"""What vendors write where a serial number belongs and there is none."""

SHARED_UUIDS = frozenset({"00000000-0000-0000-0000-000000000000", "03000200-0400-0500-0006-000700080009"})
"""What firmware says on many machines alike."""

NAMELESS = "deaddead-dead-dead-dead-deaddeaddead"
"""The id of a machine about which nothing is known."""


def host_id(board_serial: str, product_uuid: str, macs: Iterable[str]) -> str:
    """The id that follows from the board's serial number, else the product's UUID, else the smallest MAC address."""
    serial = board_serial.strip()
    if serial.lower() not in FILLERS:
        return _cut(serial)
    product = _uuid(product_uuid)
    if product and product not in SHARED_UUIDS:
        return product
    smallest = min((mac.lower() for mac in macs if mac), default="")
    return _cut(smallest) if smallest else NAMELESS


def _uuid(text: str) -> str:
    try:
        return str(UUID(text.strip()))
    except ValueError:
        return ""


def _cut(text: str) -> str:
    """The MD5 of a text in the form of a UUID, as existing agents make it."""
    return str(UUID(hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()))

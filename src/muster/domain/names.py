"""A name in the DNS that the service creates for a cluster: where it is kept and where it leads."""

from typing import Literal

from .record import Record

LASTS = 60
"""The seconds for which others may remember where a name leads."""


class DnsName(Record):
    """A name that leads to one address."""

    zone_id: str
    """Where it is kept, as the provider calls it."""
    name: str
    kind: Literal["A", "AAAA"]
    address: str

    @property
    def place(self) -> tuple[str, str, str]:
        """What it shares with whatever else would lead the same name elsewhere."""
        return self.zone_id, self.name, self.kind

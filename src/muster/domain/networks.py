"""Addresses and networks of a cluster, and what follows from them."""

from enum import StrEnum

from .record import Record


class VipVerification(StrEnum):
    """Whether anything answers on a virtual address that should be free."""

    UNVERIFIED = "unverified"
    FAILED = "failed"
    SUCCEEDED = "succeeded"


class Vip(Record):
    """A virtual address of the cluster."""

    ip: str
    verification: VipVerification | None = None


class ClusterNetwork(Record):
    """A range for pods, and how much of it each node gets."""

    cidr: str
    host_prefix: int = 0


class Proxy(Record):
    """How to reach the world outside."""

    http_proxy: str = ""
    https_proxy: str = ""
    no_proxy: str = ""


class FreeAddresses(Record):
    """Addresses of one network on which nothing answered."""

    network: str
    free_addresses: tuple[str, ...] = ()


class NtpSource(Record):
    """A time source and what the host thinks of it."""

    source_name: str = ""
    source_state: str = ""


class Resolution(Record):
    """What a name resolved to, seen from a host."""

    domain_name: str = ""
    ipv4_addresses: tuple[str, ...] | None = None
    ipv6_addresses: tuple[str, ...] | None = None
    cnames: tuple[str, ...] | None = None

    @property
    def resolves(self) -> bool:
        """Whether the name means anything at all."""
        return bool(self.ipv4_addresses or self.ipv6_addresses or self.cnames)

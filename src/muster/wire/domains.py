"""Domains as clients see them."""

from muster.domain.managed_domains import ManagedDomain, Provider
from muster.domain.record import Record


class DomainOut(Record):
    """A domain whose names the service can create."""

    domain: str
    provider: Provider


def domain_out(managed: ManagedDomain) -> DomainOut:
    """A domain with everything clients may read of it."""
    return DomainOut(domain=managed.domain, provider=managed.provider)

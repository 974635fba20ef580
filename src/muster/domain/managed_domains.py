"""The domains whose names the service may create itself, as the operator of the service has set them.

`runtime.settings` calls `read_domains` with BASE_DNS_DOMAINS at the start; the API lists what comes of it.
"""

from collections.abc import Mapping
from typing import Literal, get_args

from .errors import Invalid
from .record import Record

SETTING = "BASE_DNS_DOMAINS"
Provider = Literal["route53"]
PROVIDERS: tuple[Provider, ...] = get_args(Provider)


class ManagedDomain(Record):
    """A domain, who serves it, and under which id it is known there."""

    domain: str
    provider: Provider
    zone_id: str = ""


def read_domains(written: Mapping[str, str]) -> tuple[ManagedDomain, ...]:
    """The domains that were written as `domain:zone/provider`; `Invalid` if one cannot be read."""
    return tuple(_domain(name, place) for name, place in written.items())


def _domain(name: str, place: str) -> ManagedDomain:
    zone, _, served_by = place.rpartition("/")
    provider = next((each for each in PROVIDERS if each == served_by), None)
    if not (name and zone) or provider is None:
        raise Invalid(
            f"{SETTING} says {name}:{place}; write each domain as domain:zone/provider,"
            f" where the provider is one of {', '.join(PROVIDERS)}"
        )
    return ManagedDomain(domain=name, provider=provider, zone_id=zone)

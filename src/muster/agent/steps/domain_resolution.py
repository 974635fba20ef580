"""The `domain-resolution` step: what names mean on this machine."""

import re
from collections.abc import Sequence

from muster.client import Client
from muster.domain.errors import Invalid
from muster.domain.steps.domain_resolution import DomainReply, DomainRequest
from muster.machine import Machine

from .step import Reply, first, replied

NAME = re.compile(r"(?=.{2,255}\Z)(?![\d.]+\Z)[a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9_-]{1,63})*")
PROBE = "validateNoWildcardDNS."
"""The beginning of a name nobody has."""


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """What every name means; one that cannot be a name spoils the whole step."""
    names = [domain.domain_name for domain in first(args, DomainRequest).domains]
    for name in names:
        if not NAME.fullmatch(name.removeprefix(PROBE).removesuffix(".")):
            raise Invalid(f"{name!r} is not a domain name")
    return replied(DomainReply(resolutions=tuple([await machine.resolve(name) for name in names])))

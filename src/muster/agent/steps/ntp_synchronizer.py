"""The `ntp-synchronizer` step: the machine sets its clock by the given sources and says how that goes."""

import re
from collections.abc import Sequence
from ipaddress import ip_address

from muster.client import Client
from muster.domain.errors import Invalid
from muster.domain.steps.ntp_synchronizer import NtpReply, NtpRequest
from muster.machine import Machine

from .step import Reply, first, replied

NAME = re.compile(r"[a-z0-9][a-z0-9\-.]{0,61}[a-z0-9]")


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """The time sources in use, with the wanted ones among them."""
    wanted = tuple(filter(None, first(args, NtpRequest).ntp_source.split(",")))
    for source in wanted:
        if not NAME.fullmatch(source) and not _is_address(source):
            raise Invalid(f"{source!r} is neither an address nor a name")
    return replied(NtpReply(ntp_sources=await machine.time_sources(wanted)))


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True

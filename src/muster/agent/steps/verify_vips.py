"""The `verify-vips` step: whether the virtual addresses are really free."""

from collections.abc import Sequence
from ipaddress import ip_network

from muster.client import Client
from muster.domain.errors import Invalid
from muster.domain.hosts import VipCheck
from muster.domain.networks import VipVerification
from muster.machine import Machine

from .step import Reply, first, replied


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """Each address with what was found on it: something that answers makes it unusable."""
    return replied([await _verified(machine, check) for check in first(args, tuple[VipCheck, ...])])


async def _verified(machine: Machine, check: VipCheck) -> VipCheck:
    try:
        alone = str(ip_network(check.vip))
    except ValueError as error:
        raise Invalid(f"{check.vip!r} is not an address") from error
    taken = await machine.occupied(alone)
    return check.but(verification=VipVerification.FAILED if taken else VipVerification.SUCCEEDED)

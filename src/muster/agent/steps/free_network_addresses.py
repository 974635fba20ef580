"""The `free-network-addresses` step: on which addresses of its networks nothing answers."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network

from muster.client import Client
from muster.domain.errors import Invalid
from muster.domain.networks import FreeAddresses
from muster.domain.steps.free_network_addresses import LARGEST_PREFIX
from muster.machine import Machine

from .step import Reply, first, replied

ENOUGH = 8000
"""No more free addresses of a network are collected than these."""


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """The free addresses of every network that was asked about."""
    networks = [_canonical(text) for text in first(args, tuple[str, ...])]
    return replied([await _free_in(machine, network) for network in networks])


def _canonical(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise Invalid(f"{text} is not a network: {error}") from error


async def _free_in(machine: Machine, network: IPv4Network | IPv6Network) -> FreeAddresses:
    free: list[str] = []
    for piece in _pieces(network):
        free += _without(piece, await machine.occupied(piece))
        if len(free) >= ENOUGH:
            break
    return FreeAddresses(network=str(network), free_addresses=tuple(free))


def _pieces(network: IPv4Network | IPv6Network) -> list[str]:
    """The network in parts that can be searched in one go."""
    if network.prefixlen >= LARGEST_PREFIX:
        return [str(network)]
    return [str(piece) for piece in network.subnets(new_prefix=LARGEST_PREFIX)]


@lru_cache(maxsize=256)
def _without(network: str, occupied: tuple[str, ...]) -> tuple[str, ...]:
    """The addresses of a network less those taken. Kept, since mostly the same ones are taken as before."""
    taken = set(occupied)
    return tuple(text for text in map(str, ip_network(network)) if text not in taken)

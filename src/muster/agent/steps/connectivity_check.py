"""The `connectivity-check` step: who of the other hosts answers, on the same wire, by routing, and in full size."""

import asyncio
from collections.abc import Iterable, Sequence

from muster.client import Client
from muster.domain.connectivity import L2, L3, ConnectivityReport, MtuReport, RemoteHost
from muster.domain.inventory import Interface
from muster.domain.networks import IPV4, families, family, lies_in, normal, plain
from muster.domain.steps.connectivity_check import Peer
from muster.domain.steps.inventory import REAL_INTERFACES
from muster.machine import Machine

from .step import Reply, first, replied

USUAL_MTU = 1500
"""Packets of this size pass everywhere; that is not tried."""

AT_ONCE = 32
"""How many hosts are tried at the same time."""


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """Try every address of every other host, and say in a fixed order what came of it."""
    peers = first(args, tuple[Peer, ...])
    nics = _outgoing((await machine.inventory()).interfaces or ())
    turns = asyncio.Semaphore(AT_ONCE)

    async def tried(peer: Peer) -> RemoteHost:
        async with turns:
            return await _try(machine, nics, peer)

    found = await asyncio.gather(*(tried(peer) for peer in peers))
    return replied(ConnectivityReport(remote_hosts=tuple(sorted(found, key=lambda remote: remote.host_id))))


def _outgoing(interfaces: Iterable[Interface]) -> list[Interface]:
    """The interfaces that packets of a cluster may leave by: real ones that have an address."""
    return [nic for nic in interfaces if nic.type in REAL_INTERFACES and nic.addresses]


async def _try(machine: Machine, nics: Sequence[Interface], peer: Peer) -> RemoteHost:
    addresses = sorted({address for nic in peer.nics for address in nic.ip_addresses})
    macs = {nic.mac.lower() for nic in peer.nics}
    on_wire = [entry for address in addresses for entry in await _on_wire(machine, nics, address, macs)]
    routed = [await _routed(machine, address) for address in addresses]
    sized = [entry for address in addresses for entry in await _in_full_size(machine, nics, address)]
    return RemoteHost(
        host_id=peer.host_id,
        l2_connectivity=tuple(sorted(on_wire, key=lambda entry: (entry.remote_ip_address, entry.remote_mac))),
        l3_connectivity=tuple(routed),
        mtu_report=tuple(sized),
    )


async def _routed(machine: Machine, address: str) -> L3:
    echo = await machine.ping(address)
    figures = {"average_rtt_ms": echo.average_rtt_ms, "packet_loss_percentage": echo.packet_loss_percentage}
    told = {name: figure for name, figure in figures.items() if figure}
    return L3(remote_ip_address=address, successful=echo.answered).but(**told)


async def _on_wire(machine: Machine, nics: Sequence[Interface], address: str, macs: set[str]) -> list[L2]:
    """One entry for each MAC address that answers; one that is not the peer's is how a doubled address shows."""
    found: list[L2] = []
    for nic in nics:
        source = _source(nic, address)
        answers = await machine.arp(nic.name, address) if source else ()
        found += [
            L2(
                outgoing_nic=nic.name,
                outgoing_ip_address=source,
                remote_ip_address=address,
                remote_mac=mac.lower(),
                successful=mac.lower() in macs,
            )
            for mac in answers
        ]
    return found


async def _in_full_size(machine: Machine, nics: Sequence[Interface], address: str) -> list[MtuReport]:
    """Whether the largest packets of each unusual NIC arrive. An address that none reaches says nothing of that."""
    found: list[MtuReport] = []
    for nic in nics:
        if nic.mtu != USUAL_MTU and family(address) in families(nic.addresses):
            passes = await machine.carries(nic.name, address)
            report = MtuReport(outgoing_nic=nic.name, remote_ip_address=address, mtu_successful=bool(passes))
            found += [] if passes is None else [report]
    return found


def _source(nic: Interface, address: str) -> str:
    """The address of a NIC from which another one is tried: in its network for IPv4, any for IPv6; "" if none."""
    version = family(address)
    found = (
        mine
        for mine in nic.addresses
        if family(mine) == version and (version != IPV4 or lies_in(address, normal(mine)))
    )
    return plain(next(found, ""))

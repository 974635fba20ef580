"""The `dhcp-lease-allocate` step: the virtual addresses of the cluster are leased from the DHCP server."""

import re
from collections.abc import Sequence

from muster.client import Client
from muster.domain.leases import API, INGRESS
from muster.domain.steps.dhcp_lease_allocate import LeaseReply, LeaseRequest
from muster.machine import Machine

from .step import Reply, first, replied

_INTERFACE = re.compile(r'interface "[^"]*"')


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """Lease one address after the other, each under its own MAC address, and say what was written down of them."""
    request = first(args, LeaseRequest)
    nic = request.interface
    api = await machine.lease(nic, API, request.api_vip_mac, _on(API, request.api_vip_lease))
    ingress = await machine.lease(nic, INGRESS, request.ingress_vip_mac, _on(INGRESS, request.ingress_vip_lease))
    return replied(
        LeaseReply(
            api_vip_address=api.address,
            ingress_vip_address=ingress.address,
            api_vip_lease=api.lease,
            ingress_vip_lease=ingress.lease,
        )
    )


def _on(name: str, lease: str) -> str:
    """A lease that another host may have taken, as of the link under which it is renewed here."""
    return _INTERFACE.sub(f'interface "{name}"', lease)

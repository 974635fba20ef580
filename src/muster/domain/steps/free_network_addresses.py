"""The `free-network-addresses` step: on which addresses of its networks nothing answers."""

from muster.domain.errors import Refused
from muster.domain.hosts import Host
from muster.domain.networks import FreeAddresses
from muster.domain.views import HostView

from .step import Args, Step

LARGEST_PREFIX = 22
"""Networks larger than this are not searched."""


def _ask(view: HostView) -> Args | None:
    if view.host.inventory is None or view.policy.kube_api:
        return None
    networks = dict.fromkeys(
        str(each.network)
        for each in view.host.inventory.networks
        if each.version == 4 and each.network.prefixlen >= LARGEST_PREFIX  # noqa: PLR2004 - the protocol's own number
    )
    return (tuple(networks),) if networks else None


def _learn(view: HostView, reply: tuple[FreeAddresses, ...]) -> Host:
    if not reply:
        raise Refused(f"free_addresses: host {view.host.name} names none of the networks it was asked to search")
    return view.host.but(free_addresses=reply)


STEP = Step(kind="free-network-addresses", ask=_ask, reads=tuple[FreeAddresses, ...], learn=_learn)

"""The `free-network-addresses` step: on which addresses of its networks nothing answers."""

from muster.domain.networks import FreeAddresses
from muster.domain.views import HostView

from .step import Args, Step

LARGEST_PREFIX = 22
"""Networks larger than this are not searched."""


def _ask(view: HostView) -> Args | None:
    if view.host.inventory is None:
        return None
    networks = dict.fromkeys(
        str(each.network)
        for each in view.host.inventory.networks
        if each.version == 4 and each.network.prefixlen >= LARGEST_PREFIX  # noqa: PLR2004 - the protocol's own number
    )
    return (tuple(networks),) if networks else None


STEP = Step(
    kind="free-network-addresses",
    ask=_ask,
    reads=tuple[FreeAddresses, ...],
    learn=lambda host, reply: host.but(free_addresses=reply),
)

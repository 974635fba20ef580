"""The `connectivity-check` step: a host tries to reach every other host of its cluster."""

from muster.domain.connectivity import ConnectivityReport
from muster.domain.record import Record
from muster.domain.states.hosts import HostState
from muster.domain.views import HostView

from .step import Args, Step

NOT_YET_THERE = frozenset({HostState.DISCOVERING, HostState.DISCONNECTED})


class PeerNic(Record, omit_defaults=False):
    """An interface of another host."""

    name: str
    mac: str
    ip_addresses: tuple[str, ...]


class Peer(Record, omit_defaults=False):
    """Another host, and where to look for it."""

    host_id: str
    nics: tuple[PeerNic, ...]


def _ask(view: HostView) -> Args | None:
    peers = tuple(
        Peer(
            host_id=host.id,
            nics=tuple(
                PeerNic(
                    name=nic.name,
                    mac=nic.mac_address,
                    ip_addresses=tuple(address.split("/")[0] for address in nic.addresses),
                )
                for nic in host.inventory.interfaces or ()
            ),
        )
        for host in view.view.living
        if host.id != view.host.id and host.status not in NOT_YET_THERE and host.inventory is not None
    )
    return (peers,) if peers else None


STEP = Step(
    kind="connectivity-check",
    ask=_ask,
    reads=ConnectivityReport,
    learn=lambda host, reply: host.but(connectivity=reply),
)

"""The `connectivity-check` step: a host tries to reach every other host of its cluster."""

from datetime import UTC, datetime, timedelta

from muster.domain.connectivity import ConnectivityReport
from muster.domain.hosts import Host
from muster.domain.record import Record
from muster.domain.states.hosts import HostState
from muster.domain.views import HostView, View

from .step import Args, Step

NOT_YET_THERE = frozenset({HostState.DISCOVERING, HostState.DISCONNECTED})

MOST_AT_ONCE = 150
"""In a cluster of more hosts than these they take turns, so that trying each other does not fill the wire."""

TURN = timedelta(minutes=1)
"""How long a turn lasts."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class PeerNic(Record, omit_defaults=False):
    """An interface of another host."""

    name: str
    mac: str
    ip_addresses: tuple[str, ...]


class Peer(Record, omit_defaults=False):
    """Another host, and where to look for it."""

    host_id: str
    nics: tuple[PeerNic, ...]


def turn_of(view: View) -> int:
    """Whose turn it is, counted up from turn to turn; 0 in a cluster in which nobody has to wait."""
    return (view.now - EPOCH) // TURN % _turns(view)


def _turns(view: View) -> int:
    """How many turns it takes until everyone has had one."""
    return -(-len(view.hosts) // MOST_AT_ONCE) or 1


def _has_turn(view: View, host: Host) -> bool:
    """Whether it is this host's turn, which comes around for all in the same time."""
    turns = _turns(view)
    return turns == 1 or sum(each < host.id for each in view.hosts) % turns == turn_of(view)


def _ask(view: HostView) -> Args | None:
    if not _has_turn(view.view, view.host):
        return None
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
    learn=lambda view, reply: view.host.but(connectivity=reply),
)

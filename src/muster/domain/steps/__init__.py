"""Which steps a host is asked to do, in which state, and how soon it should ask again."""

from typing import Any

from muster.domain.hosts import Host, HostKind
from muster.domain.record import Record
from muster.domain.states.hosts import HostState as S
from muster.domain.views import HostView, View, peers_of

from . import (
    connectivity_check,
    container_image_availability,
    domain_resolution,
    free_network_addresses,
    install,
    installation_disk_speed_check,
    inventory,
    logs_gather,
    ntp_synchronizer,
    stop_installation,
    verify_vips,
)
from .step import Step

__all__ = ["STEPS", "Instruction", "Instructions", "Step", "instruct"]

STEPS: dict[str, Step] = {
    module.STEP.kind: module.STEP
    for module in (
        connectivity_check,
        container_image_availability,
        domain_resolution,
        free_network_addresses,
        install,
        installation_disk_speed_check,
        inventory,
        logs_gather,
        ntp_synchronizer,
        stop_installation,
        verify_vips,
    )
}


class Instruction(Record):
    """One step, ready to be sent."""

    kind: str
    args: tuple[Any, ...]


class Instructions(Record):
    """What an agent is told when it asks."""

    steps: tuple[Instruction, ...]
    seconds: int
    action: str = "continue"


class Schedule(Record):
    """The steps of a state, in order, and when to ask again."""

    kinds: tuple[str, ...] = ()
    seconds: int = 60
    action: str = "continue"


DISCOVERY = (
    "inventory",
    "connectivity-check",
    "free-network-addresses",
    "ntp-synchronizer",
    "domain-resolution",
    "verify-vips",
)
KNOWN = (
    "connectivity-check",
    "free-network-addresses",
    "inventory",
    "ntp-synchronizer",
    "domain-resolution",
    "verify-vips",
)
AFTERMATH = ("logs-gather", "stop-installation")
POOL = ("inventory", "ntp-synchronizer")
LONG = 120

DAY1 = {
    S.KNOWN: Schedule(kinds=KNOWN),
    S.INSUFFICIENT: Schedule(kinds=DISCOVERY),
    S.PENDING_FOR_INPUT: Schedule(kinds=DISCOVERY),
    S.DISCOVERING: Schedule(kinds=("inventory",)),
    S.DISCONNECTED: Schedule(kinds=("inventory",), seconds=LONG),
    S.PREPARING: Schedule(kinds=("installation-disk-speed-check", "container-image-availability")),
    S.INSTALLING: Schedule(kinds=("install",)),
    S.DISABLED: Schedule(seconds=LONG),
    S.RESETTING: Schedule(seconds=LONG),
    S.ERROR: Schedule(kinds=AFTERMATH, seconds=LONG),
    S.CANCELLED: Schedule(kinds=AFTERMATH, seconds=LONG),
    S.BINDING: Schedule(seconds=0, action="exit"),
}
DAY2 = DAY1 | {
    S.KNOWN: Schedule(kinds=("connectivity-check", "inventory", "ntp-synchronizer", "domain-resolution")),
    S.INSUFFICIENT: Schedule(kinds=("inventory", "connectivity-check", "ntp-synchronizer", "domain-resolution")),
    S.PENDING_FOR_INPUT: Schedule(kinds=("inventory", "connectivity-check")),
    S.DISCOVERING: Schedule(kinds=("inventory", "ntp-synchronizer", "domain-resolution")),
    S.PREPARING: Schedule(),
}
UNBOUND = {
    S.DISCOVERING_UNBOUND: Schedule(kinds=POOL),
    S.INSUFFICIENT_UNBOUND: Schedule(kinds=POOL),
    S.KNOWN_UNBOUND: Schedule(kinds=POOL),
    S.DISCONNECTED_UNBOUND: Schedule(kinds=("inventory",), seconds=LONG),
    S.DISABLED_UNBOUND: Schedule(seconds=LONG),
    S.UNBINDING: Schedule(seconds=0, action="exit"),
    S.UNBINDING_PENDING: Schedule(seconds=0, action="exit"),
    S.RECLAIMING_REBOOTING: Schedule(seconds=LONG, action="exit"),
}
OTHERWISE = Schedule()


def instruct(view: View, host_id: str) -> Instructions:
    """What the host is to do now. It depends on the view alone."""
    host = view.hosts[host_id]
    schedule = _table(host).get(host.status, OTHERWISE)
    case = HostView(view, host, peers_of(()))
    asked = ((kind, STEPS[kind].ask(case)) for kind in schedule.kinds if kind not in view.policy.disabled_steps)
    steps = tuple(Instruction(kind=kind, args=args) for kind, args in asked if args is not None)
    return Instructions(steps=steps, seconds=schedule.seconds, action=schedule.action)


def _table(host: Host) -> dict[S, Schedule]:
    if host.cluster_id is None:
        return UNBOUND
    return DAY2 if host.kind is HostKind.DAY2 else DAY1

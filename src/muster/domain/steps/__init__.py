"""Which steps a host is asked to do, in which state, and how soon it should ask again."""

from types import ModuleType
from typing import Any

from muster.domain.hosts import Host, HostKind
from muster.domain.record import Record
from muster.domain.states.hosts import BEFORE_INSTALL, IN_POOL
from muster.domain.states.hosts import HostState as S
from muster.domain.views import NO_PEERS, HostView, View

from . import (
    api_vip_connectivity_check,
    connectivity_check,
    container_image_availability,
    dhcp_lease_allocate,
    domain_resolution,
    download_boot_artifacts,
    free_network_addresses,
    install,
    installation_disk_speed_check,
    inventory,
    logs_gather,
    ntp_synchronizer,
    reboot_for_reclaim,
    stop_installation,
    tang_connectivity_check,
    upgrade_agent,
    verify_vips,
)
from .container_image_availability import awaits_release
from .step import Step
from .upgrade_agent import must_upgrade

__all__ = ["STEPS", "Instruction", "Instructions", "Step", "instruct"]

MODULES: tuple[ModuleType, ...] = (
    api_vip_connectivity_check,
    connectivity_check,
    container_image_availability,
    dhcp_lease_allocate,
    domain_resolution,
    download_boot_artifacts,
    free_network_addresses,
    install,
    installation_disk_speed_check,
    inventory,
    logs_gather,
    ntp_synchronizer,
    reboot_for_reclaim,
    stop_installation,
    tang_connectivity_check,
    upgrade_agent,
    verify_vips,
)

STEPS: dict[str, Step] = {module.STEP.kind: module.STEP for module in MODULES}
"""Every step there is. The protocol knows two more: `execute`, which nobody asks for, and `next-step-runner`,
which is what a host is told when it registers."""


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


CONNECTIVITY = "connectivity-check"
API_VIP = "api-vip-connectivity-check"
TANG = "tang-connectivity-check"
FREE = "free-network-addresses"
DHCP = "dhcp-lease-allocate"
INVENTORY = "inventory"
NTP = "ntp-synchronizer"
NAMES = "domain-resolution"
VIPS = "verify-vips"
IMAGES = "container-image-availability"
LONG = 120
SOON = 5

NOTHING_FOR_LONG = Schedule(seconds=LONG)
ONLY_INVENTORY = Schedule(kinds=(INVENTORY,))
INVENTORY_SELDOM = Schedule(kinds=(INVENTORY,), seconds=LONG)
DISCOVERY = Schedule(kinds=(INVENTORY, CONNECTIVITY, TANG, FREE, DHCP, NTP, NAMES, VIPS))
AFTERMATH = Schedule(kinds=("logs-gather", "stop-installation"), seconds=LONG)
STOP = Schedule(kinds=("stop-installation",))
POOL = Schedule(kinds=(INVENTORY, NTP))
REGISTER_AGAIN = Schedule(seconds=0, action="exit")

DAY1 = {
    S.KNOWN: Schedule(kinds=(CONNECTIVITY, TANG, FREE, DHCP, INVENTORY, NTP, NAMES, VIPS)),
    S.INSUFFICIENT: DISCOVERY,
    S.PENDING_FOR_INPUT: DISCOVERY,
    S.DISCOVERING: ONLY_INVENTORY,
    S.DISCONNECTED: INVENTORY_SELDOM,
    S.PREPARING: Schedule(kinds=(DHCP, "installation-disk-speed-check", IMAGES)),
    S.INSTALLING: Schedule(kinds=("install", DHCP)),
    S.IN_PROGRESS: Schedule(kinds=(DHCP,)),
    S.DISABLED: NOTHING_FOR_LONG,
    S.RESETTING: REGISTER_AGAIN,
    S.RESETTING_PENDING: STOP,
    S.ERROR: AFTERMATH,
    S.CANCELLED: AFTERMATH,
    S.BINDING: REGISTER_AGAIN,
}
DAY2 = {
    S.KNOWN: Schedule(kinds=(CONNECTIVITY, API_VIP, TANG, INVENTORY, NTP, NAMES)),
    S.INSUFFICIENT: Schedule(kinds=(INVENTORY, CONNECTIVITY, API_VIP, TANG, NTP, NAMES)),
    S.PENDING_FOR_INPUT: Schedule(kinds=(INVENTORY, CONNECTIVITY, API_VIP, TANG)),
    S.DISCOVERING: Schedule(kinds=(INVENTORY, NTP, NAMES)),
    S.DISCONNECTED: INVENTORY_SELDOM,
    S.INSTALLING: Schedule(kinds=("install",)),
    S.DISABLED: NOTHING_FOR_LONG,
    S.RESETTING: REGISTER_AGAIN,
    S.RESETTING_PENDING: STOP,
    S.ERROR: AFTERMATH,
    S.CANCELLED: AFTERMATH,
}
UNBOUND = {
    S.DISCOVERING_UNBOUND: POOL,
    S.INSUFFICIENT_UNBOUND: POOL,
    S.KNOWN_UNBOUND: POOL,
    S.DISCONNECTED_UNBOUND: INVENTORY_SELDOM,
    S.DISABLED_UNBOUND: NOTHING_FOR_LONG,
    S.UNBINDING: REGISTER_AGAIN,
    S.UNBINDING_PENDING: REGISTER_AGAIN,
    S.RECLAIMING: Schedule(kinds=("download-boot-artifacts",)),
    S.RECLAIMING_REBOOTING: Schedule(kinds=("reboot-for-reclaim",), seconds=LONG, action="exit"),
}
OTHERWISE = Schedule()
"""What counts in a state that is in no table."""

UPGRADE = Schedule(kinds=(upgrade_agent.KIND,))
"""What counts, whatever the state, for an agent that the service does not expect."""

CONTESTED = Schedule(kinds=(INVENTORY,), action="exit")
"""What counts for machines that report as one host: each describes itself and starts anew, so that none falls silent
because it has said everything before."""


def instruct(view: View, host_id: str) -> Instructions:
    """What the host is to do now. It depends on the view alone."""
    host = view.hosts[host_id]
    schedule = UPGRADE if must_upgrade(view, host) else _table(host).get(host.status, OTHERWISE)
    if host.contested and host.status in BEFORE_INSTALL | IN_POOL:
        schedule = CONTESTED
    case = HostView(view, host, NO_PEERS)
    asked = ((kind, STEPS[kind].ask(case)) for kind in schedule.kinds if kind not in view.policy.disabled_steps)
    steps = tuple(Instruction(kind=kind, args=args) for kind, args in asked if args is not None)
    # A step that will be asked for any moment is worth coming back for.
    soon = IMAGES in schedule.kinds and case.cluster is not None and awaits_release(case, case.cluster)
    return Instructions(steps=steps, seconds=SOON if soon else schedule.seconds, action=schedule.action)


def _table(host: Host) -> dict[S, Schedule]:
    if host.cluster_id is None:
        return UNBOUND
    return DAY2 if host.kind is HostKind.DAY2 else DAY1

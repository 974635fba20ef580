"""What validations need to know, and how they vouch for what they say.

Every validation of a host takes its needs and its evidence from here, so that the same fact is waited for,
and the same source named, in the same words.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from muster.domain.clusters import Cluster
from muster.domain.hosts import Host
from muster.domain.inventory import Cpu, Inventory, Memory
from muster.domain.verdicts import Evidence, Verdict, pending

from .registry import Need

if TYPE_CHECKING:  # views add up what operators need, and operators take their evidence from here
    from muster.domain.views import HostView

USER = "user input"
INVENTORY = "inventory"
CONNECTIVITY = "connectivity-check"
NTP = "ntp-synchronizer"
DOMAINS = "domain-resolution"
IMAGES = "container-image-availability"
DISK_SPEED = "installation-disk-speed-check"
API_VIP = "api-vip-connectivity-check"
TANG = "tang-connectivity-check"
VIPS = "verify-vips"
FREE_ADDRESSES = "free-network-addresses"
LEASES = "dhcp-lease-allocate"
POLL = "next-steps"
ROLES = "host roles"
STATES = "host states"

GIB = 2**30
MIB = 2**20

WAIT = "Wait: the agent tells it within a minute or two of starting. If it does not, look at the agent's log."


def told(host: Host, source: str, measured: str, required: str, fix: str = "") -> Evidence:
    """Evidence from what a host told in a step."""
    return Evidence(measured=measured, required=required, source=source, observed_at=host.heard_at.get(source), fix=fix)


def seen(view: "HostView", measured: str, required: str, fix: str = "") -> Evidence:
    """Evidence from a host asking for instructions."""
    at = view.view.seen_at(view.host)
    return Evidence(measured=measured, required=required, source=POLL, observed_at=at, fix=fix)


def gathered(hosts: Iterable[Host], source: str, measured: str, required: str, fix: str = "") -> Evidence:
    """Evidence from what several hosts told in a step, as new as the newest of it."""
    at = last_heard(hosts, source)
    return Evidence(measured=measured, required=required, source=source, observed_at=at, fix=fix)


def last_heard(hosts: Iterable[Host], source: str) -> datetime | None:
    """When any of the hosts last told something new in a step; None if none of them has."""
    return max((at for host in hosts if (at := host.heard_at.get(source)) is not None), default=None)


def asked(measured: str, required: str, fix: str = "") -> Evidence:
    """Evidence from what the user wrote."""
    return Evidence(measured=measured, required=required, source=USER, fix=fix)


def _inventory(view: "HostView") -> Inventory | None:
    return view.host.inventory


def _cpu(view: "HostView") -> Cpu | None:
    inventory = view.host.inventory
    return None if inventory is None else inventory.cpu


def _memory(view: "HostView") -> Memory | None:
    inventory = view.host.inventory
    return None if inventory is None else inventory.memory


UNTOLD = Evidence(measured="nothing yet", required="an inventory", source=INVENTORY, fix=WAIT)
NO_INVENTORY: Verdict = pending("Waiting for the host to tell what it is made of", UNTOLD)
"""The answer of a check that needs the inventory."""

HAS_INVENTORY: Need["HostView"] = Need(name="inventory", get=_inventory, waiting=NO_INVENTORY)
HAS_CPU: Need["HostView"] = Need(
    name="cpu", get=_cpu, waiting=pending("Waiting for the host to tell its CPU cores", UNTOLD)
)
HAS_MEMORY: Need["HostView"] = Need(
    name="memory", get=_memory, waiting=pending("Waiting for the host to tell its memory", UNTOLD)
)

NO_INVENTORIES: Verdict = pending(
    "Waiting for hosts to tell what they are made of",
    Evidence(measured="nothing yet", required="an inventory", source=INVENTORY, fix="Start hosts from the image."),
)
"""The same, for a check of the cluster."""

NO_CONNECTIVITY: Verdict = pending(
    "Waiting for the host to try to reach the others",
    Evidence(measured="nothing yet", required="a connectivity report", source=CONNECTIVITY, fix=WAIT),
)
NO_RESOLUTIONS: Verdict = pending(
    "Waiting for the host to look up the cluster's names",
    Evidence(measured="nothing yet", required="an answer to every name", source=DOMAINS, fix=WAIT),
)
NO_MACHINE_NETWORK: Verdict = pending(
    "Waiting for a machine network",
    asked("none", "a machine network", "Set the virtual addresses or the machine networks of the cluster."),
)


def cluster_of(view: "HostView") -> Cluster:
    """The cluster of a host that is judged only as part of one."""
    assert view.cluster is not None, "this check is not made in the pool"
    return view.cluster


@lru_cache(maxsize=1024)
def gib(count: float) -> str:
    """Bytes in words."""
    return f"{round(count / GIB, 2):g} GiB"


_SHOWN = 3


def some(things: list[str], shown: int = _SHOWN) -> str:
    """The first few of many things, for a sentence, and how many more there are."""
    if len(things) <= shown:
        return ", ".join(things)
    return f"{', '.join(things[:shown])} and {len(things) - shown} more"

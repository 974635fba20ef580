"""What validations need to know, and how they vouch for what they say.

Every validation of a host takes its needs and its evidence from here, so that the same fact is waited for,
and the same source named, in the same words.
"""

from muster.domain.clusters import Cluster
from muster.domain.hosts import Host
from muster.domain.inventory import Cpu, Memory
from muster.domain.verdicts import Evidence, Verdict, pending
from muster.domain.views import HostView

from .registry import Need

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
POLL = "next-steps"

GIB = 2**30
MIB = 2**20

_WAIT = "Wait: the agent tells it within a minute or two of starting. If it does not, look at the agent's log."


def told(host: Host, source: str, measured: str, required: str, fix: str = "") -> Evidence:
    """Evidence from what a host told in a step."""
    return Evidence(measured=measured, required=required, source=source, observed_at=host.heard_at.get(source), fix=fix)


def asked(measured: str, required: str, fix: str = "") -> Evidence:
    """Evidence from what the user wrote."""
    return Evidence(measured=measured, required=required, source=USER, fix=fix)


def _cpu(view: HostView) -> Cpu | None:
    inventory = view.host.inventory
    return None if inventory is None else inventory.cpu


def _memory(view: HostView) -> Memory | None:
    inventory = view.host.inventory
    return None if inventory is None else inventory.memory


HAS_INVENTORY: Need[HostView] = Need(
    name="inventory",
    get=lambda view: view.host.inventory,
    waiting="Waiting for the host to tell what it is made of",
    evidence=Evidence(measured="nothing yet", required="an inventory", source=INVENTORY, fix=_WAIT),
)
HAS_CPU: Need[HostView] = Need(
    name="cpu", get=_cpu, waiting="Waiting for the host to tell its CPU cores", evidence=HAS_INVENTORY.evidence
)
HAS_MEMORY: Need[HostView] = Need(
    name="memory", get=_memory, waiting="Waiting for the host to tell its memory", evidence=HAS_INVENTORY.evidence
)
HAS_RESOLUTIONS: Need[HostView] = Need(
    name="resolutions",
    get=lambda view: view.host.resolutions,
    waiting="Waiting for the host to look up the cluster's names",
    evidence=Evidence(measured="nothing yet", required="an answer to every name", source=DOMAINS, fix=_WAIT),
)

NO_INVENTORY: Verdict = pending(HAS_INVENTORY.waiting, HAS_INVENTORY.evidence)
"""The answer of a check that needs the inventory only in some cases."""

NO_INVENTORIES: Verdict = pending(
    "Waiting for hosts to tell what they are made of",
    Evidence(measured="nothing yet", required="an inventory", source=INVENTORY, fix="Start hosts from the image."),
)
"""The same, for a check of the cluster."""

NO_CONNECTIVITY: Verdict = pending(
    "Waiting for the host to try to reach the others",
    Evidence(measured="nothing yet", required="a connectivity report", source=CONNECTIVITY, fix=_WAIT),
)
NO_MACHINE_NETWORK: Verdict = pending(
    "Waiting for a machine network",
    asked("none", "a machine network", "Set the virtual addresses or the machine networks of the cluster."),
)


def cluster_of(view: HostView) -> Cluster:
    """The cluster of a host that is judged only as part of one."""
    assert view.cluster is not None, "this check is not made in the pool"
    return view.cluster


def gib(count: float) -> str:
    """Bytes in words."""
    return f"{round(count / GIB, 2):g} GiB"


_SHOWN = 3


def some(things: list[str]) -> str:
    """The first few of many things, for a sentence, and how many more there are."""
    if len(things) <= _SHOWN:
        return ", ".join(things)
    return f"{', '.join(things[:_SHOWN])} and {len(things) - _SHOWN} more"

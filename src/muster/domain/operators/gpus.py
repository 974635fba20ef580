"""What operators for graphics and compute cards ask: a card of their vendor, and drivers that can be loaded."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from muster.domain.inventory import Inventory
from muster.domain.roles import Role
from muster.domain.validations.facts import INVENTORY, NO_INVENTORIES, NO_INVENTORY, asked, gathered, some, told
from muster.domain.verdicts import Verdict, failed, passed

from .rules import carries_workloads

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView, HostView


def has_card(inventory: Inventory | None, vendors: Collection[str]) -> bool:
    """Whether a machine has a card of one of the vendors."""
    return inventory is not None and any(gpu.vendor_id in vendors for gpu in inventory.gpus or ())


def some_host_has_card(view: "ClusterView", title: str, vendors: Collection[str], *, insists: bool) -> Verdict:
    """A host that carries workloads has a card of one of the vendors."""
    if not insists:
        return passed(f"{title} is not held to a card", asked("not looked for", "nothing"))
    workers = view.peers.counted(Role.WORKER)
    carriers = [host for host in view.hosts if carries_workloads(view.cluster, host.effective_role, workers)]
    required = f"1 host that carries workloads with a card of vendor {' or '.join(sorted(vendors))}"
    having = [host.name for host in carriers if has_card(host.inventory, vendors)]
    if having:
        return passed(f"There is a card for {title}", gathered(view.hosts, INVENTORY, some(having), required))
    if any(host.inventory is None for host in carriers):
        return NO_INVENTORIES
    return failed(
        f"{title} needs {required}; there is none",
        gathered(view.hosts, INVENTORY, "none", required, f"Add a host with such a card, or leave {title} out."),
    )


def drivers_can_be_loaded(view: "HostView", title: str, vendors: Collection[str] = ()) -> Verdict:
    """Drivers that nobody has signed can be loaded, on a host with a card of the vendors; on any if none is named."""
    inventory = view.host.inventory
    if inventory is None:
        return NO_INVENTORY
    guarded = inventory.boot is not None and inventory.boot.secure_boot_state == "Enabled"
    evidence = told(view.host, INVENTORY, f"secure boot {'on' if guarded else 'off'}", "secure boot off")
    if vendors and not has_card(inventory, vendors):
        return passed(f"The host has no card for {title}", evidence.but(required="nothing without a card"))
    if not guarded:
        return passed(f"The drivers of {title} can be loaded", evidence)
    return failed(
        f"{title} loads drivers that secure boot refuses, and secure boot is on",
        evidence.but(fix="Switch secure boot off in the firmware of the machine."),
    )

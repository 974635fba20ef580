"""The `inventory` step: the machine describes itself."""

from muster.domain.inventory import Inventory

from .step import Step

REAL_INTERFACES = frozenset({"", "physical", "vlan", "bond"})
"""Interfaces that a cluster may use; bridges and the like of the live system are left out."""


def _without_virtual_interfaces(inventory: Inventory) -> Inventory:
    real = tuple(nic for nic in inventory.interfaces or () if nic.type in REAL_INTERFACES)
    return inventory.but(interfaces=real)


STEP = Step(
    kind="inventory",
    ask=lambda view: (view.host.id,),
    reads=Inventory,
    learn=lambda host, reply: host.but(inventory=_without_virtual_interfaces(reply)),
)

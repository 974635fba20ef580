"""The `inventory` step: the machine describes itself."""

from muster.domain import host_events
from muster.domain.events import Event
from muster.domain.hosts import Host
from muster.domain.inventory import Inventory
from muster.domain.roles import Role
from muster.domain.sightings import is_first, sighted, sighting_of
from muster.domain.views import HostView

from .step import Args, Step

REAL_INTERFACES = frozenset({"", "physical", "vlan", "bond"})
"""Interfaces that a cluster may use; bridges and the like of the live system are left out."""

LARGEST = "--output-max-size="
"""How the agent is told how many bytes an inventory may have."""

SMALLEST_DISK = "--disk-min-size="
"""How the agent is told how many bytes a disk must have to be mentioned."""


def _ask(view: HostView) -> Args | None:
    limits = {LARGEST: view.policy.inventory_max_size, SMALLEST_DISK: view.policy.inventory_disk_min_size}
    return (view.host.id, *(f"{option}{limit}" for option, limit in limits.items() if limit))


def _learn(view: HostView, inventory: Inventory) -> Host:
    if not view.policy.virtual_interfaces:
        real = tuple(nic for nic in inventory.interfaces or () if nic.type in REAL_INTERFACES)
        inventory = inventory.but(interfaces=real)
    machine = sighting_of(inventory, view.now)
    host = view.host.but(sightings=sighted(view.host.sightings, machine))
    if not is_first(host.sightings, machine):
        return host
    host = host.but(inventory=inventory)
    return host.but(role=Role.MASTER, bootstrap=True) if _is_chosen_bootstrap(view, inventory) else host


def _is_chosen_bootstrap(view: HostView, inventory: Inventory) -> bool:
    """Whether the operator of the service has said that this machine of a cluster is its bootstrap."""
    wanted = view.policy.bootstrap_mac.lower()
    if not wanted or view.unbound or view.host.bootstrap:
        return False
    return any(nic.mac_address.lower() == wanted for nic in inventory.interfaces or ())


def _tells(before: HostView, after: HostView, _: Inventory) -> tuple[Event, ...]:
    """One more machine reports as the host."""
    is_news = after.host.contested and len(after.host.sightings) > len(before.host.sightings)
    return (host_events.host_identity_clash(after.host),) if is_news else ()


STEP = Step(kind="inventory", ask=_ask, reads=Inventory, learn=_learn, tells=_tells)

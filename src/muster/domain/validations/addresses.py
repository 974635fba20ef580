"""Checks of a host's addresses: that its interfaces keep apart, that no other machine has the same ones."""

from collections.abc import Iterator
from functools import partial

from muster.domain.disks import is_path_of
from muster.domain.inventory import Disk, DriveType, Interface, Inventory
from muster.domain.networks import LINK_LOCAL, colliding, families, family, lies_in, plain
from muster.domain.verdicts import Gate, Verdict, failed, passed, unjudged
from muster.domain.views import HostView

from .facts import CONNECTIVITY, HAS_INVENTORY, INVENTORY, NO_MACHINE_NETWORK, cluster_of, gathered, some, told
from .registry import validation

check = partial(validation, category="network")


@check("non-overlapping-subnets", gate=Gate.INSTALL, needs=HAS_INVENTORY)
def non_overlapping_subnets(view: HostView, inventory: Inventory) -> Verdict | None:
    """No two interfaces of the host lie in the same network."""
    cluster = view.cluster
    if cluster is None:
        return None
    used = families((*(network.cidr for network in cluster.cluster_networks), *cluster.service_networks))
    owned = [(nic.name, address) for nic in inventory.interfaces or () for address in nic.addresses]
    unreadable = [address for _, address in owned if family(address) is None]
    required = "a network of its own for every interface"
    if unreadable:
        return unjudged(
            f"The host has told of an address that cannot be read: {some(unreadable)}",
            told(view.host, INVENTORY, some(unreadable), required, "Look at the addresses of the machine."),
        )
    # What every link has in common is no overlap.
    clash = colliding(
        (nic, address) for nic, address in owned if family(address) in used and not lies_in(address, LINK_LOCAL)
    )
    if clash is None:
        return passed("No two interfaces lie in the same network", told(view.host, INVENTORY, "no overlap", required))
    (one, its_network), (other, other_network) = clash
    fix = "Join the interfaces in a bond, or give them addresses of different networks."
    return failed(
        f"The networks of {one} ({its_network}) and {other} ({other_network}) overlap",
        told(view.host, INVENTORY, f"{one} in {its_network}, {other} in {other_network}", required, fix),
    )


ONE_MACHINE = "one machine for every address"


@check("no-ip-collisions-in-network", gate=Gate.INSTALL, of_others=frozenset({"ip_collisions"}))
def no_ip_collisions_in_network(view: HostView) -> Verdict:
    """No other machine answers for an address of the host."""
    cluster, inventory = view.cluster, view.host.inventory
    if cluster is None or inventory is None or cluster.day2 or not cluster.ip_collisions:
        return _alone(view)
    mine = {plain(address) for address in inventory.addresses}
    taken = {address: macs for address, macs in cluster.ip_collisions.items() if plain(address) in mine}
    if not taken:
        return _alone(view)
    words = [f"{address} ({', '.join(macs)})" for address, macs in taken.items()]
    owners = _owners(view, {mac for macs in taken.values() for mac in macs})
    named = [
        f"{address}: {', '.join(f'{mac} is {owners.get(mac, NOBODY)}' for mac in macs)}"
        for address, macs in taken.items()
    ]
    fix = "Find the machine with the other MAC address and give it another address, or give this host another."
    return failed(
        f"More than one machine answers for {some(words)}",
        gathered(view.view.living, CONNECTIVITY, "; ".join(named), ONE_MACHINE, fix),
    )


NOBODY = "no host of this cluster"


def _alone(view: HostView) -> Verdict:
    return passed(
        "No other machine has an address of this host",
        told(view.host, CONNECTIVITY, "no other machine answered", ONE_MACHINE),
    )


def _owners(view: HostView, macs: set[str]) -> dict[str, str]:
    """The interfaces that MAC addresses belong to, with their hosts, in words."""
    return {
        nic.mac_address.lower(): f"{nic.name} of {host.name}"
        for host in view.view.living
        for nic in (host.inventory.interfaces if host.inventory else None) or ()
        if nic.mac_address.lower() in macs
    }


@check("no-iscsi-nic-belongs-to-machine-cidr", gate=Gate.INSTALL, in_pool=False)
def no_iscsi_nic_belongs_to_machine_cidr(view: HostView) -> Verdict | None:
    """A disk reached over iSCSI is not reached over the machine network, which is set up anew on the way."""
    cluster, inventory = cluster_of(view), view.host.inventory
    free = cluster.user_managed_networking and not cluster.single_node
    if free or cluster.imported or cluster.day2 or inventory is None:
        return None
    chosen = view.host.installation_disk_id or view.host.installation_disk_path
    disk = inventory.disk(chosen) if chosen else None
    if disk is None or disk.drive_type not in {DriveType.ISCSI, DriveType.MULTIPATH}:
        return None
    if not cluster.machine_networks:
        return NO_MACHINE_NETWORK
    required = f"an interface outside {', '.join(cluster.machine_networks)}"
    for path in _iscsi_paths(disk, inventory):
        nic = _nic_of(path, inventory)
        if nic is None:
            return unjudged(
                f"It is not known over which interface the iSCSI disk {path.name} is reached",
                told(
                    view.host, INVENTORY, f"{path.name}, no interface", required, "Choose another disk to install to."
                ),
            )
        if any(lies_in(address, cidr) for address in nic.addresses for cidr in cluster.machine_networks):
            fix = "Reach the disk over an interface of its own, or choose another disk."
            return failed(
                f"The iSCSI disk {path.name} is reached over {nic.name}, which lies in the machine network",
                told(view.host, INVENTORY, f"{nic.name} ({', '.join(nic.addresses)})", required, fix),
            )
    return passed("No iSCSI disk is reached over the machine network", told(view.host, INVENTORY, "none", required))


def _iscsi_paths(disk: Disk, inventory: Inventory) -> Iterator[Disk]:
    """The iSCSI disks that a disk is, or is made of."""
    if disk.drive_type == DriveType.ISCSI:
        yield disk
    else:
        yield from (
            path for path in inventory.disks or () if path.drive_type == DriveType.ISCSI and is_path_of(path, disk)
        )


def _nic_of(disk: Disk, inventory: Inventory) -> Interface | None:
    """The interface over which an iSCSI disk is reached."""
    own = plain(disk.iscsi.host_ip_address) if disk.iscsi else ""
    return next((nic for nic in inventory.interfaces or () if own and own in map(plain, nic.addresses)), None)

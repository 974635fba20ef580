"""What the program that writes the disk is told besides: the user's own arguments, then what disk and network need.

The `install` step asks for them. A kernel argument is what the installed system has to know before it can read
its own disk or use its own network.
"""

from collections.abc import Iterator, Sequence

from .clusters import Cluster, PlatformType
from .disks import is_path_of
from .inventory import Disk, DriveType, Interface, Inventory
from .networks import IPV4, IPV6, families, family, is_unspecified, lies_in, normal, plain
from .views import HostView

KARG = "--append-karg"
COPY_NETWORK = "--copy-network"
COPYING = frozenset({COPY_NETWORK, "-n"})
METHODS = {IPV4: "dhcp", IPV6: "dhcp6"}

MAINFRAME = "IBM/S390"
NO_LPAR = ("KVM", "Linux")
"""How the products of a mainframe end that are guests like any other."""

CARRIED_OVER = ("rd.neednet", "zfcp.allow_lun_scan", "rd.znet", "rd.dasd", "rd.zfcp")
"""Kernel arguments of a mainframe's live system that its installed system needs too."""

OWN_ADDRESSES = "ai.ip_cfg_override=1"
"""The sign that someone set up a mainframe's addresses by hand."""


def writer_args(case: HostView, cluster: Cluster, inventory: Inventory, disk: Disk) -> tuple[str, ...] | None:
    """All arguments, in order: the user's, the machine's, the disk's, the network's.

    None if the host is one of a new cluster and nobody knows in which network it is.
    """
    networks = cluster.machine_networks or _own_networks(cluster, inventory)
    if not networks and not case.day2:
        return None
    user = case.host.installer_args
    told = _told_to_mainframe(inventory)
    addresses_given = OWN_ADDRESSES in told or _addresses_are_given(case, cluster, disk)
    kargs = [*_carried_over(told), *_of_disk(disk, inventory, dhcp=not addresses_given)]
    static = case.infra_env is not None and bool(case.infra_env.static_network_config)
    if not static and not addresses_given:
        kargs += _of_network(inventory, networks)
    args = [each for karg in dict.fromkeys(kargs) for each in (KARG, karg)]
    copying = [COPY_NETWORK] if static and COPYING.isdisjoint(user) else []
    return (*user, *args, *copying)


def _own_networks(cluster: Cluster, inventory: Inventory) -> tuple[str, ...]:
    """Where a host is that the user has networked: for each family of the services, where its default route begins.

    The gateway of IPv6 lies on the link, not in the network, so the interface of the route tells. For an address of
    another family a system might wait in vain: it may be nobody's lease.
    """
    if not cluster.user_managed_networking:
        return ()
    ways = sorted((way.metric, way.interface) for way in inventory.routes or () if is_unspecified(way.destination))
    rank = {name: place for place, (_, name) in reversed([*enumerate(ways)])}
    nics = sorted((nic for nic in inventory.interfaces or () if nic.name in rank), key=lambda nic: rank[nic.name])
    first: dict[int | None, str] = {}
    for address in (each for nic in nics for each in nic.addresses):
        first.setdefault(family(address), normal(address))
    wanted = families(cluster.service_networks) or {IPV4, IPV6}
    return tuple(first[version] for version in (IPV4, IPV6) if version in first and version in wanted)


def _addresses_are_given(case: HostView, cluster: Cluster, disk: Disk) -> bool:
    """Whether the installed system has its addresses from somewhere else."""
    oracle = cluster.platform.type is PlatformType.EXTERNAL and cluster.platform.platform_name == "oci"
    return (
        any(arg.startswith("ip=") for arg in case.host.installer_args)
        or (oracle and disk.drive_type == DriveType.ISCSI)
        or (case.day2 and not oracle and not cluster.machine_networks)
    )


def _told_to_mainframe(inventory: Inventory) -> list[str]:
    """The kernel arguments of the live system, if the machine is a mainframe or a part of one."""
    vendor = inventory.system_vendor
    if vendor is None or vendor.manufacturer != MAINFRAME or vendor.product_name.endswith(NO_LPAR):
        return []
    return inventory.boot.command_line.split() if inventory.boot else []


def _carried_over(told: list[str]) -> list[str]:
    wanted = (*CARRIED_OVER, "ip", "nameserver") if OWN_ADDRESSES in told else CARRIED_OVER
    return [arg for arg in told if arg.startswith(wanted)]


def _of_disk(disk: Disk, inventory: Inventory, *, dhcp: bool) -> Iterator[str]:
    """What the installed system needs to find a disk that is not simply plugged in."""
    if disk.drive_type == DriveType.MULTIPATH:
        yield from ("rw", "rd.multipath=default")
    if disk.drive_type == DriveType.RAID:
        yield from ("rd.md=1", "rd.auto=1")
    for path in (disk, *(each for each in inventory.disks or () if is_path_of(each, disk))):
        if path.drive_type == DriveType.ISCSI:
            yield "rd.iscsi.firmware=1"
            yield from _of_iscsi(path, inventory) if dhcp else ()


def _of_iscsi(disk: Disk, inventory: Inventory) -> Iterator[str]:
    """How the interface that an iSCSI disk is reached over gets its address."""
    address = plain(disk.iscsi.host_ip_address) if disk.iscsi else ""
    for nic in inventory.interfaces or ():
        if address and address in map(plain, nic.addresses):
            yield _from_dhcp(nic, [address])


def _of_network(inventory: Inventory, networks: Sequence[str]) -> Iterator[str]:
    """How the installed system gets its addresses on each interface of the primary machine network."""
    for nic in inventory.interfaces or ():
        if any(lies_in(address, network) for network in networks[:1] for address in nic.addresses):
            inside = [address for address in nic.addresses if any(lies_in(address, network) for network in networks)]
            yield _from_dhcp(nic, inside)


def _from_dhcp(nic: Interface, addresses: list[str]) -> str:
    methods = ",".join(METHODS[version] for version in sorted(families(addresses)))
    return f"ip={nic.mac_address.replace(':', '-')}:{methods}"

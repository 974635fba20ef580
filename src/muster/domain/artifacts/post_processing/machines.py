"""Turns the installer's BareMetalHosts into ones that are known already: what was discovered is written on them.

Otherwise the new cluster would set out to look into its own machines, through management controllers that it may not
have. What the machines are is told by an annotation, from which the cluster takes the status of a BareMetalHost.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from muster.domain.artifacts.assets import Assets, Order
from muster.domain.artifacts.install_config import Tree
from muster.domain.errors import Broken
from muster.domain.hosts import Host
from muster.domain.inventory import Disk, DriveType, Interface, Inventory
from muster.domain.networks import families, lies_in, plain
from muster.domain.releases import at_least
from muster.domain.roles import Role

PLACES = ("openshift-cluster-api_hosts", "openshift-cluster-api_arbiter_hosts")
"""How the files of the installer's own are called."""
STATUS = "baremetalhost.metal3.io/status"
SET_UP_ELSEWHERE = "4.7"
"""The version from which on a machine can be said to have been set up by somebody else."""

MEBI = 1024 * 1024
MEGABITS = 1000
NO_DISKS = {DriveType.ODD, DriveType.FDD}


def described_machines(order: Order, assets: Assets) -> dict[str, Tree]:
    """The installer's machines by their paths, each as the host that it is; `Broken` if there is no such host."""
    machines = {
        path: tree for path, tree in assets.of_kind("BareMetalHost").items() if any(mark in path for mark in PLACES)
    }
    owners = _owners(order.hosts, {path: str(tree["metadata"]["name"]) for path, tree in machines.items()})
    return {path: _described(order, tree, owners[path]) for path, tree in machines.items()}


def _owners(hosts: Iterable[Host], names: dict[str, str]) -> dict[str, Host]:
    """The host that each machine is: the one of its name, else the next of its role."""
    by_name = {host.hostname: host for host in hosts if host.hostname}
    found = {path: by_name[name] for path, name in names.items() if name in by_name}
    taken = {host.id for host in found.values()}
    left = sorted((host for host in hosts if host.id not in taken), key=lambda host: host.hostname)
    for path, name in names.items():
        if path not in found:
            role = _role(path, name)
            host = next((host for host in left if _part(host) is role), None)
            if host is None:
                raise Broken(
                    f"The installer has made a machine {name}, and there is no {role.value} left that it could be"
                )
            left.remove(host)
            found[path] = host
    return found


def _role(path: str, name: str) -> Role:
    if "arbiter_hosts" in path:
        return Role.ARBITER
    return Role.MASTER if "-master-" in name else Role.WORKER


def _part(host: Host) -> Role:
    return Role.MASTER if host.effective_role is Role.BOOTSTRAP else host.effective_role


def _described(order: Order, machine: Tree, host: Host) -> Tree:
    metadata = machine["metadata"]
    status = json.dumps(_status(order, host), separators=(",", ":"))
    spec = dict(machine.get("spec") or {})
    if at_least(order.cluster.openshift_version, SET_UP_ELSEWHERE):
        spec["externallyProvisioned"] = True
    annotations = {**(metadata.get("annotations") or {}), STATUS: status}
    rest = {key: value for key, value in machine.items() if key != "status"}
    return rest | {"metadata": metadata | {"annotations": annotations}, "spec": spec}


def _status(order: Order, host: Host) -> Tree:
    """What a cluster would have found out by itself, as metal3 writes it; what it has to decide itself is empty."""
    return {
        "errorCount": 0,
        "errorMessage": "",
        "goodCredentials": {},
        "hardware": _hardware(order, host),
        "hardwareProfile": "",
        "operationHistory": {},
        "operationalStatus": "",
        "poweredOn": True,
        "provisioning": {"ID": "", "image": {"url": ""}, "state": ""},
        "triedCredentials": {},
    }


def _hardware(order: Order, host: Host) -> Tree:
    inventory = host.inventory or Inventory()
    memory, cpu, vendor = inventory.memory, inventory.cpu, inventory.system_vendor
    hardware: Tree = {
        "hostname": host.hostname,
        "nics": [nic for each in inventory.interfaces or () for nic in _nics(order, each)],
        "storage": [_disk(each) for each in inventory.disks or () if each.drive_type not in NO_DISKS],
    }
    if memory:
        hardware["ramMebibytes"] = memory.physical_bytes // MEBI
    if cpu:
        hardware["cpu"] = {
            "arch": cpu.architecture,
            "model": cpu.model_name,
            "clockMegahertz": cpu.frequency,
            "flags": list(cpu.flags or ()),
            "count": cpu.count,
        }
    if vendor:
        hardware["systemVendor"] = {
            "manufacturer": vendor.manufacturer,
            "productName": vendor.product_name,
            "serialNumber": vendor.serial_number,
        }
    return hardware


def _nics(order: Order, nic: Interface) -> Iterator[dict[str, Any]]:
    """An interface once for each family in which it has an address of the machine networks; once if it has none."""
    networks = order.cluster.machine_networks
    inside = [address for address in nic.addresses if any(lies_in(address, network) for network in networks)]
    first_of_each = {families([address]): address for address in reversed(inside)}
    for address in sorted(first_of_each.values(), key=inside.index) or [""]:
        yield {
            "name": nic.name,
            "model": f"{nic.vendor} {nic.product}".strip(),
            "mac": nic.mac_address,
            "ip": plain(address),
            "speedGbps": max(nic.speed_mbps, 0) // MEGABITS,
        }


def _disk(disk: Disk) -> dict[str, Any]:
    return {
        "name": disk.by_path or disk.device,
        "rotational": disk.drive_type == DriveType.HDD,
        "sizeBytes": disk.size_bytes,
        "vendor": disk.vendor,
        "model": disk.model,
        "serialNumber": disk.serial,
        "wwn": disk.wwn,
        "hctl": disk.hctl,
    }

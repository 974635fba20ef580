"""Clusters that have selected operators, and machines made for them."""

from typing import Any

from builders import GIB, a_cluster, a_disk
from muster.domain.clusters import Cluster
from muster.domain.hosts import Host
from muster.domain.inventory import Boot, Cpu, Gpu
from muster.domain.monitored import CONSOLE, MonitoredOperator, OperatorType


def selecting(*names: str, **changes: Any) -> Cluster:
    """A cluster with just these operators."""
    operators = tuple(MonitoredOperator(name=name, operator_type=OperatorType.OLM) for name in names)
    return a_cluster(operators=(CONSOLE, *operators), **changes)


def machine(host: Host, **changes: Any) -> Host:
    """The host, whose machine is another."""
    return host.but(inventory=host.inventory.but(**changes))


def virtualizing(host: Host, **cpu: Any) -> Host:
    """The host, whose CPU can run virtual machines."""
    return machine(host, cpu=Cpu(**{"count": 8, "architecture": "x86_64", "flags": ("vmx",), **cpu}))


def with_disks(host: Host, *sizes_gib: int) -> Host:
    """The host with more disks."""
    disks = tuple(
        a_disk(f"sd{letter}", size_bytes=size * GIB) for letter, size in zip("bcdef", sizes_gib, strict=False)
    )
    return machine(host, disks=(*host.inventory.disks, *disks))


def silent(host: Host) -> Host:
    """The host before it has said anything."""
    return host.but(inventory=None)


def card(host: Host, vendor: str, secure_boot: str = "Disabled") -> Host:
    """The host with a card of a vendor."""
    return machine(host, gpus=(Gpu(vendor_id=vendor),), boot=Boot(secure_boot_state=secure_boot))

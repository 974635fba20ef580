"""Checks of the machine itself: what it is made of, what it is called, what it boots and installs from."""

import re
from functools import partial

from muster.domain.clusters import Cluster, PlatformType
from muster.domain.disks import valid_types
from muster.domain.inventory import Cpu, Inventory, Memory
from muster.domain.progress import Stage
from muster.domain.requirements import FORGIVEN_MIB, has_cores, has_memory
from muster.domain.roles import Role
from muster.domain.verdicts import Gate, Verdict, failed, passed, pending, unjudged
from muster.domain.views import HostView

from .encryption import judge_encryption
from .facts import (
    DISK_SPEED,
    HAS_CPU,
    HAS_INVENTORY,
    HAS_MEMORY,
    INVENTORY,
    MIB,
    NO_INVENTORY,
    POLL,
    asked,
    cluster_of,
    gib,
    some,
    told,
)
from .registry import validation

check = partial(validation, category="hardware")


@check("has-inventory", gate=Gate.INVENTORY, ignorable=False)
def has_inventory(view: HostView) -> Verdict:
    """The host has told what it is made of."""
    if view.host.inventory is None:
        return failed("The host has not told what it is made of yet", HAS_INVENTORY.evidence)
    return passed("The host has told what it is made of", told(view.host, INVENTORY, "an inventory", "an inventory"))


def _judge_truncation(view: HostView, inventory: Inventory, unwanted: str) -> Verdict:
    kind = inventory.truncation.type if inventory.truncation else ""
    evidence = told(
        view.host,
        INVENTORY,
        f"{kind or 'nothing'} left out",
        f"not {unwanted}",
        "Take away disks or interfaces that the machine does not need, or raise the size limit of inventories.",
    )
    if kind not in {"", "partial", "full"}:
        return unjudged(f"The host has left something out of its inventory in a way not known here: {kind}", evidence)
    if kind == unwanted:
        reasons = some(list(inventory.truncation.reasons)) if inventory.truncation else ""
        how = "parts" if unwanted == "partial" else "nearly all"
        return failed(f"The host has left out {how} of its inventory: {reasons or 'it was too large'}", evidence)
    return passed(f"The inventory is not {'partly' if unwanted == 'partial' else 'fully'} truncated", evidence)


@check("inventory-not-partially-truncated", needs=HAS_INVENTORY)
def inventory_not_partially_truncated(view: HostView, inventory: Inventory) -> Verdict:
    """The host has left nothing out of its inventory."""
    return _judge_truncation(view, inventory, "partial")


@check("inventory-not-fully-truncated", gate=Gate.INVENTORY, needs=HAS_INVENTORY, ignorable=False)
def inventory_not_fully_truncated(view: HostView, inventory: Inventory) -> Verdict:
    """The host has kept enough of its inventory to be judged by."""
    return _judge_truncation(view, inventory, "full")


@check("has-min-cpu-cores", gate=(Gate.HARDWARE, Gate.POOL), needs=HAS_CPU)
def has_min_cpu_cores(view: HostView, cpu: Cpu) -> Verdict:
    """The host has the CPU cores that the least demanding role needs."""
    least = min(view.policy.requirements.least(single_node=view.single_node), key=lambda each: each.cpu_cores)
    fine = has_cores(cpu, least)
    fix = "" if fine else "Give the machine more CPU cores, or use another one."
    evidence = told(view.host, INVENTORY, f"{cpu.count} cores", f"{least.cpu_cores} cores", fix)
    if fine:
        return passed(f"The host has {cpu.count} CPU cores", evidence)
    return failed(f"The host has {cpu.count} CPU cores; every role needs at least {least.cpu_cores}", evidence)


@check("has-min-memory", gate=(Gate.HARDWARE, Gate.POOL), needs=HAS_MEMORY)
def has_min_memory(view: HostView, memory: Memory) -> Verdict:
    """The host has the memory that the least demanding role needs."""
    least = min(view.policy.requirements.least(single_node=view.single_node), key=lambda each: each.ram_mib)
    need = least.ram_mib * MIB
    # The kernel's own count leaves out what it keeps for itself, which grows with the size.
    forgiven = FORGIVEN_MIB * MIB + (need // 50 if memory.physical_bytes_method == "meminfo" else 0)
    have = gib(memory.physical_bytes)
    fine = memory.physical_bytes >= need - forgiven
    fix = "" if fine else "Give the machine more memory, or use another one."
    evidence = told(view.host, INVENTORY, have, gib(need), fix)
    if fine:
        return passed(f"The host has {have} of memory", evidence)
    return failed(f"The host has {have} of memory; every role needs at least {gib(need)}", evidence)


@check("has-min-valid-disks", gate=(Gate.HARDWARE, Gate.POOL), needs=HAS_INVENTORY)
def has_min_valid_disks(view: HostView, inventory: Inventory) -> Verdict:
    """The host has a disk to install to."""
    disks = inventory.disks or ()
    good = sum(disk.installation_eligibility.eligible for disk in disks)
    if good:
        return passed(
            f"The host has {good} disks that can be installed to",
            told(view.host, INVENTORY, f"{good} of {len(disks)} disks", "1 disk"),
        )
    need = f"{view.figures.disk_size_gb} GB"
    evidence = told(view.host, INVENTORY, "0 disks", f"1 disk of {need}", f"Give the machine a disk of {need} or more.")
    if not disks:
        return unjudged("The host has told of no disk at all", evidence)
    reasons = [f"{disk.name}: {', '.join(disk.installation_eligibility.not_eligible_reasons or ())}" for disk in disks]
    return failed(f"The host has no disk that can be installed to: {some(reasons)}", evidence)


def _role(view: HostView) -> str:
    """The role a host is held to, for a sentence."""
    if view.unbound:
        return "host of the pool"
    return "single node" if view.single_node and view.role is Role.MASTER else str(view.role)


ANOTHER_ROLE = "Give the machine more, choose another role for the host, or use another machine."


@check("has-cpu-cores-for-role", gate=Gate.INSTALL, needs=HAS_CPU)
def has_cpu_cores_for_role(view: HostView, cpu: Cpu) -> Verdict:
    """The host has the CPU cores that its role needs."""
    need, role = view.figures.cpu_cores, _role(view)
    fine = has_cores(cpu, view.figures)
    evidence = told(view.host, INVENTORY, f"{cpu.count} cores", f"{need} cores", "" if fine else ANOTHER_ROLE)
    if fine:
        return passed(f"The host has {cpu.count} CPU cores, enough for the role {role}", evidence)
    return failed(f"The host has {cpu.count} CPU cores; the role {role} needs at least {need}", evidence)


@check("has-memory-for-role", gate=Gate.INSTALL, needs=HAS_MEMORY)
def has_memory_for_role(view: HostView, memory: Memory) -> Verdict:
    """The host has the memory that its role needs."""
    have, need, role = gib(memory.physical_bytes), gib(view.figures.ram_mib * MIB), _role(view)
    fine = has_memory(memory, view.figures)
    evidence = told(view.host, INVENTORY, have, need, "" if fine else ANOTHER_ROLE)
    if fine:
        return passed(f"The host has {have} of memory, enough for the role {role}", evidence)
    return failed(f"The host has {have} of memory; the role {role} needs at least {need}", evidence)


@check("hostname-unique", gate=Gate.INSTALL, needs=HAS_INVENTORY, in_pool=False, ignorable=False)
def hostname_unique(view: HostView, _: Inventory) -> Verdict:
    """No other host of the cluster goes by the same name."""
    name = view.host.hostname
    count = view.peers.hostnames.get(name, 0)
    if count > 1:
        return failed(
            f'{count} hosts of the cluster go by the name "{name}"',
            told(view.host, INVENTORY, name, "a name of its own", "Give this host another name (requested_hostname)."),
        )
    return passed(f'No other host goes by the name "{name}"', told(view.host, INVENTORY, name, "a name of its own"))


HOSTNAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}(?:[.][a-z0-9-]{1,63})*")
LONGEST_HOSTNAME = 63
LOOPBACK_NAMES = frozenset({
    "localhost", "localhost.localdomain", "localhost4", "localhost4.localdomain4",
    "localhost6", "localhost6.localdomain6",
})  # fmt: skip
NAME_RULE = "up to 63 lower-case letters, digits, dashes and dots"


@check("hostname-valid", gate=(Gate.INSTALL, Gate.POOL), ignorable=False)
def hostname_valid(view: HostView) -> Verdict:
    """The host goes by a name that a node can have."""
    name = view.host.hostname
    if view.host.inventory is None:
        return failed("The host has not told its name yet", HAS_INVENTORY.evidence)
    fix = "Give the host another name (requested_hostname)."
    if name in LOOPBACK_NAMES:
        return failed(
            f'The name "{name}" means every machine to itself', told(view.host, INVENTORY, name, "its own name", fix)
        )
    if len(name) > LONGEST_HOSTNAME or not HOSTNAME.fullmatch(name):
        return failed(
            f'The name "{name}" is not one a node can have: {NAME_RULE}, the first a letter or digit',
            told(view.host, INVENTORY, f'"{name}", {len(name)} characters', NAME_RULE, fix),
        )
    return passed(f'The name "{name}" is one a node can have', told(view.host, INVENTORY, name, NAME_RULE))


@check("sufficient-installation-disk-speed", gate=(Gate.INSTALL, Gate.PREPARATION))
def sufficient_installation_disk_speed(view: HostView) -> Verdict:
    """The disk to install to, once tried, can be written to safely."""
    host = view.host
    disk = host.installation_disk_id or host.installation_disk_path
    limit = f"{view.figures.installation_disk_speed_threshold_ms} ms for a safe write"
    if not disk:
        return unjudged(
            "No disk to install to has been chosen",
            told(
                host, INVENTORY, "no disk", "a disk", "Give the machine a disk that can be installed to, or choose one."
            ),
        )
    speed = host.disk_speeds.get(disk) or host.disk_speeds.get(host.installation_disk_path)
    if speed is None or not speed.tested:
        return passed(
            "The speed of the installation disk has not been tried yet", told(host, DISK_SPEED, "none", limit)
        )
    if speed.exit_code == 0:
        return passed("The installation disk is fast enough", told(host, DISK_SPEED, f"{speed.speed_ms} ms", limit))
    return failed(
        f"Trying the speed of the installation disk {disk} failed with exit code {speed.exit_code}",
        told(
            host,
            DISK_SPEED,
            f"exit code {speed.exit_code}",
            limit,
            "Choose another disk, or look at this one's health.",
        ),
    )


MANUFACTURERS = {PlatformType.VSPHERE: "VMware, Inc.", PlatformType.NUTANIX: "Nutanix"}
ORACLE_CLOUD = "OracleCloud.com"


def manufacturer_for(cluster: Cluster) -> str:
    """Who must have made the machines of a cluster's platform; "" if it does not matter."""
    platform = cluster.platform
    if platform.type is PlatformType.EXTERNAL and platform.platform_name == "oci":
        return ORACLE_CLOUD
    return MANUFACTURERS.get(platform.type, "")


@check("compatible-with-cluster-platform", gate=Gate.HARDWARE, needs=HAS_INVENTORY, in_pool=False)
def compatible_with_cluster_platform(view: HostView, inventory: Inventory) -> Verdict:
    """The machine is one of those the cluster's platform knows."""
    cluster = cluster_of(view)
    wanted = manufacturer_for(cluster)
    maker = inventory.system_vendor.manufacturer if inventory.system_vendor else ""
    if wanted and maker != wanted:
        return failed(
            f'The platform {cluster.platform.type} needs machines made by "{wanted}"; this one is by "{maker}"',
            told(
                view.host, INVENTORY, maker, wanted, "Choose another platform for the cluster, or use another machine."
            ),
        )
    return passed(
        f"The machine fits the platform {cluster.platform.type}",
        told(view.host, INVENTORY, maker, wanted or "any manufacturer"),
    )


@check("disk-encryption-requirements-satisfied", gate=Gate.HARDWARE, in_pool=False)
def disk_encryption_requirements_satisfied(view: HostView) -> Verdict | None:
    """The host has what is needed to unlock its encrypted disk."""
    return judge_encryption(view)


@check("vsphere-disk-uuid-enabled", gate=Gate.DISK_UUID, in_pool=False)
def vsphere_disk_uuid_enabled(view: HostView) -> Verdict | None:
    """On vSphere, every disk that can be installed to has a UUID."""
    inventory = view.host.inventory
    if inventory is None:
        return NO_INVENTORY
    if inventory.system_vendor is None or inventory.system_vendor.manufacturer != MANUFACTURERS[PlatformType.VSPHERE]:
        return None
    if not inventory.disks:
        return pending("Waiting for the host to tell its disks", HAS_INVENTORY.evidence)
    types = valid_types("", inventory.cpu.architecture if inventory.cpu else "")
    lacking = [
        disk.name
        for disk in inventory.disks
        if disk.installation_eligibility.eligible and disk.drive_type in types and not disk.has_uuid
    ]
    if lacking:
        return failed(
            f"These disks have no UUID: {some(lacking)}",
            told(view.host, INVENTORY, some(lacking), "a UUID", "Set disk.EnableUUID to TRUE for the virtual machine."),
        )
    return passed("Every disk has a UUID", told(view.host, INVENTORY, "a UUID", "a UUID"))


@check("compatible-agent", gate=Gate.INSTALL, unspoken=frozenset(Stage))
def compatible_agent(view: HostView) -> Verdict:
    """The host runs the agent that this service wants."""
    mine, wanted = view.host.discovery_agent_version, view.policy.agent_image
    if mine == wanted or not view.policy.upgrade_agents:
        return passed("The agent is the one that is wanted", told(view.host, POLL, mine, wanted))
    fix = "Wait for the agent to replace itself, or start the host from a fresh discovery image."
    return failed(f'The agent is "{mine}"; "{wanted}" is wanted', told(view.host, POLL, mine, wanted, fix))


@check("no-skip-installation-disk", gate=Gate.INSTALL)
def no_skip_installation_disk(view: HostView) -> Verdict:
    """The disk to install to is not among those to be left as they are."""
    host = view.host
    if host.installation_disk_id and host.installation_disk_id in host.skip_formatting_disks:
        return failed(
            f"The disk {host.installation_disk_id} is to be installed to and to be left as it is",
            asked(host.installation_disk_id, "another disk", "Choose another disk, or let this one be formatted."),
        )
    return passed("The disk to install to may be formatted", asked(host.installation_disk_id, "may be formatted"))


@check("no-skip-missing-disk", gate=Gate.INSTALL, needs=HAS_INVENTORY)
def no_skip_missing_disk(view: HostView, inventory: Inventory) -> Verdict:
    """Every disk to be left as it is exists."""
    wanted = view.host.skip_formatting_disks
    known = {disk.identifier for disk in inventory.disks or ()} if wanted else set()
    missing = [disk for disk in wanted if disk not in known]
    if missing:
        return failed(
            f"These disks are to be left as they are, but the host does not have them: {some(missing)}",
            asked(some(missing), "disks of the host", "Take them off the list of disks that are not to be formatted."),
        )
    return passed("Every disk to be left as it is exists", asked(f"{len(wanted)} disks", "disks of the host"))

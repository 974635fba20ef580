"""Checks of the machine itself: what it is made of, what it is called, what it boots and installs from."""

import re
from functools import partial

from muster.domain.clusters import Cluster, PlatformType
from muster.domain.disks import valid_types
from muster.domain.hosts import Host
from muster.domain.inventory import Cpu, Inventory, Memory
from muster.domain.operators import additions
from muster.domain.progress import Stage
from muster.domain.requirements import FORGIVEN_MIB, has_cores, has_memory
from muster.domain.roles import Role
from muster.domain.verdicts import Evidence, Gate, Verdict, failed, passed, pending, unjudged
from muster.domain.views import OTHERS, HostView

from .encryption import judge_encryption
from .facts import (
    DISK_SPEED,
    HAS_CPU,
    HAS_INVENTORY,
    HAS_MEMORY,
    INVENTORY,
    MIB,
    NO_INVENTORY,
    UNTOLD,
    asked,
    cluster_of,
    gib,
    seen,
    some,
    told,
)
from .registry import validation

check = partial(validation, category="hardware")


@check("has-inventory", gate=Gate.INVENTORY, ignorable=False)
def has_inventory(view: HostView) -> Verdict:
    """The host has told what it is made of, and it is one machine that tells it."""
    host = view.host
    if host.contested:
        return _judge_contest(host)
    if host.inventory is None:
        return failed("The host has not told what it is made of yet", UNTOLD)
    return passed("The host has told what it is made of", told(host, INVENTORY, "an inventory", "an inventory"))


ONE_ID_EACH = (
    "Switch off all but one of these machines, or give each an id of its own: a cloned virtual machine another system"
    " UUID, a physical one a board serial number that no other has. The host goes on by itself some minutes later."
)


def _judge_contest(host: Host) -> Verdict:
    """More than one machine has the id of the host."""
    machines = [machine.words for machine in host.sightings]
    evidence = told(host, INVENTORY, f"{len(machines)} machines", "one machine", ONE_ID_EACH)
    return failed(
        f"{len(machines)} machines report as this one host, so none can be trusted: {some(machines)}", evidence
    )


def _judge_truncation(view: HostView, inventory: Inventory, unwanted: str) -> Verdict:
    kind = inventory.truncation.type if inventory.truncation else ""
    left_out = {"": "nothing", "partial": "parts", "full": "nearly all"}
    evidence = told(view.host, INVENTORY, f"{left_out.get(kind, kind)} left out", f"not {left_out[unwanted]} left out")
    fix = "Detach disks and interfaces that the machine does not need, or raise AGENT_INVENTORY_MAX_SIZE."
    if kind not in left_out:
        words = f'The host has left something out of its inventory in a way that is not known here: "{kind}"'
        return unjudged(words, evidence.but(fix="Start the host from a fresh discovery image."))
    if kind == unwanted:
        reasons = some(list(inventory.truncation.reasons)) if inventory.truncation else ""
        words = f"The host has left out {left_out[unwanted]} of its inventory: {reasons or 'it was too large'}"
        return failed(words, evidence.but(fix=fix))
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
    least = min(view.requirements.least(single_node=view.single_node), key=lambda each: each.cpu_cores)
    evidence = told(view.host, INVENTORY, f"{cpu.count} cores", f"{least.cpu_cores} cores")
    if has_cores(cpu, least):
        return passed(f"The host has {cpu.count} CPU cores", evidence)
    return failed(
        f"The host has {cpu.count} CPU cores; every role needs at least {least.cpu_cores}",
        evidence.but(fix="Give the machine more CPU cores, or use another one."),
    )


@check("has-min-memory", gate=(Gate.HARDWARE, Gate.POOL), needs=HAS_MEMORY)
def has_min_memory(view: HostView, memory: Memory) -> Verdict:
    """The host has the memory that the least demanding role needs."""
    least = min(view.requirements.least(single_node=view.single_node), key=lambda each: each.ram_mib)
    need = least.ram_mib * MIB
    # The kernel's own count leaves out what it keeps for itself, which grows with the size.
    forgiven = FORGIVEN_MIB * MIB + (need // 50 if memory.physical_bytes_method == "meminfo" else 0)
    have = gib(memory.physical_bytes)
    evidence = told(view.host, INVENTORY, have, f"{gib(need)}, or {forgiven // MIB} MiB less")
    if memory.physical_bytes >= need - forgiven:
        return passed(f"The host has {have} of memory", evidence)
    return failed(
        f"The host has {have} of memory; every role needs at least {gib(need)}",
        evidence.but(fix="Give the machine more memory, or use another one."),
    )


@check("has-min-valid-disks", gate=(Gate.HARDWARE, Gate.POOL), needs=HAS_INVENTORY)
def has_min_valid_disks(view: HostView, inventory: Inventory) -> Verdict:
    """The host has a disk to install to."""
    disks, need = inventory.disks or (), f"{view.base_figures.disk_size_gb} GB"
    good = sum(disk.installation_eligibility.eligible for disk in disks)
    evidence = told(view.host, INVENTORY, f"{good} of {len(disks)} disks", f"1 disk of {need}")
    if good:
        return passed(f"The host has {good} disks that can be installed to", evidence)
    fix = f"Give the machine a disk of {need} or more"
    if not disks:
        words = "The host has told of no disk at all"
        return unjudged(words, evidence.but(fix=f"{fix}, or look at its storage controller."))
    reasons = [f"{disk.name}: {', '.join(disk.installation_eligibility.not_eligible_reasons or ())}" for disk in disks]
    return failed(
        f"The host has no disk that can be installed to: {some(reasons)}",
        evidence.but(fix=f"{fix}, or put right what is said against one that it has."),
    )


def _role(view: HostView) -> str:
    """The role a host is held to, for a sentence."""
    if view.unbound:
        return "host of the pool"
    return "single node" if view.single_node and view.role is Role.MASTER else str(view.role)


ANOTHER_ROLE = (
    "Give the machine more, choose another role for the host (host_role), leave out operators, or use another machine."
)


def _with_shares(total: str, shares: dict[str, str]) -> str:
    """What a host needs, and which part of it each operator asks for on top of the role."""
    if not shares:
        return total
    return f"{total}, of which {', '.join(f'{share} for {name}' for name, share in shares.items())}"


@check("has-cpu-cores-for-role", gate=Gate.INSTALL, needs=HAS_CPU, of_others=OTHERS)
def has_cpu_cores_for_role(view: HostView, cpu: Cpu) -> Verdict:
    """The host has the CPU cores that its role and the operators on it need."""
    shares = {name: f"{each.cpu_cores}" for name, each in additions(view).items() if each.cpu_cores}
    need, role = _with_shares(f"{view.figures.cpu_cores}", shares), _role(view)
    evidence = told(view.host, INVENTORY, f"{cpu.count} cores", f"{need} cores")
    if has_cores(cpu, view.figures):
        return passed(f"The host has {cpu.count} CPU cores, enough for the role {role}", evidence)
    return failed(
        f"The host has {cpu.count} CPU cores; the role {role} needs at least {need}", evidence.but(fix=ANOTHER_ROLE)
    )


@check("has-memory-for-role", gate=Gate.INSTALL, needs=HAS_MEMORY, of_others=OTHERS)
def has_memory_for_role(view: HostView, memory: Memory) -> Verdict:
    """The host has the memory that its role and the operators on it need."""
    shares = {name: gib(each.ram_mib * MIB) for name, each in additions(view).items() if each.ram_mib}
    have, role = gib(memory.physical_bytes), _role(view)
    need = _with_shares(gib(view.figures.ram_mib * MIB), shares)
    evidence = told(view.host, INVENTORY, have, f"{need}, or {FORGIVEN_MIB} MiB less")
    if has_memory(memory, view.figures):
        return passed(f"The host has {have} of memory, enough for the role {role}", evidence)
    return failed(
        f"The host has {have} of memory; the role {role} needs at least {need}", evidence.but(fix=ANOTHER_ROLE)
    )


ANOTHER_NAME = "Give the host another name (host_name)."


def _name_evidence(host: Host, required: str, fix: str = "") -> Evidence:
    """Where the name of a host comes from: the user, or else the machine itself."""
    if host.requested_hostname:
        return asked(host.hostname, required, fix)
    return told(host, INVENTORY, host.hostname or "no name", required, fix)


@check(
    "hostname-unique",
    gate=Gate.INSTALL,
    needs=HAS_INVENTORY,
    in_pool=False,
    ignorable=False,
    of_others=frozenset({"hostnames"}),
)
def hostname_unique(view: HostView, _: Inventory) -> Verdict:
    """No other host of the cluster goes by the same name."""
    name = view.host.hostname
    count = view.peers.hostnames.get(name, 0)
    if count > 1:
        evidence = _name_evidence(view.host, "a name of its own", ANOTHER_NAME)
        return failed(f'{count} hosts of the cluster go by the name "{name}"', evidence)
    return passed(f'No other host goes by the name "{name}"', _name_evidence(view.host, "a name of its own"))


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
    host, name = view.host, view.host.hostname
    if host.inventory is None:
        return failed("The host has not told its name yet", UNTOLD)
    if name in LOOPBACK_NAMES:
        evidence = _name_evidence(host, "a name of its own", ANOTHER_NAME)
        return failed(f'The name "{name}" means every machine to itself', evidence)
    if len(name) > LONGEST_HOSTNAME or not HOSTNAME.fullmatch(name):
        return failed(
            f'The name "{name}" ({len(name)} characters) is not one a node can have: {NAME_RULE}, the first a letter'
            " or digit",
            _name_evidence(host, NAME_RULE, ANOTHER_NAME),
        )
    return passed(f'The name "{name}" is one a node can have', _name_evidence(host, NAME_RULE))


@check("sufficient-installation-disk-speed", gate=(Gate.INSTALL, Gate.PREPARATION))
def sufficient_installation_disk_speed(view: HostView) -> Verdict:
    """The disk to install to, once tried, can be written to safely."""
    host = view.host
    disk = host.installation_disk_id or host.installation_disk_path
    threshold = view.base_figures.installation_disk_speed_threshold_ms
    limit = f"{threshold} ms for a safe write" if threshold else "any speed"
    if not disk:
        fix = "Give the machine a disk that can be installed to, or choose one (disks_selected_config)."
        return unjudged("No disk to install to has been chosen", told(host, INVENTORY, "no disk", "a disk", fix))
    speed = host.disk_speeds.get(disk) or host.disk_speeds.get(host.installation_disk_path)
    if speed is None or not speed.tested:
        words = "The speed of the installation disk is tried out when the installation begins"
        return passed(words, told(host, DISK_SPEED, "not tried yet", limit))
    if speed.exit_code == 0:
        return passed(_of_speed(speed.speed_ms, threshold), told(host, DISK_SPEED, f"{speed.speed_ms} ms", limit))
    fix = "Choose another disk (disks_selected_config), or look at this one's health and have it tried again."
    return failed(
        f"Trying the speed of the installation disk {disk} failed with exit code {speed.exit_code}",
        told(host, DISK_SPEED, f"exit code {speed.exit_code}", limit, fix),
    )


def _of_speed(milliseconds: int, threshold: int) -> str:
    if 0 < threshold < milliseconds:
        return (
            f"The installation disk takes {milliseconds} ms for a safe write; slower than the {threshold} ms supported"
        )
    return "The installation disk is fast enough"


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
    evidence = told(view.host, INVENTORY, maker or "no manufacturer", wanted or "any manufacturer")
    if wanted and maker != wanted:
        return failed(
            f'The platform {cluster.platform.type} needs machines made by "{wanted}"; this one is by "{maker}"',
            evidence.but(fix="Choose another platform for the cluster (platform), or use another machine."),
        )
    return passed(f"The machine fits the platform {cluster.platform.type}", evidence)


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
        return pending("Waiting for the host to tell its disks", UNTOLD)
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
    if not view.policy.upgrade_agents:
        return passed("Any agent will do", seen(view, mine or "unknown", "any agent"))
    evidence = seen(view, mine or "unknown", wanted)
    if mine == wanted:
        return passed("The agent is the one that is wanted", evidence)
    fix = "Wait for the agent to replace itself, or start the host from a fresh discovery image."
    return failed(f'The agent is "{mine}"; "{wanted}" is wanted', evidence.but(fix=fix))


WHICH_OF_TWO = (
    "Choose another disk to install to (disks_selected_config), or let this one be formatted (disks_skip_formatting)."
)


@check("no-skip-installation-disk", gate=Gate.INSTALL)
def no_skip_installation_disk(view: HostView) -> Verdict:
    """The disk to install to is not among those to be left as they are."""
    host = view.host
    if host.installation_disk_id and host.installation_disk_id in host.skip_formatting_disks:
        return failed(
            f"The disk {host.installation_disk_id} is to be installed to and to be left as it is",
            asked(host.installation_disk_id, "a disk that may be formatted", WHICH_OF_TWO),
        )
    return passed(
        "The disk to install to may be formatted",
        asked(host.installation_disk_id or "no disk", "a disk that may be formatted"),
    )


GONE = "Take them off the list (disks_skip_formatting), or give the machine its disks back."


@check("no-skip-missing-disk", gate=Gate.INSTALL, needs=HAS_INVENTORY)
def no_skip_missing_disk(view: HostView, inventory: Inventory) -> Verdict:
    """Every disk to be left as it is exists."""
    wanted = view.host.skip_formatting_disks
    known = {disk.identifier for disk in inventory.disks or ()} if wanted else set()
    missing = [disk for disk in wanted if disk not in known]
    if missing:
        return failed(
            f"These disks are to be left as they are, but the host does not have them: {some(missing)}",
            asked(some(missing), "disks of the host", GONE),
        )
    return passed("Every disk to be left as it is exists", asked(f"{len(wanted)} disks", "disks of the host"))

"""What follows from the facts without anyone asking: disks, roles, networks, groups, percentages."""

from . import host_events
from .clusters import Cluster
from .connectivity import ip_collisions, least_group, majority_groups
from .disks import chosen, judged, to_be_formatted
from .draft import Draft
from .hosts import Host
from .machine_networks import machine_networks_of
from .networks import Vip, VipVerification
from .progress import ClusterProgress
from .roles import WITH_ARBITER, Role
from .states.clusters import BEFORE_INSTALL as CLUSTER_BEFORE_INSTALL
from .states.clusters import ClusterState
from .states.hosts import CHOOSING
from .suggestions import suggested_roles
from .views import NO_PEERS, HostView, View, peers_of

FEWEST_WORKERS = 2


def derive_disks(draft: Draft, host: Host) -> Host:
    """Which disks may be written to, which one is, and which others are made unbootable."""
    if host.inventory is None or host.status not in CHOOSING:
        return host
    case = HostView(draft.view, host, NO_PEERS)
    architecture = host.inventory.cpu.architecture if host.inventory.cpu else ""
    inventory = judged(host.inventory, case.base_figures, case.version, architecture)
    disk = chosen(inventory, host.installation_disk_id, host.installation_disk_path)
    return host.but(
        inventory=inventory,
        installation_disk_id=disk.identifier if disk else "",
        installation_disk_path=disk.device if disk else "",
        disks_to_be_formatted=to_be_formatted(inventory),
    )


def derive_roles(draft: Draft) -> list[Host]:
    """What each host without an asked role should become; returns those that other disks will do for now."""
    judged_otherwise = []
    for host_id, role in suggested_roles(draft.view).items():
        before = draft.view.hosts[host_id]
        if before.suggested_role is not role:
            host = before.but(suggested_role=role)
            draft.put(host)
            draft.tell(host_events.host_role_updated(host))
            if _disk_needed(draft.view, host) != _disk_needed(draft.view, before):
                judged_otherwise.append(host)
    return judged_otherwise


def _disk_needed(view: View, host: Host) -> int:
    return HostView(view, host, NO_PEERS).base_figures.disk_size_gb


def derive_networks(view: View, cluster: Cluster) -> Cluster:
    """The machine networks that the hosts' addresses point to, and what is known of the virtual addresses."""
    if cluster.status not in CLUSTER_BEFORE_INSTALL:
        return cluster
    cluster = _placed(view, cluster)
    workers = sum(host.effective_role is Role.WORKER for host in view.living)
    awaited_since = cluster.awaits_leases_since
    return cluster.but(
        vips_overdue=cluster.vips_overdue
        and awaited_since is not None
        and view.now > awaited_since + view.policy.dhcp_lease,
        schedulable_masters_forced_true=cluster.single_node or workers < FEWEST_WORKERS,
        api_vips=_verified(cluster.api_vips, view),
        ingress_vips=_verified(cluster.ingress_vips, view),
    )


UNFINISHED = CLUSTER_BEFORE_INSTALL - {ClusterState.READY}
"""States in which the machine networks follow the hosts; those of a cluster that is ready stay as they are."""


def _placed(view: View, cluster: Cluster) -> Cluster:
    """The cluster in the machine networks that follow from its hosts."""
    if cluster.status not in UNFINISHED:
        return cluster
    networks = machine_networks_of(cluster, view.living)
    if networks == cluster.machine_networks:
        return cluster
    placed = cluster.but(machine_networks=networks, machine_network_updated_at=view.now)
    if not cluster.vip_dhcp_allocation:
        return placed
    # Addresses that were leased in another network are of no use in this one.
    return placed.but(api_vips=(), ingress_vips=(), api_vip_lease="", ingress_vip_lease="")


def _verified(vips: tuple[Vip, ...], view: View) -> tuple[Vip, ...]:
    """The virtual addresses with what the hosts found on them: one bad finding outweighs the good ones."""
    found: dict[str, set[str]] = {}
    for host in view.living:
        for check in host.vip_checks:
            found.setdefault(check.vip, set()).add(check.verification)
    return tuple(vip.but(verification=_worst(found.get(vip.ip, set()))) for vip in vips)


def _worst(findings: set[str]) -> VipVerification | None:
    for verification in (VipVerification.FAILED, VipVerification.SUCCEEDED, VipVerification.UNVERIFIED):
        if verification in findings:
            return verification
    return None


def derive_groups(view: View, cluster: Cluster) -> Cluster:
    """Who reaches whom, and whose addresses collide."""
    known = cluster.majority_groups is not None
    if cluster.status not in CLUSTER_BEFORE_INSTALL or not (view.living or known):
        return cluster
    return cluster.but(
        majority_groups=majority_groups(view.living, least_group(fenced_pair=_fenced_pair(view, cluster))),
        ip_collisions=ip_collisions(view.living),
    )


def _fenced_pair(view: View, cluster: Cluster) -> bool:
    """Whether the control plane is two hosts that can switch each other off."""
    return cluster.control_plane_count == WITH_ARBITER and peers_of(view.living).fenced_pair


COUNTED = frozenset({ClusterState.INSTALLING, ClusterState.FINALIZING, ClusterState.PENDING_USER_ACTION})
"""States in which the percentages move."""


def derive_progress(view: View, cluster: Cluster) -> Cluster:
    """How far the installation has come, from the stages of the hosts and the state of the operators."""
    if cluster.status not in COUNTED or cluster.day2:
        return cluster
    done = total = 0
    for host in view.living:
        stages = host.stages(single_node=cluster.single_node)
        total += len(stages)
        stage = host.progress.current_stage
        done += stages.index(stage) + 1 if stage in stages else 0
    operators = cluster.operators
    settled = sum(operator.settled for operator in operators)
    return cluster.but(
        progress=_never_back(
            cluster.progress,
            installing=100 * done // total if total else 0,
            finalizing=100 * settled // len(operators) if operators else 0,
        )
    )


def _never_back(before: ClusterProgress, *, installing: int, finalizing: int) -> ClusterProgress:
    """How far it has come: an operator that fails again, or a host that is taken out, takes nothing back."""
    progress = before.but(
        installing_stage_percentage=max(installing, before.installing_stage_percentage),
        finalizing_stage_percentage=max(finalizing, before.finalizing_stage_percentage),
    )
    return progress.but(total_percentage=max(progress.total, before.total_percentage))

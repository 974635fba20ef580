"""What follows from the facts without anyone asking: disks, roles, networks, groups, percentages."""

from . import events
from .clusters import Cluster
from .connectivity import ip_collisions, majority_groups
from .disks import chosen, judged, to_be_formatted
from .draft import Draft
from .hosts import Host
from .networks import Vip, VipVerification, machine_networks_from_vips
from .progress import ClusterProgress
from .roles import Role
from .states.clusters import BEFORE_INSTALL as CLUSTER_BEFORE_INSTALL
from .states.clusters import ClusterState
from .states.hosts import BEFORE_INSTALL, IN_POOL
from .suggestions import suggested_roles
from .views import HostView, View, peers_of

FEWEST_WORKERS = 2


def derive_disks(draft: Draft, host: Host) -> Host:
    """Which disks may be written to, which one is, and which others are made unbootable."""
    if host.inventory is None or host.status not in BEFORE_INSTALL | IN_POOL:
        return host
    case = HostView(draft.view, host, peers_of(()))
    architecture = host.inventory.cpu.architecture if host.inventory.cpu else ""
    inventory = judged(host.inventory, case.figures, case.version, architecture)
    disk = chosen(inventory, host.installation_disk_id, host.installation_disk_path)
    return host.but(
        inventory=inventory,
        installation_disk_id=disk.identifier if disk else "",
        installation_disk_path=disk.device if disk else "",
        disks_to_be_formatted=to_be_formatted(inventory),
    )


def derive_roles(draft: Draft) -> None:
    """What each host without an asked role should become."""
    for host_id, role in suggested_roles(draft.view).items():
        host = draft.view.hosts[host_id]
        if host.suggested_role is not role:
            host = host.but(suggested_role=role)
            draft.put(host)
            draft.tell(events.host_role_updated(host))


def derive_networks(view: View, cluster: Cluster) -> Cluster:
    """The machine networks that the virtual addresses and the hosts' own addresses point to."""
    if cluster.status not in CLUSTER_BEFORE_INSTALL:
        return cluster
    workers = sum(host.effective_role is Role.WORKER for host in view.living)
    return cluster.but(
        machine_networks=machine_networks_from_vips(cluster, view.living),
        schedulable_masters_forced_true=cluster.single_node or workers < FEWEST_WORKERS,
        api_vips=_verified(cluster.api_vips, view),
        ingress_vips=_verified(cluster.ingress_vips, view),
    )


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
    if cluster.status not in CLUSTER_BEFORE_INSTALL or not view.living:
        return cluster
    return cluster.but(majority_groups=majority_groups(view.living), ip_collisions=ip_collisions(view.living))


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
    progress = cluster.progress.but(
        installing_stage_percentage=100 * done // total if total else 0,
        finalizing_stage_percentage=100 * settled // len(operators) if operators else 0,
    )
    return cluster.but(progress=_never_back(progress))


def _never_back(progress: ClusterProgress) -> ClusterProgress:
    return progress.but(total_percentage=max(progress.total, progress.total_percentage))

"""Named booleans about a cluster, for the rows of its table, and what comes with a move."""

from muster.domain import events
from muster.domain.clusters import Cluster, ClusterKind, Preparation, PreparationStatus
from muster.domain.events import Event
from muster.domain.monitored import OperatorStatus
from muster.domain.networks import Vip
from muster.domain.progress import MAY_TAKE_LONGER, ClusterProgress
from muster.domain.verdicts import Gate

from .cases import ClusterCase, logs_clock
from .hosts import HostState as H
from .table import Condition, condition, since

UNDER_WAY = frozenset({H.INSTALLING, H.IN_PROGRESS, H.INSTALLED, H.PENDING_USER_ACTION, H.PREPARED})
IN_PREPARATION = frozenset({H.PREPARING, H.PREPARED, H.PREPARING_FAILED, H.KNOWN})
ENDED = frozenset({H.INSTALLED, H.ERROR})


# Conditions


def is_open(gate: Gate) -> Condition[ClusterCase]:
    """No check of this gate fails."""
    return Condition(f"{gate} checks pass", lambda case: gate not in case.assessment.closed)


@condition
def vips_by_dhcp(case: ClusterCase) -> bool:
    """The virtual addresses are leased."""
    return case.cluster.vip_dhcp_allocation


@condition
def all_hosts_prepared(case: ClusterCase) -> bool:
    """Every host is prepared."""
    return bool(case.hosts) and all(host.status is H.PREPARED for host in case.hosts)


@condition
def a_host_left_preparation(case: ClusterCase) -> bool:
    """A host is in a state that preparation does not know."""
    return any(host.status not in IN_PREPARATION for host in case.hosts)


@condition
def a_host_cannot_be_prepared(case: ClusterCase) -> bool:
    """A host could not be prepared."""
    return any(host.status is H.PREPARING_FAILED for host in case.hosts)


@condition
def files_generated(case: ClusterCase) -> bool:
    """The files of the installation are there."""
    return case.cluster.preparation.status is PreparationStatus.SUCCESS


@condition
def files_failed(case: ClusterCase) -> bool:
    """The files of the installation could not be generated."""
    return case.cluster.preparation.status is PreparationStatus.FAILED


@condition
def enough_hosts_under_way(case: ClusterCase) -> bool:
    """Enough hosts are being installed, or are installed."""
    return case.enough_in(UNDER_WAY)


@condition
def enough_hosts_installed(case: ClusterCase) -> bool:
    """Enough hosts are installed."""
    return case.enough_in({H.INSTALLED})


@condition
def a_host_waits_for_the_user(case: ClusterCase) -> bool:
    """A host waits for the user."""
    return any(host.status is H.PENDING_USER_ACTION for host in case.hosts)


@condition
def complete(case: ClusterCase) -> bool:
    """The kubeconfig is there, no operator is waited for, and no host is under way any more."""
    cluster = case.cluster
    return (
        cluster.kubeconfig_published
        and all(operator.settled for operator in cluster.operators)
        and all(host.status in ENDED for host in case.hosts)
    )


@condition
def an_operator_failed(case: ClusterCase) -> bool:
    """An additional operator did not come up."""
    return any(operator.status is OperatorStatus.FAILED for operator in case.cluster.operators)


@condition
def a_host_failed(case: ClusterCase) -> bool:
    """A host did not make it."""
    return any(host.status is H.ERROR for host in case.hosts)


@condition
def stage_may_take_longer(case: ClusterCase) -> bool:
    """The cluster is there even without what the finalizing stage waits for."""
    return case.cluster.progress.finalizing_stage in MAY_TAKE_LONGER


@condition
def stage_is_known_to_be_late(case: ClusterCase) -> bool:
    """The user was told that the finalizing stage takes too long."""
    return case.cluster.progress.finalizing_stage_timed_out


@condition
def leases_are_known_to_be_overdue(case: ClusterCase) -> bool:
    """The user was told that no DHCP server has leased the virtual addresses."""
    return case.cluster.vips_overdue


@condition
def limits_are_soft(case: ClusterCase) -> bool:
    """Taking too long is told and not punished."""
    return case.limits_are_soft


@condition
def is_new(case: ClusterCase) -> bool:
    """The cluster was installed here, and takes in no hosts yet."""
    return case.cluster.kind is ClusterKind.CLUSTER


leases_are_overdue = since(
    "the leases of the virtual addresses are overdue",
    lambda case: (
        (awaited_since, case.policy.dhcp_lease) if (awaited_since := case.cluster.awaits_leases_since) else None
    ),
)
preparation_took_too_long = since(
    "preparation took too long", lambda case: (case.cluster.status_updated_at, case.policy.cluster_preparation)
)
finalizing_took_too_long = since(
    "finalizing took too long", lambda case: (case.cluster.status_updated_at, case.policy.finalizing)
)
installation_took_too_long = since(
    "the installation took too long",
    lambda case: (
        (case.cluster.install_started_at, case.policy.installation) if case.cluster.install_started_at else None
    ),
)

stage_took_too_long = since(
    "the finalizing stage took too long",
    lambda case: (
        (stage_at, limit)
        if (limit := case.stage_limit) and (stage_at := case.cluster.progress.finalizing_stage_started_at)
        else None
    ),
)
logs_are_overdue = since(
    "the logs are overdue",
    lambda case: logs_clock(
        case.cluster.logs_info,
        case.policy.cluster_logs,
        failed_at=case.cluster.status_updated_at,
        started_at=case.cluster.controller_logs_started_at,
        collected_at=case.cluster.controller_logs_collected_at,
    ),
)

inputs_given = is_open(Gate.INPUT)
vips_given = is_open(Gate.VIPS)
ready = is_open(Gate.INSTALL)
enough_hosts = enough_hosts_under_way | enough_hosts_installed


# What comes with a move


def starts_over(case: ClusterCase) -> Cluster:
    """An attempt leaves nothing behind but what the user wrote."""
    single = case.cluster.single_node
    return case.cluster.but(
        progress=ClusterProgress(),
        logs_info="",
        controller_logs_started_at=None,
        controller_logs_collected_at=None,
        openshift_cluster_id="",
        kubeconfig_published=False,
        operators=tuple(
            operator.but(status=None, status_info="", status_updated_at=None, version="")
            for operator in case.cluster.operators
        ),
        preparation=Preparation(attempt=case.cluster.preparation.attempt, status=PreparationStatus.NOT_STARTED),
        api_vips=() if single else case.cluster.api_vips,
        ingress_vips=() if single else case.cluster.ingress_vips,
    )


def starts(case: ClusterCase) -> Cluster:
    """A new attempt begins now."""
    return case.cluster.but(
        install_started_at=case.now,
        install_completed_at=None,
        kubeconfig_published=False,
        logs_info="",
        controller_logs_started_at=None,
        controller_logs_collected_at=None,
        preparation=Preparation(attempt=case.cluster.preparation.attempt + 1, status=PreparationStatus.NOT_STARTED),
    )


def is_prepared(case: ClusterCase) -> Cluster:
    """The first tenth is done. A single node's own address serves as both virtual addresses."""
    cluster = case.cluster
    progress = cluster.progress.but(preparing_for_installation_stage_percentage=100)
    cluster = cluster.but(progress=progress.but(total_percentage=progress.total))
    if not cluster.single_node or not cluster.machine_networks:
        return cluster
    from_network = case.hosts[0].address_in(cluster.machine_networks[0]) if case.hosts else ""
    own = (Vip(ip=from_network),) if from_network else ()
    return cluster.but(api_vips=own, ingress_vips=own)


def times_out(case: ClusterCase) -> Cluster:
    """The attempt to prepare has failed for want of time; how far the files had come is told."""
    preparation = case.cluster.preparation
    reached = f"; the last that was heard: {preparation.reason}" if preparation.reason else ""
    return case.cluster.but(
        preparation=preparation.but(
            status=PreparationStatus.FAILED, reason=f"preparing the installation took too long{reached}"
        )
    )


def finalizes_again(case: ClusterCase) -> Cluster:
    """The clock of the finalizing stage starts anew: the user was waited for."""
    return case.cluster.but(
        progress=case.cluster.progress.but(finalizing_stage_started_at=case.now, finalizing_stage_timed_out=False)
    )


def is_late(case: ClusterCase) -> Cluster:
    """The finalizing stage takes too long, and that has been said."""
    return case.cluster.but(progress=case.cluster.progress.but(finalizing_stage_timed_out=True))


def gives_leases_up(case: ClusterCase) -> Cluster:
    """No DHCP server has leased the virtual addresses in time, and that has been said."""
    return case.cluster.but(vips_overdue=True)


def gives_logs_up(case: ClusterCase) -> Cluster:
    """Nobody waits for the logs any longer."""
    return case.cluster.but(logs_info="timeout")


def takes_in_hosts(case: ClusterCase) -> Cluster:
    """Hosts that are added find the cluster by its address, or by its name where it has none of its own."""
    cluster = case.cluster
    by_address = not cluster.user_managed_networking and cluster.api_vips
    name = cluster.api_vips[0].ip if by_address else f"api.{cluster.domain}"
    return cluster.but(kind=ClusterKind.ADD_HOSTS, api_vip_dns_name=name)


def ends(case: ClusterCase) -> Cluster:
    """The attempt is over."""
    return case.cluster.but(install_completed_at=case.now)


def succeeds(case: ClusterCase) -> Cluster:
    """The attempt is over and nothing is left to do."""
    progress = case.cluster.progress.but(finalizing_stage_percentage=100, total_percentage=100)
    return ends(case).but(progress=progress)


# What is told besides the new state


def tells_of_the_timeout(cluster: Cluster) -> tuple[Event, ...]:
    """Preparing took too long."""
    return (events.installation_preparing_timed_out(cluster),)


def tells_of_overdue_leases(cluster: Cluster) -> tuple[Event, ...]:
    """No DHCP server has leased the virtual addresses."""
    return (events.api_ingress_vip_timed_out(cluster),)


def tells_of_the_late_stage(cluster: Cluster) -> tuple[Event, ...]:
    """A finalizing stage takes too long."""
    return (events.finalizing_stage_timed_out(cluster),)


def tells_of_failure(cluster: Cluster) -> tuple[Event, ...]:
    """The installation ends badly."""
    return (events.cluster_installation_failed(cluster),)


def tells_of_success(cluster: Cluster) -> tuple[Event, ...]:
    """The installation ends well."""
    return (events.cluster_installation_completed(cluster),)


def tells_of_loss(cluster: Cluster) -> tuple[Event, ...]:
    """The installation ends, and operators are missing."""
    return (events.cluster_degraded_olm_operators_failed(cluster), events.cluster_installation_completed(cluster))

"""Named booleans about a cluster, and every row of its state machine. First match wins; every row says why."""

from muster.domain.clusters import Cluster, Preparation, PreparationStatus
from muster.domain.networks import Vip
from muster.domain.operators import OperatorStatus
from muster.domain.progress import ClusterProgress
from muster.domain.triggers import Cancel, Install, Reset, Ticked
from muster.domain.verdicts import Gate

from .cases import ClusterCase
from .clusters import BEFORE_INSTALL
from .clusters import ClusterState as S
from .hosts import HostState as H
from .table import Condition, Table, Transition, condition, since

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

inputs_given = is_open(Gate.INPUT)
vips_given = is_open(Gate.VIPS)
ready = is_open(Gate.INSTALL)


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
    """The attempt to prepare has failed for want of time."""
    return case.cluster.but(
        preparation=case.cluster.preparation.but(
            status=PreparationStatus.FAILED, reason="preparing the installation took too long"
        )
    )


def finalizes(case: ClusterCase) -> Cluster:
    """The clock of the first finalizing stage starts."""
    return case.cluster.but(
        progress=case.cluster.progress.but(finalizing_stage_started_at=case.now, finalizing_stage_timed_out=False)
    )


def ends(case: ClusterCase) -> Cluster:
    """The attempt is over."""
    return case.cluster.but(install_completed_at=case.now)


def succeeds(case: ClusterCase) -> Cluster:
    """The attempt is over and nothing is left to do."""
    progress = case.cluster.progress.but(finalizing_stage_percentage=100, total_percentage=100)
    return ends(case).but(progress=progress)


PREPARING = frozenset({S.PREPARING})
INSTALLING = frozenset({S.INSTALLING})
FINALIZING = frozenset({S.FINALIZING})
WAITING = frozenset({S.PENDING_USER_ACTION})
UNFINISHED = frozenset({S.INSTALLING, S.PENDING_USER_ACTION, S.ERROR, S.FINALIZING})

ASKED = (
    Transition(
        on=Cancel,
        source=UNFINISHED,
        target=S.CANCELLED,
        does=ends,
        because="The installation was cancelled by the user",
    ),
    Transition(on=Cancel, source=PREPARING, target=S.READY, because="The installation was cancelled by the user"),
    Transition(
        on=Reset,
        source=UNFINISHED | {S.PREPARING, S.CANCELLED},
        target=S.INSUFFICIENT,
        does=starts_over,
        because="The installation was reset by the user",
    ),
    Transition(
        on=Install,
        source=frozenset({S.READY}),
        target=S.PREPARING,
        does=starts,
        because="The installation is being prepared",
    ),
)

DESCRIBED = (
    Transition(
        on=Ticked,
        source=BEFORE_INSTALL,
        target=S.PENDING_FOR_INPUT,
        when=~vips_by_dhcp & ~(vips_given & inputs_given),
        because="Waiting for your input: {failing}",
    ),
    Transition(
        on=Ticked,
        source=BEFORE_INSTALL,
        target=S.INSUFFICIENT,
        when=~vips_by_dhcp & vips_given & inputs_given & ~ready,
        because="The cluster is not ready to be installed: {failing}",
    ),
    Transition(
        on=Ticked,
        source=BEFORE_INSTALL,
        target=S.PENDING_FOR_INPUT,
        when=vips_by_dhcp & ~inputs_given,
        because="Waiting for your input: {failing}",
    ),
    Transition(
        on=Ticked,
        source=BEFORE_INSTALL,
        target=S.INSUFFICIENT,
        when=vips_by_dhcp & inputs_given & ~(ready & vips_given),
        because="The cluster is not ready to be installed: {failing}",
    ),
    Transition(
        on=Ticked,
        source=BEFORE_INSTALL,
        target=S.READY,
        when=inputs_given & vips_given & ready,
        because="The cluster is ready to be installed",
    ),
)

PREPARED = (
    Transition(
        on=Ticked,
        source=PREPARING,
        target=S.READY,
        when=preparation_took_too_long & ~a_host_cannot_be_prepared,
        does=times_out,
        because="Preparing the installation took too long; look at the hosts that are not prepared and install again",
    ),
    Transition(
        on=Ticked,
        source=PREPARING,
        target=S.INSTALLING,
        when=all_hosts_prepared & files_generated,
        does=is_prepared,
        because="The hosts are being installed",
    ),
    Transition(
        on=Ticked,
        source=PREPARING,
        target=S.INSUFFICIENT,
        when=a_host_left_preparation,
        because="A host is no longer ready to be installed",
    ),
    Transition(
        on=Ticked,
        source=PREPARING,
        target=S.READY,
        when=a_host_cannot_be_prepared,
        because="A host could not be prepared; see its status, put it right and install again",
    ),
    Transition(
        on=Ticked,
        source=PREPARING,
        target=S.READY,
        when=files_failed,
        because="The files for the installation could not be generated: {reason}",
    ),
    Transition(on=Ticked, source=PREPARING),
)

UNDERWAY = (
    Transition(
        on=Ticked,
        source=WAITING,
        target=S.ERROR,
        when=~(enough_hosts_under_way | enough_hosts_installed),
        does=ends,
        because="Too many hosts have failed: {failed_hosts}",
    ),
    Transition(
        on=Ticked,
        source=WAITING,
        target=S.ERROR,
        when=installation_took_too_long,
        does=ends,
        because="The user took too long to help the waiting hosts: {waiting_hosts}",
    ),
    Transition(
        on=Ticked,
        source=FINALIZING,
        target=S.ERROR,
        when=finalizing_took_too_long,
        does=ends,
        because="The cluster did not come up in time, at stage: {stage}",
    ),
    Transition(
        on=Ticked,
        source=WAITING,
        when=a_host_waits_for_the_user & (enough_hosts_under_way | enough_hosts_installed),
        because="Waiting for you to help these hosts: {waiting_hosts}",
    ),
    Transition(
        on=Ticked,
        source=WAITING,
        target=S.INSTALLING,
        when=~a_host_waits_for_the_user & enough_hosts_under_way & ~enough_hosts_installed,
        because="The hosts are being installed",
    ),
    Transition(
        on=Ticked,
        source=WAITING,
        target=S.FINALIZING,
        when=~a_host_waits_for_the_user & enough_hosts_installed,
        does=finalizes,
        because="The hosts are installed; the cluster is coming up",
    ),
    Transition(
        on=Ticked,
        source=INSTALLING | FINALIZING,
        target=S.PENDING_USER_ACTION,
        when=(enough_hosts_under_way | enough_hosts_installed) & a_host_waits_for_the_user,
        because="Waiting for you to help these hosts: {waiting_hosts}",
    ),
    Transition(
        on=Ticked,
        source=INSTALLING,
        target=S.FINALIZING,
        when=enough_hosts_installed & ~a_host_waits_for_the_user,
        does=finalizes,
        because="The hosts are installed; the cluster is coming up",
    ),
    Transition(on=Ticked, source=INSTALLING, when=enough_hosts_under_way),
    Transition(
        on=Ticked,
        source=FINALIZING,
        target=S.INSTALLED,
        when=complete & an_operator_failed,
        does=succeeds,
        because="The cluster is installed, but these operators did not come up: {failed_operators}",
    ),
    Transition(
        on=Ticked,
        source=FINALIZING,
        target=S.INSTALLED,
        when=complete & a_host_failed,
        does=succeeds,
        because="The cluster is installed, but these hosts are missing: {failed_hosts}",
    ),
    Transition(
        on=Ticked,
        source=FINALIZING,
        target=S.INSTALLED,
        when=complete,
        does=succeeds,
        because="The cluster is installed",
    ),
    Transition(
        on=Ticked,
        source=INSTALLING,
        target=S.ERROR,
        does=ends,
        because="Too many hosts have failed: {failed_hosts}",
    ),
    Transition(
        on=Ticked,
        source=frozenset({S.FINALIZING, S.INSTALLED, S.ERROR, S.CANCELLED, S.ADDING_HOSTS, S.UNMONITORED}),
    ),
)

CLUSTER_TABLE: Table[ClusterCase] = Table((*ASKED, *DESCRIBED, *PREPARED, *UNDERWAY))

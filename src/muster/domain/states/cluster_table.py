"""Every row of the cluster's state machine. First match wins; every row says why."""

from muster.domain.triggers import AllowAddHosts, Cancel, Install, Reset, Ticked

from .cases import ClusterCase
from .cluster_conditions import (
    a_host_cannot_be_prepared,
    a_host_failed,
    a_host_left_preparation,
    a_host_waits_for_the_user,
    all_hosts_prepared,
    an_operator_failed,
    complete,
    ends,
    enough_hosts,
    enough_hosts_installed,
    enough_hosts_under_way,
    files_failed,
    files_generated,
    finalizes_again,
    finalizing_took_too_long,
    gives_leases_up,
    gives_logs_up,
    inputs_given,
    installation_took_too_long,
    is_late,
    is_new,
    is_prepared,
    leases_are_known_to_be_overdue,
    leases_are_overdue,
    limits_are_soft,
    logs_are_overdue,
    preparation_took_too_long,
    ready,
    stage_is_known_to_be_late,
    stage_may_take_longer,
    stage_took_too_long,
    starts,
    starts_over,
    succeeds,
    takes_in_hosts,
    tells_of_failure,
    tells_of_loss,
    tells_of_overdue_leases,
    tells_of_success,
    tells_of_the_late_stage,
    tells_of_the_timeout,
    times_out,
    vips_by_dhcp,
    vips_given,
)
from .clusters import BEFORE_INSTALL
from .clusters import ClusterState as S
from .table import Table, Transition

PREPARING = frozenset({S.PREPARING})
INSTALLING = frozenset({S.INSTALLING})
FINALIZING = frozenset({S.FINALIZING})
WAITING = frozenset({S.PENDING_USER_ACTION})
FAILED = frozenset({S.ERROR, S.CANCELLED})
UNFINISHED = frozenset({S.INSTALLING, S.PENDING_USER_ACTION, S.ERROR, S.FINALIZING})

AGAIN = "; once that is put right, reset the installation to try again"
TOO_FEW = "Too few hosts are left to make up the cluster; those that failed: {failures}" + AGAIN
COMING_UP = "The hosts are installed; the cluster is coming up"

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
    Transition(
        on=AllowAddHosts,
        source=frozenset({S.INSTALLED}),
        target=S.ADDING_HOSTS,
        when=is_new,
        does=takes_in_hosts,
        because="The cluster runs and takes in more hosts",
    ),
)

DESCRIBED = (
    Transition(
        on=Ticked,
        source=BEFORE_INSTALL,
        when=leases_are_overdue & ~leases_are_known_to_be_overdue,
        does=gives_leases_up,
        tells=tells_of_overdue_leases,
    ),
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
        source=BEFORE_INSTALL - {S.READY},
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
        tells=tells_of_the_timeout,
        because="Preparing the installation took more than {preparing_minutes} minutes; still missing: {unprepared}. "
        "Put that right and install again",
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
        because="Not every host is ready to be installed any more: {unready_hosts}",
    ),
    Transition(
        on=Ticked,
        source=PREPARING,
        target=S.READY,
        when=a_host_cannot_be_prepared,
        because="These hosts could not be prepared: {refusals}; once that is put right, install again",
    ),
    Transition(
        on=Ticked,
        source=PREPARING,
        target=S.READY,
        when=files_failed,
        because="The files for the installation could not be generated: {reason}",
    ),
)

UNDERWAY = (
    Transition(
        on=Ticked,
        source=WAITING,
        target=S.ERROR,
        when=~enough_hosts,
        does=ends,
        tells=tells_of_failure,
        because=TOO_FEW,
    ),
    Transition(
        on=Ticked,
        source=WAITING,
        target=S.ERROR,
        when=installation_took_too_long,
        does=ends,
        tells=tells_of_failure,
        because="The user took too long to help the waiting hosts: {waiting_hosts}" + AGAIN,
    ),
    Transition(
        on=Ticked,
        source=INSTALLING | FINALIZING,
        target=S.ERROR,
        when=installation_took_too_long & limits_are_soft,
        does=ends,
        tells=tells_of_failure,
        because="The installation took too long; hosts that failed: {failed_hosts}; last stage: {stage}{operators}"
        + AGAIN,
    ),
    Transition(
        on=Ticked,
        source=FINALIZING,
        target=S.ERROR,
        when=finalizing_took_too_long & ~limits_are_soft,
        does=ends,
        tells=tells_of_failure,
        because="The cluster did not come up within {finalizing_minutes} minutes; its last stage: {stage}{operators}"
        + AGAIN,
    ),
    Transition(
        on=Ticked,
        source=FINALIZING,
        target=S.ERROR,
        when=stage_took_too_long & ~stage_may_take_longer & ~limits_are_soft,
        does=ends,
        tells=tells_of_failure,
        because="The cluster did not come up: stage {stage} took more than {minutes} minutes{operators}" + AGAIN,
    ),
    Transition(
        on=Ticked,
        source=FINALIZING,
        when=stage_took_too_long & ~stage_is_known_to_be_late,
        does=is_late,
        tells=tells_of_the_late_stage,
        because="The cluster is coming up, but stage {stage} has been going on for more than {minutes} minutes"
        "{operators}",
    ),
    Transition(
        on=Ticked,
        source=WAITING,
        when=a_host_waits_for_the_user & enough_hosts,
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
        does=finalizes_again,
        because=COMING_UP,
    ),
    Transition(
        on=Ticked,
        source=INSTALLING | FINALIZING,
        target=S.PENDING_USER_ACTION,
        when=enough_hosts & a_host_waits_for_the_user,
        because="Waiting for you to help these hosts: {waiting_hosts}",
    ),
    Transition(
        on=Ticked,
        source=INSTALLING,
        target=S.FINALIZING,
        when=enough_hosts_installed & ~a_host_waits_for_the_user,
        because=COMING_UP,
    ),
    Transition(
        on=Ticked,
        source=FINALIZING,
        target=S.INSTALLED,
        when=complete & an_operator_failed,
        does=succeeds,
        tells=tells_of_loss,
        because="The cluster is installed, but these operators did not come up: {failed_operators}{missing_hosts}",
    ),
    Transition(
        on=Ticked,
        source=FINALIZING,
        target=S.INSTALLED,
        when=complete & a_host_failed,
        does=succeeds,
        tells=tells_of_success,
        because="The cluster is installed, but these hosts are missing: {failed_hosts}",
    ),
    Transition(
        on=Ticked,
        source=FINALIZING,
        target=S.INSTALLED,
        when=complete,
        does=succeeds,
        tells=tells_of_success,
        because="The cluster is installed",
    ),
    Transition(on=Ticked, source=FINALIZING, when=~stage_is_known_to_be_late, because=COMING_UP),
    Transition(
        on=Ticked,
        source=INSTALLING,
        target=S.ERROR,
        when=~enough_hosts,
        does=ends,
        tells=tells_of_failure,
        because=TOO_FEW,
    ),
    Transition(on=Ticked, source=FAILED, when=logs_are_overdue, does=gives_logs_up),
)

CLUSTER_TABLE: Table[ClusterCase] = Table((*ASKED, *DESCRIBED, *PREPARED, *UNDERWAY))

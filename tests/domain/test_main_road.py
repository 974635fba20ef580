"""The main road, one act at a time: from a machine that starts to a cluster that is installed."""

import pytest

from builders import (
    CLUSTER_ID,
    INFRA_ENV_ID,
    NOW,
    a_cluster,
    a_machine,
    a_policy,
    a_ready_host,
    a_ready_view,
    a_report,
    a_view,
    an_infra_env,
    later,
    some_answers,
)
from muster.domain.clusters import ClusterKind, ClusterState, PlatformType, PreparationStatus
from muster.domain.decide import decide
from muster.domain.effects import DeleteFiles, GenerateFiles, PublishKubeconfig
from muster.domain.hosts import HostKind, HostState, ImageStatus, VipCheck
from muster.domain.monitored import CONSOLE
from muster.domain.networks import NtpSource
from muster.domain.progress import Stage
from muster.domain.roles import Role
from muster.domain.steps import instruct
from muster.domain.steps.container_image_availability import ImagesReply
from muster.domain.steps.domain_resolution import DomainReply
from muster.domain.steps.installation_disk_speed_check import DiskSpeedReply
from muster.domain.steps.ntp_synchronizer import NtpReply
from muster.domain.triggers import (
    Cancel,
    CheckedIn,
    IngressCaUploaded,
    Install,
    KubeconfigPublished,
    OperatorReported,
    Prepared,
    Progressed,
    Registered,
    Replied,
    Reset,
    Ticked,
)

H, C = HostState, ClusterState


def happens(view, *triggers):
    """The view after these, none of which may be refused."""
    decision = decide(view, *triggers)
    assert decision.outcomes == (None,) * len(triggers)
    return decision.view


def statuses(view):
    return {host.status for host in view.living}


def prepare(view, *hosts):
    """What hosts say when they were tried out and are good."""
    triggers = []
    for host_id in hosts or view.hosts:
        disk = view.hosts[host_id].installation_disk_id
        speed = DiskSpeedReply(path=disk, io_sync_duration=2)
        images = ImagesReply(images=(ImageStatus(name="release", result="success"),))
        triggers.append(Replied(host_id=host_id, step="installation-disk-speed-check", reply=speed))
        triggers.append(Replied(host_id=host_id, step="container-image-availability", reply=images))
    return triggers


def install(view, *hosts):
    """What hosts say on their way through all stages."""
    single = view.cluster.single_node
    return [
        Progressed(host_id=host_id, stage=stage)
        for host_id in hosts or view.hosts
        for stage in view.hosts[host_id].stages(single_node=single)
    ]


def a_prepared_view(**changes):
    """A cluster whose installation has just begun on its hosts."""
    view = happens(a_ready_view(**changes), Install())
    return happens(view, Prepared(attempt=1, openshift_cluster_id="o1"), *prepare(view))


def an_installed_view(**changes):
    """A cluster whose hosts are installed, and that comes up."""
    view = a_prepared_view(**changes)
    return happens(view, *install(view))


# Discovery


def test_a_machine_that_starts_is_discovering():
    registered = Registered(host_id="h1", infra_env_id=INFRA_ENV_ID, agent_version="agent:1")
    host = decide(a_view(), registered).host("h1")
    assert host.status is H.DISCOVERING
    assert (host.role, host.suggested_role, host.bootstrap) == (Role.AUTO, Role.AUTO, False)
    assert (host.discovery_agent_version, host.kind, host.cluster_id) == ("agent:1", HostKind.HOST, CLUSTER_ID)


def test_a_host_with_too_few_cores_is_insufficient():
    view = a_view(hosts=[a_ready_host("h1", status=H.DISCOVERING, inventory=None)])
    decision = decide(view, Replied(host_id="h1", step="inventory", reply=a_machine(cores=1)))
    assert decision.host("h1").status is H.INSUFFICIENT
    assert "core" in decision.host("h1").status_info


def test_a_host_whose_cluster_lacks_something_is_pending_for_input():
    view = a_view(a_cluster(machine_networks=(), api_vips=(), ingress_vips=()), [a_ready_host("h1")])
    decision = decide(view, Ticked())
    assert decision.host("h1").status is H.PENDING_FOR_INPUT
    assert decision.cluster.status is C.PENDING_FOR_INPUT


def test_hosts_that_have_told_all_about_themselves_are_known_and_their_cluster_is_ready():
    view = a_view(a_cluster(status=C.INSUFFICIENT), policy=a_policy(), hosts=[])
    hosts = [f"h{number}" for number in range(3)]
    view = happens(view, *(Registered(host_id=each, infra_env_id=INFRA_ENV_ID) for each in hosts))
    assert statuses(view) == {H.DISCOVERING}
    for number, each in enumerate(hosts):
        machine = a_ready_host(each, 10 + number).inventory.but(hostname=each)
        view = happens(view, Replied(host_id=each, step="inventory", reply=machine))
    assert view.cluster.status is C.INSUFFICIENT
    vips = view.cluster.api_vips + view.cluster.ingress_vips
    free = tuple(VipCheck(vip=vip.ip, verification="succeeded") for vip in vips)
    synced = NtpReply(ntp_sources=(NtpSource(source_name="n", source_state="synced"),))
    for each in hosts:
        view = happens(
            view,
            Replied(host_id=each, step="connectivity-check", reply=a_report(view.hosts[each], view.living)),
            Replied(host_id=each, step="domain-resolution", reply=DomainReply(resolutions=some_answers())),
            Replied(host_id=each, step="ntp-synchronizer", reply=synced),
            Replied(host_id=each, step="verify-vips", reply=free),
            CheckedIn(host_id=each, clock_skew=0, agent_version=view.policy.agent_image),
        )
    assert statuses(view) == {H.KNOWN}
    assert view.cluster.status is C.READY, view.cluster.status_info
    assert {host.suggested_role for host in view.living} == {Role.MASTER}
    assert view.cluster.status_info == "The cluster is ready to be installed"


def test_a_host_that_is_silent_too_long_is_disconnected():
    view = a_ready_view()
    gone = later(view, minutes=4)
    decision = decide(gone.but(presence={**gone.presence, "m1": NOW}), Ticked())
    assert decision.host("m1").status is H.DISCONNECTED
    assert decision.host("m2").status is H.KNOWN
    assert decision.cluster.status is C.INSUFFICIENT


def test_a_host_that_is_heard_of_again_is_what_it_was():
    gone = decide(later(a_ready_view(), seen=False, minutes=4), Ticked()).view
    assert statuses(gone) == {H.DISCONNECTED}
    back = gone.but(presence=dict.fromkeys(gone.hosts, gone.now))
    decision = decide(back, CheckedIn(host_id="m1"))
    assert statuses(decision.view) == {H.KNOWN}
    assert decision.cluster.status is C.READY


# Installation


def test_install_makes_the_hosts_try_themselves_out_and_the_files_be_generated():
    decision = decide(a_ready_view(workers=2), Install())
    assert decision.cluster.status is C.PREPARING
    assert statuses(decision.view) == {H.PREPARING}
    assert decision.effects == (GenerateFiles(cluster_id=CLUSTER_ID, attempt=1),)
    assert decision.cluster.preparation.status is PreparationStatus.NOT_STARTED
    assert [host.id for host in decision.view.living if host.bootstrap] == ["m3"]


def test_install_makes_suggested_roles_final():
    view = a_ready_view(workers=2)
    open_roles = {key: host.but(role=Role.AUTO) for key, host in view.hosts.items()}
    view = decide(view.but(hosts=open_roles), Ticked()).view
    assert {host.role for host in view.living} == {Role.AUTO}
    view = happens(view, Install())
    assert sorted(host.role for host in view.living) == [Role.MASTER] * 3 + [Role.WORKER] * 2


def test_a_host_that_is_prepared_waits_for_the_others():
    view = happens(a_ready_view(), Install())
    view = happens(view, *prepare(view, "m1"))
    assert (view.hosts["m1"].status, view.hosts["m2"].status) == (H.PREPARED, H.PREPARING)
    assert view.cluster.status is C.PREPARING


def test_prepared_hosts_wait_for_the_files():
    view = happens(a_ready_view(), Install())
    view = happens(view, *prepare(view))
    assert (view.cluster.status, statuses(view)) == (C.PREPARING, {H.PREPARED})
    view = happens(view, Prepared(attempt=1, openshift_cluster_id="o1"))
    assert (view.cluster.status, statuses(view)) == (C.INSTALLING, {H.INSTALLING})
    assert view.cluster.openshift_cluster_id == "o1"
    assert view.cluster.progress.total_percentage == 10


def test_a_host_that_reports_a_stage_is_in_progress():
    view = happens(a_prepared_view(), Progressed(host_id="m1", stage=Stage.STARTING))
    assert view.hosts["m1"].status is H.IN_PROGRESS
    assert view.hosts["m1"].status_info == "Starting installation"
    assert view.hosts["m2"].status is H.INSTALLING


def test_hosts_that_are_done_are_installed_and_the_cluster_comes_up():
    view = an_installed_view(workers=2)
    assert (view.cluster.status, statuses(view)) == (C.FINALIZING, {H.INSTALLED})
    assert view.cluster.progress.total_percentage == 80


def test_the_cluster_is_installed_once_its_console_and_its_kubeconfig_are_there():
    view = happens(an_installed_view(), OperatorReported(name="console", status="available"))
    assert (view.cluster.status, view.cluster.progress.total_percentage) == (C.FINALIZING, 95)
    decision = decide(view, IngressCaUploaded(pem="pem"))
    assert decision.effects == (PublishKubeconfig(cluster_id=CLUSTER_ID, ingress_ca="pem", attempt=1),)
    view = happens(decision.view, KubeconfigPublished())
    assert (view.cluster.status, view.cluster.progress.total_percentage) == (C.INSTALLED, 100)
    assert view.cluster.install_completed_at == NOW
    assert view.cluster.status_info == "The cluster is installed"


def test_a_single_node_becomes_a_cluster_of_its_own():
    single = {"user_managed_networking": True, "api_vips": (), "ingress_vips": (), "control_plane_count": 1}
    cluster = a_cluster(high_availability_mode="None", operators=(CONSOLE,), **single)
    view = a_ready_view(masters=1, cluster=cluster.but(platform=cluster.platform.but(type=PlatformType.NONE)))
    assert view.cluster.status is C.READY, view.cluster.status_info
    view = happens(view, Install())
    assert view.hosts["m1"].bootstrap
    view = happens(view, Prepared(attempt=1), *prepare(view))
    view = happens(view, *install(view))
    view = happens(view, OperatorReported(name="console", status="available"), KubeconfigPublished())
    assert (view.cluster.status, view.cluster.api_vips[0].ip) == (C.INSTALLED, "192.168.1.10")


# Trouble


def test_a_host_that_started_the_wrong_system_waits_for_the_user_and_so_does_the_cluster():
    view = a_prepared_view()
    to_reboot = [each for each in install(view, "m1") if each.stage != Stage.DONE][:5]
    view = happens(view, *to_reboot)
    assert view.hosts["m1"].progress.current_stage is Stage.REBOOTING
    view = happens(view, Registered(host_id="m1", infra_env_id=INFRA_ENV_ID))
    assert view.hosts["m1"].status is H.PENDING_USER_ACTION
    assert view.cluster.status is C.PENDING_USER_ACTION
    assert view.cluster.status_info == "Waiting for you to help these hosts: m1"
    view = happens(view, Progressed(host_id="m1", stage=Stage.CONFIGURING))
    assert (view.hosts["m1"].status, view.cluster.status) == (H.IN_PROGRESS, C.INSTALLING)


def test_a_master_that_fails_takes_the_cluster_and_its_other_hosts_with_it():
    decision = decide(a_prepared_view(), Progressed(host_id="m1", stage=Stage.FAILED, info="disk is gone"))
    assert decision.host("m1").status_info == "Failed - disk is gone"
    assert decision.cluster.status is C.ERROR
    assert decision.host("m2").status is H.ERROR
    assert decision.host("m2").status_info == "The installation of the cluster has failed"
    assert "cluster_installation_failed" in {event.name for event in decision.events}


def test_a_cluster_that_was_to_have_three_workers_does_with_two():
    view = a_prepared_view(workers=3)
    view = happens(view, Progressed(host_id="w1", stage=Stage.FAILED, info="gone"))
    assert view.cluster.status is C.INSTALLING
    view = happens(view, *install(view, "m1", "m2", "m3", "w2", "w3"))
    view = happens(view, OperatorReported(name="console", status="available"), KubeconfigPublished())
    assert view.cluster.status is C.INSTALLED
    assert view.cluster.status_info == "The cluster is installed, but these hosts are missing: w1"


def test_files_that_cannot_be_generated_let_the_user_try_again():
    view = happens(a_ready_view(), Install())
    decision = decide(view, Prepared(attempt=1, failure="the disk is full"))
    assert (decision.cluster.status, statuses(decision.view)) == (C.READY, {H.KNOWN})
    assert decision.cluster.status_info.endswith("could not be generated: the disk is full")
    again = decide(decision.view, Install())
    assert again.cluster.status is C.PREPARING
    assert again.effects == (GenerateFiles(cluster_id=CLUSTER_ID, attempt=2),)


def test_the_answer_to_an_attempt_that_is_over_is_ignored():
    view = happens(a_ready_view(), Install())
    view = happens(happens(view, Cancel()), Install())
    assert view.cluster.preparation.attempt == 2
    assert not decide(view, Prepared(attempt=1, openshift_cluster_id="old")).changed
    ready = happens(view, Cancel())
    assert not decide(ready, Prepared(attempt=2, failure="late")).changed


def test_an_image_that_cannot_be_fetched_stops_the_preparation():
    view = happens(a_ready_view(), Install())
    images = ImagesReply(images=(ImageStatus(name="release", result="failure"),))
    decision = decide(view, Replied(host_id="m1", step="container-image-availability", reply=images))
    assert (decision.cluster.status, statuses(decision.view)) == (C.READY, {H.KNOWN})
    told = [event.message for event in decision.events if event.name == "host_status_updated"]
    assert any("is now preparing-failed: The host cannot be prepared: " in message for message in told)


def test_a_host_that_is_lost_while_the_cluster_prepares_makes_it_insufficient():
    view = happens(a_ready_view(), Install())
    gone = later(view, minutes=4)
    decision = decide(gone.but(presence={**gone.presence, "m1": NOW}), Ticked())
    assert (decision.host("m1").status, decision.cluster.status) == (H.DISCONNECTED, C.INSUFFICIENT)
    assert decision.host("m2").status is H.KNOWN


def test_a_host_that_starts_again_while_the_cluster_prepares_is_tried_out_again():
    view = happens(a_ready_view(), Install())
    view = happens(view, *prepare(view, "m1"))
    view = happens(view, Registered(host_id="m1", infra_env_id=INFRA_ENV_ID, agent_version=view.policy.agent_image))
    assert (view.hosts["m1"].status, view.hosts["m1"].images) == (H.PREPARING, {})


# Cancel and reset


def test_a_cancelled_preparation_leaves_a_cluster_that_can_be_installed():
    view = happens(a_ready_view(), Install())
    decision = decide(view, Cancel())
    assert (decision.cluster.status, statuses(decision.view)) == (C.READY, {H.KNOWN})
    assert decision.cluster.status_info == "The installation was cancelled by the user"


def test_a_cancelled_installation_can_be_reset_and_begins_with_the_discovery_image():
    view = happens(a_prepared_view(), Progressed(host_id="m1", stage=Stage.STARTING))
    view = happens(view, Cancel())
    assert (view.cluster.status, statuses(view)) == (C.CANCELLED, {H.CANCELLED})
    decision = decide(view, Reset())
    assert (decision.cluster.status, statuses(decision.view)) == (C.INSUFFICIENT, {H.RESETTING_PENDING})
    assert decision.effects == (DeleteFiles(cluster_id=CLUSTER_ID, attempt=1),)
    assert decision.cluster.progress.total_percentage == 0
    view = happens(decision.view, Registered(host_id="m1", infra_env_id=INFRA_ENV_ID))
    assert view.hosts["m1"].status is H.DISCOVERING
    assert view.hosts["m1"].role is Role.MASTER


def test_hosts_that_were_not_told_to_install_come_back_from_a_reset_by_themselves():
    view = happens(a_ready_view(), Install())
    decision = decide(view, Reset())
    assert (decision.cluster.status, statuses(decision.view)) == (C.INSUFFICIENT, {H.RESETTING})
    assert "user_required_complete_installation_reset" not in [event.name for event in decision.events]
    assert instruct(decision.view, "m1").action == "exit"
    view = happens(decision.view, Registered(host_id="m1", infra_env_id=INFRA_ENV_ID))
    assert view.hosts["m1"].status is H.DISCOVERING
    decision = decide(later(view, minutes=4), Ticked())
    assert (decision.host("m2").status, decision.host("m3").status) == (H.RESETTING_PENDING, H.RESETTING_PENDING)
    told = [event.name for event in decision.events]
    assert told.count("user_required_complete_installation_reset") == 2


def test_hosts_that_were_about_to_install_are_known_when_their_cluster_is_cancelled():
    view = a_prepared_view()
    waiting = view.hosts["m1"].but(status=H.PREPARED)
    view = happens(view.with_host(waiting), Cancel())
    assert view.cluster.status is C.CANCELLED
    assert view.hosts["m1"].status is H.KNOWN


@pytest.mark.parametrize("asked", [Install(), Cancel(), Reset()])
def test_an_installed_cluster_is_neither_installed_nor_cancelled_nor_reset(asked):
    view = happens(an_installed_view(), OperatorReported(name="console", status="available"), KubeconfigPublished())
    decision = decide(view, asked)
    assert "lab" in str(decision.outcomes[0])
    assert "installed" in str(decision.outcomes[0])
    assert (decision.changes, decision.effects) == ((), ())


def test_an_infra_env_of_its_own_has_hosts_without_a_cluster():
    env = an_infra_env(cluster_id=None)
    view = a_view().but(cluster=None, infra_envs={INFRA_ENV_ID: env}, scope=f"host:{INFRA_ENV_ID}/h1")
    view = happens(view, Registered(host_id="h1", infra_env_id=INFRA_ENV_ID))
    assert view.hosts["h1"].status is H.DISCOVERING_UNBOUND
    view = happens(view, Replied(host_id="h1", step="inventory", reply=a_machine()))
    assert view.hosts["h1"].status is H.KNOWN_UNBOUND


def test_a_host_of_a_running_cluster_is_added_when_it_is_done():
    host = a_ready_host("h1", kind=HostKind.DAY2, role=Role.WORKER, status=H.INSTALLING)
    view = a_view(a_cluster(kind=ClusterKind.ADD_HOSTS, status=C.ADDING_HOSTS), [host])
    view = happens(view, Progressed(host_id="h1", stage=Stage.WRITING))
    assert view.hosts["h1"].status is H.IN_PROGRESS
    view = happens(view, Progressed(host_id="h1", stage=Stage.REBOOTING))
    assert view.hosts["h1"].status is H.ADDED

"""What agents report of their machines and what users ask of hosts: what is taken, and what is refused."""

from datetime import timedelta

import pytest

from builders import (
    INFRA_ENV_ID,
    NOW,
    a_cluster,
    a_host,
    a_machine,
    a_ready_host,
    a_running_cluster,
    a_view,
    a_view_of,
    an_infra_env,
    later,
    some_ready_hosts,
)
from muster.domain.clusters import ClusterState
from muster.domain.decide import decide
from muster.domain.errors import Invalid, NotFound, Refused
from muster.domain.hosts import DiskSpeed, HostKind, HostState, ImageStatus
from muster.domain.infra_envs import ImageType
from muster.domain.inputs.hosts import HostUpdate
from muster.domain.networks import FreeAddresses
from muster.domain.progress import HostProgress, Stage
from muster.domain.roles import Role
from muster.domain.steps.container_image_availability import ImagesReply
from muster.domain.steps.installation_disk_speed_check import DiskSpeedReply
from muster.domain.triggers import (
    CheckedIn,
    DeleteHost,
    HostLogsReported,
    Progressed,
    Registered,
    Replied,
    Ticked,
    UpdateHost,
)

H, C = HostState, ClusterState
STARTED = Registered(host_id="m1", infra_env_id=INFRA_ENV_ID, agent_version="agent:2")
DISK = "/dev/disk/by-id/wwn-0x1"


def of(status, cluster=C.INSTALLING, **changes):
    """A cluster of three, its first host in a state."""
    first, *others = some_ready_hosts()
    others = [host.but(status=H.IN_PROGRESS) for host in others] if cluster is C.INSTALLING else others
    return a_view_of(cluster, [first.but(status=status, **changes), *others])


def refused(view, trigger, kind=Refused):
    """The sentence with which something was refused, and that it changed nothing."""
    decision = decide(view, trigger)
    (error,) = decision.outcomes
    assert type(error) is kind, error
    return str(error)


def names(decision):
    return [event.name for event in decision.events]


# Registering


def test_a_machine_that_was_never_seen_becomes_a_host():
    decision = decide(a_view(a_cluster(status=C.INSUFFICIENT)), STARTED.but(owner="me"))
    host = decision.host("m1")
    assert (host.status, host.user_name, host.infra_env_id) == (H.DISCOVERING, "me", INFRA_ENV_ID)
    assert {host.created_at, host.updated_at, host.registered_at, host.status_updated_at} == {NOW}
    assert names(decision) == ["host_registration_succeeded"]


def test_the_host_of_a_single_node_is_everything_from_the_start():
    host = decide(a_view(a_cluster(control_plane_count=1)), STARTED).host("m1")
    assert (host.role, host.suggested_role, host.bootstrap) == (Role.MASTER, Role.MASTER, True)


def test_a_host_of_a_running_cluster_is_a_worker_from_the_start():
    host = decide(a_view(a_running_cluster()), STARTED).host("m1")
    assert (host.kind, host.role, host.suggested_role) == (HostKind.DAY2, Role.WORKER, Role.WORKER)
    assert host.machine_config_pool_name == "worker"


def test_a_host_that_was_given_up_comes_back_as_a_new_one():
    gone = a_ready_host("m1", deleted_at=NOW, requested_hostname="old")
    host = decide(a_view(hosts=[gone]), STARTED).host("m1")
    assert (host.deleted_at, host.requested_hostname, host.inventory) == (None, "", None)


def test_a_host_that_is_back_is_taken_for_what_it_says_now():
    view = later(of(H.KNOWN, C.READY, clock_skew=5, media_connected=False), minutes=9)
    host = decide(view, STARTED).host("m1")
    assert (host.status, host.inventory, host.clock_skew, host.media_connected) == (H.DISCOVERING, None, None, True)
    assert (host.registered_at, host.discovery_agent_version) == (view.now, "agent:2")


def test_there_must_be_an_image_that_a_host_was_started_from():
    assert refused(a_view(infra_envs={}), STARTED, NotFound) == f"There is no infra-env {INFRA_ENV_ID}"
    assert refused(a_view(infra_envs={INFRA_ENV_ID: an_infra_env(deleted=True)}), STARTED, NotFound)


def test_there_must_be_a_cluster_if_a_host_was_started_for_one():
    assert "any more" in refused(a_view(a_cluster(deleted_at=NOW)), STARTED, NotFound)


def test_an_image_for_installations_elsewhere_has_no_hosts_here():
    env = an_infra_env(type=ImageType.DISCONNECTED)
    assert "without this service" in refused(a_view(infra_envs={INFRA_ENV_ID: env}), STARTED, Invalid)


@pytest.mark.parametrize("state", sorted(set(C) - {C.READY, C.INSUFFICIENT, C.PENDING_FOR_INPUT, C.ADDING_HOSTS}))
def test_a_cluster_takes_in_new_hosts_only_while_it_is_described_or_runs(state):
    sentence = refused(a_view(a_cluster(status=state)), STARTED)
    assert f"Cluster lab is {state} and takes in no new hosts" in sentence
    assert ("added hosts" in sentence) == (state is C.INSTALLED)


def test_an_installed_host_does_not_register_again():
    assert "start it from its disk" in refused(of(H.INSTALLED), STARTED)


@pytest.mark.parametrize("state", [H.CANCELLED, H.PREPARING_FAILED, H.PENDING_USER_ACTION, H.DISABLED])
def test_a_host_that_cannot_register_now_is_told_why(state):
    view = of(state, status_info="because")
    assert refused(view, STARTED, Invalid) == f"Host m1 cannot register again while it is {state}: because"


# Checking in


def test_the_clock_and_the_agent_of_a_host_are_what_they_are():
    view = of(H.KNOWN, C.READY)
    host = decide(view, CheckedIn(host_id="m1", clock_skew=7, agent_version="agent:3")).host("m1")
    assert (host.clock_skew, host.discovery_agent_version) == (7, "agent:3")


def test_a_host_that_says_nothing_of_its_clock_keeps_what_was_known():
    view = of(H.KNOWN, C.READY, clock_skew=7, discovery_agent_version="agent:3")
    host = decide(view, CheckedIn(host_id="m1")).host("m1")
    assert (host.clock_skew, host.discovery_agent_version) == (7, "agent:3")


def test_a_host_that_nobody_knows_cannot_check_in():
    assert refused(a_view(), CheckedIn(host_id="h9"), NotFound) == "There is no host h9"
    assert refused(a_view(hosts=[a_host("h1", deleted_at=NOW)]), CheckedIn(host_id="h1"), NotFound)


# Replies


def test_what_a_step_tells_is_learnt_and_dated():
    view = later(of(H.KNOWN, C.READY), minutes=1)
    host = decide(view, Replied(host_id="m1", step="inventory", reply=a_machine(cores=16))).host("m1")
    assert host.inventory.cpu.count == 16
    assert host.heard_at["inventory"] == view.now
    assert host.heard_at["connectivity-check"] == NOW


def test_what_several_hosts_tell_alike_is_kept_once():
    view = of(H.KNOWN, C.READY)
    for host_id in ("m1", "m2"):
        free = (FreeAddresses(network="192.168.1.0/24", free_addresses=("192.168.1.5",)),)
        view = decide(view, Replied(host_id=host_id, step="free-network-addresses", reply=free)).view
    assert view.hosts["m1"].free_addresses is view.hosts["m2"].free_addresses


def test_a_reply_that_says_the_same_again_changes_nothing():
    view = decide(of(H.KNOWN, C.READY), Replied(host_id="m1", step="verify-vips", reply=())).view
    assert not decide(later(view, seconds=9), Replied(host_id="m1", step="verify-vips", reply=())).changed


@pytest.mark.parametrize("state", [H.PREPARING, H.PREPARED, H.INSTALLING, H.INSTALLED, H.ERROR, H.CANCELLED])
def test_an_inventory_is_not_taken_in_while_the_host_is_beyond_it(state):
    reply = Replied(host_id="m1", step="inventory", reply=a_machine())
    assert f"Host m1 is {state}; its inventory" in refused(of(state), reply)
    assert decide(of(state), reply.but(exit_code=1, reply=None)).outcomes == (None,)


def test_an_inventory_is_taken_in_while_the_host_installs():
    view = of(H.IN_PROGRESS)
    assert (
        decide(view, Replied(host_id="m1", step="inventory", reply=a_machine(cores=9))).host("m1").inventory.cpu.count
        == 9
    )


def test_a_step_nobody_knows_is_passed_over():
    settled = decide(of(H.KNOWN, C.READY), Ticked()).view
    decision = decide(settled, Replied(host_id="m1", step="execute", reply="x"))
    assert decision.outcomes == (None,)
    assert not decision.changed


def test_a_step_that_fails_without_consequence_is_passed_over():
    settled = decide(of(H.KNOWN, C.READY), Ticked()).view
    assert not decide(settled, Replied(host_id="m1", step="connectivity-check", exit_code=1, error="no")).changed
    assert not decide(settled, Replied(host_id="m1", step="stop-installation")).changed


def test_a_host_whose_installation_cannot_start_is_in_error():
    failed = Replied(host_id="m1", step="install", exit_code=1, error="no podman")
    assert decide(of(H.INSTALLING), failed).host("m1").status_info == (
        "The installation could not be started on the host: no podman"
    )


def test_a_host_that_installs_already_goes_on():
    busy = Replied(host_id="m1", step="install", exit_code=125, error='name "assisted-installer" is already in use')
    assert decide(of(H.INSTALLING), busy).host("m1").status is H.INSTALLING
    assert decide(of(H.INSTALLING), busy.but(error="out of memory")).host("m1").status is H.ERROR


def test_a_disk_that_could_not_be_tried_out_is_remembered_as_such():
    view = of(H.PREPARING, C.PREPARING)
    reply = DiskSpeedReply(path=DISK, io_sync_duration=1)
    bad = Replied(host_id="m1", step="installation-disk-speed-check", exit_code=2, reply=reply)
    assert decide(view, bad).host("m1").disk_speeds == {DISK: DiskSpeed(tested=True, exit_code=2)}
    assert decide(view, bad.but(reply=None)).host("m1").disk_speeds == {DISK: DiskSpeed(tested=True, exit_code=2)}


@pytest.mark.parametrize(("milliseconds", "told"), [(10, False), (11, True)])
def test_a_slow_disk_is_told_of_and_used(milliseconds, told):
    reply = DiskSpeedReply(path=DISK, io_sync_duration=milliseconds)
    decision = decide(
        of(H.PREPARING, C.PREPARING), Replied(host_id="m1", step="installation-disk-speed-check", reply=reply)
    )
    assert decision.host("m1").disk_speeds[DISK].speed_ms == milliseconds
    assert ("disk_speed_slower_than_supported" in names(decision)) == told
    assert decision.host("m1").status is H.PREPARING


def test_an_image_is_told_of_once_and_only_its_result_changes_later():
    step = {"host_id": "m1", "step": "container-image-availability"}
    first = ImageStatus(name="release", result="failure", size_bytes=7.0)
    decision = decide(of(H.PREPARING, C.INSTALLING), Replied(**step, exit_code=1, reply=ImagesReply(images=(first,))))
    assert names(decision).count("image_status_updated") == 1
    again = ImageStatus(name="release", result="success", size_bytes=9.0)
    decision = decide(decision.view, Replied(**step, reply=ImagesReply(images=(again,))))
    assert decision.host("m1").images == {"release": first.but(result="success")}
    assert "image_status_updated" not in names(decision)


# Boot media


def test_a_host_that_loses_its_boot_media_is_disconnected_until_a_step_works_again():
    lost = Replied(host_id="m1", step="inventory", exit_code=256)
    decision = decide(of(H.KNOWN, C.READY), lost)
    assert decision.host("m1").status is H.DISCONNECTED
    assert names(decision).count("host_media_disconnected") == 1
    assert "host_media_disconnected" not in names(decide(decision.view, lost))
    back = decide(decision.view, Replied(host_id="m1", step="ntp-synchronizer", reply=None)).host("m1")
    assert (back.status, back.media_connected) == (H.KNOWN, True)


def test_a_host_that_loses_its_boot_media_while_it_installs_is_told_why():
    host = decide(of(H.INSTALLING), Replied(host_id="m1", step="install", exit_code=256, error="EIO")).host("m1")
    assert host.status is H.ERROR
    assert host.status_info.startswith("Failed - The host can no longer read the image it was started from")


# Progress


def test_the_stages_of_a_host_are_dated_and_counted():
    view = later(of(H.INSTALLING), minutes=1)
    decision = decide(view, Progressed(host_id="m1", stage=Stage.INSTALLING, info="go"))
    assert decision.host("m1").progress == HostProgress(
        current_stage=Stage.INSTALLING,
        progress_info="go",
        installation_percentage=25,
        stage_started_at=view.now,
        stage_updated_at=view.now,
    )
    assert "host_install_progress_updated" in names(decision)


def test_news_of_the_same_stage_only_set_its_clock():
    view = decide(of(H.INSTALLING), Progressed(host_id="m1", stage=Stage.WRITING, info="10%")).view
    view = later(view, minutes=5)
    decision = decide(view, Progressed(host_id="m1", stage=Stage.WRITING, info="20%"))
    progress = decision.host("m1").progress
    assert (progress.progress_info, progress.stage_started_at, progress.stage_updated_at) == ("20%", NOW, view.now)
    assert names(decision) == ["host_install_progress_updated"]
    assert not decide(decision.view, Progressed(host_id="m1", stage=Stage.WRITING, info="20%")).changed


def test_news_of_the_same_stage_are_taken_in_any_state():
    view = of(H.INSTALLED, progress=HostProgress(current_stage=Stage.DONE))
    assert decide(view, Progressed(host_id="m1", stage=Stage.DONE, info="x")).host("m1").progress.progress_info == "x"


@pytest.mark.parametrize("state", sorted(set(H) - {H.INSTALLING, H.IN_PROGRESS, H.PENDING_USER_ACTION}))
@pytest.mark.parametrize("stage", [Stage.WRITING, Stage.FAILED])
def test_a_host_that_is_not_being_installed_has_no_stages(state, stage):
    view = of(state).but(cluster=a_cluster(status=C.INSTALLED))
    assert f"Host m1 is {state}; no installation is under way" in refused(view, Progressed(host_id="m1", stage=stage))


def test_a_host_without_a_cluster_has_no_stages():
    view = of(H.INSTALLING).but(cluster=None)
    assert "belongs to no cluster" in refused(view, Progressed(host_id="m1", stage=Stage.WRITING), Invalid)


def test_a_host_does_not_go_back():
    view = of(H.IN_PROGRESS, progress=HostProgress(current_stage=Stage.REBOOTING, stage_updated_at=NOW))
    assert refused(view, Progressed(host_id="m1", stage=Stage.WRITING)) == (
        "current_stage: host m1 is at Rebooting and cannot go back to Writing image to disk"
    )


def test_a_host_does_not_go_through_the_stages_of_others():
    view = of(H.IN_PROGRESS, progress=HostProgress(current_stage=Stage.INSTALLING, stage_updated_at=NOW))
    assert "a master does not go through stage Waiting for bootkube" in refused(
        view, Progressed(host_id="m1", stage=Stage.BOOTKUBE)
    )


def test_a_first_stage_may_be_any():
    progress = decide(of(H.INSTALLING), Progressed(host_id="m1", stage=Stage.BOOTKUBE)).host("m1").progress
    assert (progress.current_stage, progress.installation_percentage) == (Stage.BOOTKUBE, 0)


def test_a_host_at_a_stage_of_others_may_go_on_to_its_own():
    view = decide(of(H.INSTALLING), Progressed(host_id="m1", stage=Stage.BOOTKUBE)).view
    assert decide(view, Progressed(host_id="m1", stage=Stage.WRITING)).host("m1").progress.installation_percentage == 37


def test_a_host_that_fails_keeps_its_stage():
    view = decide(of(H.INSTALLING), Progressed(host_id="m1", stage=Stage.WRITING, info="10%")).view
    decision = decide(view, Progressed(host_id="m1", stage=Stage.FAILED, info="no space"))
    assert (decision.host("m1").status, decision.host("m1").status_info) == (H.ERROR, "Failed - no space")
    assert decision.host("m1").progress == view.hosts["m1"].progress


# What users ask


def test_a_user_may_change_what_is_wanted_of_a_host():
    decision = decide(of(H.KNOWN, C.READY), UpdateHost(host_id="m1", changes=HostUpdate(host_name="node-1")))
    assert decision.host("m1").requested_hostname == "node-1"
    assert refused(of(H.INSTALLED), UpdateHost(host_id="m1", changes=HostUpdate(host_name="node-1")))


def test_a_host_that_is_given_up_is_kept_but_no_longer_counted():
    decision = decide(of(H.KNOWN, C.READY), DeleteHost(host_id="m1"))
    assert decision.host("m1").deleted_at == NOW
    assert [host.id for host in decision.view.living] == ["m2", "m3"]
    assert decision.cluster.status is C.INSUFFICIENT
    assert "host_deregistered" in names(decision)
    assert refused(decision.view, DeleteHost(host_id="m1"), NotFound)


# Logs


def test_logs_are_asked_for_come_and_are_complete():
    view = later(of(H.ERROR, C.ERROR), seconds=9)
    decision = decide(view, HostLogsReported(host_id="m1", state="requested"))
    assert (decision.host("m1").logs_info, decision.host("m1").logs_started_at) == ("requested", view.now)
    decision = decide(later(decision.view, seconds=9), HostLogsReported(host_id="m1", uploaded=True))
    assert decision.host("m1").logs_info == "collecting"
    assert decision.host("m1").logs_collected_at == view.now + timedelta(seconds=9)
    assert names(decision) == ["host_logs_uploaded"]
    assert decide(decision.view, HostLogsReported(host_id="m1", state="completed")).host("m1").logs_info == "completed"

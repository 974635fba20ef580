"""What users ask of clusters and images, and what the controller reports: what is taken, what is refused."""

from datetime import timedelta

import pytest

from builders import (
    CLUSTER_ID,
    INFRA_ENV_ID,
    NOW,
    a_cluster,
    a_policy,
    a_ready_view,
    a_view,
    a_view_of,
    an_infra_env,
    later,
    some_ready_hosts,
)
from muster.domain.clusters import ClusterState, Preparation, PreparationStatus
from muster.domain.decide import decide
from muster.domain.effects import DeleteFiles, PublishKubeconfig
from muster.domain.errors import Invalid, NotFound, Refused
from muster.domain.hosts import HostState
from muster.domain.inputs.clusters import ClusterCreate, ClusterUpdate
from muster.domain.inputs.infra_envs import InfraEnvCreate, InfraEnvUpdate
from muster.domain.inputs.scalars import ProxyInput
from muster.domain.monitored import CONSOLE, OperatorStatus
from muster.domain.progress import FinalizingStage
from muster.domain.roles import Role
from muster.domain.triggers import (
    Cancel,
    ClusterLogsReported,
    CompletionReported,
    DeleteCluster,
    DeleteInfraEnv,
    FinalizingStageReported,
    IngressCaUploaded,
    Install,
    KubeconfigPublished,
    OperatorReported,
    PreparationReported,
    Prepared,
    RegisterCluster,
    RegisterInfraEnv,
    Reset,
    Ticked,
    UpdateCluster,
    UpdateInfraEnv,
)
from muster.domain.views import View, cluster_scope, infra_env_scope

H, C = HostState, ClusterState
SECRET = '{"auths":{"cloud.openshift.com":{"auth":"dXNlcjpwYXNzd29yZAo="}}}'


def nothing(scope):
    """A scope in which there is nothing yet."""
    return View(scope=scope, now=NOW, policy=a_policy())


def of(status, *states, **changes):
    """A cluster in a state, its hosts in theirs."""
    hosts = [host.but(status=state) for host, state in zip(some_ready_hosts(len(states)), states, strict=True)]
    return a_view_of(status, hosts, **changes)


def refused(view, trigger, kind=Refused):
    """The sentence with which something was refused."""
    decision = decide(view, trigger)
    (error,) = decision.outcomes
    assert type(error) is kind, error
    return str(error)


def names(decision):
    return [event.name for event in decision.events]


# The description


def test_a_cluster_is_registered_and_waits_for_what_is_missing():
    inputs = ClusterCreate(name="lab", openshift_version="4.20", pull_secret=SECRET)
    decision = decide(nothing(cluster_scope("c9")), RegisterCluster(cluster_id="c9", inputs=inputs, owner="me"))
    assert (decision.cluster.id, decision.cluster.user_name) == ("c9", "me")
    assert decision.cluster.status is C.PENDING_FOR_INPUT
    assert names(decision)[0] == "cluster_registration_succeeded"
    assert decision.changes == ((None, decision.cluster),)


def test_a_cluster_that_cannot_be_is_not_registered():
    inputs = ClusterCreate(name="lab", openshift_version="3.11", pull_secret=SECRET)
    decision = decide(nothing(cluster_scope("c9")), RegisterCluster(cluster_id="c9", inputs=inputs))
    assert isinstance(decision.outcomes[0], Invalid)
    assert decision.view.cluster is None
    assert not decision.changed
    with pytest.raises(NotFound):
        decision.cluster  # noqa: B018 - looking is the point


def test_a_change_of_the_proxy_is_told_of_and_another_change_is_not():
    proxy = UpdateCluster(changes=ClusterUpdate(http_proxy="http://proxy:3128"))
    decision = decide(a_ready_view(), proxy)
    assert decision.cluster.proxy.http_proxy == "http://proxy:3128"
    assert "proxy_settings_changed" in names(decision)
    named = decide(a_ready_view(), UpdateCluster(changes=ClusterUpdate(name="other")))
    assert named.cluster.name == "other"
    assert "proxy_settings_changed" not in names(named)


def test_a_cluster_that_is_not_there_is_neither_changed_nor_installed():
    view = nothing(cluster_scope("c9"))
    for asked in (UpdateCluster(changes=ClusterUpdate()), Install(), Cancel(), Reset(), DeleteCluster()):
        assert refused(view, asked, NotFound) == "There is no cluster c9"


def test_a_cluster_that_is_given_up_takes_its_hosts_and_its_files_with_it_logs_last():
    decision = decide(a_ready_view(), DeleteCluster())
    assert decision.cluster.deleted_at == NOW
    assert decision.view.living == ()
    assert decision.effects == (DeleteFiles(cluster_id=CLUSTER_ID),)
    assert names(decision) == ["host_deregistered"] * 3 + ["cluster_deregistered"]
    assert decision.deadline == NOW + timedelta(hours=72, milliseconds=1)
    assert refused(decision.view, DeleteCluster(), NotFound)
    assert not decide(later(decision.view, days=1), Ticked()).changed


def test_a_cluster_that_is_being_installed_is_not_given_up():
    assert "cancel the installation before" in refused(of(C.INSTALLING, *[H.IN_PROGRESS] * 3), DeleteCluster())


# Install


def test_a_cluster_that_is_not_ready_says_why_it_cannot_be_installed():
    view = decide(of(C.READY, *[H.KNOWN] * 2), Ticked()).view
    assert view.cluster.status is C.INSUFFICIENT
    sentence = refused(view, Install())
    assert sentence == f"Cluster lab cannot be installed while it is insufficient: {view.cluster.status_info}"


def test_roles_that_are_left_to_the_service_are_settled_only_if_every_host_is_ready():
    view = a_ready_view()
    silent = later(view.with_host(view.hosts["m2"].but(role=Role.AUTO)), seen=False, minutes=10)
    view = decide(silent, Ticked()).view
    said = refused(view, Install(), Invalid)
    assert said.startswith("The roles of the hosts cannot be settled: m1 is disconnected, m2 is disconnected")
    assert "cannot be installed while it is" in refused(view.with_host(view.hosts["m2"].but(inventory=None)), Install())


def test_a_bootstrap_chosen_earlier_stays():
    view = a_ready_view()
    decision = decide(view.with_host(view.hosts["m1"].but(bootstrap=True)), Install())
    assert [host.id for host in decision.view.living if host.bootstrap] == ["m1"]
    assert "host_bootstrap_set" not in names(decision)


def test_who_was_to_carry_the_bootstrap_and_has_become_a_worker_does_not_carry_it_beside_another():
    view = a_ready_view(workers=1)
    decision = decide(view.with_host(view.hosts["w1"].but(bootstrap=True)), Install())
    assert [host.id for host in decision.view.living if host.bootstrap] == ["m3"]


def test_the_choice_of_the_bootstrap_is_told():
    decision = decide(a_ready_view(), Install())
    assert [event.host_id for event in decision.events if event.name == "host_bootstrap_set"] == ["m3"]


def test_a_cluster_without_a_known_master_has_no_bootstrap():
    view = decide(of(C.READY, *[H.KNOWN] * 3, ignored_cluster_validations=("all",)), Ticked()).view
    workers = {key: host.but(role=Role.WORKER, suggested_role=Role.WORKER) for key, host in view.hosts.items()}
    assert "no control plane host" in refused(view.but(hosts=workers), Install())


def test_a_host_without_a_suggestion_keeps_its_open_role():
    cluster = {"ignored_cluster_validations": ("all",), "ignored_host_validations": ("all",)}
    view = of(C.READY, *[H.KNOWN] * 3, **cluster)
    silent = view.hosts["m1"].but(role=Role.AUTO, suggested_role=Role.AUTO, inventory=None)
    view = decide(view.with_host(silent), Install()).view
    assert view.hosts["m1"].role is Role.AUTO
    assert view.hosts["m2"].role is Role.MASTER


def test_the_files_are_there_or_cannot_be_had():
    view = decide(a_ready_view(), Install()).view
    decision = decide(view, Prepared(attempt=1, openshift_cluster_id="o1"))
    assert decision.cluster.preparation == Preparation(attempt=1, status=PreparationStatus.SUCCESS)
    assert names(decision) == ["cluster_prepare_installation_started"]
    decision = decide(view, Prepared(attempt=1, failure="no space"))
    assert decision.cluster.preparation == Preparation(attempt=1, status=PreparationStatus.FAILED, reason="no space")
    assert "prepare_installation_failed" in names(decision)


def test_how_far_the_files_have_come_is_shown_until_they_are_there():
    view = decide(a_ready_view(), Install()).view
    told = decide(view, PreparationReported(attempt=1, words="half of it")).view
    assert told.cluster.preparation.reason == "half of it"
    assert not decide(view, PreparationReported(attempt=0, words="late")).changed
    assert not decide(a_ready_view(), PreparationReported(attempt=0, words="never begun")).changed
    done = decide(told, Prepared(attempt=1, openshift_cluster_id="o1")).view
    assert done.cluster.preparation.reason == ""
    assert not decide(done, PreparationReported(attempt=1, words="late")).changed


# Cancel and reset


def test_cancel_is_told_for_the_cluster_and_each_host():
    decision = decide(of(C.INSTALLING, *[H.IN_PROGRESS] * 3), Cancel())
    assert names(decision).count("host_installation_cancelled") == 3
    assert names(decision)[-1] == "cluster_installation_canceled"


def test_reset_is_told_for_the_cluster_and_each_host():
    decision = decide(of(C.ERROR, *[H.ERROR] * 3), Reset())
    assert names(decision).count("host_installation_reset") == 3
    assert names(decision).count("user_required_complete_installation_reset") == 3
    assert "cluster_installation_reset" in names(decision)


@pytest.mark.parametrize("asked", [Cancel(), Reset()])
def test_there_must_be_an_installation_to_end(asked):
    assert "there is no installation to" in refused(of(C.READY, *[H.KNOWN] * 3), asked)


@pytest.mark.parametrize(
    ("asked", "state"),
    [(Cancel(), H.DISCONNECTED), (Cancel(), H.PREPARING_FAILED), (Reset(), H.DISCONNECTED), (Reset(), H.INSUFFICIENT)],
)
def test_one_host_that_cannot_end_lets_nothing_end(asked, state):
    view = of(C.PREPARING, H.PREPARING, state, H.PREPARING)
    decision = decide(view, asked)
    assert f"while host m2 is {state}" in str(decision.outcomes[0])
    assert decision.host("m1").status is not H.RESETTING_PENDING
    assert not {"host_installation_cancelled", "host_installation_reset"} & set(names(decision))
    assert decision.effects == ()


# The controller


def finalizing(**changes):
    return decide(of(C.FINALIZING, *[H.INSTALLED] * 3, **changes), Ticked()).view


def test_an_operator_tells_how_it_is_doing():
    view = later(finalizing(), minutes=1)
    decision = decide(
        view, OperatorReported(name="console", status="progressing", status_info="2 of 3", version="4.20")
    )
    (console,) = decision.cluster.operators
    assert (console.status, console.status_info, console.version) == (OperatorStatus.PROGRESSING, "2 of 3", "4.20")
    assert console.status_updated_at == view.now
    assert names(decision) == ["cluster_operator_status"]
    again = OperatorReported(name="console", status="progressing")
    assert not decide(decision.view, again).changed


def test_an_operator_may_report_without_a_status():
    decision = decide(finalizing(), OperatorReported(name="console", status_info="thinking"))
    assert decision.cluster.operators[0].status is None
    assert "is unknown: thinking" in decision.events[0].message


def test_a_report_must_name_an_operator_of_the_cluster_and_a_status_there_is():
    view = finalizing()
    assert refused(view, OperatorReported(name=""), Invalid).startswith("name: ")
    assert refused(view, OperatorReported(name="odf"), NotFound).endswith("it has console")
    assert refused(finalizing(operators=()), OperatorReported(name="odf"), NotFound).endswith("it has none")
    assert "status: 'fine' is none of failed, progressing" in refused(
        view, OperatorReported(name="console", status="fine"), Invalid
    )


@pytest.mark.parametrize("status", [C.INSTALLING, C.FINALIZING, C.PENDING_USER_ACTION, C.INSTALLED])
def test_a_finalizing_stage_is_taken_and_dated(status):
    waiting = H.PENDING_USER_ACTION if status is C.PENDING_USER_ACTION else H.IN_PROGRESS
    hosts = [H.INSTALLED] * 3 if status in {C.FINALIZING, C.INSTALLED} else [waiting] * 3
    view = later(of(status, *hosts), minutes=1)
    decision = decide(view, FinalizingStageReported(stage="Adding router ca"))
    progress = decision.cluster.progress
    assert progress.finalizing_stage is FinalizingStage.ROUTER_CA
    assert (progress.finalizing_stage_started_at, progress.finalizing_stage_timed_out) == (view.now, False)
    assert "cluster_finalizing_stage_updated" in names(decision)
    again = later(decision.view, minutes=1)
    assert decide(again, FinalizingStageReported(stage="Adding router ca")).cluster.progress == progress


def test_a_finalizing_stage_must_be_one_and_at_its_time():
    assert refused(finalizing(), FinalizingStageReported(stage="?"), Invalid).startswith(
        "finalizing_stage: '?' is none"
    )
    assert "takes no finalizing stage" in refused(
        a_view(a_cluster(status=C.ERROR)), FinalizingStageReported(stage="Done"), Invalid
    )


def test_the_next_stage_ends_the_warning_of_the_last_one():
    view = decide(finalizing(), FinalizingStageReported(stage="Applying olm manifests")).view
    view = decide(later(view, minutes=11), Ticked()).view
    assert "for more than 10 minutes" in view.cluster.status_info
    view = decide(view, FinalizingStageReported(stage="Done")).view
    assert view.cluster.status_info == "The hosts are installed; the cluster is coming up"


@pytest.mark.parametrize("status", [C.FINALIZING, C.INSTALLED])
def test_the_ingress_is_to_be_trusted(status):
    decision = decide(of(status, *[H.INSTALLED] * 3), IngressCaUploaded(pem="pem"))
    assert decision.effects == (PublishKubeconfig(cluster_id=CLUSTER_ID, ingress_ca="pem"),)
    published = decide(decision.view, KubeconfigPublished()).view
    assert decide(published, IngressCaUploaded(pem="pem")).effects == ()


@pytest.mark.parametrize("status", [C.CANCELLED, C.INSUFFICIENT, C.ERROR])
def test_a_kubeconfig_that_comes_when_its_attempt_is_over_is_not_taken_in(status):
    assert not decide(of(status, *[H.CANCELLED] * 3), KubeconfigPublished()).cluster.kubeconfig_published


def test_the_ingress_is_not_there_before_the_nodes_are():
    view = of(C.INSTALLING, *[H.IN_PROGRESS] * 3)
    assert "takes no ingress certificate yet" in refused(view, IngressCaUploaded(pem="pem"), Invalid)


def test_the_last_word_of_the_controller_only_tells():
    view = finalizing()
    decision = decide(view, CompletionReported(is_success=False, failed_operators=("odf", "lso")))
    assert [event.message for event in decision.events] == [
        "The new cluster did not come up; its controller says: operators that failed: odf, lso"
    ]
    assert decision.cluster == view.cluster
    told = decide(view, CompletionReported(is_success=False, error_info="no console")).events
    assert [event.message.partition("says: ")[2] for event in told] == ["no console"]
    assert not decide(view, CompletionReported(is_success=False)).changed
    assert not decide(view, CompletionReported(is_success=True, failed_operators=("odf",))).changed


def test_the_logs_of_the_controller_are_told_of_the_first_time():
    view = decide(later(of(C.ERROR), seconds=1), ClusterLogsReported(state="requested")).view
    assert (view.cluster.logs_info, view.cluster.controller_logs_started_at) == ("requested", view.now)
    decision = decide(later(view, seconds=1), ClusterLogsReported(uploaded=True))
    assert decision.cluster.logs_info == "collecting"
    assert decision.cluster.controller_logs_collected_at == view.now + timedelta(seconds=1)
    assert names(decision) == ["cluster_logs_uploaded"]
    again = decide(later(decision.view, seconds=1), ClusterLogsReported(uploaded=True))
    assert names(again) == []
    assert again.cluster.controller_logs_collected_at == view.now + timedelta(seconds=2)
    assert decide(again.view, ClusterLogsReported(state="completed")).cluster.logs_info == "completed"


# Discovery images


def image_view(**changes):
    return nothing(infra_env_scope(INFRA_ENV_ID)).but(infra_envs={INFRA_ENV_ID: an_infra_env()}).but(**changes)


def test_a_discovery_image_is_described_changed_and_given_up():
    scope = infra_env_scope("e9")
    inputs = InfraEnvCreate(name="rack", pull_secret=SECRET)
    decision = decide(nothing(scope), RegisterInfraEnv(infra_env_id="e9", inputs=inputs, owner="me"))
    assert names(decision) == ["infra_env_registered", "image_info_updated"]
    assert decision.view.infra_envs["e9"].user_name == "me"
    decision = decide(
        decision.view, UpdateInfraEnv(changes=InfraEnvUpdate(proxy=ProxyInput(http_proxy="http://proxy:3128")))
    )
    assert decision.view.infra_envs["e9"].proxy.http_proxy == "http://proxy:3128"
    assert names(decision) == ["image_info_updated"]
    decision = decide(decision.view, DeleteInfraEnv())
    assert decision.view.infra_envs["e9"].deleted
    assert names(decision) == ["infra_env_deregistered"]
    assert refused(decision.view, UpdateInfraEnv(changes=InfraEnvUpdate()), NotFound) == "There is no infra-env e9"


def test_a_change_that_changes_nothing_is_not_told():
    assert not decide(image_view(), UpdateInfraEnv(changes=InfraEnvUpdate())).changed


def test_an_image_with_hosts_is_not_given_up():
    assert "still has 2 hosts" in refused(image_view(tenants=2), DeleteInfraEnv(), Invalid)


def test_an_image_that_is_not_there_is_not_given_up():
    assert refused(nothing(infra_env_scope("e9")), DeleteInfraEnv(), NotFound) == "There is no infra-env e9"


def test_the_console_is_what_every_cluster_waits_for():
    inputs = ClusterCreate(name="lab", openshift_version="4.20", pull_secret=SECRET)
    decision = decide(nothing(cluster_scope("c9")), RegisterCluster(cluster_id="c9", inputs=inputs))
    assert [each.name for each in decision.cluster.operators] == [CONSOLE.name]

"""Giving hosts of the pool to clusters, taking them back, and adding hosts to clusters that run."""

import json

import pytest

from builders import (
    CLUSTER_ID,
    INFRA_ENV_ID,
    NOW,
    a_cluster,
    a_pool_view,
    a_ready_host,
    a_running_cluster,
    a_view,
    a_view_of,
    an_infra_env,
    some_ready_hosts,
)
from moving import at_stage
from muster.domain.clusters import ClusterKind, ClusterState
from muster.domain.decide import decide
from muster.domain.effects import GenerateHostIgnition
from muster.domain.errors import Invalid, NotFound, Refused
from muster.domain.hosts import HostKind, HostState
from muster.domain.inventory import Boot
from muster.domain.joining import MACHINE_CONFIG, ApiVipReply
from muster.domain.policy import Policy
from muster.domain.progress import Stage
from muster.domain.roles import Role
from muster.domain.steps import instruct
from muster.domain.triggers import (
    AllowAddHosts,
    BindHost,
    Cancel,
    DeleteCluster,
    DeleteInfraEnv,
    HostIgnitionStored,
    InstallHost,
    Progressed,
    ReclaimHost,
    Registered,
    Replied,
    Reset,
    ResetHost,
    UnbindHost,
)
from muster.domain.views import View, cluster_scope, host_scope, infra_env_scope, scope_of

H, C = HostState, ClusterState
GIVE = BindHost(host_id="m1", cluster_id=CLUSTER_ID)
BACK = Registered(host_id="m1", infra_env_id=INFRA_ENV_ID)
POOL_IMAGE = an_infra_env(cluster_id=None)
FROM_DISK = a_ready_host("m1").inventory.but(boot=Boot(current_boot_mode="uefi", device_type="persistent"))


def in_pool(beside=None, **changes) -> View:
    """A host of the pool, and a cluster that it may be given to."""
    view = a_pool_view(a_ready_host("m1"), infra_envs={INFRA_ENV_ID: POOL_IMAGE})
    view = view.with_host(view.hosts["m1"].but(**changes))
    return view.but(beside={cluster_scope(CLUSTER_ID): a_view(beside or a_cluster())})


def given(status: HostState = H.KNOWN, cluster: ClusterState = C.READY, **changes) -> View:
    """A cluster of hosts that came from the pool."""
    first, *others = some_ready_hosts()
    view = a_view_of(cluster, [first.but(status=status, **changes), *others])
    return view.but(infra_envs={INFRA_ENV_ID: POOL_IMAGE})


def refusal(decision, kind):
    """Why what was asked last is refused."""
    assert isinstance(decision.outcomes[-1], kind)
    return decision.outcomes[-1]


def names(decision) -> list[str]:
    return [event.name for event in decision.events]


# Bind


def test_a_host_of_the_pool_that_is_given_to_a_cluster_moves_to_its_scope():
    decision = decide(in_pool(), GIVE)
    host = decision.host("m1")
    assert (host.status, host.cluster_id, scope_of(host)) == (H.BINDING, CLUSTER_ID, cluster_scope(CLUSTER_ID))
    assert names(decision) == ["host_status_updated", "host_bind_succeeded"]
    assert decision.deadline is None


def test_a_host_that_was_given_to_a_cluster_registers_there():
    host = decide(in_pool(), GIVE).host("m1")
    there = a_view(a_cluster(), [host]).but(infra_envs={INFRA_ENV_ID: POOL_IMAGE})
    assert decide(there, BACK).host("m1").status is H.DISCOVERING


@pytest.mark.parametrize(
    ("view", "error", "words"),
    [
        (given(), Refused, "already"),
        (in_pool().but(beside={}), Invalid, "there is no cluster"),
        (in_pool(a_cluster(deleted_at=NOW)), Invalid, "there is no cluster"),
        (in_pool(a_cluster(cpu_architecture="arm64")), Invalid, "is for arm64"),
        (in_pool(a_cluster(openshift_version="4.18.0"), role=Role.ARBITER), Invalid, "an arbiter needs OpenShift 4.19"),
        (in_pool(a_cluster(status=C.INSTALLING)), Refused, "takes in no new hosts"),
        (in_pool(status=H.INSUFFICIENT_UNBOUND), Refused, "only a host that is known-unbound"),
    ],
)
def test_a_host_is_given_only_to_a_cluster_that_can_use_it(view, error, words):
    decision = decide(view, GIVE)
    refused = refusal(decision, error)
    assert words in str(refused)
    assert "host_bind_failed" in names(decision)


def test_a_host_of_an_image_that_is_not_known_any_more_may_still_be_given_away():
    assert decide(in_pool().but(infra_envs={}), GIVE).host("m1").status is H.BINDING


def test_a_host_that_does_not_exist_is_given_to_nobody_and_nothing_is_told():
    decision = decide(in_pool(), GIVE.but(host_id="m9"))
    assert refusal(decision, NotFound)
    assert names(decision) == []


# Unbind and reclaim


@pytest.mark.parametrize("ask", [UnbindHost(host_id="m1"), ReclaimHost(host_id="m1")])
def test_a_host_that_is_taken_back_leaves_its_cluster_to_the_others(ask):
    decision = decide(given(), ask)
    host = decision.host("m1")
    assert (host.status, host.cluster_id) == (H.UNBINDING, None)
    assert scope_of(host) == host_scope(INFRA_ENV_ID, "m1")
    assert [each.id for each in decision.view.living] == ["m2", "m3"]
    assert decision.cluster.status is C.INSUFFICIENT
    assert "host_unbind_succeeded" in names(decision)


def test_what_is_asked_of_a_host_that_has_just_left_is_not_answered_here():
    decision = decide(given(), UnbindHost(host_id="m1"), Progressed(host_id="m1", stage=Stage.DONE))
    assert [type(each) for each in decision.outcomes] == [type(None), NotFound]


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (given(H.IN_PROGRESS, C.INSTALLING), "cancel the installation"),
        (in_pool(), "belongs to no cluster"),
        (given().but(infra_envs={INFRA_ENV_ID: an_infra_env(cluster_id=CLUSTER_ID)}), "delete the host instead"),
        (given(H.DISABLED), "cannot be taken"),
    ],
)
def test_a_host_is_not_taken_back_when_it_cannot_go(view, words):
    decision = decide(view, UnbindHost(host_id="m1"))
    assert words in str(refusal(decision, Refused))
    assert "host_unbind_failed" in names(decision)


def test_an_installed_host_is_reclaimed_by_itself():
    view = given(H.INSTALLED, C.INSTALLED, progress=at_stage(Stage.DONE))
    host = decide(view, ReclaimHost(host_id="m1")).host("m1")
    assert (host.status, host.cluster_id) == (H.RECLAIMING, None)
    pool = a_pool_view(host).but(hosts={"m1": host})
    fetched = Replied(host_id="m1", step="download-boot-artifacts")
    back = decide(pool, fetched).view
    assert back.hosts["m1"].status is H.RECLAIMING_REBOOTING
    back = back.but(infra_envs={INFRA_ENV_ID: POOL_IMAGE})
    assert decide(back, BACK).host("m1").status is H.DISCOVERING_UNBOUND


# Clusters that go


def test_a_cluster_that_is_deleted_gives_hosts_of_the_pool_back():
    decision = decide(given(), DeleteCluster())
    assert {host.status for host in decision.view.hosts.values()} == {H.UNBINDING}
    assert all(host.deleted_at is None for host in decision.view.hosts.values())
    assert names(decision).count("host_unbind_succeeded") == 3


def test_a_host_that_cannot_go_back_is_given_up_with_its_cluster():
    decision = decide(given(H.BINDING), DeleteCluster())
    assert decision.view.hosts["m1"].deleted_at == NOW


def test_a_cluster_that_cannot_be_deleted_says_so():
    decision = decide(given(cluster=C.INSTALLING), DeleteCluster())
    assert refusal(decision, Refused)
    assert "cluster_deregister_failed" in names(decision)


# Refusals


@pytest.mark.parametrize(
    ("view", "trigger", "told"),
    [
        (given(), Cancel(), ["cancel_installation_failed"]),
        (given(), Reset(), ["reset_installation_failed"]),
        (
            given(H.DISCONNECTED, C.PREPARING),
            Cancel(),
            ["cancel_installation_failed", "host_cancel_installation_failed"],
        ),
        (given(H.BINDING, C.ERROR), Reset(), ["reset_installation_failed", "host_installation_reset_failed"]),
        (
            given(H.INSTALLED, C.INSTALLED),
            Registered(host_id="m1", infra_env_id=INFRA_ENV_ID),
            ["host_registration_failed"],
        ),
        (
            View(
                scope=infra_env_scope(INFRA_ENV_ID),
                now=NOW,
                policy=Policy(),
                version=1,
                infra_envs={INFRA_ENV_ID: POOL_IMAGE},
                tenants=2,
            ),
            DeleteInfraEnv(),
            ["infra_env_deregister_failed"],
        ),
    ],
)
def test_a_refusal_is_told(view, trigger, told):
    decision = decide(view, trigger)
    assert refusal(decision, Exception)
    assert [name for name in names(decision) if name.endswith("_failed") and "validation" not in name] == told


# Hosts that are added


def joining(status: HostState = H.KNOWN, **changes) -> View:
    """A host that is to join a running cluster."""
    known = {"kind": HostKind.DAY2, "role": Role.WORKER, "status": status, "api_vip": ApiVipReply(is_success=True)}
    host = a_ready_host("m1").but(**known | changes)
    return a_view(a_running_cluster(api_vip_dns_name="192.168.1.5"), [host])


def test_an_installed_cluster_takes_in_hosts_under_its_own_address():
    decision = decide(given(H.INSTALLED, C.INSTALLED, progress=at_stage(Stage.DONE)), AllowAddHosts())
    cluster = decision.cluster
    assert (cluster.kind, cluster.status) == (ClusterKind.ADD_HOSTS, C.ADDING_HOSTS)
    assert cluster.api_vip_dns_name == cluster.api_vips[0].ip


@pytest.mark.parametrize("changes", [{"api_vips": ()}, {"user_managed_networking": True}])
def test_a_cluster_without_an_address_of_its_own_takes_in_hosts_under_its_name(changes):
    view = given(H.INSTALLED, C.INSTALLED, progress=at_stage(Stage.DONE))
    view = view.with_cluster(view.cluster.but(**changes))
    assert decide(view, AllowAddHosts()).cluster.api_vip_dns_name == f"api.{view.cluster.domain}"


def test_a_cluster_takes_in_hosts_only_once_it_is_installed():
    assert "once it is installed" in str(refusal(decide(given(), AllowAddHosts()), Invalid))


def test_a_cluster_that_takes_in_hosts_need_not_be_told_again():
    assert "takes in hosts already" in str(refusal(decide(a_view(a_running_cluster()), AllowAddHosts()), Invalid))


@pytest.mark.parametrize("role", [Role.WORKER, Role.AUTO])
def test_a_host_joins_a_running_cluster(role):
    decision = decide(joining(role=role, suggested_role=None), InstallHost(host_id="m1"))
    host = decision.host("m1")
    assert (host.status, host.role) == (H.INSTALLING, Role.WORKER)
    assert "host_installation_started" in names(decision)


def test_a_host_that_joins_begins_once_its_configuration_is_in_storage():
    asked = decide(joining(ignition_stored=True), InstallHost(host_id="m1"))
    assert asked.effects == (GenerateHostIgnition(cluster_id=CLUSTER_ID, host_id="m1"),)
    assert instruct(asked.view, "m1").steps == ()
    stored = decide(asked.view, HostIgnitionStored(host_id="m1"))
    assert [step.kind for step in instruct(stored.view, "m1").steps] == ["install"]


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (joining(inventory=FROM_DISK), "runs from its own disk"),
        (joining().with_cluster(a_running_cluster()), "set its api_vip_dns_name"),
    ],
)
def test_a_host_does_not_begin_to_join_what_it_could_not_become_part_of(view, words):
    decision = decide(view, InstallHost(host_id="m1"))
    assert words in str(refusal(decision, Refused))
    assert (decision.host("m1").status, decision.effects) == (H.KNOWN, ())


def test_a_host_that_runs_from_its_disk_becomes_what_the_cluster_names():
    config = {"spec": {"osImageURL": "quay.io/os:1"}}
    encapsulated = {"path": MACHINE_CONFIG, "contents": {"source": f"data:,{json.dumps(config)}"}}
    reply = ApiVipReply(is_success=True, ignition=json.dumps({"storage": {"files": [encapsulated]}}))
    decision = decide(joining(inventory=FROM_DISK, api_vip=reply), InstallHost(host_id="m1"))
    assert decision.host("m1").status is H.INSTALLING


@pytest.mark.parametrize(
    ("view", "error", "words"),
    [
        (in_pool(), NotFound, "belongs to no cluster"),
        (given(), Refused, "with its cluster"),
        (joining(H.INSUFFICIENT, requested_hostname="localhost"), Refused, "only while known: "),
    ],
)
def test_a_host_that_cannot_join_says_why(view, error, words):
    assert words in str(refusal(decide(view, InstallHost(host_id="m1")), error))


def test_a_host_that_joins_is_out_of_sight_once_it_restarts():
    view = joining(H.IN_PROGRESS, progress=at_stage(Stage.WRITING))
    restart = Progressed(host_id="m1", stage=Stage.REBOOTING)
    decision = decide(view, restart)
    host = decision.host("m1")
    assert (host.status, host.progress.current_stage, host.progress.installation_percentage) == (
        H.ADDED,
        Stage.DONE,
        100,
    )
    assert decide(decision.view, restart).outcomes == (None,)


def test_a_host_that_joins_is_watched_on_where_the_cluster_is_watched_from_within():
    view = joining(H.IN_PROGRESS, progress=at_stage(Stage.WRITING))
    view = view.but(policy=view.policy.but(kube_api=True))
    host = decide(view, Progressed(host_id="m1", stage=Stage.REBOOTING)).host("m1")
    assert (host.status, host.progress.current_stage) == (H.IN_PROGRESS, Stage.REBOOTING)
    assert decide(view.with_host(host), Progressed(host_id="m1", stage=Stage.DONE)).host("m1").status is H.ADDED


def test_a_host_that_was_to_join_starts_over():
    decision = decide(joining(H.ERROR), ResetHost(host_id="m1"))
    assert decision.host("m1").status is H.RESETTING_PENDING
    assert "host_installation_reset" in names(decision)


@pytest.mark.parametrize(("view", "words"), [(given(), "with its cluster"), (joining(H.BINDING), "cannot be reset")])
def test_only_a_host_that_joins_starts_over_by_itself(view, words):
    assert words in str(refusal(decide(view, ResetHost(host_id="m1")), Refused))

"""What nobody touches is given up in the end, and what was given up is forgotten; what is in use stays."""

from datetime import timedelta

import pytest

from builders import (
    CLUSTER_ID,
    INFRA_ENV_ID,
    NOW,
    a_cluster,
    a_day2_host,
    a_pool_view,
    a_ready_host,
    a_ready_view,
    a_running_cluster,
    a_view,
    an_infra_env,
    later,
)
from muster.domain.cleaning import BUSY, clean, cleaning_due
from muster.domain.decide import decide
from muster.domain.draft import Draft
from muster.domain.effects import DeleteFiles, GiveUpHosts
from muster.domain.errors import NotFound
from muster.domain.hosts import HostState
from muster.domain.inputs.clusters import ClusterUpdate
from muster.domain.policy import Policy
from muster.domain.states.clusters import UNDER_WAY
from muster.domain.triggers import DeleteCluster, DeleteInfraEnv, FilesDeleted, Ticked, UpdateCluster
from muster.domain.views import View, infra_env_scope

TICK = timedelta(milliseconds=1)
INACTIVITY = timedelta(hours=480)
KEPT = timedelta(hours=72)


def names(decision):
    return [event.name for event in decision.events]


def idle(view, after=INACTIVITY + TICK):
    """A view whose hosts fell silent, settled, and then nothing for so long."""
    silent = decide(later(view, seen=False, minutes=10), Ticked()).view
    return silent.but(now=silent.now + after)


def an_infra_env_view(**changes):
    """An infra-env of the pool, alone."""
    view = View(scope=infra_env_scope(INFRA_ENV_ID), now=NOW, policy=Policy(), version=1)
    return view.but(infra_envs={INFRA_ENV_ID: an_infra_env(cluster_id=None)}).but(**changes)


# Clusters that nobody touches


def test_a_cluster_that_nobody_touches_is_given_up_with_its_hosts():
    decision = decide(idle(a_ready_view()), Ticked())
    assert decision.cluster.deleted_at == decision.view.now
    assert decision.view.living == ()
    assert names(decision) == [
        "after_inactivity_cluster_deregistered",
        *["host_deregistered"] * 3,
        "cluster_deregistered",
    ]
    assert "480 hours" in decision.events[0].message
    assert decision.effects == (DeleteFiles(cluster_id=CLUSTER_ID),)
    assert decision.deadline == decision.view.now + KEPT + TICK


def test_it_is_given_up_at_its_deadline_and_not_a_moment_before():
    just_before = idle(a_ready_view(), INACTIVITY)
    decision = decide(just_before, Ticked())
    assert not decision.changed
    assert decision.deadline == just_before.now + TICK


def test_hosts_that_were_given_to_it_go_back_to_the_pool():
    view = a_ready_view(infra_envs={INFRA_ENV_ID: an_infra_env(cluster_id=None)})
    decision = decide(idle(view), Ticked())
    assert decision.cluster.deleted_at is not None
    assert {host.deleted_at for host in decision.view.hosts.values()} == {None}
    assert {host.cluster_id for host in decision.view.hosts.values()} == {None}


def test_every_change_gives_it_as_long_again():
    view = idle(a_ready_view(), INACTIVITY - TICK)
    changed = decide(view, UpdateCluster(changes=ClusterUpdate(name="other")))
    assert changed.deadline == view.now + INACTIVITY + TICK
    assert not decide(later(changed.view, seen=False, hours=479), Ticked()).changed


def test_a_change_of_one_of_its_hosts_counts_too():
    view = idle(a_ready_view())
    view = view.with_host(view.hosts["m1"].but(updated_at=view.now - TICK))
    assert decide(view, Ticked()).deadline == view.now + INACTIVITY


def test_a_cluster_whose_hosts_are_heard_of_is_in_use():
    view = later(a_ready_view(), hours=481)
    decision = decide(view, Ticked())
    assert decision.cluster.deleted_at is None
    assert decision.deadline <= view.now + timedelta(minutes=5)


def test_a_request_that_comes_just_in_time_saves_it():
    view = idle(a_ready_view())
    asked = UpdateCluster(changes=ClusterUpdate(name="mine"))
    assert decide(view, Ticked(), asked).cluster.deleted_at is None
    refused = decide(view, UpdateCluster(changes=ClusterUpdate(name="Not A Name")))
    assert refused.cluster.deleted_at is None
    assert refused.outcomes[0] is not None


def is_left_alone(view):
    long_after = view.but(now=NOW + 2 * INACTIVITY)
    return cleaning_due(long_after) is None and not clean(Draft(long_after))


@pytest.mark.parametrize("state", sorted(UNDER_WAY))
def test_a_cluster_that_is_being_installed_is_not_given_up(state):
    assert is_left_alone(a_view(a_cluster(status=state)))


@pytest.mark.parametrize("state", sorted(BUSY))
def test_a_running_cluster_that_takes_in_a_host_is_not_given_up(state):
    assert is_left_alone(a_view(a_running_cluster(), [a_day2_host(status=state)]))
    assert not is_left_alone(a_view(a_running_cluster(), [a_day2_host(status=HostState.ADDED)]))


@pytest.mark.parametrize("policy", [Policy(deregister_inactive=False), Policy(kube_api=True)])
def test_where_it_is_switched_off_or_kubernetes_rules_no_cluster_is_given_up(policy):
    decision = decide(a_view(policy=policy, now=NOW + 2 * INACTIVITY), Ticked())
    assert decision.cluster.deleted_at is None
    assert decide(decision.view, Ticked()).deadline is None


def test_a_shorter_time_can_be_set():
    policy = Policy(inactivity=timedelta(hours=1.5))
    decision = decide(decide(a_view(policy=policy), Ticked()).view.but(now=NOW + timedelta(hours=2)), Ticked())
    assert decision.cluster.deleted_at is not None
    assert "1.5 hours" in decision.events[0].message


# Clusters that were given up


def gone(**policy):
    """A cluster that was given up long enough ago."""
    view = decide(a_ready_view(), DeleteCluster()).view
    return view.but(now=NOW + KEPT + TICK, policy=view.policy.but(**policy))


def test_the_last_files_of_a_cluster_go_when_it_has_been_gone_for_long():
    early = decide(gone().but(now=NOW + KEPT), Ticked())
    assert not early.changed
    decision = decide(gone(), Ticked())
    assert decision.effects == (DeleteFiles(cluster_id=CLUSTER_ID, everything=True),)
    assert decision.cluster.forgetting
    assert decision.deadline is None
    assert not decision.forgotten
    assert not decide(later(decision.view, days=30), Ticked()).changed


def test_once_its_files_are_gone_a_cluster_is_forgotten():
    decision = decide(decide(gone(), Ticked()).view, FilesDeleted())
    assert decision.forgotten
    assert decision.changed
    assert decision.changes == ()


@pytest.mark.parametrize("view", [a_ready_view(), a_pool_view(a_ready_host("h1"))])
def test_a_cluster_that_was_not_given_up_is_never_forgotten(view):
    assert not decide(view, FilesDeleted()).forgotten


def test_where_it_is_switched_off_nothing_is_forgotten():
    decision = decide(gone(forgets=False), Ticked())
    assert not decision.changed
    assert decision.deadline is None


def test_where_kubernetes_rules_what_was_given_up_is_forgotten_all_the_same():
    assert decide(gone(kube_api=True), Ticked()).effects


# Infra-envs


def test_an_infra_env_that_nobody_touches_is_given_up_with_its_hosts():
    view = an_infra_env_view(tenants=2, heard_at=NOW - INACTIVITY)
    assert decide(view, Ticked()).deadline == NOW + INACTIVITY + TICK
    decision = decide(view.but(now=NOW + INACTIVITY + TICK), Ticked())
    assert decision.view.infra_envs[INFRA_ENV_ID].deleted
    assert decision.effects == (GiveUpHosts(infra_env_id=INFRA_ENV_ID),)
    assert names(decision) == ["infra_env_deregistered"]


def test_an_infra_env_whose_hosts_are_heard_of_is_in_use():
    heard = NOW + timedelta(days=19)
    decision = decide(an_infra_env_view(tenants=1, heard_at=heard, now=NOW + INACTIVITY + TICK), Ticked())
    assert not decision.changed
    assert decision.deadline == heard + INACTIVITY + TICK


def test_an_infra_env_that_a_cluster_needs_is_looked_at_again_after_as_long():
    view = an_infra_env_view(needed=True, now=NOW + 2 * INACTIVITY)
    decision = decide(view, Ticked())
    assert not decision.changed
    assert decision.deadline == view.now + INACTIVITY + TICK


@pytest.mark.parametrize(
    ("policy", "stays"),
    [
        (Policy(kube_api=True), True),
        (Policy(deregister_inactive=False, forgets=False), True),
        (Policy(deregister_inactive=False), False),
        (Policy(forgets=False), False),
        (Policy(infra_env_inactivity=3 * INACTIVITY), True),
    ],
)
def test_infra_envs_are_given_up_unless_all_clearing_away_is_off(policy, stays):
    decision = decide(an_infra_env_view(policy=policy, now=NOW + 2 * INACTIVITY), Ticked())
    assert decision.view.infra_envs[INFRA_ENV_ID].deleted is not stays


def test_an_infra_env_that_was_given_up_is_forgotten_later():
    view = decide(an_infra_env_view(), DeleteInfraEnv()).view
    early = decide(view, Ticked())
    assert (early.changed, early.deadline) == (False, NOW + KEPT + TICK)
    assert decide(view.but(now=NOW + KEPT + TICK), Ticked()).forgotten


def test_an_infra_env_is_not_forgotten_before_its_hosts_are_given_up():
    view = decide(an_infra_env_view(), DeleteInfraEnv()).view.but(tenants=1, now=NOW + KEPT + TICK)
    decision = decide(view, Ticked())
    assert not decision.forgotten
    assert decision.deadline == view.now + KEPT + TICK


def test_an_infra_env_is_not_forgotten_where_that_is_switched_off():
    view = decide(an_infra_env_view(policy=Policy(forgets=False)), DeleteInfraEnv()).view
    assert decide(view.but(now=NOW + 9 * KEPT), Ticked()).deadline is None


def test_what_is_not_there_is_not_cleared_away():
    nothing = View(scope=infra_env_scope("i9"), now=NOW, policy=Policy())
    decision = decide(nothing, Ticked(), DeleteInfraEnv())
    assert isinstance(decision.outcomes[1], NotFound)
    assert decision.deadline is None

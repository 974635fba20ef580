"""How long each stage may take: as shipped, as set, and where being late is only warned about."""

from datetime import timedelta

import pytest

from builders import a_cluster, a_view
from muster.domain.monitored import MonitoredOperator, OperatorType
from muster.domain.policy import Policy, with_time_to_prepare
from muster.domain.progress import ClusterProgress, FinalizingStage, Stage, finalizing_limit
from muster.domain.states.cases import ClusterCase
from muster.domain.triggers import Ticked
from muster.domain.validations.catalogue import Assessment
from muster.domain.views import peers_of

F = FinalizingStage


def minutes(count):
    return timedelta(minutes=count)


@pytest.mark.parametrize(
    ("stage", "hard", "soft"),
    [
        (F.OPERATORS, 600, 70),
        (F.ROUTER_CA, 70, 70),
        (F.OLM_MANIFESTS, 10, 10),
        (F.OLM_INIT, 70, 70),
        (F.OLM_CSV, 70, 70),
        (F.OLM_JOBS, 10, 10),
        (F.DONE, 70, 70),
    ],
)
def test_a_stage_of_the_new_cluster_has_a_limit(stage, hard, soft):
    assert finalizing_limit(stage, minutes(0), soft=False, overrides={}) == minutes(hard)
    assert finalizing_limit(stage, minutes(0), soft=True, overrides={}) == minutes(soft)


@pytest.mark.parametrize("stage", F)
def test_stages_that_wait_for_olm_are_given_the_time_of_its_slowest_operator(stage):
    waits = stage in {F.OLM_INIT, F.OLM_CSV, F.OLM_JOBS}
    longer = finalizing_limit(stage, minutes(999), soft=False, overrides={}) == minutes(999)
    assert longer is waits


@pytest.mark.parametrize("soft", [False, True])
def test_what_the_operator_of_the_service_sets_counts_in_either_way(soft):
    mine = {F.OPERATORS: minutes(5), F.OLM_CSV: minutes(5)}
    assert finalizing_limit(F.OPERATORS, minutes(20), soft=soft, overrides=mine) == minutes(5)
    assert finalizing_limit(F.OLM_CSV, minutes(20), soft=soft, overrides=mine) == minutes(20)


@pytest.mark.parametrize(
    ("policy", "limit"),
    [
        (Policy(), 600),
        (Policy(soft_timeouts=True), 70),
        (Policy(soft_timeouts=True, finalizing_limits={F.OPERATORS: minutes(3)}), 3),
    ],
)
def test_a_cluster_is_given_the_time_that_is_set(policy, limit):
    slow = MonitoredOperator(name="slow", operator_type=OperatorType.OLM, timeout_seconds=9000)
    cluster = a_cluster(operators=(slow,), progress=ClusterProgress(finalizing_stage=F.OPERATORS))
    view = a_view(cluster, policy=policy)
    assert ClusterCase(view, cluster, peers_of(()), Assessment(), Ticked()).stage_limit == minutes(limit)
    before = cluster.but(progress=ClusterProgress())
    assert ClusterCase(view, before, peers_of(()), Assessment(), Ticked()).stage_limit is None


@pytest.mark.parametrize(
    ("stage", "limit"),
    [
        (Stage.STARTING, 30),
        (Stage.WRITING, 30),
        (Stage.REBOOTING, 40),
        (Stage.COPYING, 90),
        (Stage.CONTROL_PLANE, 60),
        (Stage.CONTROLLER, 60),
        (Stage.BOOTKUBE, 60),
        (Stage.INSTALLING, 60),
        (Stage.CONFIGURING, 60),
        (Stage.JOINED, 60),
        (Stage.IGNITION, 24 * 60),
        (Stage.DONE, 60),
        (Stage.FAILED, 60),
    ],
)
def test_a_stage_of_a_host_has_a_limit(stage, limit):
    assert Policy().stage_limit(stage, single_node=False) == minutes(limit)
    mine = Policy(stage_limits={stage: minutes(7)})
    assert mine.stage_limit(stage, single_node=False) == minutes(7)


def test_a_single_node_may_take_its_time_to_reboot_whatever_is_set():
    mine = Policy(stage_limits={Stage.REBOOTING: minutes(7)})
    assert mine.stage_limit(Stage.REBOOTING, single_node=True) == minutes(80)


def test_what_ships_leaves_time_to_prepare():
    assert with_time_to_prepare(Policy()) == Policy()

"""What each role goes through when it is installed."""

import pytest

from muster.domain.progress import BOOTSTRAP_STAGES, MASTER_STAGES, SINGLE_NODE_STAGES, WORKER_STAGES, Stage
from muster.domain.roles import Role
from muster.installer.sequence import best_effort, install_sequence, phase, when
from muster.installer.tasks import start_bootstrap
from muster.installer.work import Plan

ID = "11111111-2222-3333-4444-555555555555"


def a_plan(role: Role = Role.MASTER, count: int = 3, **changes) -> Plan:
    plan = Plan(
        role=role, cluster_id=ID, infra_env_id=ID, host_id=ID, boot_device="/dev/vda", control_plane_count=count,
        controller_image="lab/controller", installer_image="lab/installer", check_cvo=False,
    )  # fmt: skip
    return plan.but(**changes)


def stages(plan: Plan) -> list[Stage]:
    return [each.stage for each in install_sequence(plan)]


@pytest.mark.parametrize(
    ("role", "count", "known"),
    [
        (Role.BOOTSTRAP, 3, BOOTSTRAP_STAGES),
        (Role.MASTER, 3, MASTER_STAGES),
        (Role.ARBITER, 2, MASTER_STAGES),
        (Role.WORKER, 3, WORKER_STAGES),
        (Role.BOOTSTRAP, 1, SINGLE_NODE_STAGES),
    ],
)
def test_every_role_goes_through_its_stages_in_order_up_to_the_reboot(role, count, known):
    before_reboot = known[: known.index(Stage.REBOOTING) + 1]
    assert stages(a_plan(role, count)) == [stage for stage in before_reboot if stage is not Stage.COPYING]


def test_the_last_thing_done_is_to_restart():
    for role in (Role.BOOTSTRAP, Role.MASTER, Role.WORKER):
        assert install_sequence(a_plan(role))[-1].tasks[-1].__name__ == "reboot"


def test_only_the_host_that_carries_the_bootstrap_starts_one():
    def starts(plan):
        return any(task is start_bootstrap for each in install_sequence(plan) for task in each.tasks)

    assert starts(a_plan(Role.BOOTSTRAP))
    assert starts(a_plan(Role.BOOTSTRAP, 1))
    assert not starts(a_plan(Role.MASTER))
    assert not starts(a_plan(Role.WORKER))


def test_the_bootstrap_is_installed_as_a_master():
    infos = {each.stage: each.info for each in install_sequence(a_plan(Role.BOOTSTRAP))}
    assert infos[Stage.STARTING] == "bootstrap"
    assert infos[Stage.INSTALLING] == "master"


def test_a_worker_of_a_single_node_cluster_is_a_worker():
    assert not a_plan(Role.WORKER, 1).single_node


def test_phases_are_there_only_when_they_should_be():
    one = phase(Stage.WRITING)
    assert when(True, one) == (one,)
    assert when(False, one) == ()


def test_failure_is_tolerated_where_the_sequence_says_so():
    first = install_sequence(a_plan())[0]
    assert [task.__name__ for task in first.tasks] == ["best effort: format_disks", "best effort: clean_disk"]
    assert best_effort(start_bootstrap).__name__ == "best effort: start_bootstrap"

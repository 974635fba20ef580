"""What must hold of the course of every installation, however it went. Journeys call it once they have ended.

`course_of` tells what a cluster and its hosts went through, `check_course` says which law was broken on the way.
"""

from itertools import pairwise

from course_reading import AT_WORK, Attempt, Course, HostCourse, Point, Run, course_of

from muster.domain.progress import BOOTSTRAP_STAGES, MASTER_STAGES, SINGLE_NODE_STAGES, WORKER_STAGES, Stage
from muster.domain.roles import Role
from muster.domain.states.cluster_table import CLUSTER_TABLE
from muster.domain.states.clusters import ClusterState
from muster.domain.states.host_table import HOST_TABLE
from muster.domain.states.hosts import HostState

__all__ = ["Course", "check_course", "course_of"]

CLUSTER_MOVES = frozenset((source, row.target) for row in CLUSTER_TABLE.rows for source in row.source if row.target)
HOST_MOVES = frozenset((source, row.target) for row in HOST_TABLE.rows for source in row.source if row.target)

STAGES = {Role.MASTER: MASTER_STAGES, Role.ARBITER: MASTER_STAGES, Role.WORKER: WORKER_STAGES}

ONLY_SOMETIMES = frozenset({Stage.COPYING})
"""Stages that an installation which brings no registry of its own leaves out."""

PARTS = (
    "total_percentage",
    "preparing_for_installation_stage_percentage",
    "installing_stage_percentage",
    "finalizing_stage_percentage",
)
COUNTED = frozenset({ClusterState.INSTALLING, ClusterState.FINALIZING, ClusterState.PENDING_USER_ACTION})
"""States in which the percentages move."""

ENOUGH_MASTERS = 2
"""Masters that the temporary control plane hands over to, and that workers wait for."""


def check_course(course: Course) -> None:
    """All laws, one after the other."""
    check_cluster_moves(course)
    for host in course.hosts.values():
        check_host_moves(host)
        check_stages(host, single_node=course.single_node)
    for attempt in course.attempts:
        check_percentages(attempt)
        check_milestones(attempt)
        check_bootstrap_is_last(attempt, course)
    check_told_once(course)


def check_cluster_moves(course: Course) -> None:
    """Every move is a row of the table, and history has none that was not told."""
    for move in pairwise(course.states):
        assert move in CLUSTER_MOVES, f"no row of the table moves a cluster {move}"
    assert _within(course.kept, course.states), (course.kept, course.states)
    assert course.kept[-1] == course.states[-1]


def check_host_moves(host: HostCourse) -> None:
    """The same for a host; where it was said to come from is where it had come to."""
    for move in host.moves:
        assert move in HOST_MOVES, f"no row of the table moves host {host.name} {move}"
    for (_, came_to), (from_there, _) in pairwise(host.moves):
        assert came_to == from_there, (host.name, host.moves)
    assert _within(host.kept, host.states), (host.name, host.kept, host.states)
    assert host.ended == host.states[-1]


def _within(some: tuple[object, ...], all_of_them: tuple[object, ...]) -> bool:
    """Whether some come in this order among all."""
    rest = iter(all_of_them)
    return all(each in rest for each in some)


def stages_of(run: Run, *, single_node: bool) -> tuple[Stage, ...]:
    """The stages that a host goes through in its part. One that joins a running cluster is out of sight early."""
    if run.bootstrap:
        return SINGLE_NODE_STAGES if single_node else BOOTSTRAP_STAGES
    stages = STAGES[run.role]
    return (*stages[: stages.index(Stage.REBOOTING)], Stage.DONE) if run.day2 else stages


def check_stages(host: HostCourse, *, single_node: bool) -> None:
    """Stages are those of the host's part and never go back; whoever is done has left none out."""
    for run in host.runs:
        stages = stages_of(run, single_node=single_node)
        assert _within(run.stages, stages), (host.name, run)
        assert run.stages[:1] in {(), (Stage.STARTING,)}, (host.name, run)
        if Stage.DONE in run.stages:
            assert set(stages) - set(run.stages) <= ONLY_SOMETIMES, (host.name, run)
    if host.runs and host.ended in {HostState.INSTALLED, HostState.ADDED}:
        assert host.runs[-1].stages[-1] is Stage.DONE
    if host.runs and host.ended in AT_WORK - {HostState.INSTALLING}:
        assert host.runs[-1].stages[-1] is not Stage.DONE
    _check_share(host, single_node=single_node)


def _check_share(host: HostCourse, *, single_node: bool) -> None:
    """Of a host's stages it has behind it, with the one it is at, as many as its percentage says."""
    lists = [stages_of(run, single_node=single_node) for run in host.runs]
    for progress in host.progress:
        stage = progress.current_stage
        if stage is None:
            assert progress.installation_percentage == 0
            continue
        shares = {100 * (stages.index(stage) + 1) // len(stages) for stages in lists if stage in stages}
        assert progress.installation_percentage in shares, (host.name, progress, shares)


def check_percentages(attempt: Attempt) -> None:
    """No percentage ever falls; the total is the weighted sum as far as it has come, and 100 in the end."""
    for one, other in pairwise(attempt.points):
        for part in PARTS:
            assert getattr(one.progress, part) <= getattr(other.progress, part), (part, one, other)
    highest = 0
    for point in attempt.points:
        highest = max(highest, _weighted(point))
        total = point.progress.total_percentage
        if point.state is ClusterState.INSTALLED:
            assert total == point.progress.finalizing_stage_percentage == 100, point
        elif point.state in COUNTED:
            assert total == highest, point
            assert point.progress.preparing_for_installation_stage_percentage == 100, point
        if point.state is ClusterState.PREPARING:
            assert total == 0, point


def _weighted(point: Point) -> int:
    """A tenth for preparing, seven for installing, one and a half for coming up; the rest comes with the end."""
    progress = point.progress
    return int(0.7 * progress.installing_stage_percentage) + int(
        0.1 * progress.preparing_for_installation_stage_percentage + 0.15 * progress.finalizing_stage_percentage
    )


def check_milestones(attempt: Attempt) -> None:
    """What marks the way of an installation is told once, and in its order, as far as it came."""
    told = [f"{each.name} {each.state or ''}".strip() for each in attempt.told if not each.host]
    wanted = [
        "cluster_status_updated preparing-for-installation",
        "cluster_prepare_installation_started",
        "cluster_status_updated installed",
        "cluster_installation_completed",
    ]
    found = [each for each in told if each in wanted]
    assert found == [each for each in wanted if each in told], found
    assert ("cluster_installation_completed" in told) is (ClusterState.INSTALLED in attempt.states)
    if ClusterState.INSTALLING in attempt.states:
        moved = told.index("cluster_status_updated installing")
        assert "cluster_prepare_installation_started" in told[:moved]
    names = [each.name for each in attempt.told]
    if "host_install_progress_updated" in names:
        begun = next(place for place, each in enumerate(attempt.told) if each.state is ClusterState.INSTALLING)
        assert begun < names.index("host_install_progress_updated")
    stages = [each.finalizing for each in attempt.told if each.finalizing]
    assert stages == sorted(set(stages), key=list(type(stages[0])).index if stages else None), stages
    assert names.count("cluster_logs_uploaded") <= 1


def check_bootstrap_is_last(attempt: Attempt, course: Course) -> None:
    """The temporary control plane hands over to masters that have joined; workers wait for a control plane."""
    if course.single_node:
        return
    parts = {host.name: host.runs[-1] for host in course.hosts.values() if host.runs}
    masters = sum(run.role is not Role.WORKER for run in parts.values())
    reached: dict[str, Stage] = {}
    for each in attempt.told:
        if each.stage is None or each.host not in parts or parts[each.host].day2:
            continue
        reached[each.host] = each.stage
        others = [stage for name, stage in reached.items() if name != each.host and parts[name].role is not Role.WORKER]
        if parts[each.host].bootstrap and each.stage is Stage.BOOTKUBE:
            there = sum(stage in {Stage.JOINED, Stage.DONE} for stage in others)
            assert there >= min(masters - 1, ENOUGH_MASTERS), (each, reached)
        if parts[each.host].role is Role.WORKER and each.stage is Stage.REBOOTING:
            assert others.count(Stage.DONE) >= ENOUGH_MASTERS, (each, reached)


def check_told_once(course: Course) -> None:
    """A cluster and each of its hosts are welcomed once, first of all; each attempt has one bootstrap at most."""
    assert course.names_told()[0] == "cluster_registration_succeeded"
    assert course.names_told().count("cluster_registration_succeeded") == 1
    for name in course.hosts:
        names = course.names_told(name)
        assert names[0] == "host_registration_succeeded", (name, names[:3])
        assert names.count("host_registration_succeeded") == 1, name
    chosen = [each.name for each in course.told].count("host_bootstrap_set")
    assert chosen <= len(course.attempts)

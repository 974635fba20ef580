"""The laws that journeys are held to are broken by every course that goes wrong."""

import asyncio

import pytest
from course import check_course, course_of
from installing import install

from muster.domain.progress import ClusterProgress, Stage
from muster.domain.states.clusters import ClusterState
from muster.domain.states.hosts import HostState
from parts.labs import bring_up


@pytest.fixture(scope="module")
def course(service):
    """The course of three masters that became a cluster."""

    async def journey():
        async with bring_up(service.url, workers=0) as lab:
            await install(lab)
            return await course_of(lab.client, lab.place.cluster_id)

    return asyncio.run(journey())


def altered_host(course, name="master-0", **changes):
    return course.but(hosts={**course.hosts, name: course.hosts[name].but(**changes)})


def altered_attempt(course, **changes):
    (attempt,) = course.attempts
    return course.but(attempts=(attempt.but(**changes),))


def fallen_percentage(course):
    first, *others = course.attempts[0].points
    return altered_attempt(course, points=(*others, first))


def skipped_state(course):
    states = tuple(each for each in course.states if each is not ClusterState.FINALIZING)
    return course.but(states=states, kept=states)


def untold_state(course):
    return course.but(kept=(*course.kept, ClusterState.ERROR))


def odd_move(course):
    return altered_host(course, moves=((HostState.DISCOVERING, HostState.INSTALLED),))


def broken_chain(course):
    moves = course.hosts["master-0"].moves
    return altered_host(course, moves=(*moves[:2], *moves[3:]))


def with_stages(course, change):
    (run,) = course.hosts["master-0"].runs
    return altered_host(course, runs=(run.but(stages=change(run.stages)),))


def stage_back(course):
    return with_stages(course, lambda stages: (stages[1], stages[0], *stages[2:]))


def stage_left_out(course):
    return with_stages(course, lambda stages: tuple(each for each in stages if each is not Stage.WRITING))


def not_at_the_end(course):
    return with_stages(course, lambda stages: stages[:-1])


def odd_total(course):
    points = course.attempts[0].points
    wrong = points[-1].but(progress=ClusterProgress(total_percentage=99, finalizing_stage_percentage=99))
    return altered_attempt(course, points=(wrong,))


def told_twice(course):
    first = course.told[0]
    return course.but(told=(first, *course.told))


def without(name):
    def alter(course):
        return altered_attempt(course, told=tuple(each for each in course.attempts[0].told if each.name != name))

    return alter


def in_a_hurry(course):
    """The temporary control plane hands over to masters that are not there."""
    joined = (Stage.JOINED, Stage.DONE)
    return altered_attempt(course, told=tuple(each for each in course.attempts[0].told if each.stage not in joined))


def test_a_course_that_went_well_breaks_no_law(course):
    check_course(course)


@pytest.mark.parametrize(
    "alter",
    [
        fallen_percentage,
        skipped_state,
        untold_state,
        odd_move,
        broken_chain,
        stage_back,
        stage_left_out,
        not_at_the_end,
        odd_total,
        told_twice,
        without("cluster_installation_completed"),
        without("cluster_prepare_installation_started"),
        in_a_hurry,
    ],
)
def test_a_course_that_went_wrong_breaks_a_law(course, alter):
    with pytest.raises(AssertionError):
        check_course(alter(course))

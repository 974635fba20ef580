"""Everything an installation went through, told from its recording, and what must hold of every one of them.

History has one row for each commit, and a commit may take a host through several states; what was told has a line for
every move. So states and stages are read from what was told, percentages and parts from history, and the two are held
against each other. `course.py` says what must be so.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from muster.client import Client
from muster.domain.events import Event, Severity
from muster.domain.history import HistoryRow
from muster.domain.progress import ClusterProgress, FinalizingStage, HostProgress, Stage
from muster.domain.record import Record
from muster.domain.roles import Role
from muster.domain.states.clusters import ClusterState
from muster.domain.states.hosts import HostState
from muster.domain.traces import ClusterFacts, HostFacts, Turn, turns
from muster.wire.endpoints.ours import RECORDING
from muster.wire.recorder import Recording, read_recording

CLUSTER_MOVE = re.compile(r"Cluster \S+ is now ([a-z-]+): ")
HOST_MOVE = re.compile(r"Host \S+: was ([a-z-]+), is now ([a-z-]+): ")
STAGE = re.compile(r"Host \S+: reached stage ([^(]+?)(?: \(.*\))?$", re.DOTALL)
FINALIZING = re.compile(r"The cluster is at stage: (.+)$")

AT_WORK = frozenset({HostState.INSTALLING, HostState.IN_PROGRESS, HostState.PENDING_USER_ACTION})
"""States of a host whose installation goes on."""


class Told(Record):
    """Something that was told: in the order of telling, about a host or about the cluster itself."""

    name: str
    message: str
    severity: Severity
    host: str = ""
    """The name of the host; "" if it is about the cluster."""
    state: ClusterState | HostState | None = None
    """Where the cluster or the host came to, if that was told."""
    was: HostState | None = None
    stage: Stage | None = None
    """What stage the host came to, or is still at, if that was told."""
    finalizing: FinalizingStage | None = None


class Run(Record):
    """One installation of one host: the part it played, and the stages it came to, each once."""

    role: Role
    bootstrap: bool
    day2: bool
    stages: tuple[Stage, ...]


class HostCourse(Record):
    """What became of a host."""

    name: str
    moves: tuple[tuple[HostState, HostState], ...]
    """From where to where, in order."""
    runs: tuple[Run, ...]
    ended: HostState
    progress: tuple[HostProgress, ...]
    """Every change of how far it has come, as history has it."""
    kept: tuple[HostState, ...]
    """The states that history has; fewer than it went through where a commit took it through several."""

    @property
    def states(self) -> tuple[HostState, ...]:
        """Every state it was in, in order."""
        return (*(was for was, _ in self.moves[:1]), *(now for _, now in self.moves)) or self.kept[:1]


class Point(Record):
    """How far a cluster had come at a moment, and where it stood."""

    state: ClusterState
    progress: ClusterProgress


class Attempt(Record):
    """One attempt to install the cluster, from the moment that install was pressed to the next one."""

    told: tuple[Told, ...]
    points: tuple[Point, ...]
    """Every change of how far it had come, until the installation was reset."""

    @property
    def states(self) -> tuple[ClusterState, ...]:
        """The states of the cluster, from being prepared on."""
        return tuple(each.state for each in self.told if isinstance(each.state, ClusterState))


class Course(Record):
    """All of it."""

    name: str
    single_node: bool
    states: tuple[ClusterState, ...]
    """Every state that the cluster was in, in order."""
    kept: tuple[ClusterState, ...]
    """Those that history has."""
    hosts: dict[str, HostCourse]
    """By the names that the hosts have now."""
    attempts: tuple[Attempt, ...]
    told: tuple[Told, ...]

    @property
    def totals(self) -> tuple[int, ...]:
        """The total percentages of the last attempt, in order."""
        return tuple(point.progress.total_percentage for point in self.attempts[-1].points)

    def names_told(self, host: str = "") -> list[str]:
        """The names of all that was told of the cluster itself, or of one of its hosts."""
        return [each.name for each in self.told if each.host == host]


async def recording_of(client: Client, cluster_id: str) -> Recording:
    """What the service has kept of a cluster."""
    content = await client.call(RECORDING, cluster_id=cluster_id)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "recording.zip"
        file.write_bytes(content)
        return read_recording(file)


async def course_of(client: Client, cluster_id: str) -> Course:
    """What a cluster and its hosts went through."""
    return course_in(await recording_of(client, cluster_id))


def course_in(recording: Recording) -> Course:
    """What the cluster of a recording went through."""
    cluster, history = recording.cluster, tuple(_turns(recording.history))
    names = {host.id: host.name for host in recording.hosts}
    told = tuple(_told(event, names) for event in recording.events)
    of_cluster = [turn.after for turn in history if isinstance(turn.after, ClusterFacts)]
    kept = tuple(distinct(facts.status for facts in of_cluster))
    moved = (each.state for each in told if isinstance(each.state, ClusterState))
    return Course(
        name=cluster.name,
        single_node=cluster.single_node,
        states=(*kept[:1], *moved),
        kept=kept,
        hosts={name: _host(name, key, history, told) for key, name in names.items()},
        attempts=tuple(_attempts(history, told)),
        told=told,
    )


def _turns(rows: Iterable[HistoryRow]) -> Iterator[Turn]:
    """Every change of what matters about the cluster and its hosts."""
    return turns(row for row in rows if row.kind in {"cluster", "host"})


def distinct(states: Iterable[object]) -> Iterator[object]:
    """What follows one another, without repetitions."""
    before: object = None
    for state in states:
        if state != before:
            yield state
        before = state


def _told(event: Event, names: dict[str, str]) -> Told:
    told = Told(
        name=event.name,
        message=event.message,
        severity=event.severity,
        host=names.get(event.host_id, event.host_id) if event.host_id else "",
    )
    if event.name == "cluster_status_updated" and (found := CLUSTER_MOVE.match(event.message)):
        return told.but(state=ClusterState(found[1]))
    if event.name == "host_status_updated" and (found := HOST_MOVE.match(event.message)):
        return told.but(was=HostState(found[1]), state=HostState(found[2]))
    if event.name == "host_install_progress_updated" and (found := STAGE.match(event.message)):
        return told.but(stage=Stage(found[1]))
    if event.name == "cluster_finalizing_stage_updated" and (found := FINALIZING.match(event.message)):
        return told.but(finalizing=FinalizingStage(found[1]))
    return told


def _host(name: str, key: str, history: tuple[Turn, ...], told: tuple[Told, ...]) -> HostCourse:
    own = [turn for turn in history if turn.subject == key]
    about = [each for each in told if each.host == name]
    kept = tuple(distinct(turn.after.status for turn in own))
    return HostCourse(
        name=name,
        moves=tuple((each.was, each.state) for each in about if each.was is not None),
        runs=tuple(_runs(own, about)),
        ended=kept[-1],
        progress=tuple(distinct(turn.after.progress for turn in own)),
        kept=kept,
    )


def _runs(own: list[Turn], about: list[Told]) -> Iterator[Run]:
    """Each installation of a host: it begins when the host is told to install."""
    begun = [turn.after for turn in own if turn.before.status not in AT_WORK and turn.after.status in AT_WORK]
    stages: list[list[Stage]] = []
    for each in about:
        if each.state is HostState.INSTALLING:
            stages.append([])
        if each.stage is not None and stages and each.stage not in stages[-1][-1:]:
            stages[-1].append(each.stage)
    for facts, come_to in zip(begun, stages, strict=True):
        assert isinstance(facts, HostFacts)
        yield Run(role=facts.role, bootstrap=facts.bootstrap, day2=facts.day2, stages=tuple(come_to))


def _attempts(history: tuple[Turn, ...], told: tuple[Told, ...]) -> Iterator[Attempt]:
    starts = [place for place, each in enumerate(told) if each.state is ClusterState.PREPARING]
    points = list(_points(history))
    for start, end, each in zip(starts, [*starts[1:], len(told)], points, strict=True):
        yield Attempt(told=told[start:end], points=tuple(each))


def _points(history: tuple[Turn, ...]) -> Iterator[list[Point]]:
    """How far the cluster came in each attempt. What is reset is not of the attempt any more."""
    attempts: list[list[Point]] = []
    over = False
    for turn in history:
        if not isinstance(turn.after, ClusterFacts) or turn.after.status is None:
            continue
        if turn.after.status is ClusterState.PREPARING and turn.before.status is not ClusterState.PREPARING:
            attempts.append([])
            over = False
        over = over or "Reset" in turn.triggers
        if attempts and not over:
            attempts[-1].append(Point(state=turn.after.status, progress=turn.after.progress))
    yield from attempts

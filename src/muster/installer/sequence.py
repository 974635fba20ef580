"""What a machine goes through, as a value: phases in order, each a stage with its tasks. `run.py` goes through it."""

from collections.abc import Awaitable, Callable

from muster.domain.errors import MusterError
from muster.domain.progress import Stage
from muster.domain.record import Record
from muster.domain.roles import Role

from .tasks import (
    clean_disk,
    fetch_ignition,
    format_disks,
    reboot,
    start_bootstrap,
    upload_logs,
    wait_for_bootkube,
    wait_for_control_plane,
    wait_for_controller,
    wait_for_masters,
    write_image,
)
from .work import Plan, Work

Task = Callable[[Work], Awaitable[None]]


class Phase(Record):
    """A stage, what is said when it begins, and what is done in it."""

    stage: Stage
    tasks: tuple[Task, ...]
    info: str = ""


Sequence = tuple[Phase, ...]


def phase(stage: Stage, *tasks: Task, info: str = "") -> Phase:
    """A stage with its tasks."""
    return Phase(stage=stage, tasks=tasks, info=info)


def when(holds: bool, *phases: Phase) -> Sequence:
    """These phases, if so; else none."""
    return phases if holds else ()


def best_effort(task: Task) -> Task:
    """A task whose failure is told and does not stop the installation."""

    async def attempt(work: Work) -> None:
        try:
            await task(work)
        except MusterError as error:
            work.machine.journal(f"{task.__name__} failed: {error}")
            await work.note(f"{task.__name__.replace('_', ' ')} did not work, continuing: {error}")

    attempt.__name__ = f"best effort: {task.__name__}"
    return attempt


def install_sequence(plan: Plan) -> Sequence:
    """What a machine goes through from the discovery image to its own disk, in order."""
    installed_as = Role.MASTER if plan.carries_bootstrap else plan.role
    bootstrap = (start_bootstrap,) if plan.carries_bootstrap else ()
    return (
        phase(Stage.STARTING, best_effort(format_disks), best_effort(clean_disk), *bootstrap, info=plan.role),
        *when(not plan.single_node, phase(Stage.INSTALLING, fetch_ignition, info=installed_as)),
        *when(
            plan.single_node,
            phase(Stage.INSTALLING, start_bootstrap, info=installed_as),
            phase(Stage.BOOTKUBE, wait_for_bootkube, fetch_ignition),
        ),
        phase(Stage.WRITING, write_image),
        *when(plan.role is Role.WORKER, phase(Stage.CONTROL_PLANE, wait_for_masters)),
        *when(
            plan.carries_bootstrap,
            phase(Stage.CONTROL_PLANE, wait_for_control_plane, info="waiting for masters to join"),
            phase(Stage.BOOTKUBE, wait_for_bootkube),
            phase(Stage.CONTROLLER, wait_for_controller),
        ),
        phase(Stage.REBOOTING, best_effort(upload_logs), reboot),
    )

"""The page of events: their names, how much they matter, what they mean and where they are told."""

import ast
import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path

import muster.domain
from muster.domain import events, host_events
from muster.domain.policy import EVENT_LIMITS
from muster.runtime.settings import written as spelt

from .samples import SOMETHING
from .writing import code, first_line, page, table

DOMAIN = Path(muster.domain.__file__).parent
MODULES = (events, host_events)
NAMED = {module.__name__.rpartition(".")[2] for module in MODULES}

REPORTED = {"reboots_for_node": "The controller in the new cluster reports how often a node has restarted."}
"""Events that others report by `POST /v2/events`; they are kept and shown as they come."""

NOT_TOLD = {
    "infra_env_registration_failed": "there is no infra-env to show it with; the answer to the call says why",
    "host_approved_updated": "hosts are approved by way of Kubernetes, which is not served yet",
    "generate_image_fetch_failed": "an infra-env is read and changed in one step, which cannot be half done",
    "host_set_status_failed": "a move of a host and its reason are written together, or the call fails as a whole",
    "host_reset_fetch_failed": "the same",
    "cancel_install_start_failed": "nothing tells it in the original either",
    "cancel_install_commit_failed": "the same",
    "host_registration_setting_properties_failed": "the same",
    "expired_image_deleted": "the same",
    "existing_image_reused": "the same",
    "host_boot_logs_uploaded": "the same",
    "generate_image_format_failed": "the same",
    "generate_minimal_iso_failed": "the same",
    "upload_image_failed": "the same",
    "ignition_config_image_generated": "the same",
    "inactive_clusters_deregistered": "the same",
    "clusters_permanently_deleted": "the same",
}
"""Names that clients may know and that are never told here, and why."""


def tellers() -> list[Callable[..., events.Event]]:
    """The functions that make events, in order."""
    return [
        tell
        for module in MODULES
        for name, tell in vars(module).items()
        if inspect.isfunction(tell) and tell.__module__ == module.__name__ and not name.startswith("_")
    ]


def written() -> str:
    """Every event."""
    limits = ", ".join(f"{code(name)} once in {spelt(limit)}" for name, limit in EVENT_LIMITS.items())
    return page(
        "Events",
        "What is told to the user, in the order in which it happens. Names and severities are those that clients "
        "know; the sentences are ours. The last column says where in `src/muster/domain` it is told.",
        table(("Name", "Severity", "Meaning", "Told in"), [event_row(tell) for tell in tellers()]),
        "`host_status_updated` matters as much as the state it tells of: it is told of "
        + ", ".join(f"{code(state)} as {severity}" for state, severity in host_events.STATUS_SEVERITIES.items())
        + ", any other as info.",
        f"Of the same cluster, host and infra-env, some are told only so often: {limits}. "
        "`EVENT_RATE_LIMITS` sets other times, and times for other events.",
        "## Reported by others",
        table(("Name", "Meaning"), [(code(name), meaning) for name, meaning in REPORTED.items()]),
        "## Not told",
        table(("Name", "Why"), [(code(name), why) for name, why in NOT_TOLD.items()]),
    )


def event_row(tell: Callable[..., events.Event]) -> tuple[str, str, str, str]:
    """An event, by telling it of something ordinary."""
    told = tell(*(SOMETHING[each.annotation] for each in inspect.signature(tell).parameters.values()))
    places = ", ".join(code(place) for place in told_in().get(tell.__name__, ()))
    return code(told.name), told.severity.value, first_line(tell), places


@cache
def told_in() -> dict[str, tuple[str, ...]]:
    """The modules of the domain in which each event is told."""
    places: dict[str, list[str]] = {}
    for path in sorted(DOMAIN.rglob("*.py")):
        module = path.relative_to(DOMAIN).as_posix()
        for name in sorted(_named_in(path)):
            places.setdefault(name, []).append(module)
    return {name: tuple(modules) for name, modules in places.items()}


def _named_in(path: Path) -> set[str]:
    """The events that a module tells."""
    return {
        node.attr
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in NAMED
    }

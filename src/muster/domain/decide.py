"""The way in: a view and what happened go in, a decision comes out.

Pure: no clock, no database, no log. Triggers that wait for the same scope are taken together.
"""

from collections.abc import Callable
from typing import Any

from .accepts import ACCEPTS
from .accepts.refusals import refusals
from .cleaning import clean, cleaning_due
from .draft import AnyRecord, Decision, Draft
from .errors import MusterError
from .settle import next_deadline, settle
from .triggers import Asked, Ticked, Trigger
from .views import View

Changes = tuple[tuple[AnyRecord | None, AnyRecord], ...]
"""Records before and after."""


def decide(view: View, *triggers: Trigger) -> Decision:
    """What follows from these triggers, in their order. One that is refused leaves the others alone."""
    draft = Draft(view)
    outcomes: list[MusterError | None] = []
    settled = draft.view
    for trigger in triggers:
        if isinstance(trigger, Asked) and draft.view is not settled:
            settle(draft)
            settled = draft.view
        outcomes.append(_accept(draft, trigger))
    settle(draft)
    changes = _changes(draft, view)
    if all(isinstance(trigger, Ticked) for trigger in triggers) and clean(draft):
        settle(draft)
        changes = _changes(draft, view)
    return _decision(draft, view, changes, tuple(outcomes))


def _accept(draft: Draft, trigger: Trigger) -> MusterError | None:
    accept: Callable[[Draft, Any], None] | None = ACCEPTS.get(type(trigger))
    if accept is None:
        assert isinstance(trigger, Ticked), f"nobody accepts {type(trigger).__name__}"
        return None
    mark = draft.mark()
    try:
        accept(draft, trigger)
    except MusterError as error:
        draft.back_to(mark)
        draft.tell(*refusals(draft.view, trigger, error))
        return error
    return None


def _decision(draft: Draft, before: View, changes: Changes, outcomes: tuple[MusterError | None, ...]) -> Decision:
    written = bool(changes or draft.events or draft.effects or draft.forgotten)
    view = draft.view.but(version=before.version + 1) if written else draft.view
    return Decision(
        view=view,
        changes=changes,
        events=tuple(draft.events),
        effects=tuple(draft.effects),
        deadline=min((due for due in (next_deadline(view), cleaning_due(view)) if due is not None), default=None),
        forgotten=draft.forgotten,
        outcomes=outcomes,
    )


def _changes(draft: Draft, before: View) -> Changes:
    """Every record that differs from before, stamped with the moment."""
    pairs: list[tuple[Any, Any]] = [(before.cluster, draft.view.cluster)]
    pairs += [(before.hosts.get(key), host) for key, host in draft.view.hosts.items()]
    pairs += [(before.infra_envs.get(key), each) for key, each in draft.view.infra_envs.items()]
    changes: list[tuple[AnyRecord | None, AnyRecord]] = []
    for old, new in pairs:
        if new is old or new == old:
            continue
        stamped = new.but(updated_at=draft.view.now)
        draft.put(stamped)
        changes.append((old, stamped))
    return tuple(changes)

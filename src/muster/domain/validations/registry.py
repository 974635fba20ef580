"""The machinery of validations: what one is, how all of them make an assessment.

A validation is a function that judges only what it is given. The decorator makes a record of it
and registers nothing; `validations/__init__.py` collects the records of its listed modules.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Generic, TypeVar

from muster.domain.progress import Stage
from muster.domain.record import Record
from muster.domain.verdicts import Evidence, Finding, Gate, Status, Verdict

V = TypeVar("V")
"""What is judged: a host or a cluster in its view."""


class Need(Record, Generic[V]):
    """A fact a validation cannot do without; while it is None the verdict is pending."""

    name: str
    get: Callable[[V], Any]
    waiting: Verdict


class Validation(Record, Generic[V]):
    """One check, with what it needs and what it holds back."""

    id: str
    category: str
    gates: frozenset[Gate]
    needs: Need[V] | None
    promise: str
    judge: Callable[..., Verdict | None]
    in_pool: bool = True
    """Whether hosts without a cluster are judged too."""
    unspoken: frozenset[Stage] = frozenset()
    """Stages in which the outcome still counts but is not written down."""
    ignorable: bool = True
    switchable: bool = True
    """Whether the operator of the service may switch it off for everyone."""
    of_others: frozenset[str] = frozenset()
    """What it looks at of the other hosts (`views.OTHERS`); nothing else about them matters to it."""

    def __call__(self, view: V) -> Verdict | None:
        """The verdict; None if the check does not apply, which holds nothing back."""
        if self.needs is None:
            return self.judge(view)
        fact = self.needs.get(view)
        return self.needs.waiting if fact is None else self.judge(view, fact)


def validation(
    id: str,  # noqa: A002 - the word clients use
    *,
    category: str,
    gate: Gate | tuple[Gate, ...] = (),
    needs: Need[Any] | None = None,
    **traits: Any,
) -> Callable[[Callable[..., Verdict | None]], Validation[Any]]:
    """Make a validation of a function; its docstring is the promise it checks."""
    gates = frozenset({gate} if isinstance(gate, Gate) else gate)

    def make(judge: Callable[..., Verdict | None]) -> Validation[Any]:
        promise = (judge.__doc__ or "").strip()
        return Validation(id=id, category=category, gates=gates, needs=needs, promise=promise, judge=judge, **traits)

    return make


class Assessment(Record):
    """All verdicts of a host or cluster, and the gates they close."""

    verdicts: dict[str, Finding] = {}
    closed: frozenset[Gate] = frozenset()
    held: frozenset[str] = frozenset()
    """The checks that keep a gate closed: not passed, and not ignored by the user."""
    unspoken: frozenset[str] = frozenset()

    @property
    def failing(self) -> str:
        """What fails, in words, for a status line; where nothing fails, what is still waited for."""
        failing = {verdict.message for verdict in self.verdicts.values() if verdict.status is Status.FAILURE}
        return " ; ".join(sorted(failing or {self.verdicts[name].message for name in self.held}))

    @property
    def spoken(self) -> dict[str, Finding]:
        """What to write down of these verdicts: all but those nobody wants to read at this stage."""
        if not self.unspoken:
            return self.verdicts
        return {name: verdict for name, verdict in self.verdicts.items() if name not in self.unspoken}


def assess(
    view: V,
    validations: Iterable[Validation[V]],
    *,
    before: dict[str, Finding] | None = None,
    disabled: frozenset[str] = frozenset(),
    ignored: tuple[str, ...] = (),
    stage: Stage | None = None,
) -> Assessment:
    """Every verdict there is to give on a view.

    Given what was found `before`, verdicts are kept without their evidence, and the old one where it says the same.
    """
    verdicts: dict[str, Finding] = {}
    closed: set[Gate] = set()
    held: set[str] = set()
    unspoken: set[str] = set()
    forgive_all = "all" in ignored
    for check in validations:
        name = check.id
        verdict = DISABLED if name in disabled and check.switchable else check(view)
        if verdict is None:
            continue
        verdicts[name] = verdict if before is None else _kept(verdict, before.get(name))
        if stage in check.unspoken:
            unspoken.add(name)
        if verdict.passes or (check.ignorable and (forgive_all or name in ignored)):
            continue
        held.add(name)
        closed |= check.gates
    return Assessment(verdicts=verdicts, closed=frozenset(closed), held=frozenset(held), unspoken=frozenset(unspoken))


def _kept(verdict: Verdict, before: Finding | None) -> Finding:
    """What is remembered of a verdict: what was before, if it says the same, so that nothing seems to have changed."""
    status, message = verdict.status, verdict.message
    if before is not None and before.status is status and before.message == message:
        return before
    return _finding(status, message)


@lru_cache(maxsize=4096)
def _finding(status: Status, message: str) -> Finding:
    """Most hosts are said the same of; it is kept once."""
    return Finding(status=status, message=message)


DISABLED = Verdict(
    status=Status.DISABLED,
    message="This check is switched off for the whole service",
    proof=Evidence(measured="not checked", required="nothing", source="settings of the service"),
)

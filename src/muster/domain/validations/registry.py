"""The machinery of validations: what one is, how all of them make an assessment.

A validation is a function that judges only what it is given. The decorator makes a record of it
and registers nothing; `validations/__init__.py` collects the records of its listed modules.
"""

from collections.abc import Callable, Iterable
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
    of_others: bool = False
    """Whether it looks at the other hosts too; without that, only the host itself and what is wanted of it matter."""

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

    verdicts: dict[str, Verdict] = {}
    closed: frozenset[Gate] = frozenset()
    held: frozenset[str] = frozenset()
    """The checks that keep a gate closed: not passed, and not ignored by the user."""
    unspoken: frozenset[str] = frozenset()

    @property
    def failing(self) -> str:
        """What fails, in words, for a status line; where nothing fails, what is still waited for."""
        failing = {verdict.message for verdict in self.verdicts.values() if verdict.status is Status.FAILURE}
        return " ; ".join(sorted(failing or {self.verdicts[name].message for name in self.held}))

    def findings(self, before: dict[str, Finding]) -> dict[str, Finding]:
        """What to write down of these verdicts: all but those nobody wants to read at this stage."""
        findings: dict[str, Finding] = {}
        for name, verdict in self.verdicts.items():
            if name in self.unspoken:
                continue
            old, status, message = before.get(name), verdict.status, verdict.message
            # The old finding where it says the same, so that nothing seems to have changed.
            same = old is not None and old.status is status and old.message == message
            findings[name] = old if old is not None and same else Finding(status=status, message=message)
        return findings


def assess(
    view: V,
    validations: Iterable[Validation[V]],
    *,
    disabled: frozenset[str] = frozenset(),
    ignored: tuple[str, ...] = (),
    stage: Stage | None = None,
) -> Assessment:
    """Every verdict there is to give on a view."""
    verdicts: dict[str, Verdict] = {}
    closed: set[Gate] = set()
    held: set[str] = set()
    unspoken: set[str] = set()
    forgive_all = "all" in ignored
    for check in validations:
        name = check.id
        verdict = DISABLED if name in disabled and check.switchable else check(view)
        if verdict is None:
            continue
        verdicts[name] = verdict
        if stage in check.unspoken:
            unspoken.add(name)
        if verdict.passes or (check.ignorable and (forgive_all or name in ignored)):
            continue
        held.add(name)
        closed |= check.gates
    return Assessment(verdicts=verdicts, closed=frozenset(closed), held=frozenset(held), unspoken=frozenset(unspoken))


DISABLED = Verdict(
    status=Status.DISABLED,
    message="This check is switched off for the whole service",
    evidence=Evidence(measured="not checked", required="nothing", source="settings of the service"),
)

"""Rules for the choice of operators.

Turns what a user wrote about operators and bundles into the operators a cluster waits for, with those that others
cannot be without; `clusters.py` calls it.
"""

from collections.abc import Iterable

from msgspec import UNSET, UnsetType

from muster.domain.clusters import Cluster
from muster.domain.monitored import MonitoredOperator, OperatorType
from muster.domain.operators import OLM_OPERATORS
from muster.domain.operators.bundles import BUNDLES
from muster.domain.operators.operator import settled
from muster.domain.operators.settings import OperatorSettings
from muster.domain.record import Record

from .fields import Input, Problems, given

_ALIASES = {"ocs": "odf"}
"""Old names that clients still use."""


class OperatorInput(Input):
    """An operator, as written."""

    name: str | UnsetType = UNSET
    properties: str | UnsetType = UNSET

    @property
    def known_as(self) -> str:
        """The operator's present name."""
        name = given(self.name, "")
        return _ALIASES.get(name, name)


class BundleInput(Input):
    """A bundle and what is chosen of its optional part, as written."""

    id: str
    optional_operators: tuple[str, ...] | UnsetType = UNSET


Operators = tuple[OperatorInput, ...] | UnsetType
Bundles = tuple[BundleInput, ...] | UnsetType


class Choice(Record):
    """What a user wants, before it is known what that takes."""

    standalone: dict[str, str] = {}
    """Operators chosen by name, and what was written about each."""
    bundles: dict[str, tuple[str, ...]] = {}
    """Bundles, and what was chosen of the optional part of each."""


def written_choice(operators: Operators, bundles: Bundles) -> Choice:
    """What a user has written; what is not on offer is left out, `operator_problems` tells of it."""
    return Choice(
        standalone={
            operator.known_as: given(operator.properties, "")
            for operator in given(operators, ())
            if operator.known_as in OLM_OPERATORS
        },
        bundles={
            bundle.id: given(bundle.optional_operators, ()) for bundle in given(bundles, ()) if bundle.id in BUNDLES
        },
    )


def remembered_choice(operators: Iterable[MonitoredOperator]) -> Choice:
    """What a user has chosen before, as the operators that came of it tell."""
    asked = [each for each in operators if each.operator_type is OperatorType.OLM and not each.dependency_only]
    return Choice(
        standalone={each.name: each.properties for each in asked if not each.source_bundles},
        bundles=chosen_bundles(asked),
    )


def chosen_bundles(operators: Iterable[MonitoredOperator]) -> dict[str, tuple[str, ...]]:
    """The bundles that operators have come from, and what was chosen of the optional part of each."""
    found: dict[str, tuple[str, ...]] = {}
    for operator in operators:
        for bundle in operator.source_bundles:
            chosen = (operator.name,) if operator.name in BUNDLES[bundle].optional() else ()
            found[bundle] = (*found.get(bundle, ()), *chosen)
    return found


def operators_after(
    wanted: Cluster, stored: Cluster, operators: Operators, bundles: Bundles, settings: OperatorSettings
) -> tuple[MonitoredOperator, ...]:
    """The operators to wait for in the cluster that is wanted.

    A written choice takes the place of the whole choice before it. One that was made before is thought through
    again if the cluster becomes a single node or ceases to be one, since that changes what operators need.
    """
    if operators is not UNSET or bundles is not UNSET:
        return _resolved(written_choice(operators, bundles), wanted, settings)
    if wanted.single_node is not stored.single_node:
        return _resolved(remembered_choice(stored.operators), wanted, settings)
    return stored.operators


def _resolved(choice: Choice, cluster: Cluster, settings: OperatorSettings) -> tuple[MonitoredOperator, ...]:
    """The built-in operators, what was chosen, and what that cannot be without."""
    known = {each.name: each for each in cluster.operators}
    sources = _sources(choice, single_node=cluster.single_node)
    chosen = {**choice.standalone, **dict.fromkeys((name for name in sources if name not in choice.standalone), "")}
    needed = _needed(chosen, cluster, settings)
    olm = tuple(
        known.get(name, OLM_OPERATORS[name].monitored(cluster, settings)).but(
            properties=chosen.get(name, ""),
            dependency_only=name not in chosen,
            source_bundles=() if name in choice.standalone else sources.get(name, ()),
        )
        for name in (*chosen, *needed)
    )
    return tuple(each for each in cluster.operators if each.operator_type is OperatorType.BUILTIN) + olm


def _sources(choice: Choice, *, single_node: bool) -> dict[str, tuple[str, ...]]:
    """Every operator that comes with a bundle, and the bundles it comes with."""
    found: dict[str, tuple[str, ...]] = {}
    for bundle, optional in choice.bundles.items():
        offered = BUNDLES[bundle].optional(single_node=single_node)
        members = BUNDLES[bundle].operators(single_node=single_node)
        for name in (*members, *(each for each in offered if each in optional)):
            found[name] = (*found.get(name, ()), bundle)
    return found


def _needed(chosen: Iterable[str], cluster: Cluster, settings: OperatorSettings) -> tuple[str, ...]:
    """The operators that those chosen cannot be without, nor those in turn."""
    asked = list(chosen)
    found: list[str] = []
    waiting = list(asked)
    while waiting:
        needs = settled(OLM_OPERATORS[waiting.pop()].dependencies, cluster, settings)
        fresh = [name for name in needs if name not in asked and name not in found]
        found += fresh
        waiting += fresh
    return tuple(sorted(found))


def operator_problems(operators: Operators, bundles: Bundles) -> Problems:
    """Every operator and bundle that was chosen is on offer."""
    for index, operator in enumerate(given(operators, ())):
        if operator.known_as not in OLM_OPERATORS:
            yield (
                f"olm_operators[{index}].name: there is no operator {operator.known_as!r};"
                f" choose among {', '.join(OLM_OPERATORS)}"
            )
    for index, bundle in enumerate(given(bundles, ())):
        yield from _bundle_problems(f"operator_bundles[{index}]", bundle)


def _bundle_problems(path: str, bundle: BundleInput) -> Problems:
    known = BUNDLES.get(bundle.id)
    if known is None:
        yield f"{path}.id: there is no bundle {bundle.id!r}; choose among {', '.join(BUNDLES)}"
        return
    offered = known.optional()
    for name in given(bundle.optional_operators, ()):
        if name not in offered:
            yield (
                f"{path}.optional_operators: {name!r} is not optional in {bundle.id};"
                f" it offers {', '.join(offered) or 'none'}"
            )


def clash_problems(wanted: Cluster) -> Problems:
    """Every operator of a cluster gets along with the others."""
    for operator in wanted.operators:
        known = OLM_OPERATORS.get(operator.name)
        if known and (clash := known.clash(wanted)):
            yield f"olm_operators: {clash}"

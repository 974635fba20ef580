"""Rules for the choice of operators.

Turns what a user wrote about operators and bundles into the operators a cluster waits for; `clusters.py`
calls it.
"""

from msgspec import UNSET, UnsetType

from muster.domain.monitored import MonitoredOperator, OperatorType
from muster.domain.operators import BUNDLES, OLM_OPERATORS

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


def operators_after(
    before: tuple[MonitoredOperator, ...], operators: Operators, bundles: Bundles
) -> tuple[MonitoredOperator, ...]:
    """The operators to wait for: a written choice takes the place of the whole choice before it."""
    if operators is UNSET and bundles is UNSET:
        return before
    chosen = {name: "" for bundle in given(bundles, ()) for name in _members(bundle)}
    chosen |= {operator.known_as: given(operator.properties, "") for operator in given(operators, ())}
    builtin = tuple(each for each in before if each.operator_type is OperatorType.BUILTIN)
    return builtin + tuple(
        MonitoredOperator(
            name=name, operator_type=OperatorType.OLM, timeout_seconds=OLM_OPERATORS[name], properties=properties
        )
        for name, properties in chosen.items()
        if name in OLM_OPERATORS
    )


def _members(bundle: BundleInput) -> tuple[str, ...]:
    known = BUNDLES.get(bundle.id)
    return () if known is None else known.operators + given(bundle.optional_operators, ())


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
    offered = ", ".join(known.optional) or "none"
    for name in given(bundle.optional_operators, ()):
        if name not in known.optional:
            yield f"{path}.optional_operators: {name!r} is not optional in {bundle.id}; it offers {offered}"

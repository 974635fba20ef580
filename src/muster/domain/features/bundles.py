"""Which bundles of operators can be had where. The API's answers on bundles are made of these."""

from collections.abc import Collection

from muster.domain.operators.bundles import BUNDLES, Bundle
from muster.domain.record import Record

from .feature import Context, exclusion
from .levels import Level
from .listing import possible
from .operators import OPERATORS
from .topology import TOPOLOGY

SINGLE_NODE = "SNO"

_OUT_OF_REACH = frozenset({Level.UNAVAILABLE, Level.UNSUPPORTED})
_BY_OPERATOR = {feature.operator: feature for feature in OPERATORS}
_BY_ID = {feature.id: feature for feature in TOPOLOGY}


class OfferedBundle(Record):
    """A bundle with the operators it has on clusters of some kind."""

    bundle: Bundle
    operators: tuple[str, ...]
    optional_operators: tuple[str, ...]


def bundle_with(bundle: Bundle, wanted: Collection[str]) -> OfferedBundle:
    """A bundle as it is on clusters that have these features."""
    single_node = SINGLE_NODE in wanted
    return OfferedBundle(
        bundle=bundle,
        operators=bundle.operators(single_node=single_node),
        optional_operators=bundle.optional(single_node=single_node),
    )


def offered_bundles(wanted: Collection[str], context: Context | None) -> tuple[OfferedBundle, ...]:
    """The bundles on clusters that have these features; where it is said, only those that can be had there.

    A bundle cannot be had without any of its operators, but without some that may be left out anyway. Raises
    `Invalid` where nothing can be had at all.
    """
    every = tuple(bundle_with(bundle, wanted) for bundle in BUNDLES.values())
    if context is None:
        return every
    place = possible(context)
    return tuple(
        offer.but(optional_operators=tuple(name for name in offer.optional_operators if _had(name, wanted, place)))
        for offer in every
        if all(_had(name, wanted, place) for name in offer.operators)
    )


def _had(operator: str, wanted: Collection[str], context: Context) -> bool:
    feature = _BY_OPERATOR[operator]
    if feature.support(context).level in _OUT_OF_REACH:
        return False
    return all(exclusion(feature, _BY_ID[other], context.version) is None for other in wanted)

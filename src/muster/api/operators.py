"""Operators and bundles of them over REST."""

from muster.api.call import Answer, Call, serves
from muster.domain.errors import NotFound
from muster.domain.features.bundles import bundle_with, offered_bundles
from muster.domain.operators import OLM_OPERATORS
from muster.domain.operators.bundles import BUNDLES
from muster.wire.endpoints import operators as rows
from muster.wire.endpoints.endpoint import JSON
from muster.wire.operators import BundleOut, OperatorProperty, bundle_out, property_out


@serves(rows.SUPPORTED_OPERATORS)
async def list_operators(_: Call) -> tuple[str, ...]:
    """Every operator that can be added to a cluster."""
    return tuple(OLM_OPERATORS)


@serves(rows.OPERATOR_PROPERTIES)
async def operator_properties(call: Call) -> list[OperatorProperty] | Answer:
    """What may be set about an operator. Of one that nobody knows nothing is said, as clients expect."""
    operator = OLM_OPERATORS.get(call.parameters["operator_name"])
    if operator is None:
        return Answer(status=404, headers={"content-type": JSON})
    return [property_out(each) for each in operator.properties]


@serves(rows.LIST_BUNDLES)
async def list_bundles(call: Call) -> list[BundleOut]:
    """The bundles that can be had."""
    wanted = call.query
    offered = offered_bundles(wanted.feature_ids, wanted.context if wanted.openshift_version else None)
    return [bundle_out(each) for each in offered]


@serves(rows.GET_BUNDLE)
async def get_bundle(call: Call) -> BundleOut:
    """One bundle."""
    bundle = BUNDLES.get(call.parameters["id"])
    if bundle is None:
        raise NotFound(f"There is no bundle {call.parameters['id']!r}; there are {', '.join(BUNDLES)}")
    return bundle_out(bundle_with(bundle, call.query.feature_ids))

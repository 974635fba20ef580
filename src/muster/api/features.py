"""What can be asked for, over REST."""

from muster.api.call import Call, serves
from muster.domain.features.architectures import supported_architectures
from muster.domain.features.listing import Details, detailed, supported_features
from muster.domain.operators import DEPENDENCIES
from muster.wire.endpoints import features as rows
from muster.wire.features import SupportedArchitectures, SupportedFeatures


@serves(rows.SUPPORTED_FEATURES)
async def list_features(call: Call) -> SupportedFeatures:
    """How far every feature is supported."""
    return SupportedFeatures(features=supported_features(call.query.context))


@serves(rows.DETAILED_FEATURES)
async def detail_features(call: Call) -> Details:
    """How far every feature is supported, why not further, and what it does not go with."""
    return detailed(call.query.context, DEPENDENCIES)


@serves(rows.SUPPORTED_ARCHITECTURES)
async def list_architectures(call: Call) -> SupportedArchitectures:
    """How far every architecture is supported."""
    return SupportedArchitectures(architectures=supported_architectures(call.query.openshift_version))

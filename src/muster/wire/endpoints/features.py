"""Calls about what can be asked for."""

from muster.domain.features.listing import Details
from muster.wire.features import (
    ArchitecturesQuery,
    DetailsQuery,
    FeaturesQuery,
    SupportedArchitectures,
    SupportedFeatures,
)

from .endpoint import READER, v2

SUPPORTED_FEATURES = v2(
    "GetSupportedFeatures", "GET /support-levels/features", READER, query=FeaturesQuery, answers=SupportedFeatures
)
DETAILED_FEATURES = v2(
    "GetDetailedSupportedFeatures",
    "GET /support-levels/features/detailed",
    READER,
    query=DetailsQuery,
    answers=Details,
)
SUPPORTED_ARCHITECTURES = v2(
    "GetSupportedArchitectures",
    "GET /support-levels/architectures",
    READER,
    query=ArchitecturesQuery,
    answers=SupportedArchitectures,
)

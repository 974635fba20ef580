"""Operators and bundles of them, as clients see them."""

from typing import Annotated, Literal

import msgspec

from muster.domain.features.bundles import OfferedBundle
from muster.domain.operators import OLM_OPERATORS
from muster.domain.operators.operator import DataType, Property
from muster.domain.record import Record

from .features import FeaturesQuery
from .query import REPEATED

FeatureIds = Annotated[tuple[Literal["SNO"], ...], REPEATED]
OperatorName = Annotated[str, msgspec.Meta(extra_json_schema={"enum": list(OLM_OPERATORS)})]


class BundleQuery(Record):
    """On which clusters a bundle is to be had."""

    feature_ids: FeatureIds = ()


class BundlesQuery(FeaturesQuery):
    """On which clusters, and where, bundles are to be had; anywhere if no version is named."""

    openshift_version: str = ""
    feature_ids: FeatureIds = ()


class BundleOut(Record):
    """A bundle."""

    id: str
    title: str
    description: str
    operators: tuple[str, ...]
    optional_operators: tuple[str, ...] | None


class OperatorProperty(Record, omit_defaults=False):
    """Something a user may set about an operator."""

    name: str
    data_type: DataType
    mandatory: bool
    options: tuple[str, ...]
    description: str
    default_value: str


def bundle_out(offered: OfferedBundle) -> BundleOut:
    """A bundle with everything clients may read of it."""
    bundle = offered.bundle
    return BundleOut(
        id=bundle.id.value,
        title=bundle.title,
        description=bundle.description,
        operators=offered.operators,
        optional_operators=offered.optional_operators or None,
    )


def property_out(given: Property) -> OperatorProperty:
    """Something a user may set, with all its fields."""
    return OperatorProperty(**msgspec.structs.asdict(given))

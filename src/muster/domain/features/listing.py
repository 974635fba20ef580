"""How far everything is supported, as clients ask for it.

The API's answers on support levels are made of these; the records are encoded as they are.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from muster.domain.errors import Invalid
from muster.domain.record import Record
from muster.domain.releases import parts

from . import FEATURES
from .architectures import architecture_called, architecture_level
from .feature import Context, Feature
from .levels import Level, Reason
from .operators import feature_id_of
from .platforms import PLATFORMS

_LEFT_TO_PLATFORM = "PLATFORM_MANAGED_NETWORKING"


class FeatureDetail(Record, kw_only=True):
    """How far a feature is supported, why not further, and what it excludes."""

    id: str = msgspec.field(name="feature-support-level-id")
    support_level: Level
    reason: Reason | None = None
    incompatibilities: tuple[str, ...]


class OperatorDetail(FeatureDetail, kw_only=True):
    """The same of an operator, and the features it brings along."""

    name: str
    dependencies: tuple[str, ...]


class Details(Record):
    """Everything that may be asked for, operators apart."""

    features: tuple[FeatureDetail, ...]
    operators: tuple[OperatorDetail, ...]


def supported_features(context: Context) -> dict[str, Level]:
    """How far every feature is supported, by its id; nothing is where the version does not run."""
    context = _known(context)
    if architecture_level(context.architecture, context.version) is Level.UNAVAILABLE:
        return {feature.id: Level.UNAVAILABLE for feature in _in_order(FEATURES)}
    return {feature.id: feature.support(context).level for feature in _in_order(_listed(context))}


def detailed(context: Context, dependencies: Mapping[str, tuple[str, ...]]) -> Details:
    """Everything that may be asked for; raises `Invalid` where the version does not run.

    `dependencies` are the operators that each operator brings along, by their names.
    """
    context = possible(context)
    listed = _in_order(_listed(context))
    ids = frozenset(feature.id for feature in listed)
    return Details(
        features=tuple(FeatureDetail(**_detail(feature, context, ids)) for feature in listed if not feature.operator),
        operators=tuple(
            OperatorDetail(
                **_detail(feature, context, ids),
                name=feature.operator,
                dependencies=tuple(feature_id_of(name) for name in dependencies.get(feature.operator, ())),
            )
            for feature in listed
            if feature.operator
        ),
    )


def _detail(feature: Feature, context: Context, ids: frozenset[str]) -> dict[str, Any]:
    support = feature.support(context)
    return {
        "id": feature.id,
        "support_level": support.level,
        "reason": support.reason,
        "incompatibilities": tuple(other for other in feature.excluded(context.version) if other in ids),
    }


def possible(context: Context) -> Context:
    """The same in the words used here; raises `Invalid` where the version does not run, or not on that platform."""
    context = _known(context)
    _require_possible(context)
    return context


def _known(context: Context) -> Context:
    return context.but(architecture=architecture_called(context.architecture))


def _in_order(features: tuple[Feature, ...]) -> tuple[Feature, ...]:
    return tuple(sorted(features, key=lambda feature: feature.id))


def _listed(context: Context) -> tuple[Feature, ...]:
    """With a platform, all but the platforms; without one, all but what is left to the platform."""
    if context.platform is None:
        return tuple(feature for feature in FEATURES if feature.id != _LEFT_TO_PLATFORM)
    return tuple(feature for feature in FEATURES if not feature.platform)


def _require_possible(context: Context) -> None:
    version, architecture = context.version, context.architecture
    if not parts(version):
        raise Invalid(f"openshift_version: {version!r} is not a version; write it as 4.20 or 4.20.1")
    if architecture_level(architecture, version) is Level.UNAVAILABLE:
        raise Invalid(f"cpu_architecture: OpenShift {version} does not run on {architecture}")
    for platform in PLATFORMS:
        if platform.platform in context.platforms and platform.support(context).level is Level.UNAVAILABLE:
            raise Invalid(
                f"platform_type: {platform.platform} cannot be had with OpenShift {version} on {architecture}"
            )

"""What can be asked for, as clients ask about it; the answers are the core's own records."""

from typing import Literal

from muster.domain.clusters import PlatformType
from muster.domain.features.feature import Context
from muster.domain.features.levels import Level
from muster.domain.record import Record
from muster.domain.releases import Architecture


class FeaturesQuery(Record):
    """Where something is to be had."""

    openshift_version: str
    cpu_architecture: Architecture = "x86_64"
    platform_type: PlatformType | None = None
    external_platform_name: str = ""

    @property
    def context(self) -> Context:
        """The same, as the core understands it."""
        return Context(
            version=self.openshift_version,
            architecture=self.cpu_architecture,
            platform=self.platform_type,
            external_name=self.external_platform_name,
        )


class DetailsQuery(FeaturesQuery):
    """Where something is to be had, with one name for each architecture."""

    cpu_architecture: Literal["x86_64", "arm64", "ppc64le", "s390x", "multi"] = "x86_64"


class ArchitecturesQuery(Record):
    """In which version something is to be had."""

    openshift_version: str


class SupportedFeatures(Record):
    """How far every feature is supported."""

    features: dict[str, Level]


class SupportedArchitectures(Record):
    """How far every architecture is supported."""

    architectures: dict[str, Level]

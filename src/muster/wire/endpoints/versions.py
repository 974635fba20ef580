"""Calls about what can be installed."""

from muster.domain.releases import ReleaseSource
from muster.wire.versions import ComponentVersions, OpenshiftVersion, VersionsQuery

from .endpoint import READER, v2

COMPONENT_VERSIONS = v2("v2ListComponentVersions", "GET /component-versions", READER, answers=ComponentVersions)
OPENSHIFT_VERSIONS = v2(
    "v2ListSupportedOpenshiftVersions",
    "GET /openshift-versions",
    READER,
    query=VersionsQuery,
    answers=dict[str, OpenshiftVersion],
)
RELEASE_SOURCES = v2("v2ListReleaseSources", "GET /release-sources", READER, answers=tuple[ReleaseSource, ...])

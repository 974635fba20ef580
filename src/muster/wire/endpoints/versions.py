"""Calls about what can be installed."""

from muster.wire.versions import VersionsQuery

from .endpoint import READER, v2

COMPONENT_VERSIONS = v2("v2ListComponentVersions", "GET /component-versions", READER)
OPENSHIFT_VERSIONS = v2("v2ListSupportedOpenshiftVersions", "GET /openshift-versions", READER, query=VersionsQuery)

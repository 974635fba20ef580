"""Versions over REST."""

from muster import __version__
from muster.api.call import Call, serves
from muster.domain.releases import ReleaseSource
from muster.wire.endpoints import versions as rows
from muster.wire.versions import ComponentVersions, OpenshiftVersion, component_versions_out, openshift_versions_out


@serves(rows.COMPONENT_VERSIONS)
async def component_versions(call: Call) -> ComponentVersions:
    """The versions of the parts of this service."""
    return component_versions_out(call.service.policy, call.service.settings.self_version or __version__)


@serves(rows.OPENSHIFT_VERSIONS)
async def openshift_versions(call: Call) -> dict[str, OpenshiftVersion]:
    """The releases on offer."""
    return openshift_versions_out(call.service.policy.catalogue, call.query)


@serves(rows.RELEASE_SOURCES)
async def release_sources(call: Call) -> tuple[ReleaseSource, ...]:
    """Where releases may come from."""
    return call.service.policy.release_sources

"""Versions over REST."""

from typing import Any

from muster import __version__
from muster.api.call import Call, serves
from muster.wire.endpoints import versions as rows
from muster.wire.versions import component_versions_out, openshift_versions_out


@serves(rows.COMPONENT_VERSIONS)
async def component_versions(call: Call) -> dict[str, Any]:
    """The versions of the parts of this service."""
    return component_versions_out(call.service.policy, __version__)


@serves(rows.OPENSHIFT_VERSIONS)
async def openshift_versions(call: Call) -> dict[str, Any]:
    """The releases on offer."""
    return openshift_versions_out(call.service.policy.catalogue, call.query)

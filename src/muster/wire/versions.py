"""Versions as clients see them."""

from typing import Any

from muster.domain.policy import Policy
from muster.domain.record import Record
from muster.domain.releases import Catalogue, Release, parts


class VersionsQuery(Record):
    """Which versions a client wants."""

    version: str = ""
    only_latest: bool = False


def component_versions_out(policy: Policy, version: str) -> dict[str, Any]:
    """The versions of the parts of this service."""
    return {
        "versions": {
            "assisted-installer": policy.installer_image,
            "assisted-installer-controller": policy.controller_image,
            "assisted-installer-service": version,
            "discovery-agent": policy.agent_image,
        }
    }


def openshift_versions_out(catalogue: Catalogue, query: VersionsQuery) -> dict[str, Any]:
    """The releases on offer, by the name to show."""
    wanted = [release for release in catalogue.releases if query.version in release.version]
    if query.only_latest:
        newest = {
            parts(each.version)[:2]: each.version for each in sorted(wanted, key=lambda each: parts(each.version))
        }
        wanted = [each for each in wanted if each.version == newest[parts(each.version)[:2]]]
    by_name: dict[str, list[Release]] = {}
    for release in wanted:
        by_name.setdefault(_shown_as(release), []).append(release)
    return {name: _release_out(name, releases) for name, releases in by_name.items()}


def _shown_as(release: Release) -> str:
    """Releases for one machine type share a name; those that carry several say so."""
    return f"{release.version}-multi" if len(release.cpu_architectures) > 1 else release.version


def _release_out(name: str, releases: list[Release]) -> dict[str, Any]:
    out: dict[str, Any] = {
        "cpu_architectures": [each for release in releases for each in release.cpu_architectures],
        "display_name": name,
        "support_level": releases[0].support_level,
    }
    return out | {"default": True} if any(release.default for release in releases) else out

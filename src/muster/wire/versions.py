"""Versions as clients see them."""

from collections.abc import Iterable

from muster.domain.policy import Policy
from muster.domain.record import Record
from muster.domain.releases import Catalogue, Release, SupportLevel


class VersionsQuery(Record):
    """Which versions a client wants."""

    version: str = ""
    only_latest: bool = False


class ComponentVersions(Record):
    """The versions of the parts of this service."""

    versions: dict[str, str]
    release_tag: str = ""


class OpenshiftVersion(Record):
    """A version that can be installed."""

    display_name: str
    support_level: SupportLevel
    cpu_architectures: tuple[str, ...]
    default: bool = False


def component_versions_out(policy: Policy, version: str) -> ComponentVersions:
    """The versions of the parts of this service, of which only the service itself has one of its own."""
    return ComponentVersions(
        versions={
            "assisted-installer": policy.installer_image,
            "assisted-installer-controller": policy.controller_image,
            "assisted-installer-service": version,
            "discovery-agent": policy.agent_image,
        },
        release_tag=policy.release_tag,
    )


def openshift_versions_out(catalogue: Catalogue, query: VersionsQuery) -> dict[str, OpenshiftVersion]:
    """The releases on offer, by the name to show, with the architectures that hosts can be discovered on."""
    listed = catalogue.latest() if query.only_latest else catalogue.releases
    by_name: dict[str, list[Release]] = {}
    for release in listed:
        if query.version in release.display_name and discovered(catalogue, [release]):
            by_name.setdefault(release.display_name, []).append(release)
    return {
        name: OpenshiftVersion(
            display_name=name,
            support_level=releases[0].support_level,
            cpu_architectures=discovered(catalogue, releases),
            default=any(release.default for release in releases),
        )
        for name, releases in by_name.items()
    }


def discovered(catalogue: Catalogue, releases: Iterable[Release]) -> tuple[str, ...]:
    """The architectures that some releases carry and hosts can be discovered on."""
    carried = ((release, architecture) for release in releases for architecture in release.cpu_architectures)
    return tuple(dict.fromkeys(each for release, each in carried if catalogue.discovers(release.version, each)))

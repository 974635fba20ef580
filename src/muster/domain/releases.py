"""The OpenShift releases and system images that can be installed."""

from .errors import Invalid
from .record import Record


class Release(Record):
    """A release image and what it carries."""

    version: str
    url: str
    cpu_architectures: tuple[str, ...] = ("x86_64",)
    support_level: str = "production"
    default: bool = False
    mco_image: str = ""
    must_gather_image: str = ""
    coreos_image: str = ""
    """The system that a host becomes which is installed in place."""

    def carries(self, architecture: str) -> bool:
        """Whether the image runs on an architecture; `multi` asks for more than one."""
        if architecture == "multi":
            return len(self.cpu_architectures) > 1
        return architecture in self.cpu_architectures


class OsImage(Record):
    """A live system image to discover hosts with."""

    openshift_version: str
    cpu_architecture: str = "x86_64"
    url: str = ""
    version: str = ""


def parts(version: str) -> tuple[int, ...]:
    """A version as numbers, without what follows a dash; () when it is none."""
    try:
        return tuple(int(part) for part in version.split("-", 1)[0].split("."))
    except ValueError:
        return ()


def at_least(version: str, wanted: str) -> bool:
    """Whether a version is that one or newer; pre-releases count as the release itself."""
    mine, theirs = parts(version), parts(wanted)
    width = max(len(mine), len(theirs))
    return bool(mine) and mine + (0,) * (width - len(mine)) >= theirs + (0,) * (width - len(theirs))


class Catalogue(Record):
    """All releases and system images on offer."""

    releases: tuple[Release, ...] = ()
    os_images: tuple[OsImage, ...] = ()

    def release(self, version: str, architecture: str = "x86_64") -> Release:
        """The release a user means by `x.y.z`, or the newest of `x.y`."""
        exact = len(parts(version)) >= len(("x", "y", "z"))
        fitting = [
            release
            for release in self.releases
            if release.carries(architecture)
            and (release.version == version if exact else parts(release.version)[:2] == parts(version))
        ]
        if not fitting:
            known = ", ".join(sorted(release.version for release in self.releases)) or "none"
            raise Invalid(
                f"openshift_version: there is no release {version!r} for {architecture}; known releases: {known}"
            )
        return max(fitting, key=lambda release: parts(release.version))

    def release_by_url(self, url: str) -> Release:
        """The release behind an image reference."""
        found = next((release for release in self.releases if release.url == url), None)
        if found is None:
            raise Invalid(f"ocp_release_image: {url!r} is not among the known release images")
        return found

    def os_image(self, version: str, architecture: str) -> OsImage:
        """The system image for a version: the same minor, the newest there is."""
        fitting = [
            image
            for image in self.os_images
            if image.cpu_architecture == architecture
            and (not version or parts(image.openshift_version)[:2] == parts(version)[:2])
        ]
        if not fitting:
            raise Invalid(
                f"openshift_version: there is no system image of {version or 'any version'} for {architecture}"
            )
        return max(fitting, key=lambda image: parts(image.openshift_version))

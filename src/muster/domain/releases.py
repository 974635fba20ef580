"""The OpenShift releases and system images that can be installed, and where releases may come from."""

from collections.abc import Callable
from typing import Any, Literal

from .errors import Invalid, NotFound
from .record import Record

SupportLevel = Literal["beta", "production", "maintenance", "end-of-life"]
BETA: SupportLevel = "beta"
SystemType = Literal["full-iso", "disconnected-iso"]
FULL: SystemType = "full-iso"
MULTI = "multi"
OF_ALL = f"-{MULTI}"
"""How the version of a release ends that carries several architectures, where users write it."""


class ReleaseImages(Record):
    """The images of a release that hosts are told of by name; "" where it has none, or none is known."""

    mco: str = ""
    """With it the first host makes a machine of itself that can start the cluster."""
    must_gather: str = ""
    """With it is gathered what went wrong."""
    coreos: str = ""
    """The system that a host becomes which is installed in place."""

    @property
    def complete(self) -> bool:
        """Whether each of them is known."""
        return bool(self.mco and self.must_gather and self.coreos)

    def over(self, others: "ReleaseImages") -> "ReleaseImages":
        """These, and where one is not known, that of the others."""
        return ReleaseImages(
            mco=self.mco or others.mco,
            must_gather=self.must_gather or others.must_gather,
            coreos=self.coreos or others.coreos,
        )


NO_IMAGES = ReleaseImages()


class Release(Record):
    """A release image and what it carries."""

    version: str
    url: str
    cpu_architectures: tuple[str, ...] = ("x86_64",)
    support_level: SupportLevel = "production"
    default: bool = False
    images: ReleaseImages = NO_IMAGES
    """What is known of them without a look into the release."""

    def carries(self, architecture: str) -> bool:
        """Whether the image runs on an architecture; `multi` asks for more than one."""
        if architecture == MULTI:
            return len(self.cpu_architectures) > 1
        return architecture in self.cpu_architectures

    @property
    def display_name(self) -> str:
        """What it is called where those for one architecture and those for several stand side by side."""
        return f"{self.plain_version}{OF_ALL}" if self.carries(MULTI) else self.version

    @property
    def plain_version(self) -> str:
        """The version without what it says of architectures."""
        return self.version.removesuffix(OF_ALL)

    @property
    def age(self) -> tuple[Any, ...]:
        """Larger for what is rather to be had: what is no beta, and of that the latest."""
        return self.support_level != BETA, precedence(self.plain_version)


class OsImage(Record):
    """A live system image to discover hosts with."""

    openshift_version: str
    cpu_architecture: str = "x86_64"
    url: str = ""
    """Where it is fetched from, or the path of a file that is used where it is."""
    version: str = ""
    """The build of the system, by which its file is called."""
    type: SystemType = FULL
    sha256: str = ""
    """What the file is checked with, if that is known."""


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


def precedence(version: str) -> tuple[Any, ...]:
    """Larger for what came later: `4.20.0-rc.2` before `4.20.0-rc.10`, and both before `4.20.0`."""
    _, _, tail = version.partition("-")
    marks = tuple((0, int(mark), "") if mark.isdecimal() else (1, 0, mark) for mark in tail.split("."))
    return parts(version), not tail, marks


def minor(version: str) -> tuple[int, ...]:
    """The `x.y` of a version, as numbers."""
    return parts(version)[:2]


class Catalogue(Record):
    """All releases and system images on offer."""

    releases: tuple[Release, ...] = ()
    os_images: tuple[OsImage, ...] = ()

    def without(self, versions: tuple[str, ...]) -> "Catalogue":
        """The same without some releases: single ones by `x.y.z`, all of a minor by `x.y`."""
        left_out = {version.removesuffix(OF_ALL) for version in versions}
        return self.but(
            releases=tuple(
                release
                for release in self.releases
                if left_out.isdisjoint({release.plain_version, ".".join(map(str, minor(release.version)))})
            )
        )

    def release(self, version: str, architecture: str = "x86_64") -> Release:
        """The release a user means by `x.y.z`, or the newest of `x.y`; with `-multi` the one for all architectures."""
        wanted = version.removesuffix(OF_ALL)
        exact = len(parts(wanted)) >= len(("x", "y", "z"))
        fits: Callable[[Release], bool] = (
            (lambda release: release.plain_version == wanted)
            if exact
            else (lambda release: minor(release.version) == parts(wanted))
        )
        carried = {architecture, *((MULTI,) if version.endswith(OF_ALL) else ())}
        fitting = [release for release in self.releases if fits(release) and all(map(release.carries, carried))]
        if not fitting:
            known = ", ".join(sorted({release.display_name for release in self.releases})) or "none"
            raise Invalid(
                f"openshift_version: there is no release {version!r} for {architecture}; known releases: {known}"
            )
        # One for all architectures is had by asking for it, or where there is no other.
        return max(fitting, key=lambda release: (not release.carries(MULTI), release.age))

    def latest(self) -> tuple[Release, ...]:
        """The releases of the latest version of every minor, for whatever architectures there are."""
        by_age = sorted(self.releases, key=lambda release: release.age)
        newest = {minor(release.version): release.plain_version for release in by_age}
        return tuple(release for release in self.releases if release.plain_version == newest[minor(release.version)])

    def discovers(self, version: str, architecture: str) -> bool:
        """Whether hosts can be discovered for a version; where there are no system images, none is needed."""
        return not self.os_images or any(
            image.cpu_architecture == architecture and minor(image.openshift_version) == minor(version)
            for image in self.os_images
        )

    def release_by_url(self, url: str) -> Release:
        """The release behind an image reference."""
        found = next((release for release in self.releases if release.url == url), None)
        if found is None:
            raise Invalid(f"ocp_release_image: {url!r} is not among the known release images")
        return found

    def images_of(self, url: str) -> ReleaseImages:
        """What is said here of the images of a release; nothing if it is not among the known ones."""
        return next((release.images for release in self.releases if release.url == url), NO_IMAGES)

    def os_image(self, version: str, architecture: str) -> OsImage:
        """The system image for a version: its own, else that of its minor, else the latest of that minor.

        Where no version is asked for, it is the latest of all.
        """
        offered = [each for each in self.os_images if each.cpu_architecture == architecture and each.type == FULL]
        fitting = [each for each in offered if not version or minor(each.openshift_version) == minor(version)]
        if not fitting:
            known = ", ".join(dict.fromkeys(each.openshift_version for each in offered)) or "none"
            raise Invalid(
                f"openshift_version: there is no system image of {version or 'any version'} for {architecture};"
                f" there are: {known}"
            )
        of_minor = ".".join(map(str, minor(version)))
        return max(
            fitting,
            key=lambda each: (
                each.openshift_version == version,
                each.openshift_version == of_minor,
                precedence(each.openshift_version),
            ),
        )

    def image_called(self, key: str, architecture: str) -> OsImage:
        """The system image of a build, or of a version of OpenShift; `NotFound` if there is none."""
        of_build = (each for each in self.os_images if each.version == key and each.cpu_architecture == architecture)
        found = next(of_build, None)
        if found is not None:
            return found
        try:
            return self.os_image(key, architecture)
        except Invalid as error:
            raise NotFound(
                f"There is no system image {key} for {architecture}; OS_IMAGES says which there are"
            ) from error


Machine = Literal["x86_64", "aarch64", "arm64", "ppc64le", "s390x"]
Architecture = Literal["x86_64", "aarch64", "arm64", "ppc64le", "s390x", "multi"]


class UpgradeChannel(Record):
    """Channels of releases for an architecture."""

    cpu_architecture: Architecture
    channels: tuple[Literal["candidate", "fast", "stable", "eus"], ...]


class ReleaseSource(Record):
    """Where the releases of a minor version may come from."""

    openshift_version: str
    multi_cpu_architectures: tuple[Machine, ...]
    """What its releases for all architectures carry."""
    upgrade_channels: tuple[UpgradeChannel, ...]

"""What registries say an image consists of, turned into records. The client decodes every manifest with it."""

import hashlib
from typing import Any

import msgspec

from muster.domain.errors import Broken, Invalid
from muster.domain.record import Record

INDEXES = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)
MANIFESTS = (
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
ACCEPTED = ", ".join((*INDEXES, *MANIFESTS))

GO_NAMES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
"""What registries call an architecture where they do not call it what everybody does."""

OUR_NAMES = {"amd64": "x86_64", "aarch64": "arm64"}


def theirs(architecture: str) -> str:
    """What registries call an architecture."""
    return GO_NAMES.get(architecture, architecture)


def ours(architecture: str) -> str:
    """What we call an architecture of theirs."""
    return OUR_NAMES.get(architecture, architecture)


class Platform(Record):
    """What machines an image is for."""

    architecture: str = ""
    os: str = "linux"


class Blob(Record, rename="camel"):
    """Something a registry keeps under its digest."""

    digest: str
    size: int
    media_type: str = ""
    platform: Platform = Platform()


class Manifest(Record, rename="camel"):
    """What an image consists of, or which images there are for which machines."""

    media_type: str = ""
    config: Blob | None = None
    """What the image says of itself; None if these are images instead of layers."""
    layers: tuple[Blob, ...] = ()
    manifests: tuple[Blob, ...] = ()

    @property
    def architectures(self) -> tuple[str, ...]:
        """For which machines there are images here, by our names. What attests to an image is none."""
        named = (ours(each.platform.architecture) for each in self.manifests if each.platform.os == "linux")
        return tuple(dict.fromkeys(name for name in named if name not in ("", "unknown")))

    def image_for(self, architecture: str) -> Blob:
        """The image for a machine, or that for the first machine of all if there is none."""
        named = {ours(each.platform.architecture): each for each in self.manifests if each.platform.os == "linux"}
        return named.get(ours(architecture)) or named[self.architectures[0]]


class Config(Record):
    """What is said of an image itself."""

    architecture: str = ""


def read_manifest(body: bytes, image: str) -> Manifest:
    """What a registry says of an image; `Broken` if that is of a kind that nobody makes any more."""
    manifest: Manifest = decoded(body, Manifest, f"the manifest of {image}")
    known = manifest.media_type in ("", *INDEXES, *MANIFESTS)
    if not known or not (manifest.architectures or manifest.config):
        raise Broken(
            f"the manifest of {image} is of a kind that cannot be installed from ({manifest.media_type or 'unnamed'});"
            " push the image again with a present-day tool"
        )
    return manifest


def decoded(body: bytes, kind: Any, what: str) -> Any:
    """A record from its JSON; `Broken` if it is not in it."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.DecodeError as error:
        raise Broken(f"{what} cannot be read: {error}") from error


def digest_of(body: bytes, like: str = "sha256:") -> str:
    """The digest of some bytes, by the same rule as another digest."""
    rule = like.partition(":")[0]
    return f"{rule}:{hashlib.new(rule, body).hexdigest()}"


def check_digest(digest: str, what: str) -> None:
    """`Broken` if a digest is of a kind that cannot be verified."""
    if digest.partition(":")[0] not in ("sha256", "sha512") or not digest.partition(":")[2].isalnum():
        raise Broken(f"{what} has the digest {digest!r}, which cannot be verified; only sha256 and sha512 can")


def no_image_for(architecture: str, image: str, there: tuple[str, ...]) -> Invalid:
    """What is answered to whoever wants an image for machines that it is not for."""
    return Invalid(
        f"{image} has no image for {ours(theirs(architecture))}, only for {', '.join(there) or 'none that we know'};"
        " name the release for that architecture, or one for several"
    )

"""Names of images taken apart: `host[:port]/repository[:tag][@digest]`. Everybody in the package speaks in these."""

import re

from muster.domain.errors import Invalid
from muster.domain.inputs.credentials import registry_of
from muster.domain.record import Record

DOCKER = "docker.io"
LATEST = "latest"

_HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_REPOSITORY = re.compile(r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}")


class Reference(Record):
    """An image in a repository of a registry."""

    host: str
    repository: str
    tag: str = ""
    digest: str = ""

    def __str__(self) -> str:
        return f"{self.name}{self.tag and f':{self.tag}'}{self.digest and f'@{self.digest}'}"

    @property
    def name(self) -> str:
        """The repository with its registry."""
        return f"{self.host}/{self.repository}"

    @property
    def wanted(self) -> str:
        """By what the registry is asked for it: the digest counts before the tag."""
        return self.digest or self.tag

    def at(self, digest: str) -> "Reference":
        """Exactly that image of the same repository."""
        return self.but(tag="", digest=digest)


def reference(text: str) -> Reference:
    """What the name of an image means; `Invalid` if it is none."""
    image, at, digest = text.strip().partition("@")
    host = registry_of(image)
    path = image.removeprefix(f"{host}/")
    repository, _, tag = path.partition(":")
    if host == DOCKER and "/" not in repository:
        repository = f"library/{repository}"
    named = _HOST.fullmatch(host) and _REPOSITORY.fullmatch(repository)
    if not named or (":" in path and not _TAG.fullmatch(tag)) or (at and not _DIGEST.fullmatch(digest)):
        raise Invalid(
            f"{text!r} is not the name of an image; it has to look like quay.io/openshift-release-dev/ocp-release:"
            "4.18.1-x86_64, or end with @sha256: and 64 hexadecimal digits"
        )
    return Reference(host=host, repository=repository, tag=tag or ("" if digest else LATEST), digest=digest)

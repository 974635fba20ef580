"""Where an image may be had: from mirrors, and from where its name says. The client goes there in their order."""

import tomllib
from collections.abc import Sequence
from typing import Literal

import msgspec

from muster.domain.errors import Invalid
from muster.domain.record import Record

from .references import Reference, reference

Which = Literal["all", "digest-only", "tag-only"]
_ANY_BELOW = "*."


class Mirror(Record, rename="kebab"):
    """A place that has what another has."""

    location: str
    insecure: bool = False
    """Whether its certificate is not looked at, and whether it may do without one."""
    pull_from_mirror: Which = "all"
    """Which images are asked for there: those that are named by digest, by tag, or all."""


class Mirrored(Record, rename="kebab"):
    """What is said of the images below a name, as an entry of podman's `registries.conf` says it."""

    prefix: str = ""
    location: str = ""
    """Where they really are; "" if where their names say."""
    insecure: bool = False
    blocked: bool = False
    """Whether only the mirrors are asked, never the place itself."""
    mirror_by_digest_only: bool = False
    mirror: tuple[Mirror, ...] = ()

    @property
    def start(self) -> str:
        """How the names begin that this is said of."""
        return self.prefix or self.location

    def matched(self, image: Reference) -> str:
        """The part of an image's name that this is said of; "" if nothing is."""
        if self.start.startswith(_ANY_BELOW):
            return image.host if image.host.endswith(self.start[1:]) else ""
        return self.start if f"{image.name}/".startswith(f"{self.start}/") else ""


class Place(Record):
    """An image as it is to be had somewhere."""

    image: Reference
    insecure: bool = False


class _Registries(Record):
    registry: tuple[Mirrored, ...] = ()


def mirrors_in(registries: str) -> tuple[Mirrored, ...]:
    """What a `registries.conf` says of mirrors; `Invalid` if it cannot be read."""
    try:
        found = msgspec.convert(tomllib.loads(registries), _Registries).registry
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise Invalid(f"the list of mirrors cannot be read: {error}") from error
    if not all(entry.start for entry in found):
        raise Invalid("the list of mirrors cannot be read: each [[registry]] needs a location or a prefix")
    return found


def places(image: Reference, mirrored: Sequence[Mirrored]) -> tuple[Place, ...]:
    """Where to ask for an image, in this order. The entry counts that says most of its name."""
    fitting = [entry for entry in mirrored if entry.matched(image)]
    if not fitting:
        return (Place(image=image),)
    entry = max(fitting, key=lambda each: len(each.start))
    there = [
        Place(image=_moved(image, entry.matched(image), mirror.location), insecure=mirror.insecure)
        for mirror in entry.mirror
        if _serves(mirror, entry, image)
    ]
    if not entry.blocked:
        itself = _moved(image, entry.matched(image), entry.location) if entry.location else image
        there.append(Place(image=itself, insecure=entry.insecure))
    if not there:
        raise Invalid(
            f"{image} must not be asked for where its name says, and no mirror has it: the list of mirrors says so of"
            f" {entry.start}; add a mirror that serves it"
        )
    return tuple(there)


def _serves(mirror: Mirror, entry: Mirrored, image: Reference) -> bool:
    which: Which = "digest-only" if entry.mirror_by_digest_only else mirror.pull_from_mirror
    return which == "all" or (which == "digest-only") == bool(image.digest)


def _moved(image: Reference, start: str, location: str) -> Reference:
    moved = reference(f"{location}{image.name.removeprefix(start)}")
    return moved.but(tag=image.tag, digest=image.digest)

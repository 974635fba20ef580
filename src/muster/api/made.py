"""Discovery images as they are made: base files with the patches of an infra-env over them.

An image is made anew only when its infra-env or its base file has become another; as long as they are the same, so is
every byte, whoever asks for whichever part. `images.py` sends them.
"""

import asyncio
import hashlib
from collections import OrderedDict
from datetime import datetime
from typing import NamedTuple

from muster.domain.artifacts.discovery_ignition import discovery_ignition, discovery_of
from muster.domain.artifacts.kernel_arguments import kernel_arguments
from muster.domain.artifacts.minimal_initrd import minimal_initrd
from muster.domain.infra_envs import ImageType, InfraEnv
from muster.domain.policy import Policy
from muster.domain.record import Record
from muster.domain.releases import OsImage
from muster.domain.steps.download_boot_artifacts import system_url
from muster.image.customise import Customisation, Room, customised, pxe_initrd, room
from muster.image.regions import Composed, Extent, composed
from muster.ports import BaseFile
from muster.wire.ranges import Version

KEPT = 128
"""Images that are remembered: those that are being read. Each is the patches only, at most half a megabyte."""

INITRD = "pxe-initrd"
"""The kind of what a network boot starts from."""


BEFORE_THE_SYSTEM = frozenset({INITRD, ImageType.MINIMAL})
"""What has to reach the network before there is a system."""


class Wanted(Record):
    """Which image: of what, made from what."""

    infra_env: InfraEnv
    base: BaseFile
    os_image: OsImage
    kind: str
    """A kind of image, or `INITRD`."""
    token: str
    """With which the agents show who they are."""

    @property
    def key(self) -> tuple[str, ...]:
        """What it is called, whatever it is made from."""
        return self.infra_env.id, str(self.base.path), self.kind

    @property
    def last_change(self) -> datetime:
        """When it became what it is."""
        return max(self.infra_env.updated_at, self.base.modified)


class Made(NamedTuple):
    """An image, and what it was made from."""

    wanted: Wanted
    image: Composed
    version: Version
    room: Room


class Workshop:
    """Makes images, and remembers those that it made last."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._made: OrderedDict[tuple[str, ...], Made] = OrderedDict()
        self._making: dict[tuple[str, ...], asyncio.Lock] = {}

    async def image(self, wanted: Wanted) -> Made:
        """The image that is wanted; `Invalid` if what is to be put into it has no room."""
        async with self._making.setdefault(wanted.key, asyncio.Lock()):
            made = self._made.get(wanted.key)
            if made is None or not _same(made.wanted, wanted):
                made = await asyncio.to_thread(_make, wanted, self._policy)
                self._made[wanted.key] = made
            self._made.move_to_end(wanted.key)
        while len(self._made) > KEPT:
            key, _ = self._made.popitem(last=False)
            self._making.pop(key, None)
        return made


def _same(one: Wanted, other: Wanted) -> bool:
    """Whether two images are made from the very same: records do not change, they are replaced."""
    return one.infra_env is other.infra_env and one.base.digest == other.base.digest and one.token == other.token


def _make(wanted: Wanted, policy: Policy) -> Made:
    live = wanted.base.live
    asked = _customisation(wanted, policy)
    if wanted.kind == INITRD:
        image = pxe_initrd(live, asked)
    else:
        image = composed(Extent(offset=0, length=live.size), customised(live, asked))
    return Made(wanted, image, Version(tag=_tag(wanted.base, image), modified=wanted.last_change), room(live, asked))


def _customisation(wanted: Wanted, policy: Policy) -> Customisation:
    """What an infra-env wants of its image."""
    infra_env, kind = wanted.infra_env, wanted.kind
    # Who starts over the network has no medium whose kind would count, and the arguments are in the script.
    own = infra_env.type if kind == INITRD else ImageType(kind)
    config = discovery_ignition(discovery_of(infra_env, policy, own).but(token=wanted.token))
    extra = minimal_initrd(infra_env) if kind in BEFORE_THE_SYSTEM else None
    return Customisation(
        ignition=config,
        extra=extra or b"",
        kernel_arguments=() if kind == INITRD else tuple(kernel_arguments(infra_env)),
        rootfs_url=system_url(wanted.os_image, policy) if kind == ImageType.MINIMAL else "",
    )


def _tag(base: BaseFile, image: Composed) -> str:
    """What tells an image from every other: its base, and what is laid over it where."""
    digest = hashlib.sha256(base.digest.encode())
    for region in image.regions:
        digest.update(f"{region.offset} {region.length} ".encode() + (region.content or b""))
    return f'"{digest.hexdigest()[:32]}"'

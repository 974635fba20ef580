"""Turns what somebody wants of a live image into the patches that make it so, and into the initrd of a network boot.

The API lays them over base images as it sends them; `muster image customise` writes them to a file.
"""

from collections.abc import Iterator

from muster.domain.artifacts.embedding import NAME, archived, packed
from muster.domain.errors import Invalid
from muster.domain.record import Record

from .kargs import FROM_NETWORK, Kargs, fetching, relisted, spare, written
from .live import S390X, Live
from .regions import Composed, Extent, Patch, composed

CONFIG = NAME
"""The name under which a live system finds its Ignition config."""


class Customisation(Record):
    """What somebody wants of an image; what is left empty stays as it is in the image."""

    ignition: bytes
    """The config, as JSON."""
    extra: bytes = b""
    """An archive that is unpacked after the one with the config."""
    kernel_arguments: tuple[str, ...] = ()
    """Follow those that the system needs."""
    rootfs_url: str = ""
    """Where the system is fetched from, instead of being read from the medium."""


class Room(Record):
    """Bytes that an image still has, place by place; None where it has no such place at all."""

    ignition: int
    kernel_arguments: int | None
    extra: int | None


def customised(live: Live, wanted: Customisation) -> tuple[Patch, ...]:
    """The patches in their order; `Invalid`, with the sizes, if something has no room. The same for the same."""
    patches = (*_archives(live, wanted), *_arguments(live, wanted))
    return tuple(sorted(patches, key=lambda each: each.offset))


def pxe_initrd(live: Live, wanted: Customisation) -> Composed:
    """The initrd of a network boot: the image's own, then the Ignition config, then what is extra."""
    filling = bytes(-live.initrd.length % 4)
    config = archived(wanted.ignition) if wanted.ignition else b""
    return composed(live.initrd, appended=filling + config + wanted.extra)


def initrd_addrsize(live: Live, initrd: Composed) -> bytes:
    """What a mainframe wants to know of an initrd: where it is loaded, and how long it is."""
    if len(live.load_address) != len(bytes(8)):
        raise Invalid(f"Image {live.volume_id} is for {live.architecture}; only those for {S390X} have initrd.addrsize")
    return live.load_address + initrd.length.to_bytes(8, "big")


def room(live: Live, wanted: Customisation) -> Room:
    """What is left of an image's room when it is customised like that."""
    return Room(
        ignition=live.ignition.length - len(_beside(live, wanted)),
        kernel_arguments=spare(live.kargs, _needed(live.kargs, wanted), _added(wanted)) if live.kargs else None,
        extra=live.extra.length - len(wanted.extra) if live.extra else None,
    )


def _archives(live: Live, wanted: Customisation) -> Iterator[Patch]:
    content = _beside(live, wanted)
    if content:
        yield _filled(live.ignition, content)
    if live.extra and wanted.extra:
        if len(wanted.extra) > live.extra.length:
            raise Invalid(
                f"The network settings of the image have {len(wanted.extra)} bytes, packed, and there is room for "
                f"{live.extra.length}: describe fewer hosts in one image"
            )
        yield _filled(live.extra, wanted.extra)


def _beside(live: Live, wanted: Customisation) -> bytes:
    """What stands in the place for the Ignition config: that, and what is extra if it has no place of its own."""
    extra = b"" if live.extra else wanted.extra
    content = packed(wanted.ignition, extra, live.ignition.length) if wanted.ignition else extra
    if len(content) > live.ignition.length:
        with_what = f" and another {len(extra)} of network settings" if extra else ""
        raise Invalid(
            f"The Ignition config of {len(wanted.ignition)} bytes has {len(content) - len(extra)} when it is packed"
            f"{with_what}; the image has room for {live.ignition.length}: make the config smaller, have its files "
            "fetched by URL, or describe fewer hosts in one image"
        )
    return content


def _filled(place: Extent, content: bytes) -> Patch:
    return Patch(offset=place.offset, content=content.ljust(place.length, b"\0"))


def _arguments(live: Live, wanted: Customisation) -> Iterator[Patch]:
    if not wanted.kernel_arguments and not wanted.rootfs_url:
        return
    if live.kargs is None:
        raise Invalid(
            f"Image {live.volume_id} has no place for kernel arguments: those from before 2021 have none, nor those "
            "for s390x from before July 2023; take a newer image, or leave the arguments out"
        )
    yield from written(live.kargs, _needed(live.kargs, wanted), _added(wanted))
    if wanted.rootfs_url:
        yield from relisted(live.kargs, _needed(live.kargs, wanted))


def _needed(kargs: Kargs, wanted: Customisation) -> str:
    """The arguments that the system needs, without the one that a URL takes the place of."""
    return fetching(kargs.default) if wanted.rootfs_url else kargs.default


def _added(wanted: Customisation) -> tuple[str, ...]:
    if len(wanted.rootfs_url.split()) > 1:
        raise Invalid(f"The URL of the system has spaces in it: {wanted.rootfs_url!r}; write each as %20")
    fetched = (f"{FROM_NETWORK}{wanted.rootfs_url}",) if wanted.rootfs_url else ()
    return (*fetched, *wanted.kernel_arguments)

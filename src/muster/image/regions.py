"""Describes an image that nobody has written: which bytes are a base file's, and which are laid over it.

`customise.py` says what is laid where; the API sends the regions, the command line writes them to a file.
"""

from collections.abc import Iterable, Iterator

from muster.domain.record import Record


class Extent(Record):
    """A part of a file."""

    offset: int
    length: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.offset + self.length


class Patch(Record):
    """Bytes that are laid over a base file."""

    offset: int
    content: bytes


class Region(Record):
    """Bytes of an image: of the base file from `offset` on, or, where there is `content`, of that."""

    offset: int
    length: int
    content: bytes | None = None

    def part(self, start: int, stop: int) -> "Region":
        """The bytes from one place to another, counted within the region."""
        return Region(offset=self.offset + start, length=stop - start, content=self.content)


class Composed(Record):
    """An image: regions one after the other."""

    regions: tuple[Region, ...]

    @property
    def length(self) -> int:
        """How many bytes it has."""
        return sum(each.length for each in self.regions)

    def part(self, start: int, stop: int) -> Iterator[Region]:
        """The regions of the bytes from `start` to before `stop`."""
        begins = 0
        for region in self.regions:
            ends = begins + region.length
            if begins < stop and ends > start:
                yield region.part(max(start - begins, 0), min(stop - begins, region.length))
            begins = ends


def given(content: bytes) -> Region:
    """Bytes that are not in the base file."""
    return Region(offset=0, length=len(content), content=content)


def composed(base: Extent, patches: Iterable[Patch] = (), appended: bytes = b"") -> Composed:
    """A part of the base file, with patches laid over it, and what follows it. Patches count from the base's start.

    They are disjoint and lie within the part: whoever makes them sees to that.
    """
    regions: list[Region] = []
    at = base.offset
    for patch in sorted(patches, key=lambda each: each.offset):
        assert at <= patch.offset, f"two patches overlap at {patch.offset}"
        regions += (Region(offset=at, length=patch.offset - at), given(patch.content))
        at = patch.offset + len(patch.content)
    assert at <= base.end, f"a patch ends at {at}, after the base, which ends at {base.end}"
    regions += (Region(offset=at, length=base.end - at), given(appended))
    return Composed(regions=tuple(each for each in regions if each.length))

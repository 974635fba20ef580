"""One image on its way to being ready: how it stands, whose turn it is, when it is tried again. `folder` has them."""

from datetime import datetime, timedelta
from math import inf
from pathlib import Path

from muster.domain.base_images import State, base_image, file_name
from muster.domain.releases import OsImage
from muster.ports import BaseFile, Clock

from .files import Stamp, beside, places, read, stamp_of
from .parts import Said

LEFT_ALONE = timedelta(minutes=1)
"""How long what has failed is left alone, whoever asks for it."""


class Wanted:
    """An image that is to be on the disk."""

    def __init__(self, image: OsImage, folder: Path, clock: Clock, *, eager: bool) -> None:
        self.image = image
        self.places = places(image, folder)
        self.standing = base_image(image)
        self.turn = inf
        """Smaller for what was asked for earlier."""
        self.doubts = 0
        """How often what came was not what it should be."""
        self.failures = 0
        """How often it failed, one after the other, without anything having come."""
        self._clock = clock
        self._began, self._had = clock.now(), 0
        self._failed_at = clock.now()
        self._file: BaseFile | None = None
        self._stamp: Stamp | None = None
        self._useless: Stamp | None = None
        self._due: datetime | None = clock.now() if eager or self.places.in_place or self.there else None

    @property
    def name(self) -> str:
        """What its file is called."""
        return file_name(self.image)

    @property
    def part(self) -> Path:
        """Where it is while it comes."""
        return beside(self.places.own, ".part")

    @property
    def file(self) -> BaseFile | None:
        """The image, if it is ready and still the file that was looked at."""
        return self._file if self._file is not None and stamp_of(self.places.full) == self._stamp else None

    @property
    def there(self) -> bool:
        """Whether there is a file that may be it."""
        stamp = stamp_of(self.places.full)
        return stamp is not None and stamp != self._useless

    def wait(self) -> timedelta | None:
        """How long until it is to be looked after; None if nothing is to be done."""
        return None if self._due is None else self._due - self._clock.now()

    def ask(self, turn: int) -> None:
        """Somebody wants it: it goes before whatever nobody has asked for, and before what is asked for later.

        What has failed is not left alone for so long then: somebody may just have put it right.
        """
        self.turn = min(self.turn, turn)
        retried = self.standing.retry_at is not None and self._clock.now() - self._failed_at >= LEFT_ALONE
        if self.standing.state in {State.WAITING, State.READY} or retried:
            self.again()

    def again(self) -> None:
        """It is to be looked after from the beginning."""
        self._due = self._clock.now()
        self.standing = base_image(self.image)

    def checking(self) -> None:
        """Its file is being looked at."""
        known = self.standing
        self.standing = base_image(self.image).but(state=State.CHECKING, fetched=known.fetched, size=known.size)

    def fetching(self, come: int, size: int | None) -> None:
        """It is on its way; so much of it is here from before."""
        self._began, self._had = self._clock.now(), come
        self.standing = base_image(self.image).but(state=State.FETCHING, fetched=come, size=size)

    def tell(self, come: int) -> None:
        """So much of it is here."""
        seconds = (self._clock.now() - self._began).total_seconds()
        rate = round((come - self._had) / seconds) if seconds else 0
        self.failures = 0
        self.standing = self.standing.but(fetched=come, rate=rate)

    def elsewhere(self, wait: timedelta) -> None:
        """Another process fetches it; that is looked at again."""
        stamp, said = stamp_of(self.part), read(beside(self.part, ".json"), Said)
        self.fetching(stamp.size if stamp else 0, said.size if said else None)
        self._due = self._clock.now() + wait

    def ready(self, file: BaseFile, stamp: Stamp | None) -> None:
        """It can be used."""
        self._file, self._stamp, self._due = file, stamp, None
        self.failures = self.doubts = 0
        self.standing = base_image(self.image).but(state=State.READY, fetched=file.live.size, size=file.live.size)

    def useless(self, stamp: Stamp | None) -> None:
        """The file that is there is not it."""
        self._useless = stamp
        self.again()

    def failed(self, reason: str, wait: timedelta | None) -> None:
        """It could not be had; it is tried again after a while, or not at all."""
        self.failures += 1
        self._failed_at = self._clock.now()
        self._due = None if wait is None else self._clock.now() + wait
        self.standing = self.standing.but(state=State.FAILED, reason=reason, retry_at=self._due, rate=0)

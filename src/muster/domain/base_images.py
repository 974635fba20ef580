"""System images as files: what they are called, how far each has come, what is told to whoever wants one too early.

`adapters/base_images` keeps the files; the API, the command line and the metrics show how they stand.
"""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import unquote, urlsplit

from .errors import Broken, MusterError, NotFound, Unavailable
from .record import Record
from .releases import OsImage, precedence

MINIMAL = "minimal-iso"

BESIDE = (".json", ".json.new", ".part", ".part.json", ".part.json.new", ".lock")
"""How files end that are kept beside an image: what is noted of it, what has come of it so far, who works on it."""

OURS = re.compile(r"(rhcos-(full|minimal|disconnected)-iso-.+\.iso|nmstatectl-.+)")
"""What files are called that are made here, or by the original in the same folder."""

MEGABYTE = 1_000_000
SHARE_OF_MINIMAL = 8
"""A minimal image has about the eighth part of the full one."""

FIRST_WAIT = timedelta(seconds=5)
LONGEST_WAIT = timedelta(minutes=5)
A_MINUTE = 60


class State(StrEnum):
    """How far an image has come."""

    ABSENT = "absent"
    """There is no file, and nothing is said of where it could be had."""
    WAITING = "waiting"
    """Its turn has not come."""
    FETCHING = "fetching"
    """It is being downloaded."""
    CHECKING = "checking"
    """The file is there and is being looked at."""
    READY = "ready"
    """It can be used."""
    FAILED = "failed"
    """It could not be had; the reason says why."""


class BaseImage(Record):
    """A system image as it stands."""

    openshift_version: str
    cpu_architecture: str
    version: str
    type: str
    source: str
    """Where it comes from, without anything secret."""
    state: State = State.WAITING
    reason: str = ""
    """What went wrong, or why there is none: a sentence without a full stop."""
    fetched: int = 0
    """Bytes that are there."""
    size: int | None = None
    """Bytes that there are to be, once that is known."""
    rate: float = 0.0
    """Bytes that come in a second."""
    retry_at: datetime | None = None

    @property
    def name(self) -> str:
        """What it is called in a sentence."""
        return f"System image {self.openshift_version} ({self.cpu_architecture})"

    @property
    def seconds_left(self) -> float | None:
        """How long the download goes on at the present rate; None if nobody knows."""
        if self.size is None or not self.rate:
            return None
        return max(self.size - self.fetched, 0) / self.rate


class Coming(Unavailable):
    """An image is not there yet; in so many seconds it may be."""

    def __init__(self, sentence: str, seconds: int) -> None:
        super().__init__(sentence)
        self.seconds = seconds


def base_image(image: OsImage) -> BaseImage:
    """An image of which nothing is known yet but what was configured."""
    return BaseImage(
        openshift_version=image.openshift_version,
        cpu_architecture=image.cpu_architecture,
        version=image.version,
        type=image.type,
        source=shown(image.url),
    )


def file_name(image: OsImage, kind: str = "") -> str:
    """What the file of an image is called; the original calls it the same."""
    return f"rhcos-{kind or image.type}-{image.version}-{image.cpu_architecture}.iso"


def distinct(images: Iterable[OsImage]) -> tuple[OsImage, ...]:
    """One image for each file, in the order in which they were written: that of the latest version it is for."""
    by_file: dict[str, OsImage] = {}
    for image in images:
        known = by_file.setdefault(file_name(image), image)
        if precedence(image.openshift_version) > precedence(known.openshift_version):
            by_file[file_name(image)] = image
    return tuple(by_file.values())


def own_path(url: str) -> str:
    """The path of the file that an image is used from as it lies there; "" if it has to be fetched."""
    if url.startswith("file://"):
        return unquote(urlsplit(url).path)
    return "" if "://" in url else url


def shown(url: str) -> str:
    """An address without what may be secret in it: who signs in, and the query."""
    if own_path(url) or not url:
        return own_path(url)
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def unused(names: Iterable[str], images: Iterable[OsImage]) -> tuple[str, ...]:
    """The files of images, by their names, that no image has. Files of other kinds are nobody's business."""
    wanted = {name for image in images for name in (file_name(image), file_name(image, MINIMAL))}
    return tuple(sorted(name for name in names if OURS.fullmatch(_whose(name)) and _whose(name) not in wanted))


def _whose(name: str) -> str:
    """The image that a file belongs to: itself, or the one it is kept beside."""
    for end in sorted(BESIDE, key=len, reverse=True):
        if name.endswith(end):
            return name.removesuffix(end)
    return name


def missing_room(left: int, size: int, free: int) -> str:
    """What is missing on the disk for the rest of an image and a minimal one made of it; "" if nothing is."""
    needed = left + size // SHARE_OF_MINIMAL
    if needed <= free:
        return ""
    return (
        f"there is not enough room: {megabytes(left)} are still to come and {megabytes(size // SHARE_OF_MINIMAL)} are "
        f"for the minimal image, but only {megabytes(free)} are free; free another {megabytes(needed - free)}"
    )


def megabytes(size: int) -> str:
    """A size as people say it."""
    return f"{size / MEGABYTE:.0f} MB" if size >= 10 * MEGABYTE else f"{size / MEGABYTE:.1f} MB"


def wait_before(attempt: int, luck: float) -> timedelta:
    """How long to wait after so many failures: longer each time; luck, from 0 to 1, keeps many who wait apart."""
    longest = min(LONGEST_WAIT, FIRST_WAIT * (1 << min(max(attempt - 1, 0), 10)))
    return longest * (0.5 + luck / 2)


def not_there(image: BaseImage, now: datetime) -> MusterError:
    """What is answered to whoever wants an image that is not ready."""
    if image.state is State.ABSENT:
        return NotFound(f"There is no file of {_lowered(image.name)}: {image.reason}")
    if image.state is not State.FAILED:
        return _coming(image)
    if image.retry_at is None:
        return Broken(f"{image.name} cannot be used: {image.reason}. Put it right and restart the service")
    seconds = max(round((image.retry_at - now).total_seconds()), 1)
    return Coming(f"{image.name} is not there: {image.reason}. It is tried again in {_time(seconds)}", seconds)


def _coming(image: BaseImage) -> Coming:
    left = image.seconds_left if image.state is State.FETCHING else None
    seconds = A_MINUTE if left is None else max(round(left), 1)
    return Coming(f"{image.name} {_doing(image)}; try again in {_time(seconds)}", seconds)


def _doing(image: BaseImage) -> str:
    if image.state is State.FETCHING:
        return f"is being downloaded: {progress(image.fetched, image.size)}"
    return "is being checked" if image.state is State.CHECKING else "is about to be downloaded"


def progress(fetched: int, size: int | None) -> str:
    """How much of an image is there, of how much if that is known."""
    if size is None:
        return f"{megabytes(fetched)} so far"
    return f"{megabytes(fetched).removesuffix(' MB')} of {megabytes(size)}"


def _time(seconds: int) -> str:
    if seconds < A_MINUTE:
        return f"{seconds} seconds" if seconds > 1 else "a second"
    minutes = -(-seconds // A_MINUTE)
    return f"{minutes} minutes" if minutes > 1 else "a minute"


def _lowered(name: str) -> str:
    return name[0].lower() + name[1:]

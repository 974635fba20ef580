"""System images as the API shows them: how far the file of each has come."""

from collections.abc import Iterable

from muster.domain.base_images import BaseImage, State
from muster.domain.record import Record

from .answers.forms import Moment
from .moments import millis


class BaseImageOut(Record, omit_defaults=False):
    """A system image as it stands."""

    openshift_version: str
    cpu_architecture: str
    version: str
    type: str
    source: str
    """Where it comes from, without anything secret."""
    state: State
    reason: str
    fetched: int
    """Bytes that are there."""
    size: int | None
    """Bytes that there are to be, once that is known."""
    rate: float
    """Bytes that come in a second."""
    seconds_left: float | None
    retry_at: Moment | None


class BaseImagesOut(Record, omit_defaults=False):
    """The system images, and files that belong to none of them."""

    images: tuple[BaseImageOut, ...]
    unused_files: tuple[str, ...]


def base_images_out(images: Iterable[BaseImage], unused: tuple[str, ...]) -> BaseImagesOut:
    """How the files of all system images stand."""
    return BaseImagesOut(images=tuple(map(_base_image_out, images)), unused_files=unused)


def _base_image_out(image: BaseImage) -> BaseImageOut:
    return BaseImageOut(
        openshift_version=image.openshift_version,
        cpu_architecture=image.cpu_architecture,
        version=image.version,
        type=image.type,
        source=image.source,
        state=image.state,
        reason=image.reason,
        fetched=image.fetched,
        size=image.size,
        rate=image.rate,
        seconds_left=image.seconds_left if image.state is State.FETCHING else None,
        retry_at=millis(image.retry_at) if image.retry_at else None,
    )

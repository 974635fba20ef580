"""What answers about discovery images look like."""

from muster.domain.infra_envs import ImageType
from muster.domain.record import Record

from .forms import GivenId, Moment


class RoomOut(Record):
    """Bytes that are left in an image, place by place; null where an image has no such place."""

    ignition: int
    kernel_arguments: int | None
    extra: int | None


class ImageOut(Record):
    """A discovery image: where it is to be had, what it is made from, what could still be put into it."""

    infra_env_id: GivenId
    type: ImageType
    url: str
    short_url: str
    short_url_expires_at: Moment
    build: str
    cpu_architecture: str
    size_bytes: int
    etag: str
    room: RoomOut

"""The `container-image-availability` step: whether the images of the installation can be had."""

from collections.abc import Iterable

from muster.domain import events, host_events
from muster.domain.hosts import Host, ImageStatus
from muster.domain.record import Record
from muster.domain.views import HostView

from .install import OPENSHIFT, must_gather_images, release_of
from .step import Args, Step


class ImagesRequest(Record):
    """The images to fetch, and the seconds for all of them together."""

    images: tuple[str, ...]
    timeout: int


class ImagesReply(Record):
    """How each image came down."""

    images: tuple[ImageStatus, ...] = ()


def images_of(view: HostView) -> tuple[str, ...]:
    """The images a host needs for its installation."""
    if view.cluster is None:
        return ()
    release = release_of(view, view.cluster)
    gathering = must_gather_images(view, release).get(OPENSHIFT, "")
    wanted = (view.cluster.ocp_release_image, release.mco_image, gathering, view.policy.installer_image)
    return tuple(image for image in wanted if image)


def _ask(view: HostView) -> Args | None:
    missing = tuple(image for image in images_of(view) if image not in view.host.images)
    if not missing:
        return None
    return (ImagesRequest(images=missing, timeout=int(view.policy.image_availability.total_seconds())),)


def _learn(view: HostView, reply: ImagesReply) -> Host:
    images = dict(view.host.images)
    for image in reply.images:
        known = images.get(image.name)
        images[image.name] = known.but(result=image.result) if known else image
    return view.host.but(images=images)


def _tells(before: HostView, after: HostView, _: ImagesReply) -> Iterable[events.Event]:
    return [
        host_events.image_status_updated(after.host, name, image.result)
        for name, image in after.host.images.items()
        if name not in before.host.images
    ]


STEP = Step(kind="container-image-availability", ask=_ask, reads=ImagesReply, learn=_learn, tells=_tells, tolerant=True)

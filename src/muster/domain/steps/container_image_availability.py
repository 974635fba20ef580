"""The `container-image-availability` step: whether the images of the installation can be had."""

from collections.abc import Iterable

from muster.domain import events, host_events
from muster.domain.clusters import Cluster
from muster.domain.hosts import Host, ImageStatus
from muster.domain.record import Record
from muster.domain.views import HostView

from .install import OPENSHIFT, images_of_release, must_gather_images
from .step import Args, Step


class ImagesRequest(Record):
    """The images to fetch, and the seconds for all of them together."""

    images: tuple[str, ...]
    timeout: int


class ImagesReply(Record):
    """How each image came down."""

    images: tuple[ImageStatus, ...] = ()


def awaits_release(view: HostView, cluster: Cluster) -> bool:
    """Whether the release has yet to say which images it is made of; it is being asked."""
    return cluster.preparation.images is None and not images_of_release(view, cluster).mco


def images_of(view: HostView) -> tuple[str, ...]:
    """The images a host needs for its installation; none as long as the release has not said which."""
    cluster = view.cluster
    if cluster is None:
        return ()
    release = images_of_release(view, cluster)
    if awaits_release(view, cluster):
        return ()
    gathering = must_gather_images(view, cluster).get(OPENSHIFT, "")
    wanted = (cluster.ocp_release_image, release.mco, gathering, view.policy.installer_image)
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

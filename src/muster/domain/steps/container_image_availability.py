"""The `container-image-availability` step: whether the images of the installation can be had."""

from muster.domain.hosts import Host, ImageStatus
from muster.domain.record import Record
from muster.domain.views import HostView

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
    cluster = view.cluster
    if cluster is None:
        return ()
    known = view.policy.catalogue.releases
    release = next((each for each in known if each.url == cluster.ocp_release_image), None)
    parts = (release.mco_image, release.must_gather_image) if release else ()
    return tuple(image for image in (cluster.ocp_release_image, *parts, view.policy.installer_image) if image)


def _ask(view: HostView) -> Args | None:
    missing = tuple(image for image in images_of(view) if image not in view.host.images)
    if not missing:
        return None
    return (ImagesRequest(images=missing, timeout=int(view.policy.image_availability.total_seconds())),)


def _learn(host: Host, reply: ImagesReply) -> Host:
    images = dict(host.images)
    for image in reply.images:
        known = images.get(image.name)
        images[image.name] = known.but(result=image.result) if known else image
    return host.but(images=images)


STEP = Step(kind="container-image-availability", ask=_ask, reads=ImagesReply, learn=_learn, tolerant=True)

"""Discovery images and their parts over HTTP: what machines start from.

Every image is a base file with a few bytes laid over it, sent in whichever parts the caller asks for; `made.py` makes
them. What is wrong is told before the first byte.
"""

from collections.abc import Callable
from http import HTTPStatus

from muster.api.call import Answer, Call, FileParts, saved_as, serves
from muster.api.errors import Malformed
from muster.api.infra_envs import infra_env_of
from muster.api.made import INITRD, Made, Wanted
from muster.domain.errors import Invalid, NotFound
from muster.domain.features.architectures import architecture_called
from muster.domain.infra_envs import ImageType, InfraEnv
from muster.domain.releases import OsImage
from muster.image.customise import initrd_addrsize
from muster.image.live import Live
from muster.image.regions import Composed, Extent, composed, given
from muster.ports import BaseFile
from muster.wire.answers.images import ImageOut, RoomOut
from muster.wire.endpoints import images as rows
from muster.wire.endpoints.endpoint import BYTES
from muster.wire.image_links import code_of, expiry, is_genuine, read_code
from muster.wire.infra_envs import FILES, download_url, short_url
from muster.wire.moments import millis
from muster.wire.ranges import Selection, Span, Version, selected
from muster.wire.tokens import claimed

KINDS = {name: kind for kind, name in FILES.items()}
"""The kinds of images by the names under which they are asked for."""

ISO = ".iso"
S390X = "s390x"
BETWEEN = "muster-parts"
"""What stands between the parts of an answer that has several."""


# Whole images


@serves(rows.IMAGE_BY_ID)
async def image_by_id(call: Call) -> Answer:
    """The image of an infra-env."""
    return await _image(call, _kind_in_path(call), call.parameters["version"], call.parameters["architecture"])


@serves(rows.IMAGE_BY_KEY)
async def image_by_key(call: Call) -> Answer:
    """The image that a key opens, which is a part of the path."""
    return await _opened(call, call.parameters["api_key"])


@serves(rows.IMAGE_BY_TOKEN)
async def image_by_token(call: Call) -> Answer:
    """The image that a token opens, which is a part of the path."""
    return await _opened(call, call.parameters["image_token"])


async def _opened(call: Call, token: str) -> Answer:
    """Where nobody is asked who they are, a token just says which image it is."""
    call.parameters["infra_env_id"] = call.principal.infra_env_id or claimed(token)
    return await image_by_id.serve(call)  # type: ignore[no-any-return]  # functions that are served answer anything


@serves(rows.IMAGE_BY_QUERY)
async def image_by_query(call: Call) -> Answer:
    """The image of an infra-env, as it was asked for before there were shorter links."""
    return await _image(call, call.query.type, call.query.version, call.query.arch)


@serves(rows.IMAGE_BY_CODE)
async def image_by_code(call: Call) -> Answer:
    """The image that a short link leads to."""
    code, dot, _ = call.parameters["code"].rpartition(ISO)
    link = read_code(code if dot else call.parameters["code"])
    call.parameters["infra_env_id"] = link.infra_env_id
    infra_env = await infra_env_of(call)
    if not is_genuine(code, infra_env):
        raise NotFound("There is no image of this name; the link may be of before the key was changed: ask for another")
    if link.expires_at is not None and link.expires_at <= call.service.clock.now():
        raise Malformed(
            410,
            f"This link ended at {millis(link.expires_at)}; ask for another with"
            f" GET /api/muster/v1/infra-envs/{infra_env.id}/image",
        )
    return await _image(call, link.kind, infra_env.openshift_version, infra_env.cpu_architecture)


def _kind_in_path(call: Call) -> ImageType:
    name = call.parameters["file"]
    if name not in KINDS:
        raise NotFound(f"There is no {name} here; ask for {', '.join(sorted(KINDS))}")
    return KINDS[name]


async def _image(call: Call, kind: ImageType, version: str, architecture: str) -> Answer:
    infra_env = await infra_env_of(call)
    made = await _made(call, infra_env, kind, _os_image(call, version, architecture, infra_env))
    name = f"agent-ove.{infra_env.cpu_architecture}" if kind is ImageType.DISCONNECTED else f"{infra_env.id}-discovery"
    return _sent(call, made.wanted.base, made.image, made.version, f"{name}{ISO}")


async def _made(call: Call, infra_env: InfraEnv, kind: str, os_image: OsImage) -> Made:
    """An image of an infra-env, as it is now."""
    bases = call.service.base_images
    base = await (bases.minimal(os_image) if kind == ImageType.MINIMAL else bases.full(os_image))
    token = call.gate.links.token(infra_env_id=infra_env.id)
    wanted = Wanted(infra_env=infra_env, base=base, os_image=os_image, kind=kind, token=token)
    return await call.memories.workshop.image(wanted)


def _os_image(call: Call, version: str, architecture: str, infra_env: InfraEnv | None = None) -> OsImage:
    """The system image that is meant by its build or by a version of OpenShift."""
    if not call.service.policy.discovery.image_service:
        raise NotFound("This service makes no images: ENABLE_IMAGE_SERVICE is false")
    wanted = architecture_called(architecture)
    if infra_env is not None and wanted != infra_env.cpu_architecture:
        raise NotFound(
            f"Infra-env {infra_env.name} is for {infra_env.cpu_architecture}, and the image asked for is for {wanted};"
            " take the link from its download_url"
        )
    return call.service.policy.catalogue.image_called(version, wanted)


# What a boot over the network fetches


@serves(rows.PXE_INITRD)
async def initrd(call: Call) -> Answer:
    """The initrd of a network boot, with all that makes it this infra-env's."""
    made = await _initrd(call, call.query.arch)
    infra_env = made.wanted.infra_env
    return _sent(call, made.wanted.base, made.image, made.version, f"{infra_env.id}-initrd.img")


@serves(rows.INITRD_ADDRSIZE)
async def addrsize(call: Call) -> Answer:
    """Where a mainframe loads that initrd, and how large it is."""
    made = await _initrd(call, S390X)
    base, infra_env = made.wanted.base, made.wanted.infra_env
    content = Composed(regions=(given(initrd_addrsize(base.live, made.image)),))
    return _sent(call, base, content, made.version, f"{infra_env.id}-initrd.addrsize")


async def _initrd(call: Call, architecture: str) -> Made:
    infra_env = await infra_env_of(call)
    return await _made(call, infra_env, INITRD, _boot_image(call, architecture, infra_env))


def _boot_image(call: Call, architecture: str, infra_env: InfraEnv | None = None) -> OsImage:
    """The system image that a part of is asked for; one that is not known is the caller's mistake."""
    try:
        return _os_image(call, call.query.version, architecture, infra_env)
    except NotFound as error:
        raise Invalid(f"version: {error}") from error


@serves(rows.BOOT_ARTIFACT)
async def boot_artifact(call: Call) -> Answer:
    """A part of a base image that is the same for everybody."""
    return await _part(call, _boot_image(call, call.query.arch))


@serves(rows.BOOT_ARTIFACT_BY_PATH)
async def boot_artifact_by_path(call: Call) -> Answer:
    """The same, at an address without a query, which every boot loader takes as it is."""
    return await _part(call, _os_image(call, call.parameters["version"], call.parameters["architecture"]))


async def _part(call: Call, os_image: OsImage) -> Answer:
    name = call.parameters["artifact"]
    if name not in ARTIFACTS or (name == "ins-file" and os_image.cpu_architecture != S390X):
        raise NotFound(f"There is no {name} for {os_image.cpu_architecture}; ask for kernel or rootfs")
    base = await call.service.base_images.full(os_image)
    saved, find = ARTIFACTS[name]
    extent = find(base.live)
    if extent is None:
        raise NotFound(f"Image {base.live.volume_id} has no {saved}")
    version = Version(tag=f'"{base.digest[:24]}-{name}"', modified=base.modified)
    return _sent(call, base, composed(extent), version, saved)


ARTIFACTS: dict[str, tuple[str, Callable[[Live], Extent | None]]] = {
    "kernel": ("vmlinuz", lambda live: live.kernel),
    "rootfs": ("rootfs.img", lambda live: live.rootfs),
    "ins-file": ("generic.ins", lambda live: live.files.get("/generic.ins")),
}
"""What each part is saved as, and where in an image it is."""


# Sending


def _sent(call: Call, base: BaseFile, image: Composed, version: Version, name: str) -> Answer:
    """An answer with those bytes of an image that the caller wants."""
    chosen = selected(call.headers, image.length, version)
    headers = {**version.headers, "accept-ranges": "bytes", **saved_as(name)}
    if chosen.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
        raise Malformed(
            chosen.status,
            f"range: {call.headers['range']} is beyond the end; {name} has {image.length} bytes",
            {"content-range": f"bytes */{image.length}", **headers},
        )
    content, kind = _content(image, chosen)
    if chosen.status == HTTPStatus.PARTIAL_CONTENT and len(chosen.spans) == 1:
        headers["content-range"] = chosen.spans[0].of(image.length)
    parts = FileParts(path=base.path, regions=content.regions)
    return Answer(status=chosen.status, headers=headers, content_type=kind, file=parts)


def _content(image: Composed, chosen: Selection) -> tuple[Composed, str]:
    """The bytes that are chosen, and what kind of content they are."""
    if len(chosen.spans) <= 1:
        return Composed(regions=tuple(each for span in chosen.spans for each in image.part(*span.ends))), BYTES
    regions = [each for span in chosen.spans for each in (given(_head(span, image)), *image.part(*span.ends))]
    end = given(f"\r\n--{BETWEEN}--\r\n".encode())
    return Composed(regions=(*regions, end)), f"multipart/byteranges; boundary={BETWEEN}"


def _head(span: Span, image: Composed) -> bytes:
    """What is said before one part of several."""
    said = f"content-type: {BYTES}\r\ncontent-range: {span.of(image.length)}"
    return f"\r\n--{BETWEEN}\r\n{said}\r\n\r\n".encode()


# Telling about them


@serves(rows.DESCRIBE_IMAGE)
async def describe_image(call: Call) -> ImageOut:
    """The discovery image of an infra-env: links to it, and what it is made from."""
    infra_env, policy = await infra_env_of(call), call.service.policy
    os_image = _os_image(call, infra_env.openshift_version, infra_env.cpu_architecture)
    made = await _made(call, infra_env, infra_env.type, os_image)
    token = made.wanted.token
    ends = expiry(call.service.clock.now(), call.service.settings.link_lasts) if token else None
    return ImageOut(
        infra_env_id=infra_env.id,
        type=infra_env.type,
        url=download_url(infra_env, policy.image_service_url, token),
        short_url=short_url(policy.image_service_url, code_of(infra_env, ends)),
        short_url_expires_at=millis(ends),
        build=made.wanted.base.live.build,
        cpu_architecture=infra_env.cpu_architecture,
        size_bytes=made.image.length,
        etag=made.version.tag.strip('"'),
        room=RoomOut(ignition=made.room.ignition, kernel_arguments=made.room.kernel_arguments, extra=made.room.extra),
    )

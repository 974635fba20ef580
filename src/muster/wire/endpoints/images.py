"""What machines start from: discovery images and their parts. The paths are those of the original's image service."""

from muster.wire.answers.images import ImageOut
from muster.wire.images import AddrsizeQuery, BootQuery, ImageQuery

from .endpoint import IMAGE, IMAGE_LINK, INFRA_ENV, LINK, READER, image, ours

WHICH = "{version}/{architecture}/{file}"
NOT_ALL = (206, 304, 410, 412, 416)

IMAGE_BY_ID = image("ImageById", f"/byid/{{infra_env_id}}/{WHICH}", READER, LINK, IMAGE, IMAGE_LINK, also=NOT_ALL)
IMAGE_BY_KEY = image("ImageByKey", f"/byapikey/{{api_key}}/{WHICH}", LINK, also=NOT_ALL)
IMAGE_BY_TOKEN = image("ImageByToken", f"/bytoken/{{image_token}}/{WHICH}", IMAGE_LINK, also=NOT_ALL)
IMAGE_BY_CODE = image("ImageByCode", "/i/{code}", also=NOT_ALL)
IMAGE_BY_QUERY = image(
    "ImageByQuery", "/images/{infra_env_id}", READER, LINK, IMAGE, IMAGE_LINK, query=ImageQuery, also=NOT_ALL
)
PXE_INITRD = image(
    "PxeInitrd", "/images/{infra_env_id}/pxe-initrd", READER, LINK, IMAGE, IMAGE_LINK, query=BootQuery, also=NOT_ALL
)
INITRD_ADDRSIZE = image(
    "InitrdAddrsize",
    "/images/{infra_env_id}/s390x-initrd-addrsize",
    READER,
    LINK,
    IMAGE,
    IMAGE_LINK,
    query=AddrsizeQuery,
    also=NOT_ALL,
)
BOOT_ARTIFACT = image("BootArtifact", "/boot-artifacts/{artifact}", query=BootQuery, also=NOT_ALL)
BOOT_ARTIFACT_BY_PATH = image("BootArtifactByPath", "/boot-artifacts/{architecture}/{version}/{artifact}", also=NOT_ALL)

DESCRIBE_IMAGE = ours(
    "describeImage",
    f"GET {INFRA_ENV}/image",
    READER,
    answers=ImageOut,
    summary="The discovery image of an infra-env: links to it, what it is made from, how much room is left in it",
)

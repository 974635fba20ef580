"""What the operator of the service may set about the files of system images; `runtime/settings` reads it."""

from typing import Literal

from .record import Record
from .setting import setting

Fetched = Literal["start", "demand"]


class BaseImageSettings(Record):
    """Where system images are kept, and how they are fetched. The names in capitals are those of the environment."""

    images_dir: str = setting(
        "DATA_DIR", "", "The folder for the files of system images; if empty, images in the folder for everything."
    )
    images_fetched: Fetched = setting(
        "MUSTER_FETCH_IMAGES", "start", "Whether system images are fetched from the start on or when one is asked for."
    )
    images_tidied: bool = setting(
        "MUSTER_DELETE_UNUSED_IMAGES", False, "Whether files of system images that OS_IMAGES does not name are deleted."
    )
    images_ca_file: str = setting(
        "OS_IMAGE_DOWNLOAD_TRUSTED_CA_FILE",
        "",
        "Certificates, in PEM form, of servers with system images, besides those that the system trusts.",
    )
    images_insecure: bool = setting(
        "INSECURE_SKIP_VERIFY", False, "Whether any server with system images is trusted; not if it has certificates."
    )
    images_headers: dict[str, str] = setting(
        "OS_IMAGES_REQUEST_HEADERS", {}, "Headers, by name, for the servers that system images are on.", secret=True
    )
    images_query: dict[str, str] = setting(
        "OS_IMAGES_REQUEST_QUERY_PARAMS", {}, "What is added to the query of their addresses, by name.", secret=True
    )

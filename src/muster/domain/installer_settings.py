"""What the operator of the service may set about the installers of releases; `runtime/settings` reads it."""

from datetime import timedelta
from typing import Annotated, Literal

from msgspec import Meta

from .record import Record
from .setting import setting

Installer = Literal["auto", "lab", "real"]
AtOnce = Annotated[int, Meta(ge=1)]
Size = Annotated[int, Meta(ge=0)]


class InstallerSettings(Record):
    """Who makes the files of a cluster, and how. The names in capitals are those of the environment."""

    installer: Installer = setting(
        "MUSTER_INSTALLER",
        "auto",
        "Who makes the files of clusters: the lab, the installer in the release (real), or each for its own (auto).",
    )
    installer_timeout: timedelta = setting(
        "MUSTER_INSTALLER_TIMEOUT", timedelta(minutes=10), "How long one run of the installer may take."
    )
    installers_at_once: AtOnce = setting(
        "MUSTER_INSTALLERS_AT_ONCE", 2, "How many installers run at the same time; others wait for their turn."
    )
    installer_cache: Size = setting(
        "INSTALLER_CACHE_CAPACITY", 0, "The bytes that installers of releases may have together; 0 for no limit."
    )
    install_invoker: str = setting("INSTALL_INVOKER", "assisted-installer", "Who a new cluster says has installed it.")
    cluster_certificates: str = setting(
        "EPHEMERAL_INSTALLER_CLUSTER_TLS_CERTS_OVERRIDE_DIR",
        "",
        "A folder with authorities that new clusters get in place of new ones.",
    )

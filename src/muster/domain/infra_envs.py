"""An infra-env: what goes into a discovery image and where its hosts belong."""

from datetime import datetime
from enum import StrEnum

from .networks import Proxy
from .nmstate.network import HostNetwork
from .record import Record
from .trust import Mirrors


class ImageType(StrEnum):
    """How much of the system the image carries."""

    FULL = "full-iso"
    MINIMAL = "minimal-iso"
    DISCONNECTED = "disconnected-iso"


class InfraEnv(Record):
    """The description of a discovery image."""

    id: str
    name: str
    created_at: datetime
    updated_at: datetime
    cluster_id: str | None = None
    user_name: str = "admin"
    org_id: str = ""
    email_domain: str = "Unknown"

    type: ImageType = ImageType.FULL
    openshift_version: str = ""
    cpu_architecture: str = "x86_64"
    pull_secret: str = ""
    ssh_authorized_key: str = ""
    proxy: Proxy = Proxy()
    additional_ntp_sources: str = ""
    ntp_sources: str = ""
    additional_trust_bundle: str = ""
    static_network_config: str = ""
    networks: tuple[HostNetwork, ...] = ()
    """The same as files of the image, host by host in the same order."""
    kernel_arguments: str = ""
    ignition_config_override: str = ""
    internal_ignition_config_override: str = ""
    """What another part of the service lays over the config, below what the user does."""
    mirrors: Mirrors = Mirrors()
    """Mirrors for these machines alone, in place of those that the service has for all."""
    rendezvous_ip: str = ""
    network_discovery_delay_seconds: int | None = None
    image_token_key: str = ""
    """What links to the image are signed with; a new one makes all links before it worthless."""
    deleted: bool = False


SECRETS = frozenset({
    "pull_secret", "proxy", "ignition_config_override", "internal_ignition_config_override", "image_token_key",
    "static_network_config", "networks",
})  # fmt: skip
"""Fields whose value history must not show. Network settings may hold the passwords of 802.1X."""

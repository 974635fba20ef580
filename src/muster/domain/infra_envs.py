"""An infra-env: what goes into a discovery image and where its hosts belong."""

from datetime import datetime
from enum import StrEnum

from .networks import Proxy
from .record import Record


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
    kernel_arguments: str = ""
    ignition_config_override: str = ""
    rendezvous_ip: str = ""
    network_discovery_delay_seconds: int | None = None
    image_token_key: str = ""
    """What links to the image are signed with; a new one makes all links before it worthless."""
    deleted: bool = False


SECRETS = frozenset({"pull_secret", "proxy", "ignition_config_override", "image_token_key"})
"""Fields whose value history must not show."""

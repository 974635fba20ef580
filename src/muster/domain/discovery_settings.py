"""What the operator of the service may set about discovery images; `policy` holds it, `runtime/settings` reads it."""

from datetime import timedelta
from typing import Annotated, Any, Literal

from msgspec import Meta

from .record import Record
from .releases import OF_ALL, parts, precedence
from .setting import setting

Seconds = Annotated[int, Meta(ge=0, le=86_400)]


class DiscoverySettings(Record):
    """The figures and switches of discovery images. The names in capitals are those of the environment."""

    image_service: bool = setting("ENABLE_IMAGE_SERVICE", True, "Whether discovery images are to be had at all.")
    image_type: Literal["full-iso", "minimal-iso"] = setting(
        "ISO_IMAGE_TYPE", "full-iso", "The kind of image that is made where nobody asks for another."
    )
    agent_start: timedelta = setting(
        "AGENT_TIMEOUT_START", timedelta(minutes=10), "How long an agent may take to be fetched and started."
    )
    skip_cert_verification: bool = setting(
        "SKIP_CERT_VERIFICATION", False, "Whether agents talk to whoever answers in the service's name; for tests only."
    )
    service_ca_path: str = setting(
        "SERVICE_CA_CERT_PATH", "", "A file with the certificates by which agents know the service."
    )
    install_vendor_ca: bool = setting(
        "INSTALL_RH_CA", False, "Whether machines trust the certificates in MUSTER_VENDOR_CA_FILE."
    )
    vendor_ca_path: str = setting(
        "MUSTER_VENDOR_CA_FILE", "", "A file with the certificates of a company, for INSTALL_RH_CA; none is shipped."
    )
    mirrors_path: str = setting(
        "MUSTER_MIRROR_REGISTRIES",
        "",
        "A registries.conf for machines; if empty, that of this machine, where the certificates of its mirrors are.",
    )
    mirrors_ca_path: str = setting(
        "MUSTER_MIRROR_CA", "", "A file with the certificates of these mirrors; if empty, those of this machine."
    )
    insecure_policy: bool = setting(
        "FORCE_INSECURE_POLICY_JSON", False, "Whether machines with mirrors take images that nobody has signed."
    )
    okd: bool = setting("ENABLE_OKD_SUPPORT", True, "Whether machines are made ready for OKD if OKD_RPMS_IMAGE is set.")
    okd_rpms_image: str = setting(
        "OKD_RPMS_IMAGE", "", "The image with what OKD needs of its system; if set, every discovery image is for OKD."
    )
    network_delay: Seconds = setting(
        "NETWORK_DISCOVERY_DELAY_SECONDS", 0, "The seconds a minimal image waits before it looks for its interfaces."
    )
    nmstate_from: str = setting(
        "MIN_VERSION_FOR_NMSTATE_SERVICE", "4.18", "The first version whose system applies network settings by itself."
    )
    consoles: str = setting(
        "MUSTER_IPXE_CONSOLES", "tty1 ttyS1,115200n8", "The consoles of machines started over iPXE, a space between."
    )

    def applies_nmstate(self, version: str) -> bool:
        """Whether a system of a version applies network settings by itself; what comes before the first does not."""
        return bool(parts(version)) and _age(version) >= _age(self.nmstate_from)


def _age(version: str) -> tuple[Any, ...]:
    """Larger for what came later, however many numbers it is written with."""
    numbers, *tail = precedence(version.removesuffix(OF_ALL))
    return numbers + (0,) * (3 - len(numbers)), *tail

"""Turns files into what decisions depend on: those that settings name, and what the kernel says of this machine.

`deciding` reads them once, at the start.
"""

from pathlib import Path

from muster.domain.discovery_settings import DiscoverySettings
from muster.domain.errors import Invalid
from muster.domain.inputs.credentials import is_certificates
from muster.domain.trust import Mirrors, Trust, has_mirrors

REGISTRIES = Path("/etc/containers/registries.conf")
REGISTRIES_CA = Path("/etc/pki/ca-trust/extracted/pem/user-registry-ca-bundle.pem")
"""Where others put the mirrors of all machines. Without the second the first is this machine's own business."""


FIPS = Path("/proc/sys/crypto/fips_enabled")
"""Where the kernel says whether this machine may use approved ciphers only."""


def is_fips() -> bool:
    """Whether this machine may use approved ciphers only."""
    try:
        return FIPS.read_text(encoding="ascii").strip() == "1"
    except OSError:
        return False


def trust_in(settings: DiscoverySettings) -> Trust:
    """What the settings want every machine to trust. Raises `Invalid` naming a file that is of no use."""
    return Trust(
        service_ca=_certificates("SERVICE_CA_CERT_PATH", settings.service_ca_path),
        vendor_ca=_certificates("MUSTER_VENDOR_CA_FILE", settings.vendor_ca_path) if settings.install_vendor_ca else "",
        mirrors=_mirrors(settings),
    )


def _mirrors(settings: DiscoverySettings) -> Mirrors:
    """The mirrors that were named, or those in their usual place; a file that names none is as good as none."""
    usual_ca = str(REGISTRIES_CA) if REGISTRIES_CA.is_file() else ""
    ca_path = settings.mirrors_ca_path or usual_ca
    path = settings.mirrors_path or (str(REGISTRIES) if ca_path and REGISTRIES.is_file() else "")
    text = _text("MUSTER_MIRROR_REGISTRIES", path) if path else ""
    try:
        named = has_mirrors(text)
    except ValueError as error:
        raise Invalid(f"MUSTER_MIRROR_REGISTRIES is {path!r}, which cannot be read: {error}") from error
    return Mirrors(registries=text, ca=_certificates("MUSTER_MIRROR_CA", ca_path)) if named else Mirrors()


def _certificates(name: str, path: str) -> str:
    """The certificates in a file; "" if none is named."""
    if not path:
        return ""
    text = _text(name, path)
    if not is_certificates(text):
        raise Invalid(f"{name} is {path!r}, which has to consist of certificates (-----BEGIN CERTIFICATE-----)")
    return text


def _text(name: str, path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise Invalid(f"{name} is {path!r}, which cannot be read: {why}") from error

"""What a host that is to join a running cluster learns from it, and from the servers that hold disk keys.

The ignition a running cluster hands out is kept as it came; the functions here read from it what the checks
of hosts ask: how disks are encrypted, and whether the cluster answers for its own names.
"""

import re
from base64 import b64decode
from binascii import Error as NotBase64
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import unquote_to_bytes, urlsplit

import msgspec

from .record import Record


class ApiVipReply(Record):
    """How fetching the ignition of a running cluster went."""

    is_success: bool = False
    url: str = ""
    download_error: str = ""
    ignition: str = ""


class TangServer(Record):
    """A server that holds keys of encrypted disks."""

    url: str = ""
    thumbprint: str = ""


class TangReply(Record):
    """Whether the servers that hold disk keys answered; `error` is what the agent said if it could not ask."""

    is_success: bool = False
    error: str = ""


class Clevis(Record):
    """Where the key of an encrypted disk comes from."""

    tpm2: bool = False
    tang: tuple[TangServer, ...] | None = None


class _Luks(Record):
    clevis: Clevis | None = None


class _Contents(Record):
    source: str | None = None


class _File(Record):
    path: str = ""
    contents: _Contents = _Contents()


class _Storage(Record):
    luks: tuple[_Luks, ...] | None = None
    files: tuple[_File, ...] | None = None


class Ignition(Record):
    """The part of an ignition that is read here."""

    storage: _Storage = _Storage()

    @property
    def clevis(self) -> Clevis | None:
        """Where the keys of its encrypted disks come from; None if it encrypts none that way."""
        return next((luks.clevis for luks in self.storage.luks or () if luks.clevis is not None), None)

    @property
    def manages_its_names(self) -> bool:
        """Whether the cluster runs its own name and address services, so that nobody else need know its names."""
        files = {file.path: file.contents.source or "" for file in self.storage.files or ()}
        if not OWN_SERVICES.isdisjoint(files):
            return True
        servers = _SERVER.findall(_content(files.get(KUBECONFIG, "")))
        return len(servers) == 1 and _names_an_address(servers[0])


OWN_SERVICES = frozenset({"/etc/kubernetes/manifests/coredns.yaml", "/etc/kubernetes/manifests/keepalived.yaml"})
KUBECONFIG = "/etc/kubernetes/kubeconfig"
_SERVER = re.compile(r"^\s*(?:-\s*)?server:\s*['\"]?([^'\"\s]+)", re.MULTILINE)


@lru_cache(maxsize=16)
def read_ignition(text: str) -> Ignition | None:
    """An ignition as far as it is read here; None if it is none."""
    try:
        return msgspec.json.decode(text, type=Ignition)
    except msgspec.DecodeError:
        return None


def _content(source: str) -> str:
    """What a data URL holds, as text; "" if it cannot be read."""
    header, _, payload = source.partition(",")
    if header.endswith(";base64"):
        try:
            return b64decode(payload).decode(errors="replace")
        except NotBase64:
            return ""
    return unquote_to_bytes(payload).decode(errors="replace")


def _names_an_address(url: str) -> bool:
    """Whether a URL leads to an address and not to a name."""
    try:
        ip_address(urlsplit(url).hostname or "")
    except ValueError:
        return False
    return True

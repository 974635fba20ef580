"""What a host that is to join a running cluster learns from it, and from the servers that hold disk keys.

The ignition a running cluster hands out is kept as it came; the functions here read from it what checks and steps
ask: how disks are encrypted, whether the cluster answers for its own names, which system it runs. Where that
ignition is to be had is said here too, for the step that tries it and for the ignition of the host itself.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from functools import lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import unquote, unquote_to_bytes, urlsplit

import msgspec

from .networks import IPV6, family
from .record import Record
from .roles import Role

if TYPE_CHECKING:  # a host is made of what is here
    from .clusters import Cluster
    from .hosts import Host


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


class TangSignature(Record):
    """One signature of what a server says."""

    protected: str = ""
    signature: str = ""


class TangAnswer(Record):
    """What one server that holds disk keys says, signed by itself."""

    tang_url: str = ""
    payload: str = ""
    signatures: tuple[TangSignature, ...] | None = ()


class TangReply(Record):
    """Whether the servers that hold disk keys answered; `error` is what the agent said if it could not ask."""

    is_success: bool = False
    tang_server_response: tuple[TangAnswer, ...] | None = ()
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

    @property
    def system_image(self) -> str:
        """The image of the system that the cluster's nodes run; "" if the ignition does not say."""
        source = next((each.contents.source for each in self.storage.files or () if each.path == MACHINE_CONFIG), None)
        try:
            return msgspec.json.decode(_content(source or ""), type=_MachineConfig).spec.os_image
        except msgspec.DecodeError:
            return ""


class _MachineConfigSpec(Record):
    os_image: str = msgspec.field(name="osImageURL", default="")


class _MachineConfig(Record):
    spec: _MachineConfigSpec = _MachineConfigSpec()


MACHINE_CONFIG = "/etc/ignition-machine-config-encapsulated.json"
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
        return _decoded(unquote(payload))
    return unquote_to_bytes(payload).decode(errors="replace")


def _decoded(text: str) -> str:
    """What a base64 text holds, as text; "" if it cannot be read."""
    try:
        return b64decode(text).decode(errors="replace")
    except ValueError:
        return ""


def _names_an_address(url: str) -> bool:
    """Whether a URL leads to an address and not to a name."""
    try:
        ip_address(urlsplit(url).hostname or "")
    except ValueError:
        return False
    return True


# Where the ignition is to be had


class _Authority(Record):
    source: str | None = None


class _Tls(Record):
    authorities: tuple[_Authority, ...] | None = msgspec.field(name="certificateAuthorities", default=None)


class _Security(Record):
    tls: _Tls = _Tls()


class _Head(Record):
    security: _Security = _Security()


class _Trusting(Record):
    """The part of an ignition that says whom to trust."""

    ignition: _Head = _Head()


class IgnitionSource(Record):
    """Where a host that joins a running cluster gets its ignition, whom it trusts there and what it says of itself."""

    url: str
    ca_certificate: str = ""
    """The certificates to trust, PEM as base64; "" if the connection is not encrypted."""
    headers: dict[str, str] = {}


PLAIN_PORT, SAFE_PORT = 22624, 22623
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)


def ignition_source(cluster: "Cluster", host: "Host") -> IgnitionSource | None:
    """Where a host gets the ignition of the running cluster it joins; None while nobody knows where that is."""
    certificates = _trusted(cluster, host)
    endpoint = cluster.ignition_endpoint.url.rstrip("/") or _machine_config_server(
        cluster.api_vip_dns_name, safe=bool(certificates)
    )
    if not endpoint:
        return None
    pool = host.machine_config_pool_name or (Role.WORKER if host.effective_role is Role.AUTO else host.effective_role)
    token = host.ignition_endpoint_token
    return IgnitionSource(
        url=f"{endpoint}/{pool}",
        ca_certificate=certificates,
        headers=({"Authorization": f"Bearer {token}"} if token else {}) | host.ignition_endpoint_http_headers,
    )


def _machine_config_server(name: str, *, safe: bool) -> str:
    """Where a running cluster hands out ignition, from the name or address of its API; "" if it has none."""
    if not name:
        return ""
    if safe and name.startswith("api."):
        name = f"api-int.{name.removeprefix('api.')}"
    place = f"[{name}]" if family(name) == IPV6 else name
    return f"https://{place}:{SAFE_PORT}/config" if safe else f"http://{place}:{PLAIN_PORT}/config"


def _trusted(cluster: "Cluster", host: "Host") -> str:
    """The certificates that the user has given for the cluster's endpoint and for the host, each once."""
    given = [_decoded(cluster.ignition_endpoint.ca_certificate), *_authorities(host.ignition_config_overrides)]
    found = dict.fromkeys(certificate for text in given for certificate in _CERTIFICATE.findall(text))
    return b64encode("".join(f"{each}\n" for each in found).encode()).decode() if found else ""


def _authorities(overrides: str) -> Iterator[str]:
    """The certificates that an ignition says to trust."""
    try:
        trusting = msgspec.json.decode(overrides or "{}", type=_Trusting)
    except msgspec.DecodeError:
        return
    for authority in trusting.ignition.security.tls.authorities or ():
        yield _content(authority.source or "")

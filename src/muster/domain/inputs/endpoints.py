"""Rules for other servers a cluster relies on: those that unlock disks, and the one that serves ignition.

Turns what a user wrote into what is kept and into the problems it has; `clusters.py` calls it.
"""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from muster.domain.clusters import DiskEncryption, IgnitionEndpoint
from muster.domain.policy import Policy
from muster.domain.record import Record

from .credentials import is_certificates, unbase64
from .fields import Input, Problems, given
from .scalars import url_of

Roles = Literal[
    "none",
    "masters",
    "arbiters",
    "workers",
    "masters,arbiters",
    "masters,workers",
    "arbiters,workers",
    "masters,arbiters,workers",
    "all",
]
"""Which hosts something is for."""


class DiskEncryptionInput(Input):
    """Which disks are encrypted and how, as written."""

    enable_on: Roles | UnsetType = UNSET
    mode: Literal["tpmv2", "tang"] | UnsetType = UNSET
    tang_servers: str | UnsetType = UNSET

    def over(self, encryption: DiskEncryption) -> DiskEncryption:
        """The encryption with what was written in place of what was there."""
        return DiskEncryption(
            enable_on=given(self.enable_on, encryption.enable_on),
            mode=given(self.mode, encryption.mode),
            tang_servers=given(self.tang_servers, encryption.tang_servers),
        )


class IgnitionEndpointInput(Input):
    """Where hosts added later fetch their configuration, as written."""

    url: str | UnsetType = UNSET
    ca_certificate: str | UnsetType = UNSET

    def over(self, endpoint: IgnitionEndpoint) -> IgnitionEndpoint:
        """The endpoint with what was written in place of what was there."""
        return IgnitionEndpoint(
            url=given(self.url, endpoint.url), ca_certificate=given(self.ca_certificate, endpoint.ca_certificate)
        )


class _TangServer(Record):
    url: str = ""
    thumbprint: str = ""


def disk_encryption_problems(encryption: DiskEncryption, policy: Policy) -> Problems:
    """Disks are encrypted only where the service does that; those that tang servers unlock have such servers."""
    if not policy.disk_encryption and encryption != DiskEncryption():
        yield (
            "disk_encryption: this service does not encrypt disks (DISK_ENCRYPTION_SUPPORT);"
            " leave disk_encryption out, or set enable_on to none"
        )
    if encryption.mode != "tang":
        return
    try:
        servers = msgspec.json.decode(encryption.tang_servers or "[]", type=tuple[_TangServer, ...])
    except msgspec.DecodeError:
        servers = ()
    if not servers:
        yield (
            "disk_encryption.tang_servers: mode tang needs at least one server, as the JSON text"
            ' [{"url": "http://tang.example.com", "thumbprint": "..."}]'
        )
    for index, server in enumerate(servers):
        if url_of(server.url) is None:
            yield f"disk_encryption.tang_servers[{index}].url: must be a URL that names a host"
        if not server.thumbprint:
            yield f"disk_encryption.tang_servers[{index}].thumbprint: is empty; tang-show-keys prints it"


def ignition_endpoint_problems(endpoint: IgnitionEndpointInput) -> Problems:
    """The endpoint that was written is a URL, and its authority a certificate."""
    text = given(endpoint.url, "")
    if not text:
        return
    url = url_of(text)
    if url is None or url.scheme not in ("http", "https"):
        yield "ignition_endpoint.url: must be a URL that begins with http:// or https:// and names a host"
    certificate = given(endpoint.ca_certificate, "")
    if certificate and not is_certificates((unbase64(certificate) or b"").decode(errors="replace")):
        yield "ignition_endpoint.ca_certificate: must be the base64 form of certificates in PEM form"

"""Infra-envs as clients see them."""

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from msgspec import Meta

from muster.domain.infra_envs import ImageType, InfraEnv
from muster.domain.inputs.fields import Uuid
from muster.domain.record import Record

from .hosts import ROOT
from .json import filled
from .moments import NEVER, micros

FILES = {ImageType.FULL: "full.iso", ImageType.MINIMAL: "minimal.iso", ImageType.DISCONNECTED: "disconnected.iso"}


class InfraEnvsQuery(Record):
    """Which discovery images a client wants."""

    cluster_id: Uuid | None = None
    owner: str = ""


Mac = Annotated[
    str, Meta(pattern=r"^(?:[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}|(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4})\Z")
]
"""A MAC address in any of the ways in which firmware writes it."""

ScriptType = Literal["discovery-image-always", "boot-order-control"]


class InfraEnvFileQuery(Record):
    """Which file of a discovery image is wanted, and for whom."""

    file_name: Literal["discovery.ign", "ipxe-script", "static-network-config"]
    mac: Mac | None = None
    ipxe_script_type: ScriptType | None = None
    discovery_iso_type: ImageType | None = None


class PresignedFileQuery(Record):
    """The file of a discovery image to which a link is wanted."""

    file_name: Literal["discovery.ign", "ipxe-script"]
    ipxe_script_type: ScriptType | None = None


def download_url(infra_env: InfraEnv, image_service: str, token: str = "") -> str:
    """Where the discovery image is to be had: by its id, or by what opens it where not everybody may have it."""
    image = f"{infra_env.openshift_version}/{infra_env.cpu_architecture}/{FILES[infra_env.type]}"
    key = f"{BY_TOKEN}{token}" if token else f"/byid/{infra_env.id}"
    return f"{image_service}{key}/{image}"


def short_url(image_service: str, code: str) -> str:
    """The same for firmware that takes no long links: it ends in .iso, and nothing follows that."""
    return f"{image_service}/i/{code}.iso"


BY_TOKEN = "/byapikey/"  # noqa: S105 - a part of a path


def token_in(url: str) -> str:
    """What opens the image that is to be had there; "" if everybody may have it."""
    return url.partition(BY_TOKEN)[2].partition("/")[0]


def file_url(infra_env: InfraEnv, service: str, query: InfraEnvFileQuery | PresignedFileQuery) -> str:
    """Where a file of the discovery image is to be had."""
    named = {"file_name": query.file_name, "ipxe_script_type": query.ipxe_script_type}
    asked = urlencode({name: value for name, value in named.items() if value})
    return f"{service}{ROOT}/infra-envs/{infra_env.id}/downloads/files?{asked}"


def infra_env_out(infra_env: InfraEnv, image_service: str, token: str = "") -> dict[str, Any]:
    """An infra-env with everything clients may read of it; with a link to its image, if there are images."""
    proxy = infra_env.proxy
    return {
        **filled(
            {
                "additional_ntp_sources": infra_env.additional_ntp_sources,
                "additional_trust_bundle": infra_env.additional_trust_bundle,
                "cluster_id": infra_env.cluster_id,
                "cpu_architecture": infra_env.cpu_architecture,
                "download_url": download_url(infra_env, image_service, token) if image_service else "",
                "email_domain": infra_env.email_domain,
                "ignition_config_override": infra_env.ignition_config_override,
                "kernel_arguments": infra_env.kernel_arguments,
                "network_discovery_delay_seconds": infra_env.network_discovery_delay_seconds,
                "ntp_sources": infra_env.ntp_sources,
                "openshift_version": infra_env.openshift_version,
                "org_id": infra_env.org_id,
                "pull_secret_set": bool(infra_env.pull_secret),
                "rendezvous_ip": infra_env.rendezvous_ip,
                "ssh_authorized_key": infra_env.ssh_authorized_key,
                "static_network_config": infra_env.static_network_config,
                "user_name": infra_env.user_name,
            }
        ),
        "created_at": micros(infra_env.created_at),
        "expires_at": NEVER,
        "href": f"{ROOT}/infra-envs/{infra_env.id}",
        "id": infra_env.id,
        "kind": "InfraEnv",
        "name": infra_env.name,
        "proxy": filled({"http_proxy": proxy.http_proxy, "https_proxy": proxy.https_proxy, "no_proxy": proxy.no_proxy}),
        "type": infra_env.type,
        "updated_at": micros(infra_env.updated_at),
    }

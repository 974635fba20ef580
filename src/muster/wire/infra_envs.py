"""Infra-envs as clients see them."""

from typing import Any

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


def download_url(infra_env: InfraEnv, image_service: str) -> str:
    """Where the discovery image is to be had."""
    image = f"{infra_env.openshift_version}/{infra_env.cpu_architecture}/{FILES[infra_env.type]}"
    return f"{image_service}/byid/{infra_env.id}/{image}"


def infra_env_out(infra_env: InfraEnv, image_service: str) -> dict[str, Any]:
    """An infra-env with everything clients may read of it."""
    proxy = infra_env.proxy
    return {
        **filled(
            {
                "additional_ntp_sources": infra_env.additional_ntp_sources,
                "additional_trust_bundle": infra_env.additional_trust_bundle,
                "cluster_id": infra_env.cluster_id,
                "cpu_architecture": infra_env.cpu_architecture,
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
        "download_url": download_url(infra_env, image_service),
        "expires_at": NEVER,
        "href": f"{ROOT}/infra-envs/{infra_env.id}",
        "id": infra_env.id,
        "kind": "InfraEnv",
        "name": infra_env.name,
        "proxy": filled({"http_proxy": proxy.http_proxy, "https_proxy": proxy.https_proxy, "no_proxy": proxy.no_proxy}),
        "type": infra_env.type,
        "updated_at": micros(infra_env.updated_at),
    }

"""What answers about discovery images look like."""

from typing import Literal

from msgspec import UNSET

from muster.domain.infra_envs import ImageType
from muster.domain.record import Record

from .forms import Document, Id, Maybe, Moment


class ProxyOut(Record):
    """How to reach the world outside."""

    http_proxy: Maybe[str] = UNSET
    https_proxy: Maybe[str] = UNSET
    no_proxy: Maybe[str] = UNSET


class InfraEnvOut(Record):
    """The description of a discovery image."""

    id: Id
    kind: Literal["InfraEnv"]
    href: str
    name: str
    type: ImageType
    created_at: Moment
    updated_at: Moment
    expires_at: Moment
    proxy: ProxyOut
    additional_ntp_sources: Maybe[str] = UNSET
    additional_trust_bundle: Maybe[str] = UNSET
    cluster_id: Maybe[Id] = UNSET
    cpu_architecture: Maybe[Literal["x86_64", "aarch64", "arm64", "ppc64le", "s390x"]] = UNSET
    download_url: Maybe[str] = UNSET
    email_domain: Maybe[str] = UNSET
    ignition_config_override: Maybe[Document] = UNSET
    kernel_arguments: Maybe[Document] = UNSET
    network_discovery_delay_seconds: Maybe[int] = UNSET
    ntp_sources: Maybe[str] = UNSET
    openshift_version: Maybe[str] = UNSET
    org_id: Maybe[str] = UNSET
    pull_secret_set: Maybe[bool] = UNSET
    rendezvous_ip: Maybe[str] = UNSET
    ssh_authorized_key: Maybe[str] = UNSET
    static_network_config: Maybe[str] = UNSET
    user_name: Maybe[str] = UNSET


class LinkOut(Record):
    """Where something is to be had, and for how long."""

    url: str
    expires_at: Moment

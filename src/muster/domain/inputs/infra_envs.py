"""What users may write about a discovery image, and what becomes of it.

Turns `InfraEnvCreate` into a new infra-env and `InfraEnvUpdate` into a changed one; the accepting side of
`decide` calls both.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from muster.domain.clusters import Cluster
from muster.domain.errors import NotFound
from muster.domain.features.architectures import architecture_called
from muster.domain.features.enforcement import feature_problems
from muster.domain.infra_envs import ImageType, InfraEnv
from muster.domain.networks import plain
from muster.domain.nmstate.network import ReadNetwork
from muster.domain.policy import Policy
from muster.domain.releases import Catalogue, parts

from .credentials import is_certificates, pull_secret_problems, ssh_key_problems
from .fields import Input, Problems, Uuid, given, require_none
from .ignitions import ignition_problems
from .scalars import ProxyInput, exclusive_ntp_problems, ntp_problems, proxy_problems
from .static_networks import (
    Described,
    HostNetworkInput,
    described,
    host_networks,
    static_network_problems,
    static_network_text,
    unconverted_problems,
)

# A value is single characters and quoted parts; the published pattern says so in a way that takes exponential time.
KernelValue = Annotated[str, Meta(pattern=r'^(?:[^ \t\n\r"]|"[^"]*")+\Z')]
Bundle = Annotated[str, Meta(max_length=65535)]
Delay = Annotated[int, Meta(ge=0, le=2**63 - 1)]

_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_V4 = rf"(?:{_OCTET}\.){{3}}{_OCTET}"
_H = "[0-9a-fA-F]{1,4}"
_V6 = "|".join((
    rf"(?:{_H}:){{7}}{_H}",
    rf"(?:{_H}:){{1,7}}:",
    *(rf"(?:{_H}:){{1,{7 - after}}}(?::{_H}){{1,{after}}}" for after in range(1, 7)),
    rf":(?::{_H}){{1,7}}",
    r"fe80:(?::[0-9a-fA-F]{0,4}){0,4}%[0-9a-zA-Z]+",
    rf"::(?:ffff(?::0{{1,4}})?:)?{_V4}",
    rf"(?:{_H}:){{1,4}}:{_V4}",
))  # fmt: skip
RendezvousIp = Annotated[str, Meta(pattern=rf"^(?:{_V4}|{_V6})?\Z")]


class KernelArgumentInput(Input):
    """A change to the kernel's command line, as written."""

    operation: Literal["append", "replace", "delete"] | UnsetType = UNSET
    value: KernelValue | UnsetType = UNSET


class InfraEnvFields(Input):
    """What may be written about a discovery image at any time."""

    proxy: ProxyInput | UnsetType = UNSET
    additional_ntp_sources: str | UnsetType = UNSET
    ntp_sources: str | UnsetType = UNSET
    ssh_authorized_key: str | UnsetType = UNSET
    pull_secret: str | UnsetType = UNSET
    static_network_config: tuple[HostNetworkInput, ...] | UnsetType = UNSET
    rendezvous_ip: RendezvousIp | UnsetType = UNSET
    image_type: Literal["full-iso", "minimal-iso", "disconnected-iso", ""] | UnsetType = UNSET
    ignition_config_override: str | UnsetType = UNSET
    kernel_arguments: tuple[KernelArgumentInput, ...] | UnsetType = UNSET
    additional_trust_bundle: Bundle | UnsetType = UNSET
    openshift_version: str | UnsetType = UNSET
    network_discovery_delay_seconds: Delay | UnsetType = UNSET


class InfraEnvCreate(InfraEnvFields, kw_only=True):
    """What may be written about a new discovery image."""

    name: str
    pull_secret: str
    cluster_id: Uuid | UnsetType = UNSET
    cpu_architecture: Literal["x86_64", "aarch64", "arm64", "ppc64le", "s390x"] | UnsetType = UNSET


class InfraEnvUpdate(InfraEnvFields):
    """What may be written about a discovery image that is there."""


def new_infra_env(
    inputs: InfraEnvCreate,
    *,
    infra_env_id: str,
    owner: str,
    now: datetime,
    policy: Policy,
    cluster: Cluster | None,
    networks: tuple[ReadNetwork, ...] = (),
) -> InfraEnv:
    """The discovery image that was described, with the defaults of what was left out.

    `cluster` is the one that was named, or None if none was named or there is no such cluster; `networks` what was
    read in the network settings.
    """
    if inputs.cluster_id is not UNSET and cluster is None:
        raise NotFound(f"cluster_id: there is no cluster {inputs.cluster_id}")
    blank = InfraEnv(
        id=infra_env_id,
        name=inputs.name,
        cluster_id=None if cluster is None else cluster.id,
        user_name=owner,
        created_at=now,
        updated_at=now,
        **_usual(inputs, policy),
    )
    hosts = described(given(inputs.static_network_config, ()), networks)
    wanted = _described(blank, inputs, hosts)
    require_none(
        _architecture_problems(wanted.cpu_architecture, cluster, policy.catalogue),
        _problems(wanted, inputs, hosts),
        _keyfile_problems(wanted, policy, hosts),
        _image_type_problems(wanted),
        feature_problems(cluster, infra_env=wanted),
        pull_secret_problems(inputs.pull_secret, _images(policy), policy),
    )
    return wanted


def _usual(inputs: InfraEnvCreate, policy: Policy) -> dict[str, Any]:
    """What a new discovery image has where nothing else is asked for, and the system it is made from."""
    architecture = architecture_called(given(inputs.cpu_architecture, "x86_64"))
    image = policy.catalogue.os_image(given(inputs.openshift_version, ""), architecture)
    return {
        "openshift_version": image.openshift_version,
        "cpu_architecture": architecture,
        "type": _usual_type(architecture, policy),
        "additional_ntp_sources": "" if "ntp_sources" in inputs.written else policy.ntp_default,
        "network_discovery_delay_seconds": policy.discovery.network_delay or None,
    }


def changed_infra_env(
    infra_env: InfraEnv,
    changes: InfraEnvUpdate,
    policy: Policy,
    cluster: Cluster | None = None,
    networks: tuple[ReadNetwork, ...] = (),
) -> InfraEnv:
    """The discovery image with what was written changed; itself when nothing differs.

    `cluster` is the one that hosts started from it belong to, if there is one; `networks` what was read in the
    network settings.
    """
    hosts = described(given(changes.static_network_config, ()), networks)
    wanted = _described(infra_env, changes, hosts)
    if version := given(changes.openshift_version, ""):
        image = policy.catalogue.os_image(version, infra_env.cpu_architecture)
        wanted = wanted.but(openshift_version=image.openshift_version)
    secret = given(changes.pull_secret, "")
    require_none(
        _problems(wanted, changes, hosts),
        _keyfile_problems(wanted, policy, hosts),
        _image_type_problems(wanted),
        feature_problems(cluster, infra_env=wanted),
        pull_secret_problems(secret, _images(policy), policy) if secret else (),
    )
    return wanted


def _described(infra_env: InfraEnv, inputs: InfraEnvFields, hosts: tuple[Described, ...]) -> InfraEnv:
    """The infra-env with all that was written, but the version. What no image can be without, "" leaves alone."""
    kind = ImageType(given(inputs.image_type, "") or infra_env.type)
    arguments, silent = inputs.kernel_arguments, inputs.static_network_config is UNSET
    return infra_env.but(
        type=kind,
        ssh_authorized_key=given(inputs.ssh_authorized_key, infra_env.ssh_authorized_key).strip(),
        pull_secret=given(inputs.pull_secret, "") or infra_env.pull_secret,
        ignition_config_override=given(inputs.ignition_config_override, infra_env.ignition_config_override),
        proxy=given(inputs.proxy, ProxyInput()).over(infra_env.proxy),
        additional_ntp_sources=given(inputs.additional_ntp_sources, infra_env.additional_ntp_sources),
        ntp_sources=given(inputs.ntp_sources, infra_env.ntp_sources),
        additional_trust_bundle=given(inputs.additional_trust_bundle, infra_env.additional_trust_bundle).strip(),
        static_network_config=infra_env.static_network_config if silent else static_network_text(hosts),
        networks=infra_env.networks if silent else host_networks(hosts),
        kernel_arguments=infra_env.kernel_arguments if arguments is UNSET else _kernel_text(arguments),
        rendezvous_ip=_rendezvous(given(inputs.rendezvous_ip, infra_env.rendezvous_ip), kind),
        network_discovery_delay_seconds=(
            infra_env.network_discovery_delay_seconds
            if inputs.network_discovery_delay_seconds is UNSET
            else inputs.network_discovery_delay_seconds
        ),
    )


def _usual_type(architecture: str, policy: Policy) -> ImageType:
    """The kind of image where none is asked for; one architecture has no other than this."""
    return ImageType.FULL if architecture == "s390x" else ImageType(policy.discovery.image_type)


def _rendezvous(address: str, kind: ImageType) -> str:
    """Where hosts meet that install without this service; no other image has it."""
    return address if kind is ImageType.DISCONNECTED else ""


def _kernel_text(arguments: tuple[KernelArgumentInput, ...]) -> str:
    return msgspec.json.encode(arguments).decode() if arguments else ""


def _images(policy: Policy) -> tuple[str, ...]:
    """What hosts have to fetch from registries before they belong to a cluster."""
    return (policy.agent_image, policy.installer_image, policy.controller_image)


def _problems(wanted: InfraEnv, inputs: InfraEnvFields, hosts: tuple[Described, ...]) -> Problems:
    """What was written can be read and goes together."""
    yield from proxy_problems(given(inputs.proxy, ProxyInput()), wanted.openshift_version, "proxy.")
    yield from ntp_problems("additional_ntp_sources", given(inputs.additional_ntp_sources, ""))
    yield from ntp_problems("ntp_sources", given(inputs.ntp_sources, ""))
    yield from exclusive_ntp_problems("additional_ntp_sources", wanted.additional_ntp_sources, wanted.ntp_sources)
    yield from ssh_key_problems("ssh_authorized_key", given(inputs.ssh_authorized_key, ""))
    yield from static_network_problems(hosts)
    yield from _bundle_problems(given(inputs.additional_trust_bundle, "").strip())
    yield from _rendezvous_problems(given(inputs.rendezvous_ip, ""), wanted.type)
    yield from ignition_problems("ignition_config_override", given(inputs.ignition_config_override, ""))
    yield from _kernel_problems(given(inputs.kernel_arguments, ()))


def _keyfile_problems(wanted: InfraEnv, policy: Policy, hosts: tuple[Described, ...]) -> Problems:
    """Where a machine cannot apply network settings by itself, this service can prepare them.

    Hosts are counted as they were just written; if they were not, as they are shown.
    """
    unsupported = [each.unsupported for each in hosts or wanted.networks]
    if wanted.type is ImageType.MINIMAL:
        yield from unconverted_problems(unsupported, "a minimal-iso")
    elif wanted.type is ImageType.FULL and not policy.discovery.applies_nmstate(wanted.openshift_version):
        yield from unconverted_problems(unsupported, f"the system of {wanted.openshift_version}")


def _bundle_problems(bundle: str) -> Problems:
    if bundle and not is_certificates(bundle):
        yield "additional_trust_bundle: must consist of certificates in PEM form (-----BEGIN CERTIFICATE-----)"


def _rendezvous_problems(address: str, kind: ImageType) -> Problems:
    if address and not plain(address):
        yield f"rendezvous_ip: {address!r} is not an address; write it as 192.168.1.5"
    elif address and kind is not ImageType.DISCONNECTED:
        yield f"rendezvous_ip: is for image_type disconnected-iso only, and the image is a {kind}"


def _kernel_problems(arguments: tuple[KernelArgumentInput, ...]) -> Problems:
    for index, argument in enumerate(arguments):
        if argument.operation != "append":
            written = given(argument.operation, "missing")
            yield f"kernel_arguments[{index}].operation: is {written}; arguments can only be appended (append)"
        if argument.value is UNSET:
            yield f"kernel_arguments[{index}].value: is missing; write the argument, such as console=ttyS0"


def _architecture_problems(architecture: str, cluster: Cluster | None, catalogue: Catalogue) -> Problems:
    """Hosts started from the image can be part of the cluster."""
    if cluster is None or cluster.cpu_architecture in {"", architecture}:
        return
    if cluster.cpu_architecture != "multi":
        yield (
            f"cpu_architecture: is {architecture}, but cluster {cluster.name} is made for {cluster.cpu_architecture};"
            " use the same"
        )
    elif not any(
        release.carries(architecture) and parts(release.version)[:2] == parts(cluster.openshift_version)[:2]
        for release in catalogue.releases
    ):
        yield f"cpu_architecture: no release of OpenShift {cluster.openshift_version} runs on {architecture}"


def _image_type_problems(wanted: InfraEnv) -> Problems:
    """An image that installs without this service knows what to install."""
    if wanted.type is ImageType.DISCONNECTED and wanted.cluster_id is None:
        yield "image_type: a disconnected-iso installs one cluster; say which with cluster_id"

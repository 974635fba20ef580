"""The lab's releases: offers versions that exist nowhere else and makes genuine files of an order.

Fulfils `ports.Releases`. Where a real release would run its own installer, certificates, Ignition
configs, kubeconfig and password are made here; everything downstream takes them for what they are.
"""

import asyncio
import json
import secrets
import uuid
from collections.abc import Sequence
from itertools import product

from muster.domain.artifacts.install_config import install_config
from muster.domain.clusters import Cluster
from muster.domain.errors import Invalid
from muster.domain.hosts import Host
from muster.domain.releases import Catalogue, OsImage, Release
from muster.domain.roles import Role
from muster.ports import Files, Order

from . import ignition
from .bootstrap import bootstrap, new_keys
from .certificates import Certificates, new_certificates
from .ignition import Config
from .kubeconfig import kubeconfig_with_ingress
from .manifests import Site

REGISTRY = "lab.muster.local"
VERSIONS = ("4.20.1", "4.19.4", "4.18.7")
"""Newest first; the first is the default."""

_SUFFIXES = {"x86_64": "x86_64", "arm64": "aarch64"}
"""What image tags call an architecture."""


def _release(version: str, architecture: str) -> Release:
    tag = f"{version}-{_SUFFIXES[architecture]}"
    return Release(
        version=version,
        url=f"{REGISTRY}/ocp-release:{tag}",
        cpu_architectures=(architecture,),
        default=version == VERSIONS[0] and architecture == "x86_64",
        mco_image=f"{REGISTRY}/machine-config-operator:{tag}",
        must_gather_image=f"{REGISTRY}/must-gather:{tag}",
    )


def _os_image(version: str, architecture: str) -> OsImage:
    minor = version.rpartition(".")[0]
    return OsImage(
        openshift_version=minor,
        cpu_architecture=architecture,
        url=f"https://{REGISTRY}/rhcos/{minor}/rhcos-live-{_SUFFIXES[architecture]}.iso",
        version=f"{minor.replace('.', '')}.lab.0",
    )


LAB_RELEASES = tuple(_release(version, architecture) for version, architecture in product(VERSIONS, _SUFFIXES))
"""The releases of the lab, newest first."""

LAB_OS_IMAGES = tuple(_os_image(version, architecture) for version, architecture in product(VERSIONS, _SUFFIXES))
"""A system image for the minor of every release of the lab."""


class LabReleases:
    """The releases on offer in a lab; others may be given in place of the built-in ones."""

    def __init__(
        self, releases: Sequence[Release] = LAB_RELEASES, os_images: Sequence[OsImage] = LAB_OS_IMAGES
    ) -> None:
        self._catalogue = Catalogue(releases=tuple(releases), os_images=tuple(os_images))

    def catalogue(self) -> Catalogue:
        """Every release and system image there is."""
        return self._catalogue

    def is_lab(self, url: str) -> bool:
        """Whether the lab makes the files of this release image."""
        return url.startswith(f"{REGISTRY}/") or any(release.url == url for release in self._catalogue.releases)

    async def generate(self, order: Order) -> Files:
        """The files of one cluster, complete and with new keys at every call; other work goes on meanwhile."""
        return await asyncio.to_thread(_generated, order)

    def with_ingress(self, kubeconfig: bytes, ingress_ca: str) -> bytes:
        """The kubeconfig that also trusts the ingress."""
        return kubeconfig_with_ingress(kubeconfig, ingress_ca)


def _generated(order: Order) -> Files:
    cluster = order.cluster
    certificates = new_certificates(cluster)
    keys = new_keys(cluster, certificates)
    site = Site(
        cluster=cluster,
        cluster_id=str(uuid.uuid4()),
        infra_id=_new_infra_id(cluster),
        install_config=install_config(cluster, order.hosts, order.infra_envs),
        certificates=certificates,
    )
    configs = {"bootstrap": bootstrap(site, keys, order.manifests), **_of_roles(order, certificates)}
    configs |= {
        f"{_role(host)}-{host.id}": ignition.of_host(configs[_role(host)], host, cluster) for host in order.hosts
    }
    return Files(
        openshift_cluster_id=site.cluster_id,
        files={
            **{f"{name}.ign": ignition.encoded(config) for name, config in configs.items()},
            "metadata.json": json.dumps(_metadata(site)).encode(),
            "install-config.yaml": json.dumps(site.install_config, indent=2).encode(),
            "kubeconfig-noingress": keys.admin,
            "kubeadmin-password": _new_password().encode(),
        },
    )


def _of_roles(order: Order, certificates: Certificates) -> dict[str, Config]:
    """The config of each role. A single node has all it needs from its bootstrap, so it fetches nothing."""
    arbiters = any(host.effective_role is Role.ARBITER for host in order.hosts)
    roles = (Role.MASTER, Role.WORKER, Role.ARBITER) if arbiters else (Role.MASTER, Role.WORKER)
    if order.cluster.single_node:
        return {role.value: ignition.config() for role in roles}
    trust = certificates.machine_config_server_ca.chain
    return {role.value: ignition.pointer(order.cluster.domain, role.value, trust) for role in roles}


_INSTALLED_AS = {
    Role.MASTER: Role.MASTER,
    Role.BOOTSTRAP: Role.MASTER,
    Role.ARBITER: Role.ARBITER,
    Role.WORKER: Role.WORKER,
}


def _role(host: Host) -> str:
    """The role whose config the host is installed with; the first host ends as a master too."""
    role = _INSTALLED_AS.get(host.effective_role)
    if role is None:
        raise Invalid(f"role: host {host.name} has no role yet; give it one of master, arbiter or worker")
    return role.value


def _metadata(site: Site) -> dict[str, object]:
    return {
        "clusterName": site.cluster.name,
        "clusterID": site.cluster_id,
        "infraID": site.infra_id,
        site.cluster.platform.type.value: {},
    }


_UNAMBIGUOUS = "abcdefhijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Letters and digits that nobody mistakes for another."""
_CONSONANTS = "bcdfghjklmnpqrstvwxz"
"""Letters that spell no word."""


def _new_password() -> str:
    groups = ("".join(secrets.choice(_UNAMBIGUOUS) for _ in range(5)) for _ in range(4))
    return "-".join(groups)


def _new_infra_id(cluster: Cluster) -> str:
    """A short name for what belongs to this cluster, different at every installation."""
    tail = "".join(secrets.choice(_CONSONANTS) for _ in range(5))
    return f"{cluster.name[:21].rstrip('-')}-{tail}"

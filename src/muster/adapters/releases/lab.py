"""The lab's releases: offers versions that exist nowhere else and makes genuine files of an order.

Fulfils `ports.Releases`. Where a real release would run its own installer (`openshift_install.py`), certificates,
Ignition configs, kubeconfig and password are made here; everything downstream takes them for what they are.
"""

import asyncio
import json
import secrets
import uuid
from collections.abc import Sequence
from itertools import product

from muster.domain.artifacts.assets import Assets, Order
from muster.domain.artifacts.ignition import Config
from muster.domain.clusters import Cluster
from muster.domain.releases import Catalogue, OsImage, Release, ReleaseImages
from muster.domain.roles import Role
from muster.ports import Tell
from muster.wire.assets import read_assets

from . import ignition
from .bootstrap import bootstrap, new_keys
from .certificates import Certificates, new_certificates
from .custom_manifests import customised
from .kubeconfig import kubeconfig_with_ingress
from .manifests import Site, manifests

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
        images=ReleaseImages(
            mco=f"{REGISTRY}/machine-config-operator:{tag}",
            must_gather=f"{REGISTRY}/must-gather:{tag}",
            coreos=f"{REGISTRY}/rhel-coreos:{tag}",
        ),
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

    async def images(self, cluster: Cluster) -> ReleaseImages:
        """The images of a cluster's release, as far as the catalogue names them: there is no more to be read."""
        return self._catalogue.images_of(cluster.ocp_release_image)

    async def assets(self, order: Order, _: Tell) -> Assets:
        """What an installer would make of an order, with new keys at every call; other work goes on meanwhile."""
        return await asyncio.to_thread(_made, order)

    def with_ingress(self, kubeconfig: bytes, ingress_ca: str) -> bytes:
        """The kubeconfig that also trusts the ingress."""
        return kubeconfig_with_ingress(kubeconfig, ingress_ca)

    async def close(self) -> None:
        """There are no connections to let go of."""


def _made(order: Order) -> Assets:
    cluster = order.cluster
    certificates = new_certificates(cluster)
    keys = new_keys(cluster, certificates)
    site = Site(
        cluster=cluster,
        cluster_id=str(uuid.uuid4()),
        infra_id=_new_infra_id(cluster),
        install_config=order.install_config,
        certificates=certificates,
    )
    laid_over = customised(manifests(site), (*order.manifests, *order.topology))
    beside = {
        "metadata.json": json.dumps(_metadata(site)).encode(),
        "auth/kubeconfig": keys.admin,
        "auth/kubeadmin-password": _new_password().encode(),
    }
    return read_assets(bootstrap(site, keys, laid_over), _of_roles(order, certificates), beside)


def _of_roles(order: Order, certificates: Certificates) -> dict[Role, Config]:
    """The config of each role. A single node has all it needs from its bootstrap, so it fetches nothing."""
    arbiters = any(host.effective_role is Role.ARBITER for host in order.hosts)
    roles = (Role.MASTER, Role.WORKER, Role.ARBITER) if arbiters else (Role.MASTER, Role.WORKER)
    if order.cluster.single_node:
        return {role: ignition.config() for role in roles}
    trust = certificates.machine_config_server_ca.chain
    return {role: ignition.pointer(order.cluster.domain, role.value, trust) for role in roles}


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

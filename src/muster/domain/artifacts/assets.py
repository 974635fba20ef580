"""What an installer is given for a cluster, what it makes of it, and what the hosts get in the end.

`runtime/preparation.py` places the order, the adapters of `ports.Releases` fulfil it, and `post_processing` makes the
files.
"""

from functools import cached_property
from typing import Any

from muster.domain.clusters import Cluster
from muster.domain.hosts import Host
from muster.domain.infra_envs import InfraEnv
from muster.domain.manifests import Folder, Manifest, ManifestName
from muster.domain.node_addresses import NodeAddresses, node_addresses, nodes_are_told
from muster.domain.record import Record
from muster.domain.roles import Role
from muster.domain.trust import Trust

from .ignition import Config
from .install_config import Tree, install_config

ROOT = "/opt/openshift"
"""Where the first host has what the cluster is made from."""

CLUSTER_VERSION = f"{ROOT}/manifests/cvo-overrides.yaml"
INFRASTRUCTURE = ManifestName(
    folder=Folder.MANIFESTS, file_name="cluster-infrastructure-02-config.yml.patch_one_worker_is_several"
)


class Order(Record, dict=True):
    """What has to be known to make the files of a cluster. What follows from it is worked out once and kept with it."""

    cluster: Cluster
    hosts: tuple[Host, ...]
    infra_envs: tuple[InfraEnv, ...] = ()
    manifests: tuple[Manifest, ...] = ()
    """What is applied to the cluster besides what its installer brings: the service's own, then the user's."""
    trust: Trust = Trust()
    """Whom every cluster of the service trusts, and where it fetches images from."""

    @cached_property
    def install_config(self) -> Tree:
        """What the installer is told; `Invalid` if a host lacks what it needs."""
        return install_config(self.cluster, self.hosts, self.infra_envs, self.trust)

    @cached_property
    def node_addresses(self) -> NodeAddresses:
        """The address that each host is to have as a node, where that has to be said; {} if none can be chosen."""
        return node_addresses(self.cluster, self.hosts) if nodes_are_told(self.cluster) else {}

    @property
    def first_address(self) -> str:
        """The address of the host that starts the cluster; "" if nobody can tell."""
        first = next((host for host in self.hosts if host.bootstrap), None)
        networks = self.cluster.machine_networks
        if first is None:
            return ""
        if nodes_are_told(self.cluster):
            return str(self.node_addresses[first.id].ip) if self.node_addresses else ""
        return first.address_in(networks[0]) if networks else ""

    @property
    def topology(self) -> tuple[Manifest, ...]:
        """A patch: one worker alone is as good as several, for others may come later; () if there are more or none."""
        workers = sum(host.effective_role is Role.WORKER for host in self.hosts)
        return (Manifest(name=INFRASTRUCTURE, content=_SEVERAL),) if workers == 1 else ()


_SEVERAL = b'[{"op": "add", "path": "/status/infrastructureTopology", "value": "HighlyAvailable"}]'


class Assets(Record):
    """What an installer has made of an order."""

    bootstrap: Config
    """The config of the host that starts the cluster."""
    roles: dict[str, Config]
    """The config that the hosts of each role start with."""
    manifests: dict[str, Tree] = {}
    """Of the manifests in the bootstrap's config those that something is read from or changed in, by their paths."""
    metadata: bytes = b"{}"
    kubeconfig: bytes = b""
    password: bytes = b""

    @property
    def openshift_cluster_id(self) -> str:
        """What the cluster calls itself; "" if it does not say."""
        version: Any = self.manifests.get(CLUSTER_VERSION, {}).get("spec") or {}
        return str(version.get("clusterID") or "")

    def of_kind(self, *kinds: str) -> dict[str, Tree]:
        """The manifests of some kinds, by their paths."""
        return {path: tree for path, tree in self.manifests.items() if tree.get("kind") in kinds}


class Files(Record):
    """What the hosts of a cluster install from."""

    openshift_cluster_id: str
    files: dict[str, bytes]
    """By the names under which they are kept."""

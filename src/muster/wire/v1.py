"""The shapes of the API as it was before: what old clients write as what is written today, and answers back.

Then a cluster had one address and one network of each kind, its hosts were described along with it, and its discovery
image was its own. `api/v1.py` calls these functions around those that serve the same calls today.
"""

from ipaddress import IPv4Address
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from msgspec import UNSET, Meta, UnsetType

from muster.domain.clusters import Cluster
from muster.domain.infra_envs import ImageType
from muster.domain.inputs.clusters import ClusterCreate, ClusterUpdate
from muster.domain.inputs.clusters_elsewhere import ClusterImport, Filled
from muster.domain.inputs.fields import Uuid, given
from muster.domain.inputs.hosts import DiskInput, HostUpdate
from muster.domain.inputs.infra_envs import InfraEnvCreate, InfraEnvUpdate
from muster.domain.inputs.networks import V4, Cidr, ClusterNetworkInput, NetworkInput
from muster.domain.inputs.scalars import ProxyInput
from muster.domain.inputs.static_networks import HostNetworkInput
from muster.domain.inputs.vips import Ip, VipInput
from muster.domain.networks import ClusterNetwork
from muster.domain.operators import additions
from muster.domain.preflight import Quantities, quantities
from muster.domain.record import Record
from muster.domain.releases import BETA, MULTI, Catalogue, Release, minor
from muster.domain.states.hosts import HostState
from muster.domain.triggers import UpdateHost
from muster.domain.views import HostView, View, peers_of

from .cluster_requests import LinkedFileQuery
from .events import EventsQuery

# Clusters


class ClusterCreateV1(ClusterCreate, forbid_unknown_fields=False, kw_only=True):
    """A new cluster, as old clients describe it; what nobody knows is left alone."""

    IN_PAIRS: ClassVar[bool] = False

    api_vip: Ip | UnsetType = UNSET
    ingress_vip: Ip | UnsetType = UNSET
    machine_network_cidr: Cidr | UnsetType = UNSET


class HostRoleV1(Record):
    """The part a host is to play."""

    id: Uuid
    role: Literal["auto-assign", "master", "worker"]


class HostNameV1(Record):
    """What a host is to be called."""

    id: Uuid
    hostname: str


class HostDisksV1(Record):
    """What the disks of a host are for."""

    id: Uuid
    disks_config: tuple[DiskInput, ...] = ()


class HostPoolV1(Record):
    """The pool of machine configurations that a host is to belong to."""

    id: Uuid
    machine_config_pool_name: str


class ClusterUpdateV1(ClusterUpdate, forbid_unknown_fields=False):
    """Changes of a cluster and of its hosts, as old clients describe them."""

    IN_PAIRS: ClassVar[bool] = False

    api_vip: Ip | UnsetType = UNSET
    ingress_vip: Ip | UnsetType = UNSET
    hosts_roles: tuple[HostRoleV1, ...] = ()
    hosts_names: tuple[HostNameV1, ...] = ()
    disks_selected_config: tuple[HostDisksV1, ...] = ()
    hosts_machine_config_pool_names: tuple[HostPoolV1, ...] = ()

    @property
    def of_hosts(self) -> tuple[UpdateHost, ...]:
        """What is to change about hosts, in the order in which it counts."""
        changes: tuple[tuple[str, HostUpdate], ...] = (
            *((each.id, HostUpdate(host_role=each.role)) for each in self.hosts_roles),
            *((each.id, HostUpdate(host_name=each.hostname)) for each in self.hosts_names),
            *((each.id, HostUpdate(disks_selected_config=each.disks_config)) for each in self.disks_selected_config),
            *(
                (each.id, HostUpdate(machine_config_pool_name=each.machine_config_pool_name))
                for each in self.hosts_machine_config_pool_names
            ),
        )
        return tuple(UpdateHost(host_id=host_id, changes=change) for host_id, change in changes)


B = TypeVar("B", ClusterCreateV1, ClusterUpdateV1)


def listed(body: B, pods: ClusterNetwork) -> B:
    """The same with a list in place of each thing that there was one of; `pods` is the network to go by."""
    lists: dict[str, Any] = {}
    for single, several in (("api_vip", "api_vips"), ("ingress_vip", "ingress_vips")):
        address = getattr(body, single)
        if address is not UNSET:
            lists[several] = (VipInput(ip=address),) if address else ()
    for single, several in (("service_network_cidr", "service_networks"), ("machine_network_cidr", "machine_networks")):
        if getattr(body, single) is not UNSET:
            lists[several] = (NetworkInput(cidr=getattr(body, single)),)
    if not body.written.isdisjoint({"cluster_network_cidr", "cluster_network_host_prefix"}):
        cidr = given(body.cluster_network_cidr, pods.cidr)
        prefix = given(body.cluster_network_host_prefix, pods.host_prefix)
        lists["cluster_networks"] = (ClusterNetworkInput(cidr=cidr, host_prefix=prefix),)
    return body.but(**{name: value for name, value in lists.items() if name not in body.written})


SINGLES = {
    "api_vip": ("api_vips", "ip"),
    "ingress_vip": ("ingress_vips", "ip"),
    "cluster_network_cidr": ("cluster_networks", "cidr"),
    "cluster_network_host_prefix": ("cluster_networks", "host_prefix"),
    "service_network_cidr": ("service_networks", "cidr"),
    "machine_network_cidr": ("machine_networks", "cidr"),
}
"""What there was one of, and where the first of it is found today."""


def cluster_out_v1(cluster: dict[str, Any]) -> dict[str, Any]:
    """A cluster as it is told today, and beside each list what there was one of."""
    return cluster | {single: cluster[name][0][field] for single, (name, field) in SINGLES.items() if cluster[name]}


class AddHostsClusterV1(Record):
    """A cluster that runs, as old clients tell of it: by an id of their own."""

    id: Annotated[str, Meta(pattern=r"^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")]
    name: Filled
    api_vip_dnsname: Filled
    openshift_version: str

    @property
    def today(self) -> ClusterImport:
        """The same as it is told today."""
        return ClusterImport(
            name=self.name,
            api_vip_dnsname=self.api_vip_dnsname,
            openshift_cluster_id=self.id,
            openshift_version=self.openshift_version,
        )


# Discovery images


class ImageCreateV1(Record):
    """The discovery image of a cluster, as old clients describe it."""

    ssh_public_key: str = ""
    static_network_config: tuple[HostNetworkInput, ...] = ()
    image_type: Literal["", "full-iso", "minimal-iso"] = ""
    pull_secret: str = ""


class DiscoveryIgnition(Record):
    """What hosts find in their discovery image, or what is laid over it."""

    config: str


def new_image(body: ImageCreateV1, cluster: Cluster) -> InfraEnvCreate:
    """The discovery image of a cluster that has none yet."""
    machines: Any = UNSET if cluster.cpu_architecture in {"", MULTI} else cluster.cpu_architecture
    return InfraEnvCreate(
        name=f"{cluster.name}_infra-env",
        cluster_id=cluster.id,
        pull_secret=cluster.pull_secret or body.pull_secret,
        openshift_version=cluster.openshift_version,
        cpu_architecture=machines,
        ssh_authorized_key=body.ssh_public_key,
        static_network_config=body.static_network_config,
        image_type=body.image_type,
        proxy=_proxy(cluster),
    )


def changed_image(body: ImageCreateV1, cluster: Cluster) -> InfraEnvUpdate:
    """The discovery image that a cluster has already, described once more."""
    return InfraEnvUpdate(
        ssh_authorized_key=body.ssh_public_key,
        static_network_config=body.static_network_config,
        image_type=body.image_type or ImageType.FULL.value,
        proxy=_proxy(cluster),
    )


def _proxy(cluster: Cluster) -> ProxyInput:
    return ProxyInput(
        http_proxy=cluster.proxy.http_proxy, https_proxy=cluster.proxy.https_proxy, no_proxy=cluster.proxy.no_proxy
    )


# Files and events


class FileQueryV1(Record):
    """Which file a client wants: of those generated, of the credentials, or of the discovery image."""

    file_name: Literal[
        "bootstrap.ign", "master.ign", "worker.ign", "metadata.json", "install-config.yaml", "custom_manifests.json",
        "custom_manifests.yaml", "kubeadmin-password", "kubeconfig", "kubeconfig-noingress", "discovery.ign",
    ]  # fmt: skip


CREDENTIALS = frozenset({"kubeadmin-password", "kubeconfig", "kubeconfig-noingress"})
DISCOVERY: Literal["discovery.ign"] = "discovery.ign"


class LinkedFileQueryV1(LinkedFileQuery):
    """To which file a link is wanted: of those of today, or of the credentials."""

    file_name: Literal[  # type: ignore[assignment]  # credentials have a call of their own today
        "bootstrap.ign", "master.ign", "worker.ign", "metadata.json", "install-config.yaml", "logs", "manifests",
        "kubeadmin-password", "kubeconfig", "kubeconfig-noingress",
    ]  # fmt: skip


class EventsQueryV1(Record):
    """Which events of a cluster a client wants."""

    host_id: Uuid | None = None
    categories: tuple[str, ...] = ()

    def today(self, cluster_id: str) -> EventsQuery:
        """The same as it is asked today: all of them."""
        return EventsQuery(cluster_id=cluster_id, host_id=self.host_id, categories=self.categories, limit=-1)


LATER = frozenset({"name", "infra_env_id"})
"""What events did not tell then."""


def event_out_v1(event: dict[str, Any]) -> dict[str, Any]:
    """An event without what was not told then."""
    return {key: value for key, value in event.items() if key not in LATER}


# What is on offer


class OpenshiftVersionV1(Record):
    """A version that can be installed, with the images it takes."""

    display_name: str
    release_image: str
    release_version: str
    support_level: Literal["beta", "production"]
    rhcos_image: str = ""
    rhcos_version: str = ""
    default: bool = False


def openshift_versions_out_v1(catalogue: Catalogue) -> dict[str, OpenshiftVersionV1]:
    """The latest release of every minor for the usual machines, by the minor."""
    minors = dict.fromkeys(minor(each.version) for each in catalogue.releases if each.carries(USUAL))
    names = (".".join(map(str, numbers)) for numbers in minors)
    return {name: _version_out(catalogue, catalogue.release(name, USUAL)) for name in names}


USUAL = "x86_64"


def _version_out(catalogue: Catalogue, release: Release) -> OpenshiftVersionV1:
    live = catalogue.os_image(release.version, USUAL) if catalogue.discovers(release.version, USUAL) else None
    return OpenshiftVersionV1(
        display_name=release.version,
        release_image=release.url,
        release_version=release.version,
        support_level="beta" if release.support_level == BETA else "production",
        rhcos_image=live.url if live else "",
        rhcos_version=live.version if live else "",
        default=release.default,
    )


# What hosts have and need


class FreeAddressesQuery(Record):
    """Which addresses a client wants."""

    network: Annotated[str, Meta(pattern=rf"^{V4}/(?:[0-9]|[12][0-9]|3[0-2])\Z")]
    limit: Annotated[int, Meta(ge=1, le=8000)] = 8000
    prefix: str = ""


LOOKED = frozenset({HostState.KNOWN, HostState.INSUFFICIENT})
"""Hosts in these states have looked around lately."""


def free_addresses_out(view: View, query: FreeAddressesQuery) -> list[str] | None:
    """The addresses of a network that every host has found free, in order; None if no host has looked."""
    hosts = [host for host in view.living if host.status in LOOKED]
    found = [
        frozenset(each.free_addresses)
        for host in hosts
        for each in host.free_addresses or ()
        if each.network == query.network
    ]
    if not found:
        return None
    free = (address for address in frozenset.intersection(*found) if address.startswith(query.prefix))
    return sorted(free, key=IPv4Address)[: query.limit]


class OperatorRequirementsV1(Record):
    """What an operator needs of a host, on top of what its role does."""

    operator_name: str
    requirements: Quantities


class HostRequirementsV1(Record):
    """What is needed of a host: by OpenShift, by each operator, and together."""

    host_id: str
    ocp: Quantities
    operators: tuple[OperatorRequirementsV1, ...]
    total: Quantities


def host_requirements_out(view: View) -> list[HostRequirementsV1]:
    """What is needed of every host of a cluster, by the role it has."""
    peers = peers_of(view.living)
    return [_requirements(HostView(view, host, peers)) for host in view.living]


def _requirements(view: HostView) -> HostRequirementsV1:
    added = (
        OperatorRequirementsV1(
            operator_name=name, requirements=Quantities(cpu_cores=each.cpu_cores, ram_mib=each.ram_mib)
        )
        for name, each in additions(view).items()
    )
    return HostRequirementsV1(
        host_id=view.host.id,
        ocp=quantities(view.base_figures),
        operators=tuple(added),
        total=quantities(view.figures),
    )

"""What users may write about a cluster, and what becomes of it.

Turns `ClusterCreate` into a new cluster and `ClusterUpdate` into a changed one; the accepting side of
`decide` calls both. What was written is first laid over what was there, then the outcome is judged by the
rules of the neighbouring modules, in the order in which clients know the errors.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from muster.domain.clusters import Cluster, ClusterState
from muster.domain.errors import Invalid, Refused
from muster.domain.features.architectures import architecture_called
from muster.domain.features.enforcement import feature_problems
from muster.domain.hosts import Host
from muster.domain.monitored import CLUSTER_VERSION, CONSOLE
from muster.domain.policy import Policy
from muster.domain.releases import Catalogue, Release, at_least
from muster.domain.states.clusters import UPDATABLE
from muster.domain.views import View

from .credentials import pull_secret_problems, ssh_key_problems
from .endpoints import (
    DiskEncryptionInput,
    IgnitionEndpointInput,
    Roles,
    disk_encryption_problems,
    ignition_endpoint_problems,
)
from .fields import Input, Problems, given, require_none
from .networks import (
    NETWORK_LISTS,
    Cidr,
    HostPrefix,
    changed_network_problems,
    dual_stack_problems,
    ipv6_problems,
    primary_problems,
    syntax_problems,
)
from .operators import BundleInput, OperatorInput, clash_problems, operator_problems, operators_after
from .platforms import (
    PlatformInput,
    availability,
    availability_problems,
    first_platform,
    first_platform_problems,
    next_platform,
    next_platform_problems,
    settled_problems,
)
from .scalars import (
    ProxyInput,
    domain_problems,
    exclusive_ntp_problems,
    name_problems,
    ntp_problems,
    proxy_problems,
    tag_problems,
)
from .vips import (
    AddressFields,
    addressed,
    changed_vip_problems,
    chosen_network_problems,
    vip_problems,
    with_derived_network,
)

Name = Annotated[str, Meta(min_length=1, max_length=54)]
NetworkType = Literal["OpenShiftSDN", "OVNKubernetes", "CiscoACI", "Cilium", "Calico", "None"]


class LoadBalancerInput(Input):
    """Who runs the load balancer, as written."""

    type: Literal["cluster-managed", "user-managed"] | UnsetType = UNSET


class ClusterFields(AddressFields):
    """What may be written about a cluster at any time."""

    name: Name | UnsetType = UNSET
    base_dns_domain: str | UnsetType = UNSET
    pull_secret: str | UnsetType = UNSET
    ssh_public_key: str | UnsetType = UNSET
    control_plane_count: int | UnsetType = UNSET
    platform: PlatformInput | UnsetType = UNSET
    user_managed_networking: bool | UnsetType = UNSET
    load_balancer: LoadBalancerInput | UnsetType = UNSET
    network_type: NetworkType | UnsetType = UNSET
    http_proxy: str | UnsetType = UNSET
    https_proxy: str | UnsetType = UNSET
    no_proxy: str | UnsetType = UNSET
    additional_ntp_source: str | UnsetType = UNSET
    ntp_sources: str | UnsetType = UNSET
    hyperthreading: Roles | UnsetType = UNSET
    schedulable_masters: bool | UnsetType = UNSET
    disk_encryption: DiskEncryptionInput | UnsetType = UNSET
    ignition_endpoint: IgnitionEndpointInput | UnsetType = UNSET
    tags: str | UnsetType = UNSET
    olm_operators: tuple[OperatorInput, ...] | UnsetType = UNSET
    operator_bundles: tuple[BundleInput, ...] | UnsetType = UNSET

    # Old clients still send these; the lists have taken their place.
    cluster_network_cidr: Cidr | UnsetType = UNSET
    cluster_network_host_prefix: HostPrefix | UnsetType = UNSET
    service_network_cidr: Cidr | UnsetType = UNSET

    @property
    def proxy(self) -> ProxyInput:
        """What was written about proxies."""
        return ProxyInput(http_proxy=self.http_proxy, https_proxy=self.https_proxy, no_proxy=self.no_proxy)


class ClusterCreate(ClusterFields, kw_only=True):
    """What may be written about a new cluster."""

    name: Name
    openshift_version: str
    pull_secret: str
    ocp_release_image: str | UnsetType = UNSET
    high_availability_mode: Literal["Full", "None"] | UnsetType = UNSET
    cpu_architecture: Literal["x86_64", "aarch64", "arm64", "ppc64le", "s390x", "multi"] | UnsetType = UNSET


class ClusterUpdate(ClusterFields):
    """What may be written about a cluster that is there."""

    api_vip_dns_name: str | UnsetType = UNSET
    machine_network_cidr: Cidr | UnsetType = UNSET


_KEPT_AS_WRITTEN = (
    "name", "base_dns_domain", "pull_secret", "network_type", "additional_ntp_source", "ntp_sources",
    "hyperthreading", "schedulable_masters", "tags", "api_vip_dns_name",
)  # fmt: skip
_ABOUT_ADDRESSES = frozenset({
    "api_vips", "ingress_vips", "vip_dhcp_allocation", "cluster_networks", "service_networks", "machine_networks",
    "platform", "user_managed_networking", "load_balancer", "control_plane_count",
})  # fmt: skip
_ABOUT_OPERATORS = frozenset({"olm_operators", "operator_bundles", "control_plane_count"})
_SETTLED_TOGETHER = frozenset({"platform", "user_managed_networking", "control_plane_count", "network_type"})


def new_cluster(inputs: ClusterCreate, *, cluster_id: str, owner: str, now: datetime, policy: Policy) -> Cluster:
    """The cluster that was described, with the defaults of what was left out.

    The release comes before all other rules, since they depend on its version.
    """
    architecture = architecture_called(given(inputs.cpu_architecture, "x86_64"))
    release = _release(inputs, architecture, policy.catalogue)
    blank = Cluster(
        id=cluster_id,
        name=inputs.name,
        user_name=owner,
        created_at=now,
        updated_at=now,
        status=ClusterState.INSUFFICIENT,
        status_info="The cluster has just been described; boot its hosts from a discovery image",
        status_updated_at=now,
        additional_ntp_source="" if "ntp_sources" in inputs.written else policy.ntp_default,
        operators=(CONSOLE, CLUSTER_VERSION) if policy.check_cluster_version else (CONSOLE,),
    )
    outlined = _outlined(blank, inputs, release, architecture)
    wanted = addressed(_described(outlined, inputs), inputs, user_managed=outlined.user_managed_networking)
    wanted = _equipped(wanted, blank, inputs, policy)
    require_none(syntax_problems(wanted))
    require_none(primary_problems(wanted, blank, inputs.written), _new_problems(wanted, inputs, architecture, policy))
    return _stamped(wanted, blank, now).but(
        cluster_networks=wanted.cluster_networks or policy.networks.cluster_networks[:1],
        service_networks=wanted.service_networks or policy.networks.service_networks[:1],
    )


def _new_problems(wanted: Cluster, inputs: ClusterCreate, architecture: str, policy: Policy) -> Problems:
    """What is wrong with a new cluster, in the order in which clients know it.

    What does not go together is looked for only if each part of it can be.
    """
    count = wanted.control_plane_count
    counted = tuple(availability_problems(wanted, policy))
    placed = tuple(first_platform_problems(inputs.platform, inputs.user_managed_networking, architecture, count))
    settled = tuple(settled_problems(wanted))
    yield from counted
    yield from vip_problems(wanted, inputs)
    yield from ipv6_problems(wanted, policy)
    yield from dual_stack_problems(wanted)
    yield from placed
    yield from proxy_problems(inputs.proxy, wanted.openshift_version)
    yield from disk_encryption_problems(wanted.disk_encryption, policy)
    yield from ignition_endpoint_problems(given(inputs.ignition_endpoint, IgnitionEndpointInput()))
    yield from _list_problems(wanted, inputs)
    yield from settled
    yield from operator_problems(inputs.olm_operators, inputs.operator_bundles)
    yield from clash_problems(wanted)
    yield from () if counted or placed or settled else feature_problems(wanted)
    yield from pull_secret_problems(inputs.pull_secret, _images(wanted, policy), policy)
    yield from name_problems(inputs.name, dots=_allows_dots(wanted))
    yield from domain_problems(wanted.name, wanted.base_dns_domain)
    yield from ssh_key_problems("ssh_public_key", given(inputs.ssh_public_key, ""))


def changed_cluster(cluster: Cluster, changes: ClusterUpdate, view: View) -> Cluster:
    """The cluster of a view with what was written changed, and what follows from it; itself when nothing differs.

    A cluster that can no longer be changed refuses, but only once the values are known to be possible.
    """
    wanted = _equipped(_rewritten(cluster, changes, view.living), cluster, changes, view.policy)
    require_none(syntax_problems(wanted))
    require_none(
        primary_problems(wanted, cluster, changes.written),
        _value_problems(wanted, changes, view.policy),
        () if changes.written.isdisjoint(_ABOUT_ADDRESSES) else _address_problems(wanted, cluster, changes, view),
    )
    if cluster.status not in UPDATABLE:
        raise Refused(
            f"Cluster {cluster.name} is {cluster.status}, and can be changed only while it is one of:"
            f" {', '.join(sorted(UPDATABLE))}"
        )
    require_none(_changed_problems(wanted, cluster, changes, view))
    return _stamped(wanted, cluster, view.now)


def _changed_problems(wanted: Cluster, stored: Cluster, changes: ClusterUpdate, view: View) -> Problems:
    """What is wrong with a changed cluster as a whole, in the order in which clients know it.

    What does not go together is looked for only if each part of it can be.
    """
    count, together = wanted.control_plane_count, _SETTLED_TOGETHER & changes.written and not stored.day2
    placed = tuple(next_platform_problems(stored, changes.platform, changes.user_managed_networking, count))
    settled = tuple(settled_problems(wanted)) if together else ()
    yield from placed
    yield from domain_problems(wanted.name, wanted.base_dns_domain) if _renamed(changes) else ()
    yield from _new_disk_encryption_problems(wanted, changes, view.policy)
    yield from settled
    yield from () if placed or settled else _feature_problems(wanted, view)
    yield from operator_problems(changes.olm_operators, changes.operator_bundles)
    yield from clash_problems(wanted) if _ABOUT_OPERATORS & changes.written and not stored.day2 else ()


def _feature_problems(wanted: Cluster, view: View) -> Problems:
    """What the cluster cannot have, or not together, nor with the images that are made for it."""
    yield from feature_problems(wanted, view.living)
    for infra_env in view.infra_envs.values():
        if infra_env.cluster_id == wanted.id and not infra_env.deleted:
            yield from feature_problems(wanted, view.living, infra_env)


def _address_problems(wanted: Cluster, stored: Cluster, changes: ClusterUpdate, view: View) -> Problems:
    """What is wrong with the addresses and networks of a changed cluster."""
    yield from changed_network_problems(wanted, _changed_networks(wanted, stored, changes), len(view.living))
    yield from chosen_network_problems(wanted, stored, changes)
    yield from vip_problems(wanted, changes)
    yield from ipv6_problems(wanted, view.policy)
    yield from changed_vip_problems(wanted, stored, view.living)
    yield from dual_stack_problems(wanted)


def _value_problems(wanted: Cluster, changes: ClusterUpdate, policy: Policy) -> Problems:
    """What is wrong with single values, whatever the state of the cluster."""
    if changes.control_plane_count is not UNSET and not wanted.day2:
        yield from availability_problems(wanted, policy)
    if secret := given(changes.pull_secret, ""):
        yield from pull_secret_problems(secret, _images(wanted, policy), policy)
    yield from name_problems(given(changes.name, ""), dots=_allows_dots(wanted))
    if given(changes.api_vip_dns_name, "") and not wanted.day2:
        yield "api_vip_dns_name: can be set only for a cluster that is there and takes in more hosts; use api_vips"
    yield from ssh_key_problems("ssh_public_key", given(changes.ssh_public_key, ""))
    yield from ignition_endpoint_problems(given(changes.ignition_endpoint, IgnitionEndpointInput()))
    yield from proxy_problems(changes.proxy, wanted.openshift_version)
    yield from _list_problems(wanted, changes)


def _release(inputs: ClusterCreate, architecture: str, catalogue: Catalogue) -> Release:
    """The release that was asked for, by its image or by its version, if hosts of that kind can be discovered."""
    url = given(inputs.ocp_release_image, "")
    if not url:
        release = catalogue.release(inputs.openshift_version, architecture)
    else:
        release = catalogue.release_by_url(url)
        if not release.carries(architecture):
            raise Invalid(
                f"ocp_release_image: {url!r} is for {', '.join(release.cpu_architectures)},"
                f" but cpu_architecture is {architecture}"
            )
    # Without any system image the service is set up to work without discovery images.
    if catalogue.os_images and not (release.carries("multi") and architecture in {"multi", "x86_64"}):
        catalogue.os_image(release.version, architecture)
    return release


def _outlined(cluster: Cluster, inputs: ClusterCreate, release: Release, architecture: str) -> Cluster:
    """The cluster with what the release, the count and the platform make of it."""
    mode, count = availability(inputs.high_availability_mode, inputs.control_plane_count)
    platform, user_managed = first_platform(inputs.platform, inputs.user_managed_networking, architecture, count)
    by_ovn = count == 1 or at_least(release.version, "4.12")
    return cluster.but(
        openshift_version=release.version,
        ocp_release_image=release.url,
        cpu_architecture="multi" if release.carries("multi") else architecture,
        high_availability_mode=mode,
        control_plane_count=count,
        platform=platform,
        user_managed_networking=user_managed,
        network_type="OVNKubernetes" if by_ovn else "OpenShiftSDN",
    )


def _described(cluster: Cluster, inputs: ClusterFields) -> Cluster:
    """The cluster with all that was written except addresses and platform."""
    written: dict[str, Any] = {name: getattr(inputs, name) for name in _KEPT_AS_WRITTEN if name in inputs.written}
    balancer = given(inputs.load_balancer, LoadBalancerInput())
    return cluster.but(
        **written,
        ssh_public_key=given(inputs.ssh_public_key, cluster.ssh_public_key).strip(),
        proxy=inputs.proxy.over(cluster.proxy),
        load_balancer=given(balancer.type, cluster.load_balancer),
        disk_encryption=given(inputs.disk_encryption, DiskEncryptionInput()).over(cluster.disk_encryption),
        ignition_endpoint=given(inputs.ignition_endpoint, IgnitionEndpointInput()).over(cluster.ignition_endpoint),
    )


def _equipped(wanted: Cluster, stored: Cluster, inputs: ClusterFields, policy: Policy) -> Cluster:
    """The cluster with the operators that were chosen for it, and those they cannot be without."""
    chosen = operators_after(wanted, stored, inputs.olm_operators, inputs.operator_bundles, policy.operators)
    return wanted.but(operators=chosen)


def _rewritten(cluster: Cluster, changes: ClusterUpdate, hosts: tuple[Host, ...]) -> Cluster:
    """The cluster as the changes want it, possible or not."""
    platform, user_managed = next_platform(cluster, changes.platform, changes.user_managed_networking)
    described = _described(cluster, changes).but(platform=platform)
    if changes.control_plane_count is not UNSET:
        mode, count = availability(UNSET, changes.control_plane_count)
        described = described.but(high_availability_mode=mode, control_plane_count=count)
    return with_derived_network(addressed(described, changes, user_managed=user_managed), cluster, hosts)


def _stamped(wanted: Cluster, before: Cluster, now: datetime) -> Cluster:
    """The cluster with the moment at which its machine networks changed, if they have, or how addresses are had."""
    same = (wanted.machine_networks, wanted.vip_dhcp_allocation) == (
        before.machine_networks,
        before.vip_dhcp_allocation,
    )
    return wanted if same else wanted.but(machine_network_updated_at=now)


def _allows_dots(cluster: Cluster) -> bool:
    return cluster.platform.type == "none"


def _images(cluster: Cluster, policy: Policy) -> tuple[str, ...]:
    """What hosts have to fetch from registries."""
    return (cluster.ocp_release_image, policy.agent_image, policy.installer_image, policy.controller_image)


def _list_problems(wanted: Cluster, inputs: ClusterFields) -> Problems:
    yield from ntp_problems("additional_ntp_source", given(inputs.additional_ntp_source, ""))
    yield from ntp_problems("ntp_sources", given(inputs.ntp_sources, ""))
    yield from exclusive_ntp_problems("additional_ntp_source", wanted.additional_ntp_source, wanted.ntp_sources)
    yield from tag_problems(given(inputs.tags, ""))


def _changed_networks(wanted: Cluster, stored: Cluster, changes: ClusterUpdate) -> frozenset[str]:
    return frozenset(
        field
        for field in NETWORK_LISTS
        if field in changes.written and getattr(wanted, field) != getattr(stored, field)
    )


def _renamed(changes: ClusterUpdate) -> bool:
    return not changes.written.isdisjoint({"name", "base_dns_domain"})


def _new_disk_encryption_problems(wanted: Cluster, changes: ClusterUpdate, policy: Policy) -> Problems:
    if changes.disk_encryption is UNSET:
        return
    if wanted.imported:
        yield "disk_encryption: cannot be changed for an imported cluster, whose disks are as they are"
    yield from disk_encryption_problems(wanted.disk_encryption, policy)

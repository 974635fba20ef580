"""Which features a cluster uses, as far as its record and its hosts tell: one row each. `clusters.py` shows them."""

from collections.abc import Callable
from typing import Any

from muster.domain.clusters import Cluster, PlatformType
from muster.domain.hosts import Host
from muster.domain.monitored import OperatorType
from muster.domain.record import Record

from .json import text

Hosts = tuple[Host, ...]
Told = dict[str, Any] | bool
"""Whether a feature is used, and what is told of it."""


class Usage(Record):
    """One feature and how its use is seen."""

    name: str
    told: Callable[[Cluster, Hosts], Told]

    @property
    def id(self) -> str:
        """The name as programs know it."""
        return self.name.upper().replace(" ", "_").replace(".", "")


def _time_sources(cluster: Cluster, _: Hosts) -> Told:
    count = len(cluster.additional_ntp_source.split(",")) if cluster.additional_ntp_source else 0
    return {"source_count": count} if count else False


def _hostnames(_: Cluster, hosts: Hosts) -> Told:
    count = sum(bool(host.requested_hostname) for host in hosts)
    return {"host_count": count} if count else False


def _proxies(cluster: Cluster, _: Hosts) -> Told:
    names = ("http_proxy", "https_proxy", "no_proxy")
    return {name: 1 for name in names if getattr(cluster.proxy, name)}


def _encryption(cluster: Cluster, _: Hosts) -> Told:
    encryption = cluster.disk_encryption
    if encryption.enable_on == "none":
        return False
    told = {"enable_on": encryption.enable_on, "mode": encryption.mode, "tang_servers": encryption.tang_servers}
    return {name: value for name, value in told.items() if value}


def _virtual_machines(cluster: Cluster, hosts: Hosts) -> Told:
    if cluster.user_managed_networking or cluster.platform.type is not PlatformType.BAREMETAL:
        return False
    vendors = ((host.id, host.inventory.system_vendor) for host in hosts if host.inventory)
    virtual = [host_id for host_id, vendor in vendors if vendor is not None and vendor.virtual]
    return {"VM Hosts": virtual} if virtual else False


def _platform(cluster: Cluster, _: Hosts) -> Told:
    chosen = cluster.platform.type in {PlatformType.VSPHERE, PlatformType.NUTANIX, PlatformType.EXTERNAL}
    return {"platform_type": cluster.platform.type} if chosen else False


def _hyperthreading(cluster: Cluster, _: Hosts) -> Told:
    return {"hyperthreading_enabled": cluster.hyperthreading} if cluster.hyperthreading != "none" else False


def _network_type(name: str) -> Callable[[Cluster, Hosts], bool]:
    return lambda cluster, _: cluster.network_type == name


def _architecture(name: str) -> Callable[[Cluster, Hosts], bool]:
    return lambda cluster, _: cluster.cpu_architecture == name


def _dual(cidrs: tuple[str, ...]) -> bool:
    return len({":" in cidr for cidr in cidrs}) > 1


USAGES = (
    Usage(name="Additional NTP Source", told=_time_sources),
    Usage(name="Requested hostname", told=_hostnames),
    Usage(name="Proxy", told=_proxies),
    Usage(name="SNO", told=lambda cluster, _: cluster.single_node),
    Usage(name="VIP auto alloc.", told=lambda cluster, _: cluster.vip_dhcp_allocation),
    Usage(name="OVN network type", told=_network_type("OVNKubernetes")),
    Usage(name="SDN network type", told=_network_type("OpenShiftSDN")),
    Usage(name="CiscoACI network type", told=_network_type("CiscoACI")),
    Usage(name="Cilium network type", told=_network_type("Cilium")),
    Usage(name="Calico network type", told=_network_type("Calico")),
    Usage(name="None network type", told=_network_type("None")),
    Usage(name="Dual-stack", told=lambda cluster, _: _dual(cluster.service_networks)),
    Usage(name="Dual-stack VIPs", told=lambda cluster, _: _dual(tuple(vip.ip for vip in cluster.api_vips))),
    Usage(name="Platform selection", told=_platform),
    Usage(name="Schedulable masters", told=lambda cluster, _: cluster.schedulable_masters),
    Usage(name="Custom manifest", told=lambda cluster, _: cluster.custom_manifests),
    Usage(name="Disk encryption", told=_encryption),
    Usage(name="Cluster managed networking with VMs", told=_virtual_machines),
    Usage(name="arm64 architecture", told=_architecture("arm64")),
    Usage(name="ppc64le architecture", told=_architecture("ppc64le")),
    Usage(name="s390x architecture", told=_architecture("s390x")),
    Usage(name="Cluster Tags", told=lambda cluster, _: bool(cluster.tags)),
    Usage(name="Hyperthreading", told=_hyperthreading),
    Usage(
        name="User Managed Networking With Multi Node",
        told=lambda cluster, _: cluster.user_managed_networking and not cluster.single_node,
    ),
    Usage(
        name="Validations have been ignored for this cluster",
        told=lambda cluster, _: cluster.validations_ignored,
    ),
)
"""Every feature whose use is told; operators that are added to a cluster come on top."""


def feature_usage(cluster: Cluster, hosts: Hosts) -> str:
    """The features in use, as JSON text."""
    used: dict[str, Any] = {}
    for usage in USAGES:
        if told := usage.told(cluster, hosts):
            data = {"data": told} if isinstance(told, dict) else {}
            used[usage.name] = {"id": usage.id, "name": usage.name, **data}
    for operator in cluster.operators:
        if operator.operator_type is OperatorType.OLM:
            name = operator.name.upper()
            used[name] = {"id": name, "name": name}
    return text(used)

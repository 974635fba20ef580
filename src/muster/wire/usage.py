"""Which features a cluster uses, as far as its record, its hosts and its images tell: one row each.

`clusters.py` shows them.
"""

from collections.abc import Callable, Iterable
from operator import is_
from typing import Any, NamedTuple

from muster.domain.address_families import dual_stack
from muster.domain.artifacts.install_config import read_overrides
from muster.domain.clusters import Cluster, PlatformType
from muster.domain.disks import eligible
from muster.domain.hosts import Host, HostKind
from muster.domain.infra_envs import InfraEnv
from muster.domain.monitored import OperatorType
from muster.domain.record import Record

from .json import text

P = PlatformType
Told = dict[str, Any] | bool
"""Whether a feature is used, and what is told of it."""


class Seen(NamedTuple):
    """What usage is read from."""

    cluster: Cluster
    hosts: tuple[Host, ...] = ()
    infra_envs: tuple[InfraEnv, ...] = ()


class Usage(Record):
    """One feature and how its use is seen."""

    name: str
    told: Callable[[Seen], Told]

    @property
    def id(self) -> str:
        """The name as programs know it."""
        return self.name.upper().replace(" ", "_").replace(".", "")


def _time_sources(seen: Seen) -> Told:
    sources = seen.cluster.additional_ntp_source
    return {"source_count": len(sources.split(","))} if sources else False


def _hostnames(seen: Seen) -> Told:
    count = sum(bool(host.requested_hostname) for host in seen.hosts)
    return {"host_count": count} if count else False


def _proxies(seen: Seen) -> Told:
    names = ("http_proxy", "https_proxy", "no_proxy")
    return {name: 1 for name in names if getattr(seen.cluster.proxy, name)}


def _encryption(seen: Seen) -> Told:
    encryption = seen.cluster.disk_encryption
    if encryption.enable_on == "none":
        return False
    told = {"enable_on": encryption.enable_on, "mode": encryption.mode, "tang_servers": encryption.tang_servers}
    return {name: value for name, value in told.items() if value}


def _virtual_machines(seen: Seen) -> Told:
    if seen.cluster.user_managed_networking or seen.cluster.platform.type is not P.BAREMETAL:
        return False
    vendors = ((host.id, host.inventory.system_vendor) for host in seen.hosts if host.inventory)
    virtual = [host_id for host_id, vendor in vendors if vendor is not None and vendor.virtual]
    return {"VM Hosts": virtual} if virtual else False


def _platform(seen: Seen) -> Told:
    kind = seen.cluster.platform.type
    return {"platform_type": kind} if kind in {P.VSPHERE, P.NUTANIX, P.EXTERNAL} else False


def _hyperthreading(seen: Seen) -> Told:
    where = seen.cluster.hyperthreading
    return {"hyperthreading_enabled": where} if where not in {"", "none"} else False


def _selected_disks(seen: Seen) -> bool:
    """Whether any host is installed to another disk than the likeliest."""
    return any(
        host.installation_disk_id != next((disk.identifier for disk in eligible(host.inventory)), "")
        for host in seen.hosts
        if host.inventory and host.installation_disk_id
    )


def _overrides(seen: Seen) -> dict[str, Any]:
    """What the user tells the installer in their own words; {} if that is nothing, or cannot be read."""
    return read_overrides(seen.cluster.install_config_overrides) or {}


def _overridden(seen: Seen) -> Told:
    """Which settings of the installer the user has overridden, two levels deep."""
    found = _overrides(seen)
    inner = [f"{key}.{name}" for key, value in found.items() if isinstance(value, dict) for name in value]
    return dict.fromkeys([*found, *inner], True)


def _ignition_overrides(seen: Seen) -> Told:
    told = {
        "infra-env": any(each.ignition_config_override for each in seen.infra_envs),
        "host": any(host.ignition_config_overrides for host in seen.hosts),
    }
    return {name: True for name, used in told.items() if used}


def _has_day2_hosts(seen: Seen) -> bool:
    return any(host.kind is HostKind.DAY2 for host in seen.hosts)


def _network_type(name: str) -> Callable[[Seen], bool]:
    return lambda seen: seen.cluster.network_type == name


def _architecture(name: str) -> Callable[[Seen], bool]:
    return lambda seen: seen.cluster.cpu_architecture == name


USAGES = (
    Usage(name="Additional NTP Source", told=_time_sources),
    Usage(name="Requested hostname", told=_hostnames),
    Usage(name="Proxy", told=_proxies),
    Usage(name="SNO", told=lambda seen: seen.cluster.single_node),
    Usage(name="Day2 hosts", told=_has_day2_hosts),
    Usage(name="Single Node Expansion", told=lambda seen: seen.cluster.single_node and _has_day2_hosts(seen)),
    Usage(name="VIP auto alloc.", told=lambda seen: seen.cluster.vip_dhcp_allocation),
    Usage(name="Disk Selection", told=_selected_disks),
    Usage(name="OVN network type", told=_network_type("OVNKubernetes")),
    Usage(name="SDN network type", told=_network_type("OpenShiftSDN")),
    Usage(name="CiscoACI network type", told=_network_type("CiscoACI")),
    Usage(name="Cilium network type", told=_network_type("Cilium")),
    Usage(name="Calico network type", told=_network_type("Calico")),
    Usage(name="None network type", told=_network_type("None")),
    Usage(name="Dual-stack", told=lambda seen: dual_stack(seen.cluster)),
    Usage(name="Dual-stack VIPs", told=lambda seen: len(seen.cluster.api_vips) > 1),
    Usage(name="Platform selection", told=_platform),
    Usage(name="Nutanix integration", told=lambda seen: seen.cluster.platform.type is P.NUTANIX),
    Usage(name="Schedulable masters", told=lambda seen: seen.cluster.schedulable_masters),
    Usage(name="Custom manifest", told=lambda seen: seen.cluster.custom_manifests),
    Usage(name="Disk encryption", told=_encryption),
    Usage(name="Cluster managed networking with VMs", told=_virtual_machines),
    Usage(name="arm64 architecture", told=_architecture("arm64")),
    Usage(name="ppc64le architecture", told=_architecture("ppc64le")),
    Usage(name="s390x architecture", told=_architecture("s390x")),
    Usage(name="Install Config Overrides", told=_overridden),
    Usage(name="FIPS", told=lambda seen: _overrides(seen).get("fips") is True),
    Usage(name="Ignition Config Override", told=_ignition_overrides),
    Usage(name="Static Network Config", told=lambda seen: any(each.static_network_config for each in seen.infra_envs)),
    Usage(name="discovery kernel arguments", told=lambda seen: any(each.kernel_arguments for each in seen.infra_envs)),
    Usage(name="Cluster Tags", told=lambda seen: bool(seen.cluster.tags)),
    Usage(name="Hyperthreading", told=_hyperthreading),
    Usage(
        name="User Managed Networking With Multi Node",
        told=lambda seen: seen.cluster.user_managed_networking and not seen.cluster.single_node,
    ),
    Usage(name="Validations have been ignored for this cluster", told=lambda seen: seen.cluster.validations_ignored),
)
"""Every feature whose use is told; operators that are added to a cluster come on top."""


def feature_usage(cluster: Cluster, hosts: Iterable[Host], infra_envs: Iterable[InfraEnv] = ()) -> str:
    """The features in use, as JSON text; kept for as long as all that it is read from is the very same."""
    seen = Seen(cluster, tuple(hosts), tuple(each for each in infra_envs if not each.deleted))
    known = _TEXTS.get(cluster.id)
    if known is not None and _is_same(known[0], seen):
        return known[1]
    if len(_TEXTS) >= MOST_TEXTS:
        _TEXTS.clear()
    written = _written(seen)
    _TEXTS[cluster.id] = seen, written
    return written


MOST_TEXTS = 5000
"""For how many clusters the text is kept."""

_TEXTS: dict[str, tuple[Seen, str]] = {}


def _is_same(one: Seen, other: Seen) -> bool:
    return (
        one.cluster is other.cluster
        and len(one.hosts) == len(other.hosts)
        and len(one.infra_envs) == len(other.infra_envs)
        and all(map(is_, one.hosts, other.hosts))
        and all(map(is_, one.infra_envs, other.infra_envs))
    )


def _written(seen: Seen) -> str:
    used: dict[str, Any] = {}
    for usage in USAGES:
        if told := usage.told(seen):
            data = {"data": told} if isinstance(told, dict) else {}
            used[usage.name] = {"id": usage.id, "name": usage.name, **data}
    for operator in seen.cluster.operators:
        if operator.operator_type is OperatorType.OLM:
            name = operator.name.upper()
            used[name] = {"id": name, "name": name}
    return text(used)

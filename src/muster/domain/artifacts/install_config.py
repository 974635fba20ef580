"""Turns a cluster and its hosts into the install-config that a release is set up from.

Called by every adapter of `ports.Releases`, and by the API to show the user what will be used.
"""

from collections.abc import Callable, Iterable, Sequence
from ipaddress import ip_interface, ip_network
from typing import Any

import msgspec

from muster.domain.clusters import Cluster, PlatformType
from muster.domain.errors import Invalid
from muster.domain.hosts import FencingCredentials, Host
from muster.domain.infra_envs import InfraEnv
from muster.domain.inventory import Interface
from muster.domain.machine_networks import home_networks
from muster.domain.networks import family
from muster.domain.node_addresses import node_addresses, nodes_are_told
from muster.domain.record import Record
from muster.domain.releases import at_least, parts
from muster.domain.roles import WITH_ARBITER, Role
from muster.domain.trust import Mirrors, Trust

from .install_placeholders import NUTANIX, OLD_VSPHERE, VSPHERE
from .install_schema import spelled

Tree = dict[str, Any]
"""A JSON object, on its way out."""

NOBODY = Trust()
"""Nobody but those whom everybody trusts."""

_ORDER = {Role.BOOTSTRAP: 0, Role.MASTER: 0, Role.ARBITER: 1, Role.WORKER: 2, Role.AUTO: 3}
_ARBITER_PREVIEW = (4, 19)
"""The minor in which an arbiter was still a preview."""
_FENCING_SUPPORTED = "4.22"
"""The version from which on a fenced pair is no preview any more."""
_PREVIEW = {"featureSet": "TechPreviewNoUpgrade"}
_SEVERAL_VIPS = "4.12"
"""The version from which on there may be a virtual address of each family; before, the one stands by itself too."""
_NO_PROVISIONING = "4.7"
"""The version from which on machines need no network of their own to be set up."""
_FAILURE_DOMAINS = "4.13"
"""The version from which on vSphere is described by failure domains."""
_BY_DIGEST = "4.14"
"""The version from which on mirrors are named under another key."""


class _Site(Record):
    """All there is to look at."""

    cluster: Cluster
    hosts: tuple[Host, ...]
    infra_envs: tuple[InfraEnv, ...]

    def counted(self, *roles: Role) -> int:
        """How many hosts have one of these roles."""
        return sum(1 for host in self.hosts if host.effective_role in roles)

    def since(self, version: str) -> bool:
        """Whether the release is of that version or newer."""
        return at_least(self.cluster.openshift_version, version)

    @property
    def masters(self) -> tuple[Host, ...]:
        """The hosts of the control plane."""
        return tuple(host for host in self.hosts if host.effective_role in {Role.MASTER, Role.BOOTSTRAP})

    @property
    def fenced_pair(self) -> bool:
        """The control plane is two hosts, each of which can switch the other off."""
        masters = self.masters
        pair = self.cluster.control_plane_count == len(masters) == WITH_ARBITER
        return pair and all(host.fencing_credentials is not None for host in masters)

    @property
    def user_managed(self) -> bool:
        """Names and addresses are the user's to look after."""
        own = self.cluster.platform.type in {PlatformType.NONE, PlatformType.EXTERNAL}
        return own or self.cluster.user_managed_networking

    @property
    def first(self) -> Host | None:
        """The host that starts the cluster."""
        chosen = next((host for host in self.hosts if host.bootstrap), None)
        return chosen or (self.hosts[0] if len(self.hosts) == 1 else None)


def install_config(
    cluster: Cluster, hosts: Sequence[Host], infra_envs: Sequence[InfraEnv] = (), trust: Trust = NOBODY
) -> Tree:
    """The install-config, the user's own changes included; `Invalid` if a host lacks what it needs.

    `trust` says whom every cluster of this service trusts, and which mirrors it fetches images from.
    """
    site = _Site(cluster=cluster, hosts=tuple(hosts), infra_envs=tuple(infra_envs))
    config: Tree = {
        "apiVersion": "v1",
        "baseDomain": cluster.base_dns_domain,
        "metadata": {"name": cluster.name},
        **_machines(site),
        "networking": _networking(site),
        **_proxy(cluster),
        "pullSecret": cluster.pull_secret,
        "sshKey": cluster.ssh_public_key,
        "fips": False,
        "platform": {cluster.platform.type.value: _PLATFORMS[cluster.platform.type](site)},
        **_mirrored(site, trust.mirrors),
        **_in_place(site),
    }
    return _with_trust(overridden(config, _overrides(cluster)), site.infra_envs, trust)


def overridden(generated: Any, wish: Any) -> Any:
    """What the user's wish makes of a generated value.

    Objects are joined key by key, null taking a key away. A list gets the length of the wish,
    each element being laid over the generated one of the same place.
    """
    if isinstance(wish, dict):
        base = generated if isinstance(generated, dict) else {}
        wished = {key: overridden(base.get(key), value) for key, value in wish.items()}
        return {key: value for key, value in {**base, **wished}.items() if key not in wish or wish[key] is not None}
    if isinstance(wish, list):
        below = generated if isinstance(generated, list) else []
        padded = [*below, *[None] * len(wish)]
        return [overridden(old, new) for old, new in zip(padded, wish, strict=False)]
    return wish


def read_overrides(text: str) -> Tree | None:
    """The changes that a user wants, with their keys as the installer spells them; None if they cannot be read."""
    if not text:
        return {}
    try:
        wish: Tree = spelled(msgspec.json.decode(text, type=Tree))
    except (msgspec.DecodeError, RecursionError):
        return None
    return wish


def _overrides(cluster: Cluster) -> Tree:
    """The user's own changes; they may hold secrets, so a complaint does not quote them."""
    wish = read_overrides(cluster.install_config_overrides)
    if wish is None:
        raise Invalid("install_config_overrides: must be the text of a JSON object; send it again to replace it")
    return wish


def _machines(site: _Site) -> Tree:
    """How many machines of each kind there are."""
    pools: Tree = {
        "compute": [_pool(site, "worker", Role.WORKER)],
        "controlPlane": _pool(site, "master", Role.MASTER, Role.BOOTSTRAP),
    }
    if site.counted(Role.ARBITER):
        pools["arbiter"] = _pool(site, "arbiter", Role.ARBITER)
        if parts(site.cluster.openshift_version)[:2] == _ARBITER_PREVIEW:
            pools |= _PREVIEW
    elif site.fenced_pair:
        pools["controlPlane"]["fencing"] = {"credentials": [_fence(host) for host in site.masters]}
        if not site.since(_FENCING_SUPPORTED):
            pools |= _PREVIEW
    return pools


def _fence(host: Host) -> Tree:
    """How the other control plane host switches this one off."""
    credentials = host.fencing_credentials or FencingCredentials()
    named = {"macAddress": credentials.mac_address} if credentials.mac_address else {"hostname": host.hostname}
    checked = credentials.certificate_verification
    return {
        "address": credentials.address,
        "username": credentials.username,
        "password": credentials.password,
        **named,
        **({"certificateVerification": checked} if checked else {}),
    }


def _pool(site: _Site, name: str, *roles: Role) -> Tree:
    wanted = site.cluster.hyperthreading
    enabled = wanted == "all" or f"{name}s" in wanted.split(",")
    return {"name": name, "replicas": site.counted(*roles), "hyperthreading": "Enabled" if enabled else "Disabled"}


def _networking(site: _Site) -> Tree:
    cluster = site.cluster
    networking: Tree = {
        "networkType": _network_type(site),
        "clusterNetwork": [{"cidr": each.cidr, "hostPrefix": each.host_prefix} for each in cluster.cluster_networks],
        "serviceNetwork": list(cluster.service_networks),
    }
    machine = _of_nodes(site) if site.user_managed else cluster.machine_networks
    if machine:
        networking["machineNetwork"] = [{"cidr": cidr} for cidr in machine]
    return networking


def _of_nodes(site: _Site) -> tuple[str, ...]:
    """The machine networks where the user looks after them, that in which nodes get their addresses among them."""
    inventory = site.first.inventory if site.first else None
    given = site.cluster.machine_networks or (home_networks(site.cluster, inventory) if inventory else ())
    chosen = node_addresses(site.cluster, site.hosts) if nodes_are_told(site.cluster) and site.first else {}
    network = str(chosen[site.first.id].network) if chosen and site.first else ""
    return tuple(network if network and family(cidr) == family(network) else cidr for cidr in given)


def _network_type(site: _Site) -> str:
    """The pod network; none at all is written out only where the user manages the networks."""
    if site.user_managed:
        return site.cluster.network_type or "OVNKubernetes"
    return "" if site.cluster.network_type == "None" else site.cluster.network_type


def _proxy(cluster: Cluster) -> Tree:
    """How the cluster reaches the world, never through the proxy for its own addresses."""
    proxy = cluster.proxy
    if not (proxy.http_proxy or proxy.https_proxy):
        return {}
    direct = proxy.no_proxy
    if direct != "*":
        own = (f".{cluster.domain}", *_cidrs(cluster))
        direct = ",".join((*_listed(proxy.no_proxy), *own))
    chosen = {"httpProxy": proxy.http_proxy, "httpsProxy": proxy.https_proxy, "noProxy": direct}
    return {"proxy": {key: value for key, value in chosen.items() if value}}


def _cidrs(cluster: Cluster) -> tuple[str, ...]:
    pods = (each.cidr for each in cluster.cluster_networks)
    return (*pods, *cluster.service_networks, *cluster.machine_networks)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _in_place(site: _Site) -> Tree:
    """The disk on which a single node replaces its own bootstrap."""
    if not (site.cluster.single_node and site.first):
        return {}
    return {
        "bootstrapInPlace": {"installationDisk": site.first.installation_disk_id or site.first.installation_disk_path}
    }


def _mirrored(site: _Site, mirrors: Mirrors) -> Tree:
    """Where the cluster fetches images from instead of where their names say."""
    listed = [{"source": source, "mirrors": list(places)} for source, places in mirrors.by_source.items()]
    return {"imageDigestSources" if site.since(_BY_DIGEST) else "imageContentSources": listed} if listed else {}


def _with_trust(config: Tree, infra_envs: Iterable[InfraEnv], trust: Trust) -> Tree:
    """The config with every authority: the user's, the service's, and those that hosts were discovered with."""
    own = config.get("additionalTrustBundle", "")
    discovered = (bundle for each in infra_envs for bundle in (each.additional_trust_bundle, each.mirrors.ca))
    bundles = dict.fromkeys((own, trust.vendor_ca, trust.mirrors.ca, *discovered))
    joined = "\n".join(bundle for bundle in bundles if bundle)
    return {**config, "additionalTrustBundle": joined} if joined else config


def _baremetal(site: _Site) -> Tree:
    ordered = sorted(site.hosts, key=lambda host: (_ORDER[host.effective_role], host.hostname))
    platform: Tree = {
        "provisioningNetwork": "Disabled" if site.since(_NO_PROVISIONING) else "Unmanaged",
        **_vips(site),
        "hosts": [_bare_machine(site.cluster, host) for host in ordered],
    }
    servers = _listed(site.cluster.additional_ntp_source) or tuple(
        dict.fromkeys(server for each in site.infra_envs for server in _listed(each.additional_ntp_sources))
    )
    if servers:
        platform["additionalNTPServers"] = list(servers)
    return platform


def _vips(site: _Site) -> Tree:
    """The virtual addresses and who balances the load on them."""
    cluster = site.cluster
    vips: Tree = {
        "apiVIPs": [vip.ip for vip in cluster.api_vips],
        "ingressVIPs": [vip.ip for vip in cluster.ingress_vips],
    }
    if not site.since(_SEVERAL_VIPS):
        vips |= {f"{name}VIP": vips[f"{name}VIPs"][0] for name in ("api", "ingress") if vips[f"{name}VIPs"]}
    if cluster.user_managed_load_balancer:
        vips["loadBalancer"] = {"type": "UserManaged"}
    return vips


def _bare_machine(cluster: Cluster, host: Host) -> Tree:
    boot = host.inventory.boot if host.inventory else None
    legacy = boot is not None and boot.current_boot_mode.lower() not in {"", "uefi"}
    role = Role.MASTER if host.effective_role is Role.BOOTSTRAP else host.effective_role
    return {
        "name": host.hostname,
        "role": role.value,
        "bootMACAddress": _boot_nic(cluster, host).mac_address,
        "bootMode": "legacy" if legacy else "UEFI",
        "bmc": {"username": "", "password": "", "address": "", "disableCertificateVerification": False},
        "hardwareProfile": "",
    }


def _boot_nic(cluster: Cluster, host: Host) -> Interface:
    """The first interface with an address in a machine network."""
    networks = [ip_network(cidr) for cidr in cluster.machine_networks]
    for nic in (host.inventory.interfaces if host.inventory else None) or ():
        if any(ip_interface(address).ip in network for address in nic.addresses for network in networks):
            return nic
    known = ", ".join(cluster.machine_networks) or "none is set"
    raise Invalid(
        f"machine_networks: host {host.name} has no interface with an address in a machine network ({known}); "
        "give it such an address or set the network it is in"
    )


def _external(site: _Site) -> Tree:
    platform = site.cluster.platform
    return {"platformName": platform.platform_name, "cloudControllerManager": platform.cloud_controller_manager}


def _vsphere(site: _Site) -> Tree:
    place = VSPHERE if site.since(_FAILURE_DOMAINS) else OLD_VSPHERE
    return place if site.user_managed else {**_vips(site), **place}


def _nutanix(site: _Site) -> Tree:
    return {**_vips(site), **NUTANIX}


_PLATFORMS: dict[PlatformType, Callable[[_Site], Tree]] = {
    PlatformType.BAREMETAL: _baremetal,
    PlatformType.NONE: lambda _: {},
    PlatformType.EXTERNAL: _external,
    PlatformType.VSPHERE: _vsphere,
    PlatformType.NUTANIX: _nutanix,
}

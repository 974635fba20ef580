"""The `install` step: the host is told to install itself."""

import json
from ipaddress import ip_network

from muster.domain.clusters import Cluster
from muster.domain.hosts import Host
from muster.domain.inventory import Interface
from muster.domain.record import Record
from muster.domain.releases import at_least
from muster.domain.roles import Role
from muster.domain.views import HostView

from .step import Args, Step

SKIPS_MCO_REBOOT_FROM = "4.15"


class ProxyRequest(Record):
    """How the installer reaches the world outside."""

    http_proxy: str = ""
    https_proxy: str = ""
    no_proxy: str = ""


class InstallRequest(Record):
    """Everything the installer has to know."""

    role: Role
    cluster_id: str
    infra_env_id: str
    host_id: str
    boot_device: str
    control_plane_count: int
    controller_image: str
    installer_image: str
    check_cvo: bool
    mco_image: str = ""
    must_gather_image: str = ""
    openshift_version: str = ""
    installer_args: str = ""
    disks_to_format: tuple[str, ...] = ()
    skip_installation_disk_cleanup: bool = False
    enable_skip_mco_reboot: bool = False
    notify_num_reboots: bool = True
    proxy: ProxyRequest | None = None


def _dhcp_argument(nic: Interface, cluster: Cluster) -> str | None:
    """How the installed system finds its addresses on a NIC of the machine network."""
    inside = {
        each.version
        for each in map(ip_network, cluster.machine_networks)
        for address in nic.addresses
        if (mine := ip_network(address, strict=False)).version == each.version and mine.subnet_of(each)  # type: ignore[arg-type]  # versions agree
    }
    if not inside:
        return None
    methods = ",".join(method for version, method in ((4, "dhcp"), (6, "dhcp6")) if version in inside)
    return f"ip={nic.mac_address.replace(':', '-')}:{methods}"


def installer_args(host: Host, cluster: Cluster) -> tuple[str, ...]:
    """The arguments for the program that writes the disk: the user's, then the network's."""
    args = list(host.installer_args)
    if any(arg.startswith("ip=") for arg in args) or host.inventory is None:
        return tuple(args)
    for nic in host.inventory.interfaces or ():
        argument = _dhcp_argument(nic, cluster)
        if argument:
            args += ["--append-karg", argument]
    return tuple(args)


def _proxy(cluster: Cluster) -> ProxyRequest | None:
    proxy = cluster.proxy
    if not proxy.http_proxy and not proxy.https_proxy:
        return None
    no_proxy = proxy.no_proxy
    if no_proxy != "*":
        own = ("127.0.0.1", "localhost", ".svc", ".cluster.local", f"api-int.{cluster.domain}")
        no_proxy = ",".join(dict.fromkeys([*filter(None, no_proxy.split(",")), *own]))
    return ProxyRequest(http_proxy=proxy.http_proxy, https_proxy=proxy.https_proxy, no_proxy=no_proxy)


def _ask(view: HostView) -> Args | None:
    host, cluster, policy = view.host, view.cluster, view.policy
    disk = host.inventory.disk(host.installation_disk_id) if host.inventory and host.installation_disk_id else None
    if cluster is None or disk is None:
        return None
    release = next((each for each in policy.catalogue.releases if each.url == cluster.ocp_release_image), None)
    args = installer_args(host, cluster)
    keeps_partitions = any(arg.startswith("--save-part") for arg in host.installer_args)
    return (
        InstallRequest(
            role=Role.BOOTSTRAP if host.bootstrap else host.effective_role,
            cluster_id=cluster.id,
            infra_env_id=host.infra_env_id,
            host_id=host.id,
            boot_device=disk.identifier,
            control_plane_count=cluster.control_plane_count,
            controller_image=policy.controller_image,
            installer_image=policy.installer_image,
            check_cvo=policy.check_cluster_version,
            mco_image=release.mco_image if release else "",
            must_gather_image=release.must_gather_image if release else "",
            openshift_version=cluster.openshift_version,
            installer_args=json.dumps(args, separators=(",", ":")) if args else "",
            disks_to_format=formatted_disks(host),
            skip_installation_disk_cleanup=keeps_partitions,
            enable_skip_mco_reboot=at_least(cluster.openshift_version, SKIPS_MCO_REBOOT_FROM)
            and cluster.cpu_architecture != "s390x"
            and not disk.name.startswith("dm-"),
            proxy=_proxy(cluster),
        ),
    )


def formatted_disks(host: Host) -> tuple[str, ...]:
    """The disks that are made unbootable, the ones the user wants kept excepted."""
    keeps_partitions = any(arg.startswith("--save-part") for arg in host.installer_args)
    kept = {*host.skip_formatting_disks, *([host.installation_disk_id] if keeps_partitions else [])}
    return tuple(disk for disk in host.disks_to_be_formatted if disk not in kept)


STEP = Step(kind="install", ask=_ask)

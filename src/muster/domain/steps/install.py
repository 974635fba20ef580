"""The `install` step: the host is told to install itself."""

import json

from muster.domain.clusters import Cluster
from muster.domain.inventory import Disk, Inventory
from muster.domain.joining import read_ignition
from muster.domain.record import Record
from muster.domain.releases import NO_IMAGES, ReleaseImages, at_least
from muster.domain.roles import Role
from muster.domain.views import HostView
from muster.domain.writer_args import writer_args

from .step import Args, Step

SKIPS_MCO_REBOOT_FROM = "4.15"

OPENSHIFT = "ocp"
"""The component that every must-gather begins with."""


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
    coreos_image: str = ""
    openshift_version: str = ""
    installer_args: str = ""
    disks_to_format: tuple[str, ...] = ()
    skip_installation_disk_cleanup: bool = False
    enable_skip_mco_reboot: bool = False
    notify_num_reboots: bool = False
    service_ips: tuple[str, ...] | None = ()
    """Always sent, and always null: there is no service of that kind here."""
    proxy: ProxyRequest | None = None


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
    host, cluster, inventory = view.host, view.cluster, view.host.inventory
    disk = inventory.disk(host.installation_disk_id) if inventory and host.installation_disk_id else None
    if cluster is None or inventory is None or disk is None or (view.day2 and not host.ignition_stored):
        return None
    args, system = writer_args(view, cluster, inventory, disk), system_image(view, cluster, inventory)
    if args is None or system is None:
        return None
    images = NO_IMAGES if view.day2 else images_of_release(view, cluster)
    return (
        InstallRequest(
            role=Role.BOOTSTRAP if host.bootstrap else host.effective_role,
            cluster_id=cluster.id,
            infra_env_id=host.infra_env_id,
            host_id=host.id,
            boot_device=disk.identifier,
            control_plane_count=_control_plane(view, cluster),
            controller_image=view.policy.controller_image,
            installer_image=view.policy.installer_image,
            check_cvo=view.policy.check_cluster_version,
            mco_image=images.mco,
            must_gather_image="" if view.day2 else _gathering(must_gather_images(view, cluster)),
            coreos_image=system,
            openshift_version="" if view.day2 else cluster.openshift_version,
            installer_args=json.dumps(args, separators=(",", ":")) if args else "",
            disks_to_format=host.wiped_disks,
            skip_installation_disk_cleanup=host.keeps_partitions,
            enable_skip_mco_reboot=view.policy.skip_mco_reboot and _may_skip_reboot(cluster, disk),
            notify_num_reboots=not view.policy.kube_api,
            service_ips=None,
            proxy=_proxy(cluster),
        ),
    )


def images_of_release(view: HostView, cluster: Cluster) -> ReleaseImages:
    """The images of the release to install: as the operator of the service has set them, else as the release says."""
    return view.policy.catalogue.images_of(cluster.ocp_release_image).over(cluster.preparation.images or NO_IMAGES)


def must_gather_images(view: HostView, cluster: Cluster) -> dict[str, str]:
    """The images that gather what went wrong, by component: the release's own, and those the operator has set."""
    release = images_of_release(view, cluster)
    own = {OPENSHIFT: release.must_gather} if release.must_gather else {}
    version, architecture = cluster.openshift_version, cluster.cpu_architecture
    minor = ".".join(version.split(".")[:2])
    keys = (version, f"{version}-{architecture}", f"{minor}-{architecture}", minor)
    configured = view.policy.must_gather_images
    return own | next((configured[key] for key in keys if key in configured), {})


def _gathering(images: dict[str, str]) -> str:
    """As the installer reads them: the one of OpenShift itself alone, or all of them as JSON text."""
    if images.keys() <= {OPENSHIFT}:
        return images.get(OPENSHIFT, "")
    return json.dumps(images, separators=(",", ":"), sort_keys=True)


def system_image(view: HostView, cluster: Cluster, inventory: Inventory) -> str | None:
    """What a host that runs from its own disk becomes in place; "" if it does not, None if nobody knows."""
    if inventory.boot is None or inventory.boot.device_type != "persistent":
        return ""
    joined = read_ignition(view.host.api_vip.ignition) if view.day2 and view.host.api_vip else None
    return images_of_release(view, cluster).coreos or (joined.system_image if joined else "") or None


def _control_plane(view: HostView, cluster: Cluster) -> int:
    """How many control plane hosts are installed together; 0 for a host that joins a single node.

    Whoever is told of one starts a cluster of its own.
    """
    return 0 if view.day2 and cluster.single_node else cluster.control_plane_count


def _may_skip_reboot(cluster: Cluster, disk: Disk) -> bool:
    """Whether the first system on the disk can already be the right one."""
    return (
        at_least(cluster.openshift_version, SKIPS_MCO_REBOOT_FROM)
        and cluster.cpu_architecture != "s390x"
        and not disk.name.startswith("dm-")
    )


STEP = Step(kind="install", ask=_ask)

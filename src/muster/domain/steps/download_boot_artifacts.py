"""The `download-boot-artifacts` step: an installed host fetches the discovery image, to start from it once more."""

from urllib.parse import urlencode

from muster.domain.errors import Invalid
from muster.domain.infra_envs import InfraEnv
from muster.domain.policy import Policy
from muster.domain.record import Record
from muster.domain.releases import OsImage
from muster.domain.views import HostView

from .step import Args, Step

HOST_ROOT = "/host"
"""Where an agent that runs on an installed host finds the host's own files."""


class BootArtifactsRequest(Record):
    """Where the parts of the discovery image are, and where the host's own files are found."""

    kernel_url: str
    rootfs_url: str
    initrd_url: str
    host_fs_mount_dir: str


def boot_artifacts(infra_env: InfraEnv, policy: Policy) -> BootArtifactsRequest:
    """Where the parts of an infra-env's discovery image are, for firmware too, which may know no TLS."""
    base = policy.boot_url
    query = urlencode({"arch": infra_env.cpu_architecture, "version": _version(infra_env, policy)})
    return BootArtifactsRequest(
        kernel_url=f"{base}/boot-artifacts/kernel?{query}",
        rootfs_url=f"{base}/boot-artifacts/rootfs?{query}",
        initrd_url=f"{base}/images/{infra_env.id}/pxe-initrd?{query}",
        host_fs_mount_dir=HOST_ROOT,
    )


def system_url(image: OsImage, policy: Policy) -> str:
    """Where a minimal image fetches its system: by its build, so that it is never another.

    The address has no character that would mean something to a boot loader.
    """
    build = image.version or image.openshift_version
    return f"{policy.boot_url}/boot-artifacts/{image.cpu_architecture}/{build}/rootfs"


def _version(infra_env: InfraEnv, policy: Policy) -> str:
    """The version under which the system image is known; the infra-env's own if there is none such."""
    try:
        return policy.catalogue.os_image(infra_env.openshift_version, infra_env.cpu_architecture).openshift_version
    except Invalid:
        return infra_env.openshift_version


def _ask(view: HostView) -> Args | None:
    return (boot_artifacts(view.infra_env, view.policy),) if view.infra_env else None


STEP = Step(kind="download-boot-artifacts", ask=_ask)

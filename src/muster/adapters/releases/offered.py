"""The releases on offer, each with the installer that it gets: the lab's own, or the one in the release.

Fulfils `ports.Releases`; `wiring` puts it together.
"""

from muster.domain.artifacts.assets import Assets, Order
from muster.domain.clusters import Cluster
from muster.domain.errors import Broken, NotFound
from muster.domain.installer_settings import Installer
from muster.domain.releases import MULTI, Catalogue, ReleaseImages
from muster.ports import Tell

from .kubeconfig import kubeconfig_with_ingress
from .lab import LabReleases
from .openshift_install import OpenshiftInstall
from .payload import Payloads


class OfferedReleases:
    """Releases of the lab and others. `installer` says who installs them; with `auto`, the lab only its own."""

    def __init__(self, catalogue: Catalogue, real: OpenshiftInstall, payloads: Payloads, installer: Installer) -> None:
        self._catalogue = catalogue
        self._lab = LabReleases()
        self._real = real
        self._payloads = payloads
        self._installer = installer

    def catalogue(self) -> Catalogue:
        """Every release and system image there is."""
        return self._catalogue

    async def images(self, cluster: Cluster) -> ReleaseImages:
        """The images of a cluster's release: read from it, unless it is the lab's or all of them were set."""
        release = cluster.ocp_release_image
        known = self._catalogue.images_of(release)
        if known.complete or self._is_by_lab(release):
            return known
        machine = "" if cluster.cpu_architecture == MULTI else cluster.cpu_architecture
        payload = await self._payloads.read(release, cluster.pull_secret, machine)
        try:
            return known.over(payload.for_hosts)
        except NotFound as error:
            raise Broken(str(error)) from error

    async def assets(self, order: Order, tell: Tell) -> Assets:
        """What the installer of a release makes of an order."""
        by_lab = self._is_by_lab(order.cluster.ocp_release_image)
        return await (self._lab.assets(order, tell) if by_lab else self._real.assets(order, tell))

    def _is_by_lab(self, release: str) -> bool:
        """Whether the lab stands for a release."""
        return {"lab": True, "real": False, "auto": self._lab.is_lab(release)}[self._installer]

    def with_ingress(self, kubeconfig: bytes, ingress_ca: str) -> bytes:
        """The kubeconfig that also trusts the ingress."""
        return kubeconfig_with_ingress(kubeconfig, ingress_ca)

    async def close(self) -> None:
        """Let go of every connection."""
        await self._payloads.close()

"""The releases on offer, each with the installer that it gets: the lab's own, or the one in the release.

Fulfils `ports.Releases`; `wiring` puts it together.
"""

from muster.adapters.registry import Registry
from muster.domain.artifacts.assets import Assets, Order
from muster.domain.installer_settings import Installer
from muster.domain.releases import Catalogue

from .kubeconfig import kubeconfig_with_ingress
from .lab import LabReleases
from .openshift_install import OpenshiftInstall


class OfferedReleases:
    """Releases of the lab and others. `installer` says who installs them; with `auto`, the lab only its own."""

    def __init__(self, catalogue: Catalogue, real: OpenshiftInstall, registry: Registry, installer: Installer) -> None:
        self._catalogue = catalogue
        self._lab = LabReleases()
        self._real = real
        self._registry = registry
        self._installer = installer

    def catalogue(self) -> Catalogue:
        """Every release and system image there is."""
        return self._catalogue

    async def assets(self, order: Order) -> Assets:
        """What the installer of a release makes of an order."""
        own = self._lab.is_lab(order.cluster.ocp_release_image)
        by_lab = {"lab": True, "real": False, "auto": own}[self._installer]
        return await (self._lab.assets(order) if by_lab else self._real.assets(order))

    def with_ingress(self, kubeconfig: bytes, ingress_ca: str) -> bytes:
        """The kubeconfig that also trusts the ingress."""
        return kubeconfig_with_ingress(kubeconfig, ingress_ca)

    async def close(self) -> None:
        """Let go of every connection."""
        await self._registry.close()

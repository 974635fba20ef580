"""Migration Toolkit for Virtualization: virtual machines are brought in from elsewhere."""

from typing import TYPE_CHECKING

from .everywhere import on_every_host
from .manifests import SHORT, Manifests, Tree, resource
from .operator import IN_VIRTUALIZATION, Addition
from .settings import OperatorSettings

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView


def share(settings: OperatorSettings, _: bool) -> Addition:
    """What each host gives."""
    return Addition(cpu_cores=settings.mtv_cpu_per_host, ram_mib=settings.mtv_memory_per_host_mib)


def later(_: "ClusterView") -> tuple[Tree, ...]:
    """The part that brings machines in."""
    spec = {"olm_managed": True}
    return (
        resource("forklift.konveyor.io/v1beta1", "ForkliftController", "forklift-controller", "openshift-mtv", spec),
    )


OPERATOR = on_every_host(
    share,
    in_words=True,
    name="mtv",
    title="OpenShift Migration Toolkit for Virtualization",
    namespace="openshift-mtv",
    subscription="mtv-operator",
    manifests=Manifests(stem="50_openshift-mtv", names=SHORT, later=later),
    timeout_seconds=3600,
    dependencies=("cnv",),
    bundles=IN_VIRTUALIZATION,
    first_version="4.14",
)

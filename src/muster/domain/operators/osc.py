"""OpenShift sandboxed containers: each pod in a small virtual machine of its own."""

from typing import TYPE_CHECKING

from .everywhere import on_every_host
from .manifests import SHORT, Manifests, Tree, resource
from .operator import Addition
from .settings import OperatorSettings

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView


def share(settings: OperatorSettings, _: bool) -> Addition:
    """What each host gives."""
    return Addition(cpu_cores=settings.osc_cpu_per_host, ram_mib=settings.osc_memory_per_host_mib)


def later(_: "ClusterView") -> tuple[Tree, ...]:
    """Nodes on which pods get a machine of their own: those that are labelled as able to."""
    spec = {"checkNodeEligibility": True, "enablePeerPods": False}
    return (resource("kataconfiguration.openshift.io/v1", "KataConfig", "cluster-kataconfig", spec=spec),)


OPERATOR = on_every_host(
    share,
    in_words=True,
    name="osc",
    title="OpenShift sandboxed containers",
    namespace="openshift-sandboxed-containers-operator",
    subscription="sandboxed-containers-operator",
    manifests=Manifests(stem="50_openshift-osc", names=SHORT, later=later),
    timeout_seconds=3600,
    dependencies=("node-feature-discovery",),
    first_version="4.10",
)

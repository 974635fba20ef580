"""NVIDIA GPU: drivers for NVIDIA's cards."""

from typing import TYPE_CHECKING

from muster.domain.verdicts import Verdict

from .gpus import drivers_can_be_loaded, some_host_has_card
from .manifests import CERTIFIED, Manifests, Tree, resource
from .operator import BundleId, Membership, Operator

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView, HostView

TITLE = "NVIDIA GPU"


def on_host(view: "HostView") -> Verdict:
    """A host with a card can load its drivers."""
    return drivers_can_be_loaded(view, TITLE, view.policy.operators.nvidia_supported_gpus)


def on_cluster(view: "ClusterView") -> Verdict:
    """There is a card."""
    settings = view.policy.operators
    return some_host_has_card(view, TITLE, settings.nvidia_supported_gpus, insists=settings.nvidia_require_gpu)


def later(_: "ClusterView") -> tuple[Tree, ...]:
    """Drivers, and all that uses them, on all nodes with a card; each part is as it is unasked."""
    parts = ("daemonsets", "dcgm", "dcgmExporter", "devicePlugin", "gfd", "toolkit")
    spec = {
        "operator": {"defaultRuntime": "crio"},
        "driver": {"enabled": True},
        "nodeStatusExporter": {"enabled": True},
        **{part: {} for part in parts},
    }
    return (resource("nvidia.com/v1", "ClusterPolicy", "gpu-cluster-policy", spec=spec),)


OPERATOR = Operator(
    name="nvidia-gpu",
    title=TITLE,
    namespace="nvidia-gpu-operator",
    subscription="gpu-operator-certified",
    manifests=Manifests(stem="50_nvidia_gpu", channel="stable", source=CERTIFIED, later=later),
    dependencies=("node-feature-discovery",),
    bundles=(Membership(bundle=BundleId.OPENSHIFT_AI, optional=True),),
    on_host=on_host,
    on_cluster=on_cluster,
)

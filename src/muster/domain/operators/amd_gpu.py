"""AMD GPU: drivers for AMD's cards."""

from typing import TYPE_CHECKING

from muster.domain.verdicts import Verdict

from .gpus import drivers_can_be_loaded, some_host_has_card
from .operator import BundleId, Membership, Operator

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView, HostView

TITLE = "AMD GPU"


def on_host(view: "HostView") -> Verdict:
    """A host with a card can load its drivers."""
    return drivers_can_be_loaded(view, TITLE, view.policy.operators.amd_supported_gpus)


def on_cluster(view: "ClusterView") -> Verdict:
    """There is a card."""
    settings = view.policy.operators
    return some_host_has_card(view, TITLE, settings.amd_supported_gpus, insists=settings.amd_require_gpu)


OPERATOR = Operator(
    name="amd-gpu",
    title=TITLE,
    namespace="openshift-amd-gpu",
    subscription="amd-gpu-operator",
    dependencies=("node-feature-discovery", "kmm"),
    bundles=(Membership(bundle=BundleId.OPENSHIFT_AI, optional=True),),
    on_host=on_host,
    on_cluster=on_cluster,
)

"""AMD GPU: drivers for AMD's cards."""

from typing import TYPE_CHECKING

from muster.domain.artifacts.ignition import config, file
from muster.domain.artifacts.machine_config import machine_config
from muster.domain.roles import Role
from muster.domain.verdicts import Verdict

from .gpus import drivers_can_be_loaded, some_host_has_card
from .manifests import CERTIFIED, Files, Manifests, Tree, resource
from .operator import BundleId, Membership, Operator

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView, HostView

TITLE = "AMD GPU"
NAMESPACE = "openshift-amd-gpu"
STEM = "50_amd_gpu"
LABEL = "feature.node.kubernetes.io/amd-gpu"
"""What nodes with a card are labelled with."""


def on_host(view: "HostView") -> Verdict:
    """A host with a card can load its drivers."""
    return drivers_can_be_loaded(view, TITLE, view.policy.operators.amd_supported_gpus)


def on_cluster(view: "ClusterView") -> Verdict:
    """There is a card."""
    settings = view.policy.operators
    return some_host_has_card(view, TITLE, settings.amd_supported_gpus, insists=settings.amd_require_gpu)


def more(_: "ClusterView") -> Files:
    """Nodes leave the driver of their own kernel alone, from the start: it would take a restart later."""
    blacklist = config([file("/etc/modprobe.d/amdgpu-blacklist.conf", "blacklist amdgpu\n")])
    return {
        f"{STEM}_{role}s_module_blacklist.yaml": machine_config(
            f"99-openshift-{role}-amdgpu-module-blacklist", role, blacklist
        )
        for role in (Role.MASTER, Role.WORKER)
    }


def later(_: "ClusterView") -> tuple[Tree, ...]:
    """Drivers that are made in the cluster, and measurements, on all nodes with a card."""
    spec = {
        "driver": {"enable": True},
        "metricsExporter": {"enable": True, "prometheus": {"serviceMonitor": {"enable": True}}},
        "selector": {LABEL: "true"},
    }
    return (resource("amd.com/v1alpha1", "DeviceConfig", "amd-gpu", NAMESPACE, spec),)


OPERATOR = Operator(
    name="amd-gpu",
    title=TITLE,
    namespace=NAMESPACE,
    subscription="amd-gpu-operator",
    manifests=Manifests(stem=STEM, channel="alpha", source=CERTIFIED, measured=True, more=more, later=later),
    dependencies=("node-feature-discovery", "kmm"),
    bundles=(Membership(bundle=BundleId.OPENSHIFT_AI, optional=True),),
    on_host=on_host,
    on_cluster=on_cluster,
)

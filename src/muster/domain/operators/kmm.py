"""Kernel Module Management: modules are built for and loaded into the kernel of nodes."""

from typing import TYPE_CHECKING

from muster.domain.verdicts import Verdict

from .gpus import drivers_can_be_loaded
from .manifests import Files, Manifests, Reach
from .operator import Operator
from .setup_job import REGISTRY, REGISTRY_RIGHTS, SetupJob

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView, HostView

TITLE = "KMM"
NAMESPACE = "openshift-kmm"
STEM = "50_kmm"


def on_host(view: "HostView") -> Verdict:
    """The host can load what is built for it."""
    return drivers_can_be_loaded(view, TITLE)


def more(view: "ClusterView") -> Files:
    """Modules are built in the cluster, so it needs somewhere to keep them."""
    job = SetupJob(operator="kmm", namespace=NAMESPACE, script=REGISTRY, rights=(REGISTRY_RIGHTS,))
    return job.files(STEM, view)


OPERATOR = Operator(
    name="kmm",
    title=TITLE,
    namespace=NAMESPACE,
    subscription="kernel-module-management",
    manifests=Manifests(stem=STEM, channel="stable", reach=Reach.EVERYWHERE, more=more),
    on_host=on_host,
)

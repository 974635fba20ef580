"""OpenShift AI: models are trained and served."""

from typing import TYPE_CHECKING

from muster.domain.clusters import Cluster
from muster.domain.roles import Role
from muster.domain.validations.facts import asked
from muster.domain.verdicts import Verdict, failed, passed

from .manifests import Files, Manifests, Reach, Tree, resource
from .operator import GIB_IN_MIB, IN_OPENSHIFT_AI, NOTHING, Addition, Forecast, Needs, Operator, selected
from .rules import fits
from .settings import OperatorSettings
from .setup_job import REGISTRY, REGISTRY_RIGHTS, SetupJob

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView, HostView

TITLE = "OpenShift AI"
NAMESPACE = "redhat-ods-operator"
APPLICATIONS = "redhat-ods-applications"
STEM = "50_openshift_ai"


def share(settings: OperatorSettings) -> Addition:
    """What each worker gives."""
    return Addition(
        cpu_cores=settings.openshift_ai_min_worker_cpu_cores,
        ram_mib=settings.openshift_ai_min_worker_memory_gib * GIB_IN_MIB,
    )


def addition(view: "HostView") -> Addition:
    """Workers do the work."""
    return share(view.policy.operators) if view.role is Role.WORKER else NOTHING


def on_host(view: "HostView") -> Verdict:
    """The host has room for it."""
    return fits(view, TITLE, addition(view))


def on_cluster(view: "ClusterView") -> Verdict:
    """There are workers enough, unless one host is all there is."""
    least, workers = view.policy.operators.openshift_ai_min_worker_nodes, view.peers.counted(Role.WORKER)
    evidence = asked(f"{workers} workers", f"{least} workers, or a single node")
    if view.cluster.single_node or workers >= least:
        return passed(f"There are workers enough for {TITLE}", evidence)
    return failed(
        f"{TITLE} needs {least} workers; there are {workers}",
        evidence.but(fix=f"Add hosts, give more of them the role worker, or leave {TITLE} out."),
    )


def forecast(_: Cluster, settings: OperatorSettings) -> Forecast:
    """What workers need."""
    return Forecast(master=Needs(words=()), worker=Needs(addition=share(settings), words=()))


def dependencies(cluster: Cluster, _: OperatorSettings) -> tuple[str, ...]:
    """A single node brings no storage along otherwise."""
    return ("lvm",) if cluster.single_node else ()


STORAGE = {"odf": "ocs-storagecluster-ceph-rbd", "lvm": "lvms-vg1"}
"""The volumes that it uses, by the operator that makes them."""

DEFAULT_CLASS = r"""
# Notebooks and models ask for storage without saying which, so one kind of it has to be what they mean.
mark=storageclass.kubernetes.io/is-default-class
found=$(oc get storageclass --output \
    'jsonpath={.items[?(@.metadata.annotations.storageclass\.kubernetes\.io/is-default-class=="true")].metadata.name}')
if [[ -n $found ]]; then
    echo "storage is taken from $found already where nobody says from which"
else
    oc annotate --overwrite storageclass "$class" "$mark=true"
fi
"""
"""Makes `$class` the storage that is meant where nobody says which, once it is there."""

STORAGE_RIGHTS: Tree = {
    "apiGroups": ["storage.k8s.io"],
    "resources": ["storageclasses"],
    "verbs": ["get", "list", "patch"],
}

CARDS = {"nvidia-gpu": ("NVIDIA GPU", "nvidia.com/gpu"), "amd-gpu": ("AMD GPU", "amd.com/gpu")}
"""What cards are called and asked for by, by the operator that brings their drivers."""


def more(view: "ClusterView") -> Files:
    """It makes images in the cluster and asks for storage, so there has to be somewhere to keep both."""
    chosen = next((STORAGE[name] for name in STORAGE if selected(view.cluster, name)), "")
    job = SetupJob(
        operator="openshift-ai",
        namespace=NAMESPACE,
        script=f"{REGISTRY}class={chosen}\n{DEFAULT_CLASS}" if chosen else REGISTRY,
        rights=(REGISTRY_RIGHTS, STORAGE_RIGHTS) if chosen else (REGISTRY_RIGHTS,),
    )
    return job.files(STEM, view)


def later(view: "ClusterView") -> tuple[Tree, ...]:
    """Its parts, and a profile for each kind of card that drivers were chosen for."""
    meshed = selected(view.cluster, "servicemesh") and selected(view.cluster, "serverless")
    start = {
        "applicationsNamespace": APPLICATIONS,
        "monitoring": {"managementState": "Managed", "namespace": "redhat-ods-monitoring"},
        "serviceMesh": {"managementState": "Managed" if meshed else "Removed"},
        "trustedCABundle": {"managementState": "Managed", "customCABundle": ""},
    }
    return (
        resource("dscinitialization.opendatahub.io/v1", "DSCInitialization", "default-dsci", spec=start),
        resource("datasciencecluster.opendatahub.io/v1", "DataScienceCluster", "default-dsc", spec=_parts(meshed)),
        *(_profile(name, *card) for name, card in CARDS.items() if selected(view.cluster, name)),
    )


def _parts(meshed: bool) -> Tree:
    """Models are served only while they are called where the cluster can do that, otherwise always."""
    managed = {"managementState": "Managed"}
    alone = {"serving": {"managementState": "Removed"}, "defaultDeploymentMode": "RawDeployment"}
    serving = managed | ({"serving": {"managementState": "Managed", "name": "knative-serving"}} if meshed else alone)
    plain = dict.fromkeys(("dashboard", "datasciencepipelines", "workbenches"), managed)
    return {"components": {**plain, "kserve": serving}}


def _profile(name: str, title: str, identifier: str) -> Tree:
    """What somebody gets who asks for a card."""
    counts = (("cpu", "CPU", 2, 1), ("memory", "Memory", "4Gi", "2Gi"), (identifier, title, 1, 1))
    spec = {
        "identifiers": [
            {"identifier": each, "displayName": called, "defaultCount": usual, "minCount": least}
            for each, called, usual, least in counts
        ],
        "scheduling": {"type": "Node", "node": {"tolerations": [{"key": identifier, "operator": "Exists"}]}},
    }
    plain = resource("infrastructure.opendatahub.io/v1alpha1", "HardwareProfile", name, APPLICATIONS, spec)
    return plain | {"metadata": plain["metadata"] | {"annotations": {"opendatahub.io/display-name": title}}}


OPERATOR = Operator(
    name="openshift-ai",
    title=TITLE,
    namespace=NAMESPACE,
    subscription="rhods-operator",
    manifests=Manifests(stem=STEM, channel="stable", reach=Reach.EVERYWHERE, more=more, later=later),
    dependencies=dependencies,
    bundles=IN_OPENSHIFT_AI,
    first_version="4.12",
    addition=addition,
    on_host=on_host,
    on_cluster=on_cluster,
    forecast=forecast,
)

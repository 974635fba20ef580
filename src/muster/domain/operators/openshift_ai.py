"""OpenShift AI: models are trained and served."""

from typing import TYPE_CHECKING

from muster.domain.clusters import Cluster
from muster.domain.roles import Role
from muster.domain.validations.facts import asked
from muster.domain.verdicts import Verdict, failed, passed

from .operator import GIB_IN_MIB, IN_OPENSHIFT_AI, NOTHING, Addition, Forecast, Needs, Operator
from .rules import fits
from .settings import OperatorSettings

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView, HostView

TITLE = "OpenShift AI"


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


OPERATOR = Operator(
    name="openshift-ai",
    title=TITLE,
    namespace="redhat-ods-operator",
    subscription="rhods-operator",
    dependencies=dependencies,
    bundles=IN_OPENSHIFT_AI,
    first_version="4.12",
    addition=addition,
    on_host=on_host,
    on_cluster=on_cluster,
    forecast=forecast,
)

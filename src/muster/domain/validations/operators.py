"""The checks of OLM operators: of every host and of the cluster, made from what each operator's record says.

What is not selected is not judged. Clients are told of it all the same, with the words of `UNSELECTED`.
"""

from functools import partial

from muster.domain.clusters import Cluster
from muster.domain.features.levels import holds
from muster.domain.features.operators import OPERATORS
from muster.domain.operators import OLM_OPERATORS
from muster.domain.operators.operator import Operator, selected
from muster.domain.operators.rules import too_old
from muster.domain.verdicts import Finding, Gate, Status, Verdict, failed, passed
from muster.domain.views import OTHERS, ClusterView, HostView

from .facts import asked, cluster_of
from .registry import Validation, validation

UNSELECTED = {
    operator.check: Finding(status=Status.SUCCESS, message="The operator is disabled")
    for operator in OLM_OPERATORS.values()
}
"""What clients are told of the operators of a cluster that are not selected."""

RUNNING = passed("The running cluster looks after its operators", asked("running", "nothing"))

check = partial(validation, category="operators", gate=Gate.INSTALL)


def _of_host(operator: Operator) -> Validation[HostView]:
    @check(operator.check, in_pool=False, switchable=False, of_others=OTHERS)
    def judge(view: HostView) -> Verdict | None:
        cluster = cluster_of(view)
        if not selected(cluster, operator.name):
            return None
        return RUNNING if cluster.day2 else operator.on_host(view)

    return judge.but(promise=f"The host has what {operator.title} needs, if it is selected.")


def _of_cluster(operator: Operator) -> Validation[ClusterView]:
    @check(operator.check)
    def judge(view: ClusterView) -> Verdict | None:
        cluster = view.cluster
        if not selected(cluster, operator.name):
            return None
        if cluster.day2:
            return RUNNING
        missing = _absent(operator, cluster) or too_old(operator, cluster, view.policy.operators)
        return missing or operator.on_cluster(view)

    return judge.but(promise=f"The cluster has what {operator.title} needs, if it is selected.")


FEATURES = {feature.operator: feature for feature in OPERATORS}


def _absent(operator: Operator, cluster: Cluster) -> Verdict | None:
    """Why there is no such operator for the cluster's architecture; None if there is."""
    architecture, version = cluster.cpu_architecture, cluster.openshift_version
    lacking = FEATURES[operator.name].not_on
    if not holds(lacking, architecture, version):
        return None
    others = ", ".join(name for name in lacking if holds(lacking, name, version))
    return failed(
        f"{operator.title} is not there for {architecture} in OpenShift {version}",
        asked(architecture, f"an architecture other than {others}", f"Leave {operator.title} out of the cluster."),
    )


@validation("openshift-ai-gpu-requirements-satisfied", category="operators")
def openshift_ai_gpu(view: ClusterView) -> Verdict | None:
    """OpenShift AI can use GPUs, if it is selected; it can do without."""
    if not selected(view.cluster, "openshift-ai"):
        return None
    vendors = [name for name in ("nvidia-gpu", "amd-gpu") if selected(view.cluster, name)]
    return passed(
        f"OpenShift AI uses GPUs by {', '.join(vendors)}" if vendors else "OpenShift AI does without GPUs",
        asked(", ".join(vendors) or "none", "any"),
    )


OF_HOSTS: tuple[Validation[HostView], ...] = tuple(
    sorted(map(_of_host, OLM_OPERATORS.values()), key=lambda check: check.id)
)
OF_CLUSTERS: tuple[Validation[ClusterView], ...] = (*map(_of_cluster, OLM_OPERATORS.values()), openshift_ai_gpu)


def spoken(findings: dict[str, Finding]) -> dict[str, Finding]:
    """What was found of a host or a cluster, with what is said of operators that are not selected."""
    return UNSELECTED | findings if findings else findings

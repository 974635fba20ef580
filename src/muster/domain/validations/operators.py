"""The checks of OLM operators, one row each: what it asks of every host, and what of the cluster.

To add an operator, add a row. What is not selected is not judged.
"""

from functools import partial

from muster.domain.operators.storage import selected
from muster.domain.record import Record
from muster.domain.verdicts import Evidence, Gate, Verdict, passed
from muster.domain.views import ClusterView, HostView

from .facts import asked, cluster_of
from .operator_rules import (
    ClusterRule,
    HostRule,
    ai_on_cluster,
    amd_on_cluster,
    amd_on_host,
    cnv_on_host,
    fits,
    kmm_on_host,
    lvm_on_cluster,
    lvm_on_host,
    no_cluster_rule,
    no_host_rule,
    nvidia_on_cluster,
    nvidia_on_host,
    odf_on_cluster,
    odf_on_host,
    since,
)
from .registry import Validation, validation


class Row(Record):
    """An operator and its rules. The id of its checks follows from its name unless it has one of its own."""

    operator: str
    own_id: str = ""
    host: HostRule = no_host_rule
    cluster: ClusterRule = no_cluster_rule

    @property
    def id(self) -> str:
        """What clients call its checks."""
        return self.own_id or f"{self.operator}-requirements-satisfied"


ROWS = (
    Row(operator="amd-gpu", host=amd_on_host, cluster=amd_on_cluster),
    Row(operator="authorino"),
    Row(operator="cluster-observability"),
    Row(operator="cnv", host=cnv_on_host),
    Row(operator="fence-agents-remediation"),
    Row(operator="kmm", host=kmm_on_host),
    Row(operator="kube-descheduler"),
    Row(operator="loki", cluster=partial(since, "4.17")),
    Row(operator="lso"),
    Row(operator="lvm", host=lvm_on_host, cluster=lvm_on_cluster),
    Row(operator="mce", host=partial(fits, "mce"), cluster=partial(since, "4.10")),
    Row(operator="metallb"),
    Row(operator="mtv", host=partial(fits, "mtv"), cluster=partial(since, "4.14")),
    Row(operator="nmstate", cluster=partial(since, "4.12")),
    Row(operator="node-feature-discovery"),
    Row(operator="node-healthcheck"),
    Row(operator="node-maintenance"),
    Row(operator="numaresources", own_id="numa-resources-requirements-satisfied"),
    Row(operator="nvidia-gpu", host=nvidia_on_host, cluster=nvidia_on_cluster),
    Row(operator="oadp"),
    Row(operator="odf", host=odf_on_host, cluster=odf_on_cluster),
    Row(operator="openshift-ai", host=partial(fits, "openshift-ai"), cluster=ai_on_cluster),
    Row(operator="openshift-logging", cluster=partial(since, "4.17")),
    Row(operator="osc", host=partial(fits, "osc"), cluster=partial(since, "4.10")),
    Row(operator="pipelines"),
    Row(operator="self-node-remediation"),
    Row(operator="serverless"),
    Row(operator="servicemesh"),
)

NOT_SELECTED = passed("The operator is disabled", asked("not selected", "nothing"))
RUNNING = passed("The running cluster looks after its operators", Evidence(measured="running", required="nothing"))

check = partial(validation, category="operators", gate=Gate.INSTALL)


def _of_host(row: Row) -> Validation[HostView]:
    @check(row.id, in_pool=False)
    def judge(view: HostView) -> Verdict:
        """The host has what the operator needs, if it is selected."""
        cluster = cluster_of(view)
        if not selected(cluster, row.operator):
            return NOT_SELECTED
        return RUNNING if cluster.day2 else row.host(view)

    return judge


def _of_cluster(row: Row) -> Validation[ClusterView]:
    @check(row.id)
    def judge(view: ClusterView) -> Verdict:
        """The cluster has what the operator needs, if it is selected."""
        if not selected(view.cluster, row.operator):
            return NOT_SELECTED
        return RUNNING if view.cluster.day2 else row.cluster(view)

    return judge


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


OF_HOSTS: tuple[Validation[HostView], ...] = tuple(_of_host(row) for row in sorted(ROWS, key=lambda row: row.id))
OF_CLUSTERS: tuple[Validation[ClusterView], ...] = (*(_of_cluster(row) for row in ROWS), openshift_ai_gpu)

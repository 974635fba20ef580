"""What the controller in the new cluster reports."""

from muster.domain import events
from muster.domain.draft import Accepts, Draft
from muster.domain.effects import PublishKubeconfig
from muster.domain.errors import Invalid, NotFound
from muster.domain.monitored import OperatorStatus
from muster.domain.progress import FinalizingStage
from muster.domain.states.clusters import ClusterState
from muster.domain.triggers import (
    ClusterLogsReported,
    CompletionReported,
    FinalizingStageReported,
    IngressCaUploaded,
    KubeconfigDelayed,
    KubeconfigPublished,
    OperatorReported,
)

TAKES_STAGES = frozenset(
    {ClusterState.INSTALLING, ClusterState.FINALIZING, ClusterState.PENDING_USER_ACTION, ClusterState.INSTALLED}
)
"""A cluster is installed as soon as nothing is missing; the controller tells of its last stages after that."""

STATUSES = frozenset({"", *OperatorStatus})
TAKES_INGRESS_CA = frozenset({ClusterState.FINALIZING, ClusterState.INSTALLED})


def operator(draft: Draft, asked: OperatorReported) -> None:
    """How an operator is doing."""
    cluster = draft.cluster
    if not asked.name:
        raise Invalid("name: say which operator is meant")
    known = {each.name: each for each in cluster.operators}
    if asked.name not in known:
        raise NotFound(f"Cluster {cluster.name} has no operator {asked.name}; it has {', '.join(known) or 'none'}")
    if asked.status not in STATUSES:
        raise Invalid(f"status: {asked.status!r} is none of {', '.join(OperatorStatus)}")
    old = known[asked.name]
    new = old.but(
        status=OperatorStatus(asked.status) if asked.status else old.status,
        status_info=asked.status_info or old.status_info,
        version=asked.version or old.version,
    )
    if new is old:
        return
    known[asked.name] = new.but(status_updated_at=draft.view.now)
    draft.put(cluster.but(operators=tuple(known.values())))
    draft.tell(events.cluster_operator_status(cluster, new.name, new.status or "", new.status_info))


def finalizing_stage(draft: Draft, asked: FinalizingStageReported) -> None:
    """The next stage of the cluster's coming up."""
    cluster = draft.cluster
    if asked.stage not in {stage.value for stage in FinalizingStage}:
        raise Invalid(f"finalizing_stage: {asked.stage!r} is none of {', '.join(FinalizingStage)}")
    if cluster.status not in TAKES_STAGES:
        raise Invalid(f"Cluster {cluster.name} is {cluster.status}; it takes no finalizing stage")
    if cluster.progress.finalizing_stage == asked.stage:
        return
    progress = cluster.progress.but(
        finalizing_stage=FinalizingStage(asked.stage),
        finalizing_stage_started_at=draft.view.now,
        finalizing_stage_timed_out=False,
    )
    draft.put(cluster.but(progress=progress))
    draft.tell(events.cluster_finalizing_stage_updated(draft.cluster))


def ingress_ca(draft: Draft, asked: IngressCaUploaded) -> None:
    """The ingress is to be trusted by the kubeconfig; once is enough."""
    cluster = draft.cluster
    if cluster.kubeconfig_published:
        return
    if cluster.status not in TAKES_INGRESS_CA:
        raise Invalid(f"Cluster {cluster.name} is {cluster.status}; it takes no ingress certificate yet")
    attempt = cluster.preparation.attempt
    draft.start(PublishKubeconfig(cluster_id=cluster.id, ingress_ca=asked.pem, attempt=attempt))


def kubeconfig(draft: Draft, _: KubeconfigPublished) -> None:
    """The kubeconfig can be had, unless its cluster was cancelled or reset in the meantime."""
    if draft.cluster.status in TAKES_STAGES:
        draft.put(draft.cluster.but(kubeconfig_published=True))


def kubeconfig_delayed(draft: Draft, happened: KubeconfigDelayed) -> None:
    """The user sees what a cluster that is coming up waits for."""
    draft.tell(events.kubeconfig_delayed(draft.cluster, happened.reason))


def completion(draft: Draft, asked: CompletionReported) -> None:
    """The controller's last word. It only tells; the cluster's state follows from what was reported before."""
    cluster = draft.cluster
    if not asked.is_success and (asked.failed_operators or asked.error_info):
        draft.tell(events.cluster_operator_report(cluster, asked.failed_operators, asked.error_info))


def logs(draft: Draft, asked: ClusterLogsReported) -> None:
    """The controller's logs."""
    cluster, now = draft.cluster, draft.view.now
    if asked.uploaded:
        if cluster.controller_logs_collected_at is None:
            draft.tell(events.cluster_logs_uploaded(cluster))
        draft.put(cluster.but(logs_info="collecting", controller_logs_collected_at=now))
    elif asked.state == "requested":
        draft.put(cluster.but(logs_info=asked.state, controller_logs_started_at=now))
    else:
        draft.put(cluster.but(logs_info=asked.state))


ACCEPTS: Accepts = {
    OperatorReported: operator,
    FinalizingStageReported: finalizing_stage,
    IngressCaUploaded: ingress_ca,
    KubeconfigPublished: kubeconfig,
    KubeconfigDelayed: kubeconfig_delayed,
    CompletionReported: completion,
    ClusterLogsReported: logs,
}

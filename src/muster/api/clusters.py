"""Clusters over REST."""

from typing import Any

from muster.api.call import Call, serves
from muster.domain.errors import Invalid, NotFound
from muster.domain.inputs.credentials import is_certificates
from muster.domain.triggers import (
    Asked,
    Cancel,
    ClusterLogsReported,
    CompletionReported,
    DeleteCluster,
    FinalizingStageReported,
    IngressCaUploaded,
    Install,
    OperatorReported,
    RegisterCluster,
    Reset,
    UpdateCluster,
)
from muster.domain.views import View, cluster_scope
from muster.wire.clusters import cluster_out, hosts_out, image_info, operator_out, without_hosts
from muster.wire.endpoints import clusters as rows


async def view_of(call: Call) -> View:
    """The cluster that a call names, with its hosts."""
    cluster_id = call.parameters["cluster_id"]
    try:
        view = await call.service.engine.view(cluster_scope(cluster_id))
    except NotFound:
        view = None
    if view is None or view.cluster is None or view.cluster.deleted_at is not None:
        raise NotFound(f"There is no cluster {cluster_id}")
    return call.service.engine.present(view)


async def _asked(call: Call, trigger: Asked) -> View:
    """The cluster after something was asked of it."""
    await view_of(call)
    decision = await call.service.engine.submit(cluster_scope(call.parameters["cluster_id"]), trigger, call.sender)
    return call.service.engine.present(decision.view)


@serves(rows.REGISTER_CLUSTER)
async def register_cluster(call: Call) -> dict[str, Any]:
    """Describe a new cluster."""
    cluster_id = call.service.new_id()
    trigger = RegisterCluster(cluster_id=cluster_id, inputs=call.body)
    decision = await call.service.engine.submit(cluster_scope(cluster_id), trigger, call.sender)
    return cluster_out(decision.view)


@serves(rows.LIST_CLUSTERS)
async def list_clusters(call: Call) -> list[dict[str, Any]]:
    """Every cluster there is."""
    wanted = call.query
    views = [view for view in await call.service.views("cluster") if view.cluster is not None]
    return [
        cluster_out(view, hosts=wanted.with_hosts, full=False)
        for view in views
        if view.cluster is not None
        and view.cluster.deleted_at is None
        and (wanted.openshift_cluster_id in (None, view.cluster.openshift_cluster_id))
    ]


@serves(rows.GET_CLUSTER)
async def get_cluster(call: Call) -> dict[str, Any]:
    """One cluster."""
    view = await view_of(call)
    if call.query.exclude_hosts:
        return without_hosts(cluster_out(view, hosts=False))
    return cluster_out(view)


@serves(rows.UPDATE_CLUSTER)
async def update_cluster(call: Call) -> dict[str, Any]:
    """Describe a cluster differently."""
    view = await _asked(call, UpdateCluster(changes=call.body))
    assert view.cluster is not None
    return cluster_out(view) | {"image_info": image_info(view.cluster)}


@serves(rows.DELETE_CLUSTER)
async def delete_cluster(call: Call) -> None:
    """Give a cluster up."""
    await _asked(call, DeleteCluster())


@serves(rows.LIST_CLUSTER_HOSTS)
async def list_cluster_hosts(call: Call) -> list[dict[str, Any]]:
    """The hosts of a cluster; none if there is no such cluster."""
    try:
        hosts = hosts_out(await view_of(call), full=False)
    except NotFound:
        return []
    wanted = call.query
    left_out = {
        name
        for name, given in (("inventory", wanted.with_inventory), ("connectivity", wanted.with_connectivity))
        if not given
    }
    return [
        {key: value for key, value in host.items() if key not in left_out}
        for host in hosts
        if (not wanted.role or host["role"] == wanted.role) and (not wanted.status or host["status"] == wanted.status)
    ]


@serves(rows.INSTALL_CLUSTER)
async def install_cluster(call: Call) -> dict[str, Any]:
    """Press install."""
    return cluster_out(await _asked(call, Install()), full=False)


def _acted_out(view: View) -> dict[str, Any]:
    """A cluster with its hosts in full, as it is shown once its installation was stopped."""
    return cluster_out(view, hosts=False, full=False) | {"hosts": hosts_out(view)}


@serves(rows.CANCEL_INSTALLATION)
async def cancel_installation(call: Call) -> dict[str, Any]:
    """Stop the installation."""
    return _acted_out(await _asked(call, Cancel()))


@serves(rows.RESET_CLUSTER)
async def reset_cluster(call: Call) -> dict[str, Any]:
    """Start over."""
    return _acted_out(await _asked(call, Reset()))


@serves(rows.COMPLETE_INSTALLATION)
async def complete_installation(call: Call) -> dict[str, Any]:
    """The controller's last word."""
    report = call.body
    trigger = CompletionReported(
        is_success=report.is_success, error_info=report.error_info, failed_operators=report.failed_operators
    )
    return cluster_out(await _asked(call, trigger), full=False)


@serves(rows.FINALIZING_PROGRESS)
async def finalizing_progress(call: Call) -> None:
    """The stage a new cluster has come to."""
    await _asked(call, FinalizingStageReported(stage=call.body.finalizing_stage))


@serves(rows.LIST_OPERATORS)
async def list_operators(call: Call) -> list[dict[str, Any]]:
    """The operators of a cluster; none if there is no such cluster."""
    wanted = call.query.operator_name
    try:
        cluster = (await view_of(call)).cluster
    except NotFound:
        cluster = None
    found = [
        operator_out(each, cluster.id)
        for each in (cluster.operators if cluster else ())
        if cluster and (not wanted or each.name == wanted)
    ]
    if wanted and not found:
        raise NotFound(f"There is no operator {wanted} in this cluster")
    return found


@serves(rows.REPORT_OPERATOR)
async def report_operator(call: Call) -> None:
    """How an operator is doing."""
    report = call.body
    await _asked(
        call,
        OperatorReported(
            name=report.name, status=report.status, status_info=report.status_info, version=report.version
        ),
    )


@serves(rows.UPLOAD_INGRESS_CERT)
async def upload_ingress_cert(call: Call) -> None:
    """The certificate authority of the ingress."""
    await view_of(call)
    if not is_certificates(call.body):
        raise Invalid("body: the certificate of the ingress must be in PEM form (-----BEGIN CERTIFICATE-----)")
    await _asked(call, IngressCaUploaded(pem=call.body))


@serves(rows.CLUSTER_LOGS_PROGRESS)
async def cluster_logs_progress(call: Call) -> None:
    """How far the collection of the controller's logs has come."""
    await _asked(call, ClusterLogsReported(state=call.body.logs_state))

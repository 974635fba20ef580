"""Clusters over REST."""

from collections.abc import AsyncGenerator
from typing import Any

from msgspec import Raw

from muster.api.call import Answer, Call, serves
from muster.api.errors import Malformed
from muster.api.lists import streamed_list
from muster.domain.clusters import Cluster
from muster.domain.errors import Forbidden, Invalid, NotFound
from muster.domain.inputs.credentials import is_certificates
from muster.domain.inputs.fields import canonical
from muster.domain.triggers import (
    AllowAddHosts,
    Asked,
    Cancel,
    ClusterLogsReported,
    CompletionReported,
    DeleteCluster,
    FinalizingStageReported,
    ImportCluster,
    IngressCaUploaded,
    Install,
    OperatorReported,
    RegisterCluster,
    RegisterDisconnectedCluster,
    Reset,
    UpdateCluster,
)
from muster.domain.views import View, cluster_scope
from muster.runtime.names import looked_up
from muster.wire.cluster_requests import ClustersQuery
from muster.wire.clusters import cluster_out, hosts_out, hosts_written, image_info, operator_out, without_hosts
from muster.wire.defaults import DefaultConfig, default_config_out
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


async def asked(call: Call, trigger: Asked) -> View:
    """The cluster after something was asked of it."""
    await view_of(call)
    decision = await call.service.engine.submit(cluster_scope(call.parameters["cluster_id"]), trigger, call.sender)
    return call.service.engine.present(decision.view)


async def _registered(call: Call, trigger: Asked, cluster_id: str) -> dict[str, Any]:
    """A cluster of which nobody has heard before."""
    decision = await call.service.engine.submit(cluster_scope(cluster_id), trigger, call.sender)
    return cluster_out(decision.view)


@serves(rows.REGISTER_CLUSTER)
async def register_cluster(call: Call) -> dict[str, Any]:
    """Describe a new cluster."""
    cluster_id = call.service.new_id()
    trigger = RegisterCluster(cluster_id=cluster_id, inputs=call.body, **call.owned)
    return await _registered(call, trigger, cluster_id)


@serves(rows.IMPORT_CLUSTER)
async def import_cluster(call: Call) -> dict[str, Any]:
    """Tell of a cluster that runs, to add hosts to it."""
    return await imported(call, call.service.new_id())


async def imported(call: Call, cluster_id: str) -> dict[str, Any]:
    """A cluster that runs, as the call describes it, under an id."""
    trigger = ImportCluster(cluster_id=cluster_id, inputs=call.body, **call.owned)
    return await _registered(call, trigger, cluster_id)


@serves(rows.REGISTER_DISCONNECTED_CLUSTER)
async def register_disconnected_cluster(call: Call) -> dict[str, Any]:
    """Describe a cluster that is installed without this service."""
    cluster_id = call.service.new_id()
    trigger = RegisterDisconnectedCluster(cluster_id=cluster_id, inputs=call.body, **call.owned)
    return await _registered(call, trigger, cluster_id)


@serves(rows.DEFAULT_CONFIG)
async def default_config(call: Call) -> DefaultConfig:
    """What a cluster is going to be where nothing is said."""
    return default_config_out(call.service.policy)


@serves(rows.LIST_CLUSTERS)
async def list_clusters(call: Call) -> Answer:
    """Every cluster there is, written down one by one: all of them together may be more than memory holds."""
    return await streamed_list(clusters_out(call))


ADMINS_ONLY = "get_unregistered_clusters: only an admin may see clusters that were given up; leave the header out"


async def clusters_out(call: Call) -> AsyncGenerator[dict[str, Any]]:
    """Every cluster that a call asks for, as it is shown in lists."""
    wanted, gone = call.query, call.said.get_unregistered_clusters
    if gone and not call.principal.is_admin:
        raise Forbidden(ADMINS_ONLY)
    async for view in call.service.each("cluster", gone=gone):
        if view.cluster is not None and _is_wanted(view.cluster, wanted, gone=gone):
            yield cluster_out(view, hosts=wanted.with_hosts, full=False, gone=gone)


def _is_wanted(cluster: Cluster, wanted: ClustersQuery, *, gone: bool) -> bool:
    """Whether a cluster is among those asked for; none has a subscription, and everybody owns all."""
    return (
        (gone or cluster.deleted_at is None)
        and (not wanted.openshift_cluster_id or canonical(wanted.openshift_cluster_id) == cluster.openshift_cluster_id)
        and not wanted.ams_subscription_ids
    )


@serves(rows.GET_CLUSTER)
async def get_cluster(call: Call) -> dict[str, Any]:
    """One cluster."""
    gone = call.said.get_unregistered_clusters
    if gone and not call.principal.is_admin:
        raise Malformed(403, ADMINS_ONLY)
    view = await remembered_of(call) if gone else await view_of(call)
    if call.query.exclude_hosts:
        return without_hosts(cluster_out(view, hosts=False, gone=gone))
    return cluster_out(view, gone=gone)


async def remembered_of(call: Call) -> View:
    """The cluster that a call names, given up or not, with the hosts that were given up in it."""
    cluster_id = call.parameters["cluster_id"]
    try:
        view = await call.service.engine.remembered(cluster_scope(cluster_id))
    except NotFound:
        raise NotFound(f"There is no cluster {cluster_id}, and there has been none") from None
    return call.service.engine.present(view)


@serves(rows.UPDATE_CLUSTER)
async def update_cluster(call: Call) -> dict[str, Any]:
    """Describe a cluster differently."""
    found = await looked_up(await view_of(call), call.body, call.service.names)
    view = await asked(call, UpdateCluster(changes=call.body, found=found))
    assert view.cluster is not None
    return cluster_out(view) | {"image_info": image_info(view, dated=True)}


@serves(rows.DELETE_CLUSTER)
async def delete_cluster(call: Call) -> None:
    """Give a cluster up."""
    await asked(call, DeleteCluster())


@serves(rows.LIST_CLUSTER_HOSTS)
async def list_cluster_hosts(call: Call) -> list[Raw]:
    """The hosts of a cluster; none if there is no such cluster. Every machine that is being installed asks for them."""
    try:
        view = await view_of(call)
    except NotFound:
        return []
    wanted = call.query
    documents = (("inventory", wanted.with_inventory), ("connectivity", wanted.with_connectivity))
    hosts = (
        host
        for host in view.living
        if (not wanted.role or host.role == wanted.role) and (not wanted.status or host.status == wanted.status)
    )
    return hosts_written(view, hosts, full=False, without=frozenset(name for name, given in documents if not given))


@serves(rows.INSTALL_CLUSTER)
async def install_cluster(call: Call) -> dict[str, Any]:
    """Press install."""
    return cluster_out(await asked(call, Install()), full=False)


def _acted_out(view: View) -> dict[str, Any]:
    """A cluster with its hosts in full, as it is shown once its installation was stopped."""
    return cluster_out(view, hosts=False, full=False) | {"hosts": hosts_out(view)}


@serves(rows.CANCEL_INSTALLATION)
async def cancel_installation(call: Call) -> dict[str, Any]:
    """Stop the installation."""
    return _acted_out(await asked(call, Cancel()))


@serves(rows.RESET_CLUSTER)
async def reset_cluster(call: Call) -> dict[str, Any]:
    """Start over."""
    return _acted_out(await asked(call, Reset()))


async def _allowed(call: Call) -> dict[str, Any]:
    return cluster_out(await asked(call, AllowAddHosts())) | {"operator_bundles": None}


@serves(rows.ALLOW_ADD_HOSTS)
async def allow_add_hosts(call: Call) -> dict[str, Any]:
    """Let a cluster that was installed take in more hosts."""
    return await _allowed(call)


@serves(rows.ALLOW_ADD_WORKERS)
async def allow_add_workers(call: Call) -> dict[str, Any]:
    """The same, as old clients ask for it."""
    return await _allowed(call)


@serves(rows.COMPLETE_INSTALLATION)
async def complete_installation(call: Call) -> dict[str, Any]:
    """The controller's last word."""
    report = call.body
    trigger = CompletionReported(
        is_success=report.is_success, error_info=report.error_info, failed_operators=report.failed_operators
    )
    return cluster_out(await asked(call, trigger), full=False)


@serves(rows.FINALIZING_PROGRESS)
async def finalizing_progress(call: Call) -> None:
    """The stage a new cluster has come to."""
    await asked(call, FinalizingStageReported(stage=call.body.finalizing_stage))


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
    await asked(
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
    await asked(call, IngressCaUploaded(pem=call.body))


@serves(rows.CLUSTER_LOGS_PROGRESS)
async def cluster_logs_progress(call: Call) -> None:
    """How far the collection of the controller's logs has come."""
    await asked(call, ClusterLogsReported(state=call.body.logs_state))

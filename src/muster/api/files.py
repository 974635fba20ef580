"""Files over REST: what was generated for a cluster."""

from typing import Any

from muster.api.call import Answer, Call, attachment, serves
from muster.api.clusters import view_of
from muster.api.hosts import host_in_view
from muster.domain.clusters import Cluster, ClusterState
from muster.domain.errors import NotFound, Refused
from muster.domain.monitored import OperatorStatus
from muster.domain.states.clusters import WITH_FILES, WITH_KUBECONFIG
from muster.wire.endpoints import clusters as clusters_rows
from muster.wire.endpoints import hosts as hosts_rows


async def _file(call: Call, cluster: Cluster, name: str) -> Answer:
    try:
        return attachment(name, await call.service.blobs.get(f"{cluster.id}/{name}"))
    except NotFound as error:
        raise Refused(f"file_name: {name} of cluster {cluster.name} has not been generated yet") from error


def _allow(cluster: Cluster, states: frozenset[ClusterState], name: str) -> None:
    if cluster.status not in states:
        raise Refused(f"file_name: {name} cannot be downloaded while cluster {cluster.name} is {cluster.status}")


async def _cluster(call: Call) -> Cluster:
    cluster = (await view_of(call)).cluster
    assert cluster is not None
    return cluster


@serves(clusters_rows.DOWNLOAD_CREDENTIALS)
async def download_credentials(call: Call) -> Answer:
    """The kubeconfig or the password; before the ingress is trusted, the kubeconfig that does without it."""
    name: str = call.query.file_name
    cluster = await _cluster(call)
    if name == "kubeconfig" and (cluster.status not in WITH_KUBECONFIG or not cluster.kubeconfig_published):
        name = "kubeconfig-noingress"
    _allow(cluster, WITH_FILES, name)
    return await _file(call, cluster, name)


@serves(clusters_rows.DOWNLOAD_FILES)
async def download_files(call: Call) -> Answer:
    """A generated file."""
    name = call.query.file_name
    cluster = await _cluster(call)
    _allow(cluster, WITH_FILES, name)
    return await _file(call, cluster, name)


@serves(hosts_rows.DOWNLOAD_HOST_IGNITION)
async def download_host_ignition(call: Call) -> Answer:
    """What one host is configured with when it first starts from its disk."""
    view, host = await host_in_view(call)
    if view.cluster is None:
        raise NotFound(f"Host {host.name} belongs to no cluster")
    name = f"{host.effective_role}-{host.id}.ign"
    _allow(view.cluster, WITH_FILES, name)
    return await _file(call, view.cluster, name)


@serves(clusters_rows.GET_CREDENTIALS)
async def get_credentials(call: Call) -> dict[str, Any]:
    """How to sign in to the new cluster."""
    cluster = await _cluster(call)
    console = next((each for each in cluster.operators if each.name == "console"), None)
    if console is not None and console.status is not OperatorStatus.AVAILABLE:
        raise Refused(f"The console of cluster {cluster.name} is not available yet; try again when it is")
    password = await call.service.blobs.get(f"{cluster.id}/kubeadmin-password")
    return {
        "console_url": f"https://console-openshift-console.apps.{cluster.domain}",
        "password": password.decode(),
        "username": "kubeadmin",
    }

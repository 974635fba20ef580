"""Files over REST: what was generated for a cluster, and the logs that came from it."""

from collections.abc import AsyncIterator
from typing import Any

from multipart import MultipartError, PushMultipartParser, parse_options_header

from muster.api.call import Answer, Call, attachment, serves
from muster.api.clusters import view_of
from muster.api.errors import Malformed
from muster.api.hosts import host_in_view
from muster.domain.clusters import Cluster, ClusterState
from muster.domain.errors import Invalid, NotFound, Refused
from muster.domain.operators import OperatorStatus
from muster.domain.states.clusters import WITH_FILES, WITH_KUBECONFIG
from muster.domain.triggers import ClusterLogsReported, HostLogsReported
from muster.wire import endpoints

CREDENTIALS = frozenset({"kubeadmin-password", "kubeconfig", "kubeconfig-noingress"})
FILES = frozenset({
    "bootstrap.ign", "master.ign", "arbiter.ign", "worker.ign", "metadata.json", "install-config.yaml",
    "custom_manifests.json", "custom_manifests.yaml",
})  # fmt: skip
LARGEST_LOGS = 262_144_000


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


@serves(endpoints.DOWNLOAD_CREDENTIALS)
async def download_credentials(call: Call) -> Answer:
    """The kubeconfig or the password; before the ingress is trusted, the kubeconfig that does without it."""
    name = call.query.file_name
    if name not in CREDENTIALS:
        raise Malformed(400, f"file_name in query should be one of {sorted(CREDENTIALS)}")
    cluster = await _cluster(call)
    if name == "kubeconfig" and (cluster.status not in WITH_KUBECONFIG or not cluster.kubeconfig_published):
        name = "kubeconfig-noingress"
    _allow(cluster, WITH_FILES, name)
    return await _file(call, cluster, name)


@serves(endpoints.DOWNLOAD_FILES)
async def download_files(call: Call) -> Answer:
    """A generated file."""
    name = call.query.file_name
    if name not in FILES:
        raise Malformed(400, f"file_name in query should be one of {sorted(FILES)}")
    cluster = await _cluster(call)
    _allow(cluster, WITH_FILES, name)
    return await _file(call, cluster, name)


@serves(endpoints.DOWNLOAD_HOST_IGNITION)
async def download_host_ignition(call: Call) -> Answer:
    """What one host is configured with when it first starts from its disk."""
    view, host = await host_in_view(call)
    if view.cluster is None:
        raise NotFound(f"Host {host.name} belongs to no cluster")
    name = f"{host.effective_role}-{host.id}.ign"
    _allow(view.cluster, WITH_FILES, name)
    return await _file(call, view.cluster, name)


@serves(endpoints.GET_CREDENTIALS)
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


@serves(endpoints.UPLOAD_LOGS)
async def upload_logs(call: Call) -> None:
    """Logs of a host or of the controller."""
    query = call.query
    if query.logs_type not in {"host", "controller"}:
        raise Malformed(400, "logs_type in query should be one of ['host', 'controller']")
    view = await view_of(call)
    if query.logs_type == "host" and not query.host_id:
        raise Invalid("host_id: say whose logs these are")
    if query.logs_type == "host" and query.host_id not in view.hosts:
        raise NotFound(f"host_id: there is no host {query.host_id} in this cluster")
    owner = query.host_id if query.logs_type == "host" else "controller"
    cluster_id = call.parameters["cluster_id"]
    await call.service.blobs.put_stream(f"{cluster_id}/logs/{owner}/logs.tar.gz", _upfile(call))
    trigger = (
        HostLogsReported(host_id=query.host_id, uploaded=True)
        if query.logs_type == "host"
        else ClusterLogsReported(uploaded=True)
    )
    await call.service.engine.submit(view.scope, trigger, call.sender)


async def _upfile(call: Call) -> AsyncIterator[bytes]:
    """The content of the form's file, as it comes."""
    kind, options = parse_options_header(call.headers.get("content-type", ""))
    if kind != endpoints.FORM or "boundary" not in options:
        raise Malformed(400, "the logs are expected as multipart/form-data with a file named upfile")
    assert call.chunks is not None
    wanted = found = False
    try:
        with PushMultipartParser(options["boundary"], max_segment_size=LARGEST_LOGS) as parser:
            async for chunk in call.chunks:
                for part in parser.parse(chunk):
                    if part is None or isinstance(part, (bytes, bytearray)):
                        if part and wanted:
                            yield bytes(part)
                        continue
                    wanted = part.name == "upfile"
                    found = found or wanted
    except MultipartError as error:
        raise Malformed(400, f"upfile: {error}") from error
    if not found:
        raise Malformed(400, "upfile is missing in the form")


@serves(endpoints.DOWNLOAD_LOGS)
async def download_logs(call: Call) -> Answer:
    """Logs of a host or of the controller."""
    query = call.query
    view = await view_of(call)
    cluster = view.cluster
    assert cluster is not None
    if query.logs_type == "host":
        return await _host_logs(call, cluster)
    if cluster.controller_logs_collected_at is None:
        raise Refused(f"No logs of cluster {cluster.name} have been collected yet")
    content = await call.service.blobs.get(f"{cluster.id}/logs/controller/logs.tar.gz")
    return attachment(f"{cluster.name}_{cluster.id}_controller.tar.gz", content)


async def _host_logs(call: Call, cluster: Cluster) -> Answer:
    if not call.query.host_id:
        raise Invalid("host_id: say whose logs are wanted")
    host = (await view_of(call)).hosts.get(call.query.host_id)
    if host is None:
        raise NotFound(f"host_id: there is no host {call.query.host_id} in this cluster")
    if host.logs_collected_at is None:
        raise Refused(f"No logs of host {host.name} have been collected yet")
    content = await call.service.blobs.get(f"{cluster.id}/logs/{host.id}/logs.tar.gz")
    return attachment(f"{cluster.name}_{host.role}_{host.name}.tar.gz", content)

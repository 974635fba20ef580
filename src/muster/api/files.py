"""Files over REST: what was generated for a cluster, and links to it."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from muster.api.call import Answer, Call, attachment, serves
from muster.api.clusters import view_of
from muster.api.hosts import host_in_view
from muster.api.logs import have_logs, key_of_logs
from muster.domain.artifacts.host_ignition import ignition_name
from muster.domain.clusters import Cluster, ClusterState, PreparationStatus
from muster.domain.errors import Invalid, NotFound, Refused
from muster.domain.inputs.install_configs import lacks_console
from muster.domain.manifests import Folder
from muster.domain.monitored import CONSOLE, OperatorStatus
from muster.domain.states.clusters import WITH_FILES, WITH_KUBECONFIG
from muster.wire.endpoints import clusters as clusters_rows
from muster.wire.endpoints import hosts as hosts_rows
from muster.wire.moments import millis

LASTS = timedelta(minutes=10)
"""How long a link can be used."""

KUBECONFIG = "kubeconfig"

PASSWORD = "kubeadmin-password"  # noqa: S105 - the name of a file
"""The file that every generation makes, whatever else it does."""

UNWATCHED = frozenset({ClusterState.INSTALLING, ClusterState.FINALIZING, ClusterState.INSTALLED})
"""States in which one may try to sign in to a cluster none of whose operators is watched."""


AGENT_BASED = "agent-installer"
"""Who installs from one of the machines themselves: it has to have the credentials before that machine restarts."""

EARLY = WITH_FILES | {ClusterState.READY, ClusterState.PREPARING}


def _is_agent_based(call: Call) -> bool:
    return call.service.settings.installers.install_invoker == AGENT_BASED


async def _file(call: Call, cluster: Cluster, name: str) -> Answer:
    try:
        return attachment(name, await call.service.blobs.get(f"{cluster.id}/{name}"))
    except NotFound as error:
        raise await _missing(call, cluster, name) from error


async def _missing(call: Call, cluster: Cluster, name: str) -> Refused:
    """Why a file is not there: it has yet to be made, or it was, and all that was made with it is gone."""
    generated = cluster.preparation.status is PreparationStatus.SUCCESS
    if generated and not await call.service.blobs.exists(f"{cluster.id}/{PASSWORD}"):
        return Refused(
            f"file_name: {name} of cluster {cluster.name} was generated, but the storage has lost it; bring it back "
            "with `muster restore`, or reset the cluster and install it again, which makes all files anew"
        )
    return Refused(f"file_name: {name} of cluster {cluster.name} has not been generated yet")


def _allow(cluster: Cluster, states: frozenset[ClusterState], name: str) -> None:
    if cluster.status not in states:
        raise Refused(f"file_name: {name} cannot be downloaded while cluster {cluster.name} is {cluster.status}")


async def _cluster(call: Call) -> Cluster:
    cluster = (await view_of(call)).cluster
    assert cluster is not None
    return cluster


def _kubeconfig(cluster: Cluster, name: str, states: frozenset[ClusterState]) -> str:
    """The file to give for the one asked for: until the kubeconfig that trusts the ingress may be had, the other."""
    if name == KUBECONFIG and (cluster.status not in states or not cluster.kubeconfig_published):
        return f"{KUBECONFIG}-noingress"
    return name


@serves(clusters_rows.DOWNLOAD_CREDENTIALS)
async def download_credentials(call: Call) -> Answer:
    """The kubeconfig or the password; before the ingress is trusted, the kubeconfig that does without it."""
    cluster = await _cluster(call)
    name = _kubeconfig(cluster, call.query.file_name, WITH_KUBECONFIG)
    _allow(cluster, EARLY if _is_agent_based(call) else WITH_FILES, name)
    return await _file(call, cluster, name)


@serves(clusters_rows.DOWNLOAD_FILES)
async def download_files(call: Call) -> Answer:
    """A generated file."""
    name = call.query.file_name
    cluster = await _cluster(call)
    _allow(cluster, WITH_FILES, name)
    return await _file(call, cluster, name)


# Links


async def _link(call: Call, key: str) -> dict[str, str]:
    """Where a file may be fetched for a while without showing anything else."""
    expires_at = call.service.clock.now() + LASTS
    return {"expires_at": millis(expires_at), "url": await call.service.blobs.presigned(key, LASTS)}


async def _require_file(call: Call, cluster: Cluster, name: str) -> None:
    if not await call.service.blobs.exists(f"{cluster.id}/{name}"):
        raise await _missing(call, cluster, name)


@serves(clusters_rows.LINK_TO_CREDENTIALS)
async def link_to_credentials(call: Call) -> dict[str, str]:
    """A link to the kubeconfig or the password, whatever the state of the cluster, as soon as there is one."""
    cluster = await _cluster(call)
    name = _kubeconfig(cluster, call.query.file_name, frozenset(ClusterState))
    link = await _link(call, f"{cluster.id}/{name}")
    await _require_file(call, cluster, name)
    return link


@serves(clusters_rows.LINK_TO_FILES)
async def link_to_files(call: Call) -> dict[str, str]:
    """A link to a generated file, to logs or to a manifest. That there are no links here is told first."""
    return await LINKS.get(call.query.file_name, _link_to_generated)(call)


async def _link_to_generated(call: Call) -> dict[str, str]:
    cluster, name = await _cluster(call), call.query.file_name
    link = await _link(call, f"{cluster.id}/{name}")
    _allow(cluster, WITH_FILES, name)
    await _require_file(call, cluster, name)
    return link


async def _link_to_logs(call: Call) -> dict[str, str]:
    view, host_id = await view_of(call), call.query.host_id
    kind = call.query.logs_type or ("host" if host_id else "all")
    link = await _link(call, key_of_logs(view, kind, host_id))
    await have_logs(call, view, kind, host_id)
    return link


async def _link_to_manifest(call: Call) -> dict[str, str]:
    cluster, name = await _cluster(call), call.query.additional_name
    folder, _, file = name.partition("/")
    if folder not in set(Folder) or not file or "/" in file or file in {".", ".."}:
        raise Invalid(f"additional_name: is {name!r}; name a folder and a file, such as openshift/mine.yaml")
    key = f"{cluster.id}/manifests/{name}"
    link = await _link(call, key)
    if not await call.service.blobs.exists(key):
        raise NotFound(f"additional_name: cluster {cluster.name} has no manifest {name}")
    return link


LINKS: dict[str, Callable[[Call], Awaitable[dict[str, str]]]] = {"logs": _link_to_logs, "manifests": _link_to_manifest}
"""How links are made to what is not one file; all others are generated files."""


# Files of hosts


@serves(hosts_rows.DOWNLOAD_HOST_IGNITION)
async def download_host_ignition(call: Call) -> Answer:
    """What one host is configured with when it first starts from its disk."""
    view, host = await host_in_view(call)
    if view.cluster is None:
        raise NotFound(f"Host {host.name} belongs to no cluster")
    name = ignition_name(host)
    _allow(view.cluster, WITH_FILES, name)
    return await _file(call, view.cluster, name)


@serves(hosts_rows.GET_HOST_IGNITION)
async def get_host_ignition(call: Call) -> dict[str, str]:
    """The same as text within JSON."""
    file: Answer = await download_host_ignition.serve(call)
    return {"config": file.body.decode()}


# Signing in


@serves(clusters_rows.GET_CREDENTIALS)
async def get_credentials(call: Call) -> dict[str, Any]:
    """How to sign in to the new cluster."""
    cluster = await _cluster(call)
    if not _is_agent_based(call):
        _require_console(cluster)
    try:
        password = await call.service.blobs.get(f"{cluster.id}/{PASSWORD}")
    except NotFound as error:
        raise await _missing(call, cluster, PASSWORD) from error
    console = "" if lacks_console(cluster) else f"https://console-openshift-console.apps.{cluster.domain}"
    return {
        **({"console_url": console} if console else {}),
        "password": password.decode(),
        "username": "kubeadmin",
    }


def _require_console(cluster: Cluster) -> None:
    """The console can be reached, as far as anybody watches it; if nobody does, the cluster is at least on its way."""
    console = next((each for each in cluster.operators if each.name == CONSOLE.name), None)
    if console is not None and console.status is not OperatorStatus.AVAILABLE:
        raise Refused(f"The console of cluster {cluster.name} is not available yet; try again when it is")
    if not cluster.operators and cluster.status not in UNWATCHED:
        raise Refused(f"Cluster {cluster.name} is {cluster.status}; there is nothing to sign in to")

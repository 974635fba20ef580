"""The API as it was before, over REST: each call is served by what serves it today.

Then a cluster had one discovery image, which was its own; here it has the id of the cluster. So the path of a host
tells where it is found today, and only what has changed its shape since is put right on the way in and out.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec

from muster.api import (
    clusters,
    domains,
    events,
    files,
    hosts,
    infra_envs,
    logs,
    manifests,
    operators,
    overrides,
    versions,
)
from muster.api.call import Answer, Call, Served, serves
from muster.api.lists import streamed_list
from muster.domain.clusters import Cluster
from muster.domain.errors import Invalid, MusterError, NotFound
from muster.domain.hosts import HostKind, HostState
from muster.domain.infra_envs import InfraEnv
from muster.domain.inputs.infra_envs import InfraEnvUpdate
from muster.domain.record import Record
from muster.domain.triggers import InstallHost, UpdateTogether
from muster.domain.views import View
from muster.wire.cluster_requests import ClusterQuery, CredentialsQuery, FileQuery, LogsQuery, UploadQuery
from muster.wire.clusters import cluster_out, hosts_out
from muster.wire.endpoints import v1 as rows
from muster.wire.endpoints.endpoint import Endpoint
from muster.wire.infra_envs import InfraEnvFileQuery
from muster.wire.v1 import (
    CREDENTIALS,
    DISCOVERY,
    DiscoveryIgnition,
    HostRequirementsV1,
    ImageCreateV1,
    OpenshiftVersionV1,
    changed_image,
    cluster_out_v1,
    event_out_v1,
    free_addresses_out,
    host_requirements_out,
    listed,
    new_image,
    openshift_versions_out_v1,
)

Shape = Callable[[Any], Any]
Asking = Callable[[Call], Record]


def _as_it_is(answer: Any) -> Any:
    return answer


def _same(row: Endpoint, today: Served, shape: Shape = _as_it_is, asking: Asking | None = None) -> Served:
    """A call of before, served by what serves it today: `asking` in its way, and answered in another shape."""

    async def serve(call: Call) -> Any:
        await _place(call)
        if asking is not None:
            call.query = asking(call)
        return shape(await today.serve(call))

    serve.__doc__ = today.serve.__doc__
    return Served(row, serve)


async def _place(call: Call) -> None:
    """Say which image the host of a call was started from: the cluster's own, unless another is known of."""
    cluster_id, host_id = call.parameters.get("cluster_id"), call.parameters.get("host_id")
    if cluster_id is None:
        return
    call.parameters = {**call.parameters, "infra_env_id": cluster_id}
    if host_id is not None:
        with suppress(NotFound):
            host = (await clusters.view_of(call)).hosts.get(host_id)
            call.parameters["infra_env_id"] = cluster_id if host is None else host.infra_env_id


def _cluster(view: View) -> Cluster:
    assert view.cluster is not None
    return view.cluster


# Clusters


@serves(rows.REGISTER_CLUSTER)
async def register_cluster(call: Call) -> dict[str, Any]:
    """Describe a new cluster."""
    call.body = listed(call.body, call.service.policy.networks.cluster_networks[0])
    return cluster_out_v1(await clusters.register_cluster.serve(call))


@serves(rows.LIST_CLUSTERS)
async def list_clusters(call: Call) -> Answer:
    """Every cluster there is."""
    return await streamed_list(cluster_out_v1(each) async for each in clusters.clusters_out(call))


@serves(rows.UPDATE_CLUSTER)
async def update_cluster(call: Call) -> dict[str, Any]:
    """Describe a cluster and its hosts differently: all of it, or nothing."""
    cluster = _cluster(await clusters.view_of(call))
    networks = (*cluster.cluster_networks, *call.service.policy.networks.cluster_networks)
    changes = listed(call.body, networks[0])
    return _out(await clusters.asked(call, UpdateTogether(changes=changes, hosts=changes.of_hosts)))


def _out(view: View) -> dict[str, Any]:
    return cluster_out_v1(cluster_out(view))


@serves(rows.DELETE_CLUSTER)
async def delete_cluster(call: Call) -> None:
    """Give a cluster up, and its discovery image with it."""
    await clusters.delete_cluster.serve(call)
    if await _image(call) is not None:
        await infra_envs.delete_infra_env.serve(call)


@serves(rows.ADD_HOSTS_CLUSTER)
async def add_hosts_cluster(call: Call) -> dict[str, Any]:
    """Tell of a cluster that runs, to add hosts to it."""
    cluster_id = call.body.id
    call.service.policy.catalogue.release(call.body.openshift_version)
    call.body = call.body.today
    return cluster_out_v1(await clusters.imported(call, cluster_id))


@serves(rows.INSTALL_HOSTS)
async def install_hosts(call: Call) -> dict[str, Any]:
    """Let every host join the running cluster that can; those that cannot stay as they are."""
    view = await clusters.view_of(call)
    ready = [each.id for each in view.living if each.kind is HostKind.DAY2 and each.status is HostState.KNOWN]
    for host_id in ready:
        # Events tell of those that cannot join; they must not keep the others waiting.
        with suppress(MusterError):
            await call.service.engine.submit(view.scope, InstallHost(host_id=host_id), call.sender)
    return _out(await clusters.view_of(call))


@serves(rows.FREE_ADDRESSES)
async def free_addresses(call: Call) -> list[str]:
    """The addresses of a network that all hosts have found free."""
    found = free_addresses_out(await clusters.view_of(call), call.query)
    if found is None:
        raise NotFound(f"network: no host of this cluster has looked for free addresses in {call.query.network}")
    return found


@serves(rows.HOST_REQUIREMENTS)
async def host_requirements(call: Call) -> list[HostRequirementsV1]:
    """What is needed of every host of a cluster."""
    return host_requirements_out(await clusters.view_of(call))


@serves(rows.LIST_EVENTS)
async def list_events(call: Call) -> list[dict[str, Any]]:
    """What was told of a cluster, all of it."""
    call.query = call.query.today(call.parameters["cluster_id"])
    told: Answer = await events.list_events.serve(call)
    return [event_out_v1(each) for each in msgspec.json.decode(told.body)]


get_cluster = _same(rows.GET_CLUSTER, clusters.get_cluster, cluster_out_v1, lambda _: ClusterQuery())
install_cluster = _same(rows.INSTALL_CLUSTER, clusters.install_cluster, cluster_out_v1)
cancel_installation = _same(rows.CANCEL_INSTALLATION, clusters.cancel_installation, cluster_out_v1)
reset_cluster = _same(rows.RESET_CLUSTER, clusters.reset_cluster, cluster_out_v1)
complete_installation = _same(rows.COMPLETE_INSTALLATION, clusters.complete_installation, cluster_out_v1)
list_cluster_operators = _same(rows.LIST_OPERATORS, clusters.list_operators)
report_operator = _same(rows.REPORT_OPERATOR, clusters.report_operator)
upload_ingress_cert = _same(rows.UPLOAD_INGRESS_CERT, clusters.upload_ingress_cert)
default_config = _same(rows.DEFAULT_CONFIG, clusters.default_config)
get_install_config = _same(rows.GET_INSTALL_CONFIG, overrides.get_install_config)
update_install_config = _same(rows.UPDATE_INSTALL_CONFIG, overrides.update_install_config)
preflight_requirements = _same(rows.PREFLIGHT_REQUIREMENTS, overrides.preflight_requirements)


# Discovery images


async def _image(call: Call) -> InfraEnv | None:
    """The discovery image of the cluster that a call names, if it has one."""
    await _place(call)
    try:
        return await infra_envs.infra_env_of(call)
    except NotFound:
        return None


async def _require_image(call: Call) -> None:
    cluster = _cluster(await clusters.view_of(call))
    if await _image(call) is None:
        raise NotFound(f"Cluster {cluster.name} has no discovery image yet; POST to {rows.IMAGE} makes one")


async def _make_image(call: Call, wanted: ImageCreateV1) -> None:
    """Give a cluster a discovery image, from what is known of it."""
    cluster = _cluster(await clusters.view_of(call))
    call.body = new_image(wanted, cluster)
    if not call.body.pull_secret:
        raise Invalid(f"pull_secret: cluster {cluster.name} has none, and hosts can fetch nothing without one; set it")
    await infra_envs.registered(call, cluster.id)


@serves(rows.GENERATE_IMAGE)
async def generate_image(call: Call) -> dict[str, Any]:
    """Describe the discovery image of a cluster."""
    cluster, wanted = _cluster(await clusters.view_of(call)), call.body
    if await _image(call) is None:
        await _make_image(call, wanted)
    else:
        call.body = changed_image(wanted, cluster)
        await infra_envs.update_infra_env.serve(call)
    return _out(await clusters.view_of(call))


@serves(rows.DOWNLOAD_IMAGE)
async def download_image(call: Call) -> Answer:
    """Where the discovery image of a cluster is to be had."""
    await _require_image(call)
    link = await infra_envs.infra_env_image_url.serve(call)
    return Answer(headers={"location": link["url"]})


image_headers = Served(rows.IMAGE_HEADERS, download_image.serve)


async def _discovery_ignition(call: Call) -> Answer:
    await _require_image(call)
    call.query = InfraEnvFileQuery(file_name=DISCOVERY)
    answer: Answer = await infra_envs.download_infra_env_files.serve(call)
    return answer


@serves(rows.GET_DISCOVERY_IGNITION)
async def get_discovery_ignition(call: Call) -> DiscoveryIgnition:
    """What hosts find in the discovery image of a cluster."""
    return DiscoveryIgnition(config=(await _discovery_ignition(call)).body.decode())


@serves(rows.CHANGE_DISCOVERY_IGNITION)
async def change_discovery_ignition(call: Call) -> None:
    """Lay an Ignition configuration over that of the discovery image."""
    config = call.body.config
    if await _image(call) is None:
        await _make_image(call, ImageCreateV1())
    call.body = InfraEnvUpdate(ignition_config_override=config)
    await infra_envs.update_infra_env.serve(call)


# Files and logs


@serves(rows.DOWNLOAD_FILES)
async def download_files(call: Call) -> Answer:
    """A file: generated, of the credentials, or of the discovery image."""
    name = call.query.file_name
    if name == DISCOVERY:
        return await _discovery_ignition(call)
    of_credentials = name in CREDENTIALS
    call.query = CredentialsQuery(file_name=name) if of_credentials else FileQuery(file_name=name)
    answer: Answer = await (files.download_credentials if of_credentials else files.download_files).serve(call)
    return answer


@serves(rows.LINK_TO_FILES)
async def link_to_files(call: Call) -> dict[str, str]:
    """A link to a file, to logs or to a manifest."""
    of_credentials = call.query.file_name in CREDENTIALS
    link: dict[str, str] = await (files.link_to_credentials if of_credentials else files.link_to_files).serve(call)
    return link


download_kubeconfig = _same(
    rows.DOWNLOAD_KUBECONFIG, files.download_credentials, asking=lambda _: CredentialsQuery(file_name="kubeconfig")
)
get_credentials = _same(rows.GET_CREDENTIALS, files.get_credentials)
upload_logs = _same(rows.UPLOAD_LOGS, logs.upload_logs)
download_logs = _same(rows.DOWNLOAD_LOGS, logs.download_logs)
upload_host_logs = _same(
    rows.UPLOAD_HOST_LOGS,
    logs.upload_logs,
    asking=lambda call: UploadQuery(logs_type="host", host_id=call.parameters["host_id"]),
)
download_host_logs = _same(
    rows.DOWNLOAD_HOST_LOGS,
    logs.download_logs,
    asking=lambda call: LogsQuery(logs_type="host", host_id=call.parameters["host_id"]),
)
cluster_logs_progress = _same(rows.CLUSTER_LOGS_PROGRESS, clusters.cluster_logs_progress)
host_logs_progress = _same(rows.HOST_LOGS_PROGRESS, hosts.host_logs_progress)
list_manifests = _same(rows.LIST_MANIFESTS, manifests.list_manifests)
create_manifest = _same(rows.CREATE_MANIFEST, manifests.create_manifest)
delete_manifest = _same(rows.DELETE_MANIFEST, manifests.delete_manifest)
download_manifest = _same(rows.DOWNLOAD_MANIFEST, manifests.download_manifest)


# Hosts


@serves(rows.LIST_HOSTS)
async def list_hosts(call: Call) -> list[dict[str, Any]]:
    """Every host of a cluster."""
    return hosts_out(await clusters.view_of(call))


register_host = _same(rows.REGISTER_HOST, hosts.register_host)
get_host = _same(rows.GET_HOST, hosts.get_host)
delete_host = _same(rows.DELETE_HOST, hosts.delete_host)
get_next_steps = _same(rows.GET_NEXT_STEPS, hosts.get_next_steps)
post_step_reply = _same(rows.POST_STEP_REPLY, hosts.post_step_reply)
host_progress = _same(rows.HOST_PROGRESS, hosts.host_progress)
install_host = _same(rows.INSTALL_HOST, hosts.install_host)
reset_host = _same(rows.RESET_HOST, hosts.reset_host)
reset_host_validation = _same(rows.RESET_HOST_VALIDATION, hosts.reset_host_validation)
update_installer_args = _same(rows.UPDATE_INSTALLER_ARGS, hosts.update_installer_args)
get_host_ignition = _same(rows.GET_HOST_IGNITION, files.get_host_ignition)
update_host_ignition = _same(rows.UPDATE_HOST_IGNITION, hosts.update_host_ignition)
download_host_ignition = _same(rows.DOWNLOAD_HOST_IGNITION, files.download_host_ignition)


# What is on offer


@serves(rows.OPENSHIFT_VERSIONS)
async def openshift_versions(call: Call) -> dict[str, OpenshiftVersionV1]:
    """The latest release of every minor."""
    return openshift_versions_out_v1(call.service.policy.catalogue)


list_domains = _same(rows.LIST_DOMAINS, domains.list_domains)
component_versions = _same(rows.COMPONENT_VERSIONS, versions.component_versions)
list_operators = _same(rows.SUPPORTED_OPERATORS, operators.list_operators)
operator_properties = _same(rows.OPERATOR_PROPERTIES, operators.operator_properties)

"""Infra-envs over REST."""

from collections.abc import AsyncIterator
from email.utils import format_datetime
from typing import Any

from msgspec import UNSET

from muster.api.call import Answer, Call, attachment, serves
from muster.domain.artifacts.discovery_ignition import discovery_ignition, discovery_of
from muster.domain.artifacts.ipxe import boot_script, redirect_script, require_image
from muster.domain.artifacts.minimal_initrd import minimal_initrd
from muster.domain.artifacts.static_network import network_archive
from muster.domain.clusters import Cluster
from muster.domain.errors import Invalid, NotFound
from muster.domain.hosts import Host
from muster.domain.infra_envs import InfraEnv
from muster.domain.inputs.fields import given
from muster.domain.nmstate.network import ReadNetwork
from muster.domain.triggers import DeleteInfraEnv, RegenerateSigningKey, RegisterInfraEnv, UpdateInfraEnv
from muster.domain.views import View, cluster_scope, infra_env_scope
from muster.wire.endpoints import infra_envs as rows
from muster.wire.infra_envs import download_url, file_url, infra_env_out
from muster.wire.moments import NEVER


async def infra_env_of(call: Call) -> InfraEnv:
    """The infra-env that a call names."""
    infra_env_id = call.parameters["infra_env_id"]
    try:
        view = await call.service.engine.view(infra_env_scope(infra_env_id))
        infra_env = view.infra_envs[infra_env_id]
    except (NotFound, KeyError):
        raise NotFound(f"There is no infra-env {infra_env_id}") from None
    if infra_env.deleted:
        raise NotFound(f"There is no infra-env {infra_env_id}")
    return infra_env


async def hosts_of(call: Call, infra_env: InfraEnv) -> AsyncIterator[tuple[View, Host]]:
    """Every host that was started from a discovery image, in its view."""
    for host_id, scope in await call.service.store.hosts_of(infra_env.id):
        view = await call.service.engine.view(scope)
        host = view.hosts.get(host_id)
        if host is not None and host.deleted_at is None:
            yield view, host


def _out(call: Call, infra_env: InfraEnv) -> dict[str, Any]:
    policy = call.service.policy
    images = policy.image_service_url if policy.discovery.image_service else ""
    return infra_env_out(infra_env, images, _token(call, infra_env))


def _token(call: Call, infra_env: InfraEnv) -> str:
    """What opens the image, and is shown by agents that were started from it; "" where nobody asks."""
    return call.gate.links.token(infra_env_id=infra_env.id)


def _signed(call: Call, infra_env: InfraEnv, url: str) -> str:
    return call.gate.links.signed(url, infra_env_id=infra_env.id)


async def _cluster(call: Call, cluster_id: str | None) -> Cluster | None:
    """A cluster that is there; None if there is none of that id."""
    if cluster_id is None:
        return None
    try:
        cluster = (await call.service.engine.view(cluster_scope(cluster_id))).cluster
    except NotFound:
        return None
    return None if cluster is None or cluster.deleted_at is not None else cluster


async def _named_cluster(call: Call) -> Cluster | None:
    """The cluster that a new discovery image is to be for."""
    if call.body.cluster_id is UNSET:
        return None
    cluster = await _cluster(call, call.body.cluster_id)
    if cluster is None:
        raise NotFound(f"cluster_id: there is no cluster {call.body.cluster_id}")
    return cluster


async def _networks(call: Call) -> tuple[ReadNetwork, ...]:
    """What is said in the network settings that a call brings, if it brings any."""
    hosts = given(call.body.static_network_config, ())
    return await call.service.networks.read([given(each.network_yaml, "") for each in hosts]) if hosts else ()


@serves(rows.REGISTER_INFRA_ENV)
async def register_infra_env(call: Call) -> dict[str, Any]:
    """Describe a new discovery image."""
    return await registered(call, call.service.new_id())


async def registered(call: Call, infra_env_id: str) -> dict[str, Any]:
    """A new discovery image, as the call describes it, under an id."""
    trigger = RegisterInfraEnv(
        infra_env_id=infra_env_id,
        inputs=call.body,
        cluster=await _named_cluster(call),
        key=call.service.new_key(),
        networks=await _networks(call),
        **call.owned,
    )
    decision = await call.service.engine.submit(infra_env_scope(infra_env_id), trigger, call.sender)
    return _out(call, decision.view.infra_envs[infra_env_id])


@serves(rows.LIST_INFRA_ENVS)
async def list_infra_envs(call: Call) -> list[dict[str, Any]]:
    """Every discovery image there is."""
    wanted = call.query.cluster_id
    found = [each for view in await call.service.views("infra-env") for each in view.infra_envs.values()]
    return [_out(call, each) for each in found if not each.deleted and (not wanted or each.cluster_id == wanted)]


@serves(rows.GET_INFRA_ENV)
async def get_infra_env(call: Call) -> dict[str, Any]:
    """One discovery image."""
    return _out(call, await infra_env_of(call))


@serves(rows.UPDATE_INFRA_ENV)
async def update_infra_env(call: Call) -> dict[str, Any]:
    """Describe a discovery image differently."""
    infra_env = await infra_env_of(call)
    scope = infra_env_scope(infra_env.id)
    cluster = await _cluster(call, infra_env.cluster_id)
    trigger = UpdateInfraEnv(changes=call.body, cluster=cluster, networks=await _networks(call))
    decision = await call.service.engine.submit(scope, trigger, call.sender)
    return _out(call, decision.view.infra_envs[infra_env.id])


@serves(rows.DELETE_INFRA_ENV)
async def delete_infra_env(call: Call) -> None:
    """Give a discovery image up."""
    infra_env = await infra_env_of(call)
    await call.service.engine.submit(infra_env_scope(infra_env.id), DeleteInfraEnv(), call.sender)


@serves(rows.INFRA_ENV_IMAGE_URL)
async def infra_env_image_url(call: Call) -> dict[str, Any]:
    """Where the discovery image is to be had."""
    infra_env, policy = await infra_env_of(call), call.service.policy
    if not policy.discovery.image_service:
        raise Invalid("This service makes no discovery images; whoever runs it has set ENABLE_IMAGE_SERVICE to false")
    policy.catalogue.os_image(infra_env.openshift_version, infra_env.cpu_architecture)
    return {"expires_at": NEVER, "url": download_url(infra_env, policy.image_service_url, _token(call, infra_env))}


@serves(rows.REGENERATE_SIGNING_KEY)
async def regenerate_signing_key(call: Call) -> None:
    """Make all links to the discovery image that were handed out worthless."""
    scope = infra_env_scope((await infra_env_of(call)).id)
    await call.service.engine.submit(scope, RegenerateSigningKey(key=call.service.new_key()), call.sender)


# Files of the image


@serves(rows.DOWNLOAD_INFRA_ENV_FILES)
async def download_infra_env_files(call: Call) -> Answer:
    """One of the files that a discovery image is made from."""
    infra_env = await infra_env_of(call)
    _require_script(call)
    answer = attachment(*await FILES[call.query.file_name](call, infra_env))
    answer.headers["last-modified"] = format_datetime(infra_env.updated_at, usegmt=True)
    return answer


def _require_script(call: Call) -> None:
    if call.query.ipxe_script_type and call.query.file_name != "ipxe-script":
        raise Invalid(f"ipxe_script_type: is for ipxe-script only, and file_name is {call.query.file_name}")


async def _ignition(call: Call, infra_env: InfraEnv) -> tuple[str, bytes]:
    asked = discovery_of(infra_env, call.service.policy, call.query.discovery_iso_type)
    return "discovery.ign", discovery_ignition(asked.but(token=_token(call, infra_env)))


async def _network(call: Call, infra_env: InfraEnv) -> tuple[str, bytes]:
    """The network settings of all hosts; nothing, under no name, if there are none."""
    packed = network_archive(infra_env, call.service.policy)
    return f"{infra_env.id}-static-network-config.tar" if packed else "", packed


async def _script(call: Call, infra_env: InfraEnv) -> tuple[str, bytes]:
    """What a machine starts with; one that controls its own boot order is asked first who it is."""
    policy, mac, kind = call.service.policy, call.query.mac, call.query.ipxe_script_type
    if kind == "boot-order-control" and not mac:
        script = redirect_script(_signed(call, infra_env, _file_url(call, infra_env)))
    else:
        if mac and kind != "discovery-image-always":
            require_image([host async for _, host in hosts_of(call, infra_env)], mac)
        script = boot_script(infra_env, policy, lambda url: _signed(call, infra_env, url))
    return f"{infra_env.id}-ipxe-script", script.encode()


FILES = {"discovery.ign": _ignition, "static-network-config": _network, "ipxe-script": _script}
"""By its name, how each file is made: its name when it is saved, and its content."""


@serves(rows.PRESIGNED_INFRA_ENV_FILE)
async def presigned_infra_env_file(call: Call) -> dict[str, Any]:
    """A link to one of these files."""
    infra_env = await infra_env_of(call)
    _require_script(call)
    return {"expires_at": NEVER, "url": _signed(call, infra_env, _file_url(call, infra_env))}


def _file_url(call: Call, infra_env: InfraEnv) -> str:
    """Where the file is that a call asks about; scripts are for firmware, which may know no TLS."""
    policy = call.service.policy
    plain = policy.plain_service_url if call.query.file_name == "ipxe-script" else ""
    return file_url(infra_env, plain or policy.service_url, call.query)


@serves(rows.DOWNLOAD_MINIMAL_INITRD)
async def download_minimal_initrd(call: Call) -> Answer:
    """What a minimal image needs before it can fetch its system."""
    infra_env = await infra_env_of(call)
    content = minimal_initrd(infra_env)
    return Answer(status=204) if content is None else attachment(f"{infra_env.id}-minimal-initrd", content)

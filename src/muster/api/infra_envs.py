"""Infra-envs over REST."""

from typing import Any

from msgspec import UNSET

from muster.api.call import Call, serves
from muster.domain.clusters import Cluster
from muster.domain.errors import NotFound
from muster.domain.infra_envs import InfraEnv
from muster.domain.triggers import DeleteInfraEnv, RegisterInfraEnv, UpdateInfraEnv
from muster.domain.views import cluster_scope, infra_env_scope
from muster.wire.endpoints import infra_envs as rows
from muster.wire.infra_envs import download_url, infra_env_out
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


def _out(call: Call, infra_env: InfraEnv) -> dict[str, Any]:
    return infra_env_out(infra_env, call.service.policy.image_service_url)


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


@serves(rows.REGISTER_INFRA_ENV)
async def register_infra_env(call: Call) -> dict[str, Any]:
    """Describe a new discovery image."""
    infra_env_id = call.service.new_id()
    trigger = RegisterInfraEnv(infra_env_id=infra_env_id, inputs=call.body, cluster=await _named_cluster(call))
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
    trigger = UpdateInfraEnv(changes=call.body, cluster=await _cluster(call, infra_env.cluster_id))
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
    infra_env = await infra_env_of(call)
    return {"expires_at": NEVER, "url": download_url(infra_env, call.service.policy.image_service_url)}

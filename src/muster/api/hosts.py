"""Hosts and their agents over REST."""

from typing import Any

import msgspec

from muster.api.call import Call, serves
from muster.api.infra_envs import hosts_of, infra_env_of
from muster.domain.draft import Decision
from muster.domain.errors import Invalid, NotFound
from muster.domain.hosts import Host
from muster.domain.infra_envs import InfraEnv
from muster.domain.inputs.fields import canonical
from muster.domain.states.hosts import GONE
from muster.domain.steps import STEPS
from muster.domain.steps.upgrade_agent import upgrade_is_news
from muster.domain.triggers import (
    BindHost,
    ChangeIgnition,
    ChangeInstallerArgs,
    CheckedIn,
    DeleteHost,
    HostLogsReported,
    HostTrigger,
    InstallHost,
    Progressed,
    Registered,
    Replied,
    ResetHost,
    ResetValidation,
    UnbindHost,
    UpdateHost,
)
from muster.domain.views import View, cluster_scope, host_scope
from muster.wire.endpoints import hosts as rows
from muster.wire.hosts import host_out, registration_out
from muster.wire.steps import decode_reply

CLOCK_NOISE = 5
"""Seconds by which a host's clock may seem to differ without being news."""


async def host_in_view(call: Call) -> tuple[View, Host]:
    """The host that a call names, in its view."""
    infra_env_id, host_id = call.parameters["infra_env_id"], call.parameters["host_id"]
    for _ in ("where it was last", "where it has moved to"):
        scope = await call.memories.places.scope_of(infra_env_id, host_id)
        view = await call.service.engine.view(scope)
        host = view.hosts.get(host_id)
        if host is not None and host.deleted_at is None and host.infra_env_id == infra_env_id:
            return view, host
        call.memories.places.forget(infra_env_id, host_id)
    raise NotFound(f"There is no host {host_id} in infra-env {infra_env_id}")


def _out(call: Call, view: View, host: Host, *, full: bool = True) -> dict[str, Any]:
    seen_at = call.service.engine.present(view).seen_at(host)
    return host_out(host, seen_at, single_node=_is_single_node(view), full=full)


def _is_single_node(view: View) -> bool:
    return view.cluster is not None and view.cluster.single_node


async def _asked(call: Call, trigger: HostTrigger) -> tuple[View, Host]:
    decision = await _submitted(call, trigger)
    return decision.view, decision.host(trigger.host_id)


async def _submitted(call: Call, trigger: HostTrigger, beside: tuple[str, ...] = ()) -> Decision:
    """What was decided about a host, wherever it is: it may move to another scope while the call is under way."""
    view, _ = await host_in_view(call)
    try:
        return await call.service.engine.submit(view.scope, trigger, call.sender, beside=beside)
    except NotFound:
        call.memories.places.forget(call.parameters["infra_env_id"], trigger.host_id)
        moved, _ = await host_in_view(call)
        if moved.scope == view.scope:
            raise
        return await call.service.engine.submit(moved.scope, trigger, call.sender, beside=beside)


@serves(rows.REGISTER_HOST)
async def register_host(call: Call) -> dict[str, Any]:
    """An agent has started on a machine."""
    infra_env = await infra_env_of(call)
    host_id = canonical(call.body.host_id)
    service = call.service
    scope = await _place_of(call, infra_env, host_id)
    decision = await service.engine.submit(
        scope,
        Registered(
            host_id=host_id,
            infra_env_id=infra_env.id,
            agent_version=call.body.discovery_agent_version,
            owner=infra_env.user_name,
        ),
        call.sender,
    )
    # Only now: what is decided about a registration depends on when the host was heard of before.
    service.engine.presence.note(infra_env.id, host_id, service.clock.now())
    call.memories.places.note(infra_env.id, host_id, scope)
    return registration_out(
        decision.host(host_id), service.policy.agent_image, single_node=_is_single_node(decision.view)
    )


async def _place_of(call: Call, infra_env: InfraEnv, host_id: str) -> str:
    """Where a host that registers belongs: to the image's cluster, to the cluster it was given to, or to the pool."""
    if infra_env.cluster_id:
        return cluster_scope(infra_env.cluster_id)
    return await call.service.store.scope_of_host(infra_env.id, host_id) or host_scope(infra_env.id, host_id)


@serves(rows.LIST_HOSTS)
async def list_hosts(call: Call) -> list[dict[str, Any]]:
    """Every host that was started from a discovery image."""
    return [_out(call, view, host) async for view, host in hosts_of(call, await infra_env_of(call))]


@serves(rows.GET_HOST)
async def get_host(call: Call) -> dict[str, Any]:
    """One host."""
    return _out(call, *await host_in_view(call))


@serves(rows.UPDATE_HOST)
async def update_host(call: Call) -> dict[str, Any]:
    """Say what is wanted of a host."""
    return _out(call, *await _asked(call, UpdateHost(host_id=call.parameters["host_id"], changes=call.body)))


@serves(rows.DELETE_HOST)
async def delete_host(call: Call) -> None:
    """Give a host up."""
    await _asked(call, DeleteHost(host_id=call.parameters["host_id"]))
    call.memories.places.forget(call.parameters["infra_env_id"], call.parameters["host_id"])


async def _acted(call: Call, trigger: HostTrigger, beside: tuple[str, ...] = ()) -> dict[str, Any]:
    """The host after something was done with it, where it is now, in the form it has within lists."""
    await _submitted(call, trigger, beside)
    call.memories.places.forget(call.parameters["infra_env_id"], trigger.host_id)
    view, host = await host_in_view(call)
    return _out(call, view, host, full=False)


@serves(rows.BIND_HOST)
async def bind_host(call: Call) -> dict[str, Any]:
    """Give a host of the pool to a cluster."""
    cluster_id: str = call.body.cluster_id
    trigger = BindHost(host_id=call.parameters["host_id"], cluster_id=cluster_id)
    return await _acted(call, trigger, beside=(cluster_scope(cluster_id),))


@serves(rows.UNBIND_HOST)
async def unbind_host(call: Call) -> dict[str, Any]:
    """Take a host back from its cluster."""
    return await _acted(call, UnbindHost(host_id=call.parameters["host_id"]))


@serves(rows.INSTALL_HOST)
async def install_host(call: Call) -> dict[str, Any]:
    """Let a host join the running cluster."""
    return await _acted(call, InstallHost(host_id=call.parameters["host_id"]))


@serves(rows.RESET_HOST)
async def reset_host(call: Call) -> dict[str, Any]:
    """Start over with a host that was to join a running cluster."""
    return await _acted(call, ResetHost(host_id=call.parameters["host_id"]))


@serves(rows.RESET_HOST_VALIDATION)
async def reset_host_validation(call: Call) -> None:
    """Let what a check says of a host be found out again."""
    validation = call.parameters["validation_id"]
    await _asked(call, ResetValidation(host_id=call.parameters["host_id"], validation=validation))


@serves(rows.UPDATE_INSTALLER_ARGS)
async def update_installer_args(call: Call) -> dict[str, Any]:
    """Add arguments to the program that writes a host's disk."""
    return _out(call, *await _asked(call, ChangeInstallerArgs(host_id=call.parameters["host_id"], changes=call.body)))


@serves(rows.UPDATE_HOST_IGNITION)
async def update_host_ignition(call: Call) -> None:
    """Lay an Ignition configuration over that of a host."""
    await _asked(call, ChangeIgnition(host_id=call.parameters["host_id"], changes=call.body))


@serves(rows.GET_NEXT_STEPS)
async def get_next_steps(call: Call) -> bytes:
    """An agent asks what to do. Unless that is news, nothing is decided and nothing is written."""
    view, host = await host_in_view(call)
    service = call.service
    now = service.clock.now()
    service.engine.presence.note(host.infra_env_id, host.id, now)
    agent = call.headers.get("discovery_agent_version", "")
    skew = _skew(call, host, int(now.timestamp()))
    other = agent and agent != host.discovery_agent_version
    view = view.but(now=now)
    if host.status in GONE or skew is not None or other or upgrade_is_news(view, host):
        trigger = CheckedIn(host_id=host.id, clock_skew=skew, agent_version=agent)
        view = (await _submitted(call, trigger)).view
    return call.memories.instructions.of(view, host.id, lambda url: _signed(call, host, url))


def _signed(call: Call, host: Host, url: str) -> str:
    return call.gate.links.signed(url, infra_env_id=host.infra_env_id)


def _skew(call: Call, host: Host, now: int) -> int | None:
    """By how much the host's clock differs, if that is news."""
    given: int = call.query.timestamp
    if given == 0:
        return None
    skew = given - now
    if host.clock_skew is not None and abs(skew - host.clock_skew) <= CLOCK_NOISE:
        return None
    return skew


@serves(rows.POST_STEP_REPLY)
async def post_step_reply(call: Call) -> None:
    """An agent has done a step. A reply that changes nothing costs nothing."""
    _, host = await host_in_view(call)
    reply = call.body
    digest = hash((reply.step_type, reply.exit_code, reply.output, reply.error))
    good = reply.exit_code == 0
    if good and host.media_connected and call.memories.replies.known(host, reply.step_type, digest):
        return
    trigger = Replied(
        host_id=host.id,
        step=reply.step_type,
        exit_code=reply.exit_code,
        reply=_read(reply),
        error=(reply.error or "")[:200],
    )
    decision = await _submitted(call, trigger)
    if good and reply.step_type not in ABOUT_CLUSTERS:
        call.memories.replies.note(decision.host(host.id), reply.step_type, digest)


ABOUT_CLUSTERS = frozenset(kind for kind, step in STEPS.items() if step.learn_cluster)
"""Steps whose replies change the cluster: others may have changed it back, so that the same reply is news again."""


def _read(reply: Any) -> Any:
    """What a reply has to say; `Invalid` if it is good and cannot be read. A bad one need not make sense."""
    try:
        return decode_reply(reply.step_type, reply.output or "")
    except msgspec.DecodeError as error:
        if reply.exit_code != 0:
            return None
        raise Invalid(f"output: what step {reply.step_type} has to say cannot be read: {error}") from error


@serves(rows.HOST_PROGRESS)
async def host_progress(call: Call) -> None:
    """The installation of a host went on."""
    await _asked(
        call,
        Progressed(host_id=call.parameters["host_id"], stage=call.body.current_stage, info=call.body.progress_info),
    )


@serves(rows.HOST_LOGS_PROGRESS)
async def host_logs_progress(call: Call) -> None:
    """How far the collection of a host's logs has come."""
    await _asked(call, HostLogsReported(host_id=call.parameters["host_id"], state=call.body.logs_state))

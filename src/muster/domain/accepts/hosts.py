"""What agents report of their machines, and what users ask of hosts."""

from collections.abc import Iterable
from datetime import timedelta

from muster.domain import host_events
from muster.domain.clusters import Cluster
from muster.domain.draft import Accepts, Draft
from muster.domain.errors import Invalid, NotFound, Refused
from muster.domain.hosts import Host, HostKind
from muster.domain.infra_envs import ImageType, InfraEnv
from muster.domain.inputs.hosts import changed_host
from muster.domain.moves import move_host
from muster.domain.progress import HostProgress, Stage
from muster.domain.record import alike, differences
from muster.domain.roles import Role
from muster.domain.states.clusters import UPDATABLE, ClusterState
from muster.domain.states.host_conditions import MEDIA_LOST
from muster.domain.states.hosts import BEFORE_INSTALL, IN_POOL, INSTALLING, HostState
from muster.domain.steps import STEPS
from muster.domain.steps.upgrade_agent import upgrade_is_news
from muster.domain.triggers import CheckedIn, DeleteHost, HostLogsReported, Progressed, Registered, Replied, UpdateHost
from muster.domain.views import NO_PEERS, HostView, View

TAKES_INVENTORY = BEFORE_INSTALL | IN_POOL | {HostState.IN_PROGRESS}
TAKES_PROGRESS = INSTALLING | {HostState.PENDING_USER_ACTION}

STILL_THERE = timedelta(minutes=2)
"""For how long after an agent has asked for instructions its machine is taken to be up: twice the usual interval."""


def register(draft: Draft, asked: Registered) -> None:
    """An agent started: a machine never seen before, or one that is back."""
    infra_env = draft.view.infra_envs.get(asked.infra_env_id)
    if infra_env is None or infra_env.deleted:
        raise NotFound(f"There is no infra-env {asked.infra_env_id}")
    if infra_env.type is ImageType.DISCONNECTED:
        raise Invalid(f"Infra-env {infra_env.name} makes images for installations without this service")
    if draft.view.cluster is not None and draft.view.cluster.deleted_at is not None:
        raise NotFound(f"There is no cluster {draft.view.cluster.id} any more, for which this machine was started")
    known = draft.view.hosts.get(asked.host_id)
    if known is None or known.deleted_at is not None:
        _welcome(draft, asked, infra_env)
        return
    if known.status is HostState.INSTALLED:
        raise Refused(f"Host {known.name} is installed already; start it from its disk")
    known = _with_machines_still_there(draft.view, known)
    if not move_host(draft, known, asked):
        raise Invalid(f"Host {known.name} cannot register again while it is {known.status}: {known.status_info}")
    draft.put(
        draft.host(known.id).but(
            registered_at=draft.view.now,
            discovery_agent_version=asked.agent_version,
            clock_skew=None,
            media_connected=True,
        )
    )


def _with_machines_still_there(view: View, host: Host) -> Host:
    """A host that was silent comes back as whatever machine it is now; one that was not may have a double."""
    return host if view.now - view.seen_at(host) <= STILL_THERE else host.but(sightings=())


def _welcome(draft: Draft, asked: Registered, infra_env: InfraEnv) -> None:
    cluster = draft.view.cluster
    if cluster is not None and cluster.status not in UPDATABLE:
        hint = "; use the image of its added hosts" if cluster.status is ClusterState.INSTALLED else ""
        raise Refused(f"Cluster {cluster.name} is {cluster.status} and takes in no new hosts{hint}")
    now = draft.view.now
    host = Host(
        id=asked.host_id,
        infra_env_id=infra_env.id,
        cluster_id=cluster.id if cluster else None,
        user_name=asked.owner,
        created_at=now,
        updated_at=now,
        registered_at=now,
        status=HostState.DISCOVERING if cluster else HostState.DISCOVERING_UNBOUND,
        status_info="Waiting for the host to describe its hardware",
        status_updated_at=now,
        discovery_agent_version=asked.agent_version,
    ).but(**_part_in(cluster))
    host = host.but(suggested_role=host.role)
    draft.put(host)
    draft.tell(host_events.host_registration_succeeded(host))


def _part_in(cluster: Cluster | None) -> dict[str, object]:
    """What a new host is from the start: everything on a single node, a worker in a running cluster."""
    if cluster is None:
        return {}
    if cluster.day2:
        return {"kind": HostKind.DAY2, "role": Role.WORKER, "machine_config_pool_name": "worker"}
    return {"role": Role.MASTER, "bootstrap": True} if cluster.single_node else {}


def check_in(draft: Draft, happened: CheckedIn) -> None:
    """The host is there; its clock and its agent are what they are."""
    host = draft.host(happened.host_id)
    host = host.but(
        clock_skew=host.clock_skew if happened.clock_skew is None else happened.clock_skew,
        discovery_agent_version=happened.agent_version or host.discovery_agent_version,
    )
    if upgrade_is_news(draft.view, host):
        host = host.but(upgrade_told_at=draft.view.now)
        draft.tell(host_events.upgrade_agent_started(host, draft.view.policy.agent_image))
    draft.put(host)


def reply(draft: Draft, happened: Replied) -> None:
    """A step was done, well or badly."""
    host = draft.host(happened.host_id)
    step = STEPS.get(happened.step)
    if step is None:
        return
    if step.kind == "inventory" and host.status not in TAKES_INVENTORY and happened.exit_code == 0:
        raise Refused(f"Host {host.name} is {host.status}; its inventory is no longer taken in")
    _note_media(draft, host, happened)
    host = draft.view.hosts[host.id]
    if happened.exit_code != 0 and step.fail is not None:
        _note(draft, host, step.fail(host, happened), step.kind)
    elif happened.reply is not None and (happened.exit_code == 0 or step.tolerant):
        _learn(draft, host, happened)


def _note_media(draft: Draft, host: Host, happened: Replied) -> None:
    """Whether the host reads what it was started from, and where the reply moves it. The same loss is told once."""
    if happened.exit_code == MEDIA_LOST:
        if not host.media_connected:
            return
        draft.put(host.but(media_connected=False))
        draft.tell(host_events.host_media_disconnected(host))
    elif happened.exit_code == 0:
        draft.put(host.but(media_connected=True))
    move_host(draft, draft.host(host.id), happened)


def _learn(draft: Draft, host: Host, happened: Replied) -> None:
    """What a good reply makes of the host and of its cluster, and what the user is told of it."""
    step, before = STEPS[happened.step], HostView(draft.view, host, NO_PEERS)
    if step.learn_cluster is not None and before.unbound:
        raise Refused(f"Host {host.name} belongs to no cluster any more, and {step.kind} is about one")
    if step.learn is not None:
        _note(draft, host, step.learn(before, happened.reply), step.kind)
    if step.learn_cluster is not None:
        draft.put(step.learn_cluster(draft.cluster, happened.reply))
    if step.tells is not None:
        after = HostView(draft.view, draft.view.hosts[host.id], NO_PEERS)
        draft.tell(*step.tells(before, after, happened.reply))


def _note(draft: Draft, host: Host, after: Host, step: str) -> None:
    """Put down what a step made of a host, and when it did; nothing if it is as it was."""
    if after is not host:
        told = _kept_once(draft, after, step, differences(after, host))
        draft.put(told.but(heard_at={**host.heard_at, step: draft.view.now}))


def _kept_once(draft: Draft, host: Host, step: str, fields: Iterable[str]) -> Host:
    """The host with what it tells like another: machines of a rack are much the same, and so is what they find."""
    others = (each for each in draft.view.hosts.values() if each.id != host.id and step in each.heard_at)
    other = next(others, None)
    return host if other is None else alike(host, other, fields)


def progress(draft: Draft, asked: Progressed) -> None:
    """The installation of a host went on."""
    host = draft.host(asked.host_id)
    if draft.view.cluster is None:
        raise Invalid(f"Host {host.name} belongs to no cluster, so nothing is installed on it")
    before, stage = host.progress, _last_seen(draft, host, asked.stage)
    if before.current_stage == stage and before.progress_info == asked.info:
        return
    now = draft.view.now
    if before.current_stage == stage:
        draft.put(host.but(progress=before.but(progress_info=asked.info, stage_updated_at=now)))
        draft.tell(host_events.host_install_progress_updated(draft.host(host.id)))
        return
    if host.status not in TAKES_PROGRESS:
        raise Refused(f"Host {host.name} is {host.status}; no installation is under way on it")
    if asked.stage == Stage.FAILED:
        move_host(draft, host, asked)
        return
    draft.put(host.but(progress=_advanced(draft, host, asked)))
    move_host(draft, draft.host(host.id), asked)
    draft.tell(host_events.host_install_progress_updated(draft.host(host.id)))


def _last_seen(draft: Draft, host: Host, stage: str) -> str:
    """The stage a report stands for: a host that joins a running cluster is out of sight once it restarts."""
    out_of_sight = host.kind is HostKind.DAY2 and not draft.view.policy.kube_api
    return Stage.DONE if out_of_sight and stage == Stage.REBOOTING else stage


def _advanced(draft: Draft, host: Host, asked: Progressed) -> HostProgress:
    stage, now = Stage(asked.stage), draft.view.now
    stages = host.stages(single_node=draft.cluster.single_node, kube_api=draft.view.policy.kube_api)
    before = host.progress
    if before.current_stage is not None:
        if stage not in stages:
            raise Refused(f"current_stage: a {host.role} does not go through stage {stage!s}")
        if before.current_stage in stages and stages.index(stage) < stages.index(before.current_stage):
            raise Refused(
                f"current_stage: host {host.name} is at {before.current_stage!s} and cannot go back to {stage!s}"
            )
    return HostProgress(
        current_stage=Stage(_last_seen(draft, host, stage)),
        progress_info=asked.info,
        installation_percentage=100 * (stages.index(stage) + 1) // len(stages) if stage in stages else 0,
        stage_started_at=now,
        stage_updated_at=now,
    )


def update(draft: Draft, asked: UpdateHost) -> None:
    """What is wanted of a host."""
    view = draft.view
    draft.put(changed_host(draft.host(asked.host_id), asked.changes, cluster=view.cluster, policy=view.policy))


def delete(draft: Draft, asked: DeleteHost) -> None:
    """Given up."""
    host = draft.host(asked.host_id)
    draft.put(host.but(deleted_at=draft.view.now))
    draft.tell(host_events.host_deregistered(host))


def logs(draft: Draft, asked: HostLogsReported) -> None:
    """The host's logs."""
    host, now = draft.host(asked.host_id), draft.view.now
    if asked.uploaded:
        draft.put(host.but(logs_info="collecting", logs_collected_at=now))
        draft.tell(host_events.host_logs_uploaded(host))
    elif asked.state == "requested":
        draft.put(host.but(logs_info=asked.state, logs_started_at=now))
    else:
        draft.put(host.but(logs_info=asked.state))


ACCEPTS: Accepts = {
    Registered: register,
    CheckedIn: check_in,
    Replied: reply,
    Progressed: progress,
    UpdateHost: update,
    DeleteHost: delete,
    HostLogsReported: logs,
}

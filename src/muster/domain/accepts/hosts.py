"""What agents report of their machines, and what users ask of hosts."""

from muster.domain import events
from muster.domain.clusters import Cluster
from muster.domain.draft import Accepts, Draft
from muster.domain.errors import Invalid, NotFound, Refused
from muster.domain.hosts import Host, HostKind
from muster.domain.infra_envs import ImageType, InfraEnv
from muster.domain.inputs.hosts import changed_host
from muster.domain.moves import move_host
from muster.domain.progress import HostProgress, Stage
from muster.domain.roles import Role
from muster.domain.states.clusters import UPDATABLE, ClusterState
from muster.domain.states.hosts import BEFORE_INSTALL, IN_POOL, INSTALLING, HostState
from muster.domain.steps import STEPS
from muster.domain.triggers import CheckedIn, DeleteHost, HostLogsReported, Progressed, Registered, Replied, UpdateHost

MEDIA_LOST = 256
"""The exit code of an agent that cannot read what it was started from."""

ALREADY_RUNS = 125
"""The exit code of an install step on a host that installs already."""

TAKES_INVENTORY = BEFORE_INSTALL | IN_POOL | {HostState.IN_PROGRESS}
TAKES_PROGRESS = INSTALLING | {HostState.PENDING_USER_ACTION}


def register(draft: Draft, asked: Registered) -> None:
    """An agent started: a machine never seen before, or one that is back."""
    infra_env = draft.view.infra_envs.get(asked.infra_env_id)
    if infra_env is None or infra_env.deleted:
        raise NotFound(f"There is no infra-env {asked.infra_env_id}")
    if infra_env.type is ImageType.DISCONNECTED:
        raise Invalid(f"Infra-env {infra_env.name} makes images for installations without this service")
    known = draft.view.hosts.get(asked.host_id)
    if known is None or known.deleted_at is not None:
        _welcome(draft, asked, infra_env)
        return
    if known.status is HostState.INSTALLED:
        raise Refused(f"Host {known.name} is installed already; start it from its disk")
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
    draft.tell(events.host_registration_succeeded(host))


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
    draft.put(
        host.but(
            clock_skew=host.clock_skew if happened.clock_skew is None else happened.clock_skew,
            discovery_agent_version=happened.agent_version or host.discovery_agent_version,
        )
    )


def reply(draft: Draft, happened: Replied) -> None:
    """A step was done, well or badly."""
    host = draft.host(happened.host_id)
    step = STEPS.get(happened.step)
    if step is None:
        return
    if step.kind == "inventory" and host.status not in TAKES_INVENTORY and happened.exit_code == 0:
        raise Refused(f"Host {host.name} is {host.status}; its inventory is no longer taken in")
    if happened.exit_code == MEDIA_LOST:
        _lose_media(draft, host)
    elif happened.exit_code == 0:
        draft.put(host.but(media_connected=True))
    host = draft.host(host.id)
    if happened.exit_code != 0 and step.fail is not None:
        draft.put(step.fail(host, happened.exit_code))
    elif happened.reply is not None and step.learn is not None and (happened.exit_code == 0 or step.tolerant):
        _learn(draft, host, happened)
    elif _could_not_start(happened):
        move_host(draft, host, happened)


def _could_not_start(happened: Replied) -> bool:
    """Whether the host says that it cannot install; why it lost its media was told already."""
    failed = happened.step == "install" and happened.exit_code not in (0, MEDIA_LOST)
    return failed and not _installs_already(happened)


def _installs_already(happened: Replied) -> bool:
    return happened.exit_code == ALREADY_RUNS and "is already in use" in happened.error


def _lose_media(draft: Draft, host: Host) -> None:
    if host.media_connected:
        draft.put(host.but(media_connected=False))
        draft.tell(events.host_media_disconnected(host))


def _learn(draft: Draft, host: Host, happened: Replied) -> None:
    learn = STEPS[happened.step].learn
    assert learn is not None
    after = learn(host, happened.reply)
    if after is host:
        return
    draft.put(after.but(heard_at={**host.heard_at, happened.step: draft.view.now}))
    for name, image in after.images.items():
        if name not in host.images:
            draft.tell(events.image_status_updated(after, name, image.result))
    limit = draft.view.policy.requirements.master.installation_disk_speed_threshold_ms
    for disk, speed in after.disk_speeds.items():
        if disk not in host.disk_speeds and speed.speed_ms > limit:
            draft.tell(events.disk_speed_slower_than_supported(after, disk, speed.speed_ms))


def progress(draft: Draft, asked: Progressed) -> None:
    """The installation of a host went on."""
    host = draft.host(asked.host_id)
    if draft.view.cluster is None:
        raise Invalid(f"Host {host.name} belongs to no cluster, so nothing is installed on it")
    before = host.progress
    if before.current_stage == asked.stage and before.progress_info == asked.info:
        return
    now = draft.view.now
    if before.current_stage == asked.stage:
        draft.put(host.but(progress=before.but(progress_info=asked.info, stage_updated_at=now)))
        draft.tell(events.host_install_progress_updated(draft.host(host.id)))
        return
    if host.status not in TAKES_PROGRESS:
        raise Refused(f"Host {host.name} is {host.status}; no installation is under way on it")
    if asked.stage == Stage.FAILED:
        move_host(draft, host, asked)
        return
    draft.put(host.but(progress=_advanced(draft, host, asked)))
    move_host(draft, draft.host(host.id), asked)
    draft.tell(events.host_install_progress_updated(draft.host(host.id)))


def _advanced(draft: Draft, host: Host, asked: Progressed) -> HostProgress:
    stage, now = Stage(asked.stage), draft.view.now
    stages = host.stages(single_node=draft.cluster.single_node)
    before = host.progress
    if before.current_stage is not None:
        if stage not in stages:
            raise Refused(f"current_stage: a {host.role} does not go through stage {stage!s}")
        if before.current_stage in stages and stages.index(stage) < stages.index(before.current_stage):
            raise Refused(
                f"current_stage: host {host.name} is at {before.current_stage!s} and cannot go back to {stage!s}"
            )
    return HostProgress(
        current_stage=stage,
        progress_info=asked.info,
        installation_percentage=100 * (stages.index(stage) + 1) // len(stages) if stage in stages else 0,
        stage_started_at=now,
        stage_updated_at=now,
    )


def update(draft: Draft, asked: UpdateHost) -> None:
    """What is wanted of a host."""
    draft.put(changed_host(draft.host(asked.host_id), asked.changes, cluster=draft.view.cluster))


def delete(draft: Draft, asked: DeleteHost) -> None:
    """Given up."""
    host = draft.host(asked.host_id)
    draft.put(host.but(deleted_at=draft.view.now))
    draft.tell(events.host_deregistered(host))


def logs(draft: Draft, asked: HostLogsReported) -> None:
    """The host's logs."""
    host, now = draft.host(asked.host_id), draft.view.now
    if asked.uploaded:
        draft.put(host.but(logs_info="collecting", logs_collected_at=now))
        draft.tell(events.host_logs_uploaded(host))
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

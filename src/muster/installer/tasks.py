"""The tasks that an installation is made of. `sequence.py` puts them in order; each is given the work."""

from collections.abc import Callable
from typing import Any

from muster.agent.logs import Owner, send_logs
from muster.domain.clusters import ClusterKind
from muster.domain.errors import Broken
from muster.domain.progress import Stage
from muster.domain.roles import Role
from muster.machine import Landmark
from muster.wire.endpoints.clusters import DOWNLOAD_FILES, GET_CLUSTER, LIST_CLUSTER_HOSTS
from muster.wire.endpoints.hosts import DOWNLOAD_HOST_IGNITION

from .bootstrap import with_controller
from .work import Work

POLL = 5.0
"""Seconds between two looks at what is waited for."""

WRITE_TRIES = 3
WRITE_PAUSE = 1.0
LEAST_NEWS = 5
"""Percentage points that are worth a report."""

ENOUGH_MASTERS = 2
"""Masters that workers wait for, and that the temporary control plane hands over to."""

Hosts = list[dict[str, Any]]
"""Hosts as the service tells of them."""

CONTROL_PLANE = frozenset({Role.MASTER, Role.ARBITER})
JOINED = frozenset({Stage.JOINED, Stage.DONE})
READY = frozenset({Stage.DONE})


async def format_disks(work: Work) -> None:
    """Every other disk that could be started from cannot be any more."""
    for disk in work.plan.disks_to_format:
        await work.machine.wipe(disk)


async def clean_disk(work: Work) -> None:
    """Nothing of an earlier system is left on the disk to install to."""
    if not work.plan.skip_installation_disk_cleanup:
        await work.machine.wipe(work.plan.boot_device)


async def start_bootstrap(work: Work) -> None:
    """The temporary control plane runs on this machine, and starts the controller in the new cluster."""
    plan = work.plan
    await fetch_ignition(work)
    ignition = await work.patiently(
        lambda: work.client.call(DOWNLOAD_FILES, query={"file_name": "bootstrap.ign"}, cluster_id=plan.cluster_id)
    )
    await work.machine.start_bootstrap(with_controller(ignition, work))


async def fetch_ignition(work: Work) -> None:
    """The first configuration of this machine's system is at hand."""
    if work.ignition:
        return
    plan = work.plan
    work.ignition = await work.patiently(
        lambda: work.client.call(DOWNLOAD_HOST_IGNITION, infra_env_id=plan.infra_env_id, host_id=plan.host_id)
    )


async def write_image(work: Work) -> None:
    """The system is on the disk; how far that has come is told on the way."""
    told = 0
    for attempt in range(1, WRITE_TRIES + 1):
        try:
            told = await _written(work, told)
        except Broken as error:
            device = work.plan.boot_device
            work.machine.journal(f"writing to {device} failed: {error}")
            if attempt == WRITE_TRIES:
                raise Broken(f"Writing to {device} failed {WRITE_TRIES} times; at last: {error}") from error
            await work.machine.sleep(WRITE_PAUSE)
        else:
            return


async def _written(work: Work, told: int) -> int:
    plan = work.plan
    async for percent in work.machine.write_image(plan.boot_device, work.ignition, plan.writer_args):
        if percent >= told + LEAST_NEWS or percent == 100 > told:  # noqa: PLR2004 - a hundred percent
            await work.note(f"{percent}%")
            told = percent
    return told


async def wait_for_masters(work: Work) -> None:
    """There is a control plane to join: enough masters are done. A running cluster has one anyway."""
    cluster = await work.patiently(
        lambda: work.client.call(GET_CLUSTER, query={"exclude-hosts": "true"}, cluster_id=work.plan.cluster_id)
    )
    if cluster["kind"] != ClusterKind.ADD_HOSTS:
        await _wait_for_hosts(work, lambda hosts: len(_at(READY, hosts)) >= ENOUGH_MASTERS)


async def wait_for_control_plane(work: Work) -> None:
    """The temporary control plane can hand over: enough other masters have joined, and an arbiter if there is one."""
    enough = min(work.plan.control_plane_count - 1, ENOUGH_MASTERS)

    def can_hand_over(hosts: Hosts) -> bool:
        joined = [host["role"] for host in _at(JOINED, hosts)]
        votes = Role.ARBITER in joined or all(host.get("role") != Role.ARBITER for host in hosts)
        return joined.count(Role.MASTER) >= enough and votes

    await _wait_for_hosts(work, can_hand_over)


async def _wait_for_hosts(work: Work, hold: Callable[[Hosts], bool]) -> None:
    """Wait until something is so about the other hosts of the cluster."""
    while True:
        hosts = await work.patiently(lambda: work.client.call(LIST_CLUSTER_HOSTS, cluster_id=work.plan.cluster_id))
        if hold([host for host in hosts if host["id"] != work.plan.host_id]):
            return
        await work.machine.sleep(POLL)


def _at(stages: frozenset[Stage], hosts: Hosts) -> Hosts:
    """The hosts of the control plane that have come to one of these stages."""
    return [
        host for host in hosts if host.get("role") in CONTROL_PLANE and host["progress"].get("current_stage") in stages
    ]


async def wait_for_bootkube(work: Work) -> None:
    """The temporary control plane has done its work."""
    await _wait_for(work, Landmark.BOOTKUBE)


async def wait_for_controller(work: Work) -> None:
    """The new cluster reports for itself from now on."""
    await _wait_for(work, Landmark.CONTROLLER)


async def _wait_for(work: Work, landmark: Landmark) -> None:
    while not await work.machine.reached(landmark):
        await work.machine.sleep(POLL)


async def upload_logs(work: Work) -> None:
    """The service has the logs of the installation."""
    plan = work.plan
    owner = Owner(cluster_id=plan.cluster_id, infra_env_id=plan.infra_env_id, host_id=plan.host_id)
    await send_logs(work.machine, work.client, owner)


async def reboot(work: Work) -> None:
    """The machine starts again, from its disk."""
    await work.machine.reboot()

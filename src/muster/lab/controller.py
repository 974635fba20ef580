"""The new cluster as the service sees it: tells how far nodes have come, brings the cluster up, sends its logs.

Everything is worked out from what the service knows, so a controller can be ended and begun again at any time.
"""

import asyncio
import contextlib
import io
import tarfile
from collections.abc import Awaitable, Callable
from typing import Any

from muster.adapters.machine.profile import Timings
from muster.adapters.machine.world import World
from muster.adapters.releases.certificates import new_ingress_ca
from muster.agent.logs import COMPLETED, REQUESTED, upload_form
from muster.client import Client
from muster.domain.clusters import ClusterState
from muster.domain.errors import Invalid, MusterError, Refused
from muster.domain.monitored import OperatorStatus, OperatorType
from muster.domain.progress import (
    BOOTSTRAP_STAGES,
    MASTER_STAGES,
    SINGLE_NODE_STAGES,
    WORKER_STAGES,
    FinalizingStage,
    Stage,
)
from muster.domain.roles import Role
from muster.wire.cluster_requests import Completion
from muster.wire.endpoints.clusters import (
    CLUSTER_LOGS_PROGRESS,
    COMPLETE_INSTALLATION,
    FINALIZING_PROGRESS,
    GET_CLUSTER,
    LIST_OPERATORS,
    REPORT_OPERATOR,
    UPLOAD_INGRESS_CERT,
    UPLOAD_LOGS,
)
from muster.wire.endpoints.hosts import HOST_PROGRESS
from muster.wire.hosts import HostProgressReport

from .running import pages_of

POLL = 30.0
"""Seconds between two looks."""

ORDER = tuple(FinalizingStage)

ENDS = frozenset({ClusterState.INSTALLED, ClusterState.ERROR, ClusterState.CANCELLED})
"""States after which the controller is no longer needed."""

NODES = frozenset({Stage.JOINED, Stage.DONE})
"""Stages of machines that are nodes."""


class Controller:
    """The controller of one cluster."""

    def __init__(self, client: Client, cluster_id: str, world: World, timings: Timings = Timings()) -> None:  # noqa: B008 - a frozen record
        self._client = client
        self._cluster_id = cluster_id
        self._world = world
        self._timings = timings
        self._idle = False

    async def run(self) -> None:
        """Report for as long as the lab is up."""
        async with asyncio.TaskGroup() as duties:
            duties.create_task(self._again_and_again(self._report_nodes))
            duties.create_task(self._again_and_again(self._bring_up))

    async def _again_and_again(self, duty: Callable[[], Awaitable[None]]) -> None:
        """Do a duty, look again later; what did not work now is tried again then."""
        while True:
            try:
                await duty()
            except MusterError:
                await self._world.sleep(POLL)
            await self._world.sleep(POLL)

    async def _report_nodes(self) -> None:
        """Tell the service of every stage that a node has come to and the service has not heard of."""
        if not self._world.nodes:
            return
        cluster = await self._call(GET_CLUSTER)
        single_node = cluster["control_plane_count"] == 1
        for host in cluster["hosts"]:
            stages = stages_of(host, single_node=single_node)
            for stage in unheard_stages(host, stages, self._world.nodes.get(host["id"])):
                await self._tell(host, stage)

    async def _tell(self, host: dict[str, Any], stage: Stage) -> None:
        """Tell of a node's stage. Of a host that was given up nobody wants to hear it, but the others come up."""
        body = HostProgressReport(current_stage=stage)
        with contextlib.suppress(Refused):
            await self._client.call(HOST_PROGRESS, body=body, infra_env_id=host["infra_env_id"], host_id=host["id"])

    async def _bring_up(self) -> None:
        """Do what the state of the cluster asks for. Before any of its machines is a node, that is nothing."""
        if self._idle and not self._world.nodes:
            return
        cluster = await self._call(GET_CLUSTER, query={"exclude-hosts": "true"})
        self._idle = cluster["status"] != ClusterState.FINALIZING
        if cluster["status"] == ClusterState.FINALIZING:
            await self._finalize(cluster)
        elif cluster["status"] in ENDS and self._runs and cluster.get("logs_info") != "completed":
            await self._take_leave(cluster["status"])
        elif cluster["status"] == ClusterState.ADDING_HOSTS:
            self._world.pages |= pages_of(cluster)

    @property
    def _runs(self) -> bool:
        """Whether there is a node yet for the controller to run on."""
        return any(stage in NODES for stage in self._world.nodes.values())

    async def _finalize(self, cluster: dict[str, Any]) -> None:
        """Bring the operators up, let the kubeconfig trust the ingress, and say so stage by stage."""
        at = cluster["progress"].get("finalizing_stage")
        operators = await self._call(LIST_OPERATORS)
        builtin = [each for each in operators if each["operator_type"] == OperatorType.BUILTIN]
        added = [each for each in operators if each["operator_type"] == OperatorType.OLM]
        await self._enter(FinalizingStage.OPERATORS, at)
        await self._bring_up_operators(builtin, cluster)
        if self._broken(builtin):
            return
        await self._enter(FinalizingStage.ROUTER_CA, at)
        domain = f"{cluster['name']}.{cluster['base_dns_domain']}"
        await self._call(UPLOAD_INGRESS_CERT, body=new_ingress_ca(domain))
        if added:
            await self._enter(FinalizingStage.OLM_INIT, at)
            await self._enter(FinalizingStage.OLM_MANIFESTS, at)
            await self._enter(FinalizingStage.OLM_CSV, at)
            await self._bring_up_operators(added, cluster)
        # The service may have found the cluster installed by itself, and takes no more stages then.
        with contextlib.suppress(Invalid):
            await self._enter(FinalizingStage.DONE, at)

    async def _bring_up_operators(self, operators: list[dict[str, Any]], cluster: dict[str, Any]) -> None:
        """Let operators come up, and say so; of one that does not, say that it has failed."""
        missing = [each for each in operators if each.get("status") != OperatorStatus.AVAILABLE]
        begun = [each["name"] for each in missing if each.get("status") != OperatorStatus.FAILED]
        for name in begun:
            await self._operator(name, OperatorStatus.PROGRESSING, "Rolling out", "")
        if begun:
            await self._world.sleep(self._timings.operators)
        broken = self._broken(missing)
        for name in broken:
            await self._operator(name, OperatorStatus.FAILED, "Its pods do not start", "")
        for name in (each["name"] for each in missing if each["name"] not in broken):
            await self._operator(name, OperatorStatus.AVAILABLE, "All is well", cluster["openshift_version"])

    def _broken(self, operators: list[dict[str, Any]]) -> list[str]:
        return [each["name"] for each in operators if each["name"] in self._world.broken_operators]

    async def _operator(self, name: str, status: OperatorStatus, info: str, version: str) -> None:
        body = {"name": name, "status": status, "status_info": info, "version": version}
        await self._call(REPORT_OPERATOR, body=body)

    async def _enter(self, stage: FinalizingStage, at: str | None) -> None:
        """Tell the service of a stage, unless it has heard of a later one."""
        if at is None or ORDER.index(stage) >= ORDER.index(FinalizingStage(at)):
            await self._call(FINALIZING_PROGRESS, body={"finalizing_stage": stage})

    async def _take_leave(self, state: str) -> None:
        """Say how it ended, unless the user has ended it, and hand over the logs."""
        if state != ClusterState.CANCELLED:
            await self._call(COMPLETE_INSTALLATION, body=await self._last_word(state))
        await self._call(CLUSTER_LOGS_PROGRESS, body=REQUESTED)
        form = upload_form(_logs(), "controller_logs.tar.gz")
        await self._call(UPLOAD_LOGS, body=form, query={"logs_type": "controller"})
        await self._call(CLUSTER_LOGS_PROGRESS, body=COMPLETED)

    async def _last_word(self, state: str) -> Completion:
        """Whether the cluster has come up, and which operators kept it from that."""
        if state == ClusterState.INSTALLED:
            return Completion(is_success=True)
        operators = await self._call(LIST_OPERATORS)
        report = [{key: each.get(key, "") for key in ("name", "status", "status_info")} for each in operators]
        return Completion(
            is_success=False, error_info="The cluster did not come up", data={"CLUSTER_OPERATORS_REPORT": report}
        )

    async def _call(self, endpoint: Any, **what: Any) -> Any:
        return await self._client.call(endpoint, cluster_id=self._cluster_id, **what)


def stages_of(host: dict[str, Any], *, single_node: bool) -> tuple[Stage, ...]:
    """The stages that a host goes through, in order."""
    if host.get("role") == Role.WORKER:
        return WORKER_STAGES
    if single_node:
        return SINGLE_NODE_STAGES
    return BOOTSTRAP_STAGES if host.get("bootstrap") else MASTER_STAGES


def unheard_stages(host: dict[str, Any], stages: tuple[Stage, ...], reached: Stage | None) -> list[Stage]:
    """The stages of a host after the one the service knows of, up to the one its node has reached, in order."""
    known = host["progress"].get("current_stage")
    if reached is None or known not in stages:
        return []
    come = AFTER_START[: AFTER_START.index(reached) + 1]
    return [stage for stage in stages[stages.index(known) + 1 :] if stage in come]


AFTER_START = (Stage.IGNITION, Stage.CONFIGURING, Stage.JOINED, Stage.DONE)
"""What a node goes through once it has started from its disk, as far as its role has these stages."""


def _logs() -> bytes:
    text = b"The controller has seen the cluster come up.\n"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        entry = tarfile.TarInfo("assisted-installer-controller.logs")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    return packed.getvalue()

"""One installation under way: the plan, the machine, the service, and how they talk. Tasks are given it."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from muster.agent.patience import patiently
from muster.client import Client
from muster.domain.errors import Broken, MusterError
from muster.domain.progress import Stage
from muster.domain.roles import Role
from muster.domain.steps.install import InstallRequest
from muster.machine import Machine
from muster.wire.endpoints.hosts import HOST_PROGRESS
from muster.wire.hosts import HostProgressReport

T = TypeVar("T")

TRIES = 360
"""How often the service is called again while it does not answer."""


class Plan(InstallRequest):
    """What is to be installed where, as the service asked for it."""

    @property
    def single_node(self) -> bool:
        """The machine is to be the whole cluster."""
        return self.control_plane_count == 1 and self.role is not Role.WORKER

    @property
    def carries_bootstrap(self) -> bool:
        """The machine runs the temporary control plane before it becomes a node like the others."""
        return self.role is Role.BOOTSTRAP and not self.single_node

    @property
    def writer_args(self) -> tuple[str, ...]:
        """What else the program that writes the disk is told; `Broken` if that cannot be read."""
        try:
            return msgspec.json.decode(self.installer_args or "[]", type=tuple[str, ...])
        except msgspec.DecodeError as error:
            raise Broken(f"installer_args is not a list of texts: {error}") from error


class Work:
    """An installation under way."""

    def __init__(self, plan: Plan, machine: Machine, client: Client) -> None:
        self.plan = plan
        self.machine = machine
        self.client = client
        self.ignition = b""
        """The first configuration of the system, once it has been fetched."""
        self.stage = Stage.STARTING

    async def enter(self, stage: Stage, info: str = "") -> None:
        """The next stage has begun. The service is told, patiently; that it will not hear it stops nothing."""
        self.stage = stage
        await self._tell(lambda: self._report(info))
        self.machine.journal(f"stage {stage}" + (f": {info}" if info else ""))

    async def note(self, info: str) -> None:
        """How far the stage has come. It is told once, and is of no use later."""
        try:
            await self._report(info)
        except MusterError as error:
            self.machine.journal(f"{info} was not reported: {error}")

    async def patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        """What a call of the service gives, tried again while the service does not answer."""
        return await patiently(call, self.machine.sleep, TRIES)

    async def _tell(self, call: Callable[[], Awaitable[Any]]) -> None:
        try:
            await self.patiently(call)
        except MusterError as error:
            self.machine.journal(f"stage {self.stage} was not reported: {error}")

    async def _report(self, info: str) -> None:
        body = HostProgressReport(current_stage=self.stage, progress_info=info)
        plan = self.plan
        await self.client.call(HOST_PROGRESS, body=body, infra_env_id=plan.infra_env_id, host_id=plan.host_id)

"""The life of an agent: register the machine, ask for instructions, do them, reply, ask again.

`run` is all there is to it. The lab calls it with simulated machines; on a real one it is the agent's process.
"""

import asyncio
import random
from datetime import datetime, timedelta

import msgspec

from muster.agent.patience import patiently
from muster.client import Client
from muster.domain.errors import (
    Broken,
    Forbidden,
    Invalid,
    MusterError,
    NotFound,
    Refused,
    Unauthenticated,
    Unavailable,
)
from muster.domain.record import Record
from muster.domain.steps.upgrade_agent import KIND as UPGRADE
from muster.domain.steps.upgrade_agent import UpgradeReply
from muster.machine import Machine
from muster.wire.endpoints.hosts import GET_NEXT_STEPS, POST_STEP_REPLY, REGISTER_HOST
from muster.wire.hosts import HostCreate
from muster.wire.json import filled
from muster.wire.steps import StepOut, StepsOut

from .steps import ALONE, Reply, perform
from .steps.step import MEDIA_LOST

REGISTER_AGAIN = 60.0
"""Seconds between two attempts to register."""

NOT_UNDERSTOOD = 3600.0
"""Seconds to wait when the service's answer to a registration cannot be made sense of."""

FIRST_WAIT, GROWTH, JITTER, LONGEST_WAIT = 0.5, 1.5, 0.5, 60.0
GIVES_UP_AFTER = 900.0
"""Seconds without an answer to a poll after which the agent registers anew."""

REPLY_TRIES = 3
KNOWN_FOR = timedelta(hours=1)
"""How long a reply that was taken in need not be repeated."""

MOST_ERROR = 4096

UNREADABLE = Reply(exit_code=MEDIA_LOST, error="what this machine was started from cannot be read any more")


class Registration(Record):
    """What the service tells a machine that has registered."""

    infra_env_id: str
    host_id: str
    agent_version: str


async def run(machine: Machine, client: Client, infra_env_id: str, version: str = "") -> None:
    """Serve a machine for as long as it is on. `version` is the image this agent was started from."""
    while True:
        registration = await register(machine, client, infra_env_id, version)
        machine.journal(f"registered as host {registration.host_id}")
        async with asyncio.TaskGroup() as steps:
            await Runner(machine, client, registration, steps).poll()
        machine.journal("registering again")


async def register(machine: Machine, client: Client, infra_env_id: str, version: str) -> Registration:
    """Register, however long it takes. What only a person can put right is noted, and waited out for ever."""
    while True:
        body = HostCreate(host_id=machine.identity(), discovery_agent_version=version)
        headers = {"discovery_agent_version": version}
        try:
            answer = await client.call(REGISTER_HOST, body=body, headers=headers, infra_env_id=infra_env_id)
        except (Unauthenticated, Forbidden, NotFound, Refused) as error:
            await _freeze(machine, f"cannot register: {error}")
        except (Invalid, Unavailable, Broken) as error:
            machine.journal(f"cannot register now: {error}")
            await machine.sleep(REGISTER_AGAIN)
        else:
            try:
                return msgspec.json.decode(answer["next_step_runner_command"]["args"][0], type=Registration)
            except (KeyError, IndexError, msgspec.DecodeError) as error:
                machine.journal(f"the answer to the registration is not understood: {error!r}")
                await machine.sleep(NOT_UNDERSTOOD)


async def _freeze(machine: Machine, why: str) -> None:
    machine.journal(f"{why}; nothing more is done until this machine is started again")
    await asyncio.Event().wait()


class Runner:
    """Asks for instructions on behalf of a registered machine, and does them side by side in `steps`."""

    def __init__(self, machine: Machine, client: Client, registration: Registration, steps: asyncio.TaskGroup) -> None:
        self._machine = machine
        self._client = client
        self._infra_env_id = registration.infra_env_id
        self._host_id = registration.host_id
        self._headers = {"discovery_agent_version": registration.agent_version}
        self._steps = steps
        self._running: dict[asyncio.Task[None], str] = {}
        self._replaced = asyncio.Event()
        """Set once there is a newer agent to take over."""
        self._accepted: dict[str, tuple[int, datetime]] = {}
        """By kind of step, the fingerprint of the last reply that the service took in, and when it did."""

    async def poll(self) -> None:
        """Ask and do until there is a reason to register anew; then whatever runs ends.

        The reasons: being told to exit, a service that was away too long, and a newer agent that takes over.
        """
        asked = await self._ask()
        while asked is not None:
            for step in asked.instructions or ():
                self._start(step)
            await self._pause(asked.next_instruction_seconds)
            if asked.post_step_action == "exit" or self._replaced.is_set():
                break
            asked = await self._ask()
        for task in self._running:
            task.cancel()

    async def _pause(self, seconds: float) -> None:
        """Wait for so long, or until a newer agent can take over."""
        waits = {asyncio.ensure_future(each) for each in (self._machine.sleep(seconds), self._replaced.wait())}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    async def _ask(self) -> StepsOut | None:
        """The next instructions; None if the service has been away for too long."""
        wait, waited = FIRST_WAIT, 0.0
        while waited < GIVES_UP_AFTER:
            try:
                return await self._instructions()
            except NotFound as error:
                self._accepted.clear()
                await _freeze(self._machine, f"the service no longer knows this host: {error}")
            except MusterError as error:
                self._accepted.clear()
                self._machine.journal(f"no instructions: {error}")
            pause = wait * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - keeps agents apart, hides nothing
            await self._machine.sleep(pause)
            wait, waited = min(wait * GROWTH, LONGEST_WAIT), waited + pause
        return None

    async def _instructions(self) -> StepsOut:
        answer = await self._client.call(
            GET_NEXT_STEPS,
            query={"timestamp": str(int(self._machine.now().timestamp()))},
            headers=self._headers,
            infra_env_id=self._infra_env_id,
            host_id=self._host_id,
        )
        return msgspec.convert(answer, StepsOut)

    def _start(self, step: StepOut) -> None:
        if step.step_type in ALONE and step.step_type in self._running.values():
            return
        task = self._steps.create_task(self._work(step))
        self._running[task] = step.step_type
        task.add_done_callback(self._running.pop)

    async def _work(self, step: StepOut) -> None:
        reply = await self._done(step)
        fingerprint = hash((step.args, reply.output))
        if reply.exit_code == 0 and self._is_known(step.step_type, fingerprint):
            return
        try:
            await patiently(lambda: self._send(step, reply), self._machine.sleep, REPLY_TRIES)
        except MusterError as error:
            self._machine.journal(f"the reply to {step.step_type} was not taken in: {error}")
            return
        if reply.exit_code != 0:
            self._accepted.pop(step.step_type, None)
            return
        self._accepted[step.step_type] = (fingerprint, self._machine.now())
        if step.step_type == UPGRADE and msgspec.json.decode(reply.output, type=UpgradeReply).result == "success":
            self._replaced.set()

    async def _done(self, step: StepOut) -> Reply:
        """How a step came out. What goes wrong once the boot media is gone is put down to that."""
        if not await self._machine.media_is_readable():
            return UNREADABLE
        reply = await perform(step.step_type, self._machine, step.args, self._client)
        if reply.exit_code != 0 and not await self._machine.media_is_readable():
            return reply.but(exit_code=MEDIA_LOST)
        return reply

    def _is_known(self, kind: str, fingerprint: int) -> bool:
        last = self._accepted.get(kind)
        return last is not None and last[0] == fingerprint and abs(self._machine.now() - last[1]) < KNOWN_FOR

    async def _send(self, step: StepOut, reply: Reply) -> None:
        body = {
            "step_type": step.step_type,
            "step_id": step.step_id,
            "exit_code": reply.exit_code,
            "output": reply.output,
            "error": reply.error[:MOST_ERROR],
        }
        await self._client.call(
            POST_STEP_REPLY,
            body=filled(body),
            headers=self._headers,
            infra_env_id=self._infra_env_id,
            host_id=self._host_id,
        )

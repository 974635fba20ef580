"""The life of a fleet, act by act, sent as its users and agents would, and measured as processor time.

`budgets.py` runs `measured` once for every database and size. Every agent has a connection of its own,
which it keeps; agents take turns, as in a fleet whose members each ask once a minute.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import chain
from typing import Any

from caller import Caller, call
from fleet import AGENT, HOSTS, OUTPUTS, Member, members, new_cluster, new_infra_env, registration, reply
from service import Service
from tables import Figures

SILENT_SECONDS = 10.0
IDLE_SECONDS = 15.0
"""As long as the clockwork sleeps at most, so that what it does then is seen."""

FLUSH_SECONDS = 1.2
"""How long agents are watched after their last call: the service writes down once a second who was there."""

CHANGED_SHARE = 0.05
"""How many replies differ from the one before: one of twenty."""

FEWEST = 500
"""Hosts that do something at least; of a smaller fleet each does it several times, so that figures are steady."""

READS = 40

PARTS = 5
"""Every act is measured in so many parts, and the cheapest counts: what others do to the machine only ever adds."""

EVERYTHING = call("GET", "/clusters?with_hosts=true")


class Agent:
    """One host with its connection."""

    def __init__(self, member: Member, infra_env_id: str, line: Caller) -> None:
        self._member = member
        self._line = line
        self._hosts = f"/infra-envs/{infra_env_id}/hosts"
        self._steps = f"{self._hosts}/{member.id}/instructions"
        self._versions = dict.fromkeys(OUTPUTS, 0)
        self._replies = {kind: self._reply(kind) for kind in OUTPUTS}

    def _reply(self, kind: str) -> bytes:
        return call("POST", self._steps, reply(kind, self._member, self._versions[kind]))

    def vary(self, chance: random.Random) -> None:
        """Let some answers be other ones from now on."""
        for kind in OUTPUTS:
            if chance.random() < CHANGED_SHARE:
                self._versions[kind] += 1
                self._replies[kind] = self._reply(kind)

    async def register(self) -> None:
        """Say who is there, and what machine it is."""
        await self._line.send(call("POST", self._hosts, registration(self._member)))
        await self._line.send(self._replies["inventory"])

    async def poll(self) -> None:
        """Ask what to do."""
        path = f"{self._steps}?timestamp={int(time.time())}"
        await self._line.send(call("GET", path, headers=f"discovery_agent_version: {AGENT}\r\n"))

    async def go_round(self) -> None:
        """Ask what to do, and do all that is asked of a host that is known."""
        await self.poll()
        for answer in self._replies.values():
            await self._line.send(answer)


class Load:
    """A fleet and its one user."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._user = Caller(service.port)
        self.cluster_ids: list[str] = []
        self.agents: list[Agent] = []

    async def create(self, numbers: range) -> None:
        """Clusters with their discovery images."""
        for number in numbers:
            cluster = await self._user.ask(call("POST", "/clusters", new_cluster(number)))
            infra_env = await self._user.ask(call("POST", "/infra-envs", new_infra_env(number, cluster["id"])))
            self.cluster_ids.append(cluster["id"])
            for member in members(number):
                self.agents.append(Agent(member, infra_env["id"], Caller(self._service.port)))

    async def each(self, agents: list[Agent], act: Callable[[Agent], Awaitable[None]]) -> None:
        """Every agent in turn."""
        for agent in agents:
            await act(agent)

    async def cost_of_each(self, agents: list[Agent], act: Callable[[Agent], Awaitable[None]]) -> float:
        """What an act of one agent costs, with what the service puts off for a second."""

        async def some_of_it(some: list[Agent]) -> None:
            await self.each(some, act)
            await asyncio.sleep(FLUSH_SECONDS)

        size = -(-len(agents) // PARTS)
        parts = [agents[start : start + size] for start in range(0, len(agents), size)]
        return min([await self.cost(some_of_it(part), len(part)) for part in parts])

    async def cost_of_creating(self, numbers: range) -> float:
        """What a cluster with its discovery image costs."""
        size = -(-len(numbers) // PARTS)
        parts = [numbers[start : start + size] for start in range(0, len(numbers), size)]
        return min([await self.cost(self.create(part), len(part)) for part in parts])

    async def cost_of_reading(self) -> float:
        """What a look at a cluster costs."""
        return min([await self.cost(self.read_one_by_one(), READS) for _ in range(PARTS)])

    async def cost_of_listing(self) -> float:
        """What a look at all clusters with their hosts costs, per cluster."""
        return min([await self.cost(self.read_everything(), len(self.cluster_ids)) for _ in range(PARTS)])

    async def read_one_by_one(self) -> None:
        """Look at single clusters."""
        for index in range(READS):
            await self._user.send(call("GET", f"/clusters/{self.cluster_ids[index % len(self.cluster_ids)]}"))

    async def read_everything(self) -> None:
        """Look at all clusters with their hosts."""
        await self._user.send(EVERYTHING)

    async def check(self) -> None:
        """All hosts are known and all clusters ready; if not, no figure would mean anything."""
        clusters: list[dict[str, Any]] = await self._user.ask(EVERYTHING)
        hosts = list(chain.from_iterable(cluster["hosts"] for cluster in clusters))
        found = Counter(each["status"] for each in (*clusters, *hosts))
        wanted = {"ready": len(self.cluster_ids), "known": len(self.agents)}
        reasons = {each["status_info"] for each in (*clusters, *hosts) if each["status"] not in wanted}
        assert found == wanted, f"the fleet is not as it should be: {found}, wanted {wanted}: {reasons}"

    async def cost(self, act: Awaitable[None], shares: int) -> float:
        """What one share of an act costs, in milliseconds of processor time."""
        meter = self._service.meter
        before = meter.cpu_ms()
        await act
        return (meter.cpu_ms() - before) / shares

    async def killed_and_back(self) -> float:
        """How many milliseconds go by until a killed service serves again, with nothing lost."""
        self._user.close()
        self._service.kill()
        seconds = self._service.start()
        await self.check()
        return 1000 * seconds

    async def idle(self, seconds: float) -> float:
        """What doing nothing costs, in milliseconds of processor time a second."""
        await self._service.tidy()
        return await self.cost(asyncio.sleep(seconds), 1) / seconds


async def measured(service: Service, hosts: int) -> Figures:
    """What a fleet of so many hosts costs the service, which is started, killed and started again."""
    figures: Figures = {"start": 1000 * service.start()}
    load = Load(service)
    await _warm_up(load)
    clusters = range(1, 1 + hosts // HOSTS)
    figures["create"] = await load.cost_of_creating(clusters)
    fresh = load.agents[HOSTS:]
    figures["register"] = await load.cost_of_each(fresh, Agent.register)
    figures["silent"] = await load.idle(SILENT_SECONDS)
    figures["first round"] = await load.cost_of_each(fresh, Agent.go_round)
    await load.check()
    figures |= await _steady(load)
    figures["idle"] = await load.idle(IDLE_SECONDS)
    figures["memory"] = service.meter.memory_mb()
    figures["back"] = await load.killed_and_back()
    return figures


async def _warm_up(load: Load) -> None:
    """One cluster goes through everything, so that what is done once per process is not measured."""
    await load.create(range(1))
    await load.each(load.agents, Agent.register)
    for _ in range(3):
        await load.each(load.agents, Agent.go_round)
    await load.read_one_by_one()
    await load.check()


async def _steady(load: Load) -> Figures:
    """What a fleet costs that has settled and mostly repeats itself."""
    again = max(1, FEWEST // len(load.agents))
    chance = random.Random(len(load.agents))
    rounds = load.agents * again

    async def vary_and_go_round(agent: Agent) -> None:
        agent.vary(chance)
        await agent.go_round()

    await load.each(load.agents, Agent.go_round)
    figures = {
        "poll": await load.cost_of_each(rounds, Agent.poll),
        "round": await load.cost_of_each(rounds, vary_and_go_round),
        "read": await load.cost_of_reading(),
        "list": await load.cost_of_listing(),
    }
    await load.check()
    return figures

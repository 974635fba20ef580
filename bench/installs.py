"""What whole installations cost: clusters of one node, each from nothing to installed, and all of them stay.

`make installs` runs it. The service has its own process and a PostgreSQL; the machines of the lab live in this one.
So many clusters are under way at a time that the processors are busy and not overrun: machines that wait for an answer
ask more often, and then the cost of an installation is that of waiting. One user watches all of them by the stream of
changes. What an installation costs must be the same for the first and for the thousandth.
"""

import argparse
import asyncio
import contextlib
import resource
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import msgspec
import uvloop
from meters import Others
from rich.console import Console
from service import Service, prepared
from tables import Figures, Row, table

from muster.client import Client
from muster.domain.clusters import ClusterState
from muster.domain.errors import Unavailable
from muster.domain.record import Record, apply_patch
from muster.lab.fleet import up
from muster.lab.profiles import Room, profiles_of
from muster.lab.site import new_place
from muster.lab.steady import SteadyClient
from muster.wire.endpoints.clusters import INSTALL_CLUSTER, LIST_CLUSTERS
from muster.wire.endpoints.ours import STREAM_CHANGES

SIZES = (10, 100, 1000)
AT_ONCE = 40
SPEED = 200.0
ALONE = Room(masters=1, workers=0)
LASTS = 2600.0
"""Seconds of the machines' time that an installation takes."""

PATIENCE = 120.0
"""Seconds that one installation may take, on a clock, before the bench gives up."""

IDLE_SECONDS = 15.0
"""As long as the clockwork sleeps at most, so that what it does then is seen."""

TENTHS = 10
FILES = 20_000

ROWS = (
    Row(key="service", what="the service, per installation"),
    Row(key="database", what="PostgreSQL, per installation"),
    Row(key="lab", what="the machines of the lab, per installation"),
    Row(key="service early", what="the service, for the second to fourth tenth of them"),
    Row(key="service late", what="the service, for the seventh to ninth tenth"),
    Row(key="database early", what="PostgreSQL, for the second to fourth tenth of them"),
    Row(key="database late", what="PostgreSQL, for the seventh to ninth tenth"),
    Row(key="idle", what="idle, all of them installed", unit="ms CPU/s", budget=1),
    Row(key="service memory", what="memory of the service in the end", unit="MB"),
    Row(key="database memory", what="memory of PostgreSQL in the end", unit="MB"),
    Row(key="one", what="from nothing to installed, on average", unit="s"),
    Row(key="wall", what="all of them", unit="s"),
    Row(key="others", what="used by others meanwhile, of all processors", unit="%"),
)


class Reading(Record):
    """What had been used when so many installations were over."""

    done: int
    service: float
    database: float
    lab: float
    clock: float


class Costs:
    """Reads the meters whenever a tenth of all installations is over."""

    def __init__(self, service: Service, count: int) -> None:
        self._parts = service.parts
        self._count = count
        self._each = max(count // TENTHS, 1)
        self._done = 0
        self.readings: list[Reading] = []
        self.read()

    def one_more(self) -> None:
        """Another installation is over."""
        self._done += 1
        if self._done % self._each == 0 or self._done == self._count:
            self.read()

    def read(self) -> None:
        """Note what has been used so far."""
        service, database = (part.cpu_ms() for part in self._parts)
        self.readings.append(
            Reading(
                done=self._done,
                service=service,
                database=database,
                lab=1000 * time.process_time(),
                clock=time.perf_counter(),
            )
        )


class News:
    """One user's eye on all clusters: what the stream of changes says of them."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: dict[str, dict[str, Any]] = {}
        self._told: dict[str, asyncio.Event] = {}

    async def listen(self) -> None:
        """Hear of every change, for as long as this is wanted."""
        after = ""
        while True:
            with contextlib.suppress(Unavailable):
                async for row in self._client.listen(STREAM_CHANGES, after=after):
                    after = row.get("cursor", after)
                    if row.get("kind") == "cluster":
                        self._learn(row["key"], row["patch"])

    def _learn(self, cluster_id: str, patch: dict[str, Any]) -> None:
        self._known[cluster_id] = apply_patch(self._known.get(cluster_id, {}), patch)
        told = self._told.pop(cluster_id, None)
        if told is not None:
            told.set()

    async def until(self, cluster_id: str, field: str, value: str) -> None:
        """Wait until a field of a cluster has a value; a cluster that failed has none any more."""
        while self._of(cluster_id).get(field) != value:
            failed = self._of(cluster_id).get("status") == ClusterState.ERROR
            assert not failed, f"an installation failed; it is {self.said_of(cluster_id)}"
            await self._told.setdefault(cluster_id, asyncio.Event()).wait()

    def _of(self, cluster_id: str) -> dict[str, Any]:
        return self._known.get(cluster_id, {})

    def said_of(self, cluster_id: str) -> str:
        """How a cluster is and why."""
        return f"{self._of(cluster_id).get('status')}: {self._of(cluster_id).get('status_info')}"

    def forget(self, cluster_id: str) -> None:
        """Nobody looks at that cluster any more."""
        self._known.pop(cluster_id, None)


@asynccontextmanager
async def _news(client: Client) -> AsyncIterator[News]:
    news = News(client)
    listening = asyncio.create_task(news.listen())
    try:
        yield news
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


class Installations:
    """Clusters that are made, installed and left alone, a few at a time."""

    def __init__(self, client: Client, news: News, speed: float) -> None:
        self._client = client
        self._news = news
        self._speed = speed
        self.seconds: list[float] = []

    async def of(self, count: int, at_once: int, costs: Costs) -> None:
        """Bring up so many clusters, begun one after the other so that they are not all at the same stage."""
        free = asyncio.Semaphore(at_once)

        async def one(number: int) -> None:
            try:
                await self.one(number)
            finally:
                free.release()
            costs.one_more()

        async with asyncio.TaskGroup() as all_of_them:
            for number in range(count):
                await free.acquire()
                all_of_them.create_task(one(number))
                if number < at_once:
                    await asyncio.sleep(LASTS / self._speed / at_once)

    async def one(self, number: int) -> None:
        """From nothing to a cluster that is installed and has handed over its logs; then its machine is left alone."""
        began = time.perf_counter()
        place = await new_place(self._client, f"single-{number}", ALONE)
        profiles = profiles_of(ALONE.but(seed=place.infra_env_id))
        try:
            async with asyncio.timeout(PATIENCE), up(self._client, place, profiles, self._speed):
                await self._news.until(place.cluster_id, "status", ClusterState.READY)
                await self._client.call(INSTALL_CLUSTER, cluster_id=place.cluster_id)
                await self._news.until(place.cluster_id, "status", ClusterState.INSTALLED)
                self.seconds.append(time.perf_counter() - began)
                await self._news.until(place.cluster_id, "logs_info", "completed")
        except TimeoutError:
            raise AssertionError(
                f"an installation does not end; it is {self._news.said_of(place.cluster_id)}"
            ) from None
        self._news.forget(place.cluster_id)


async def measured(service: Service, count: int, at_once: int, speed: float) -> Figures:
    """What so many installations cost, after one that shows everything once and is not counted."""
    service.start()
    async with SteadyClient(f"http://127.0.0.1:{service.port}") as client, _news(client) as news:
        work = Installations(client, news, speed)
        await work.one(count)
        work.seconds.clear()
        costs = Costs(service, count)
        await work.of(count, at_once, costs)
        figures = _figures(costs.readings, work.seconds, compared=count >= TENTHS * at_once)
        for name, meter in zip(("service memory", "database memory"), service.parts, strict=True):
            figures[name] = meter.memory_mb()
        figures["idle"] = await _idle(service)
        await _check(client, count + 1)
    return figures


async def _idle(service: Service) -> float:
    """What the service and its database take a second while nothing happens."""
    await service.tidy()
    before = service.meter.cpu_ms()
    await asyncio.sleep(IDLE_SECONDS)
    return (service.meter.cpu_ms() - before) / IDLE_SECONDS


def _figures(readings: list[Reading], seconds: list[float], *, compared: bool) -> Figures:
    """What an installation cost on average, and early and late among the others if these are to be compared.

    The first tenth pays for those begun besides, and the last for none that follow; so neither is looked at.
    """
    spans = {"": (readings[0], readings[-1])}
    if compared:
        spans |= {" early": (readings[1], readings[4]), " late": (readings[-5], readings[-2])}
    costs = {f"{part}{when}": cost for when, span in spans.items() for part, cost in _between(*span).items()}
    return {**costs, "one": sum(seconds) / len(seconds), "wall": readings[-1].clock - readings[0].clock}


def _between(before: Reading, after: Reading) -> Figures:
    """What one installation cost, of those that were over between two readings."""
    done = after.done - before.done
    return {name: (getattr(after, name) - getattr(before, name)) / done for name in ("service", "database", "lab")}


async def _check(client: Client, count: int) -> None:
    """All clusters are there and installed; if not, no figure would mean anything."""
    clusters = await client.call(LIST_CLUSTERS)
    found = Counter(cluster["status"] for cluster in clusters)
    assert found == {ClusterState.INSTALLED: count}, f"the clusters are not as they should be: {found}"


def main() -> None:
    """Measure what was asked for and print it."""
    asked = _asked()
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    columns: dict[str, Figures] = {}
    for count in asked.clusters:
        print(f"installing {count} clusters ...", file=sys.stderr, flush=True)
        others = Others()
        with prepared("postgresql") as service:
            figures = uvloop.run(measured(service, count, asked.at_once, asked.speed))
        columns[f"{count} clusters"] = figures | {"others": others.percent()}
    Console(width=None if sys.stdout.isatty() else 160).print(table(ROWS, columns))
    if asked.json:
        asked.json.write_bytes(msgspec.json.encode(columns))


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clusters", nargs="+", type=int, default=SIZES, help="how many clusters are installed")
    parser.add_argument("--at-once", type=int, default=AT_ONCE, help="how many of them are under way at a time")
    parser.add_argument("--speed", type=float, default=SPEED, help="how many times faster than real the machines are")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    return parser.parse_args()


if __name__ == "__main__":
    main()

"""A cluster as a person sees it: its hosts, what is wrong with each and the way out; and watching it change."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from muster.client import Client
from muster.domain.errors import Unavailable
from muster.domain.hosts import HostState
from muster.domain.record import Record
from muster.domain.states.hosts import BEFORE_INSTALL
from muster.domain.verdicts import Status
from muster.wire.endpoints.clusters import GET_CLUSTER
from muster.wire.endpoints.ours import EXPLAIN_CLUSTER, STREAM_CHANGES

CHECKED = BEFORE_INSTALL | {HostState.PREPARING, HostState.PREPARING_FAILED}
"""States in which the checks of a host say what is wrong with it."""

TROUBLED = frozenset({HostState.ERROR, HostState.PENDING_USER_ACTION, HostState.CANCELLED})
"""States that say themselves what is wrong."""

LOOKS_AGAIN = 0.2
QUIET = 2.0
"""Seconds after which a look is taken even if nothing is heard."""


class Problem(Record):
    """What is wrong, by which check, measured against what, and the way out."""

    check: str = ""
    message: str = ""
    measured: str = ""
    required: str = ""
    fix: str = ""


class HostSight(Record):
    """One host."""

    name: str
    role: str = ""
    state: str = ""
    stage: str = ""
    info: str = ""
    percent: int = 0
    problems: tuple[Problem, ...] = ()


class Sight(Record):
    """One cluster, now."""

    name: str
    state: str
    because: str = ""
    percent: int = 0
    stage: str = ""
    hosts: tuple[HostSight, ...] = ()

    def host(self, name: str) -> HostSight | None:
        """A host by its name; None if it has not reported in."""
        return next((host for host in self.hosts if host.name == name), None)


async def look(client: Client, cluster_id: str) -> Sight:
    """How a cluster and its hosts are."""
    cluster = await client.call(GET_CLUSTER, cluster_id=cluster_id)
    explained = await client.call(EXPLAIN_CLUSTER, query={"failing": "true"}, cluster_id=cluster_id)
    verdicts = {host["id"]: host for host in explained["hosts"]}
    progress = cluster["progress"]
    hosts = (_host(host, verdicts.get(host["id"], {})) for host in cluster["hosts"])
    return Sight(
        name=cluster["name"],
        state=cluster["status"],
        because=cluster["status_info"],
        percent=progress.get("total_percentage", 0),
        stage=progress.get("finalizing_stage", ""),
        hosts=tuple(sorted(hosts, key=lambda host: host.name)),
    )


def _host(host: dict[str, Any], explained: dict[str, Any]) -> HostSight:
    progress = host["progress"]
    return HostSight(
        name=host["requested_hostname"],
        role="bootstrap" if host.get("bootstrap") else explained.get("role", host.get("role", "")),
        state=host["status"],
        stage=progress.get("current_stage", ""),
        info=progress.get("progress_info", ""),
        percent=progress.get("installation_percentage", 0),
        problems=tuple(_problems(host, explained)),
    )


def _problems(host: dict[str, Any], explained: dict[str, Any]) -> list[Problem]:
    """What is wrong with a host, what holds it back first."""
    if host["status"] in TROUBLED:
        return [Problem(message=host["status_info"])]
    if host["status"] not in CHECKED:
        return []
    failing = [each for each in explained.get("verdicts", ()) if each["status"] == Status.FAILURE]
    return [
        Problem(
            check=each["id"],
            message=each["message"],
            measured=each["evidence"].get("measured", ""),
            required=each["evidence"].get("required", ""),
            fix=each["evidence"].get("fix", ""),
        )
        for each in sorted(failing, key=lambda each: not each["holds_back"])
    ]


class Watch:
    """Looks at a cluster again whenever something about it has changed."""

    def __init__(self, client: Client, cluster_id: str, show: Callable[[Sight], None]) -> None:
        self._client = client
        self._cluster_id = cluster_id
        self._show = show
        self._news = asyncio.Event()

    async def until(self, holds: Callable[[Sight], bool]) -> Sight:
        """Show the cluster as it changes, until something is so."""
        while True:
            self._news.clear()
            with contextlib.suppress(Unavailable):
                sight = await look(self._client, self._cluster_id)
                self._show(sight)
                if holds(sight):
                    return sight
            await asyncio.sleep(LOOKS_AGAIN)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(QUIET):
                    await self._news.wait()

    async def listen(self) -> None:
        """Hear of every change, for as long as this is wanted."""
        while True:
            with contextlib.suppress(Unavailable):
                async for _ in self._client.listen(STREAM_CHANGES, query={"scope": f"cluster:{self._cluster_id}"}):
                    self._news.set()
            await asyncio.sleep(LOOKS_AGAIN)


@asynccontextmanager
async def watching(client: Client, cluster_id: str, show: Callable[[Sight], None]) -> AsyncIterator[Watch]:
    """A watch on a cluster."""
    watch = Watch(client, cluster_id, show)
    listening = asyncio.create_task(watch.listen())
    try:
        yield watch
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)

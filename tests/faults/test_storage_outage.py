"""The object store goes away in the middle of an installation and comes back: nothing is lost, and everything is told.

The store is a real S3 server that is killed and started again over the same files; the release is in a real registry,
with the stand-in for its installer.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from muster.client import Client
from muster.lab.fleet import Place, up
from muster.lab.profiles import Room, profiles_of
from muster.lab.site import new_place
from muster.lab.steady import SteadyClient
from muster.wire.endpoints.clusters import DOWNLOAD_CREDENTIALS, INSTALL_CLUSTER
from muster.wire.endpoints.events import LIST_EVENTS
from parts.installs import SPEED, until
from parts.offered_release import OfferedRelease
from parts.process import MusterProcess
from parts.s3 import S3

pytestmark = pytest.mark.slow

ROOM = Room(workers=0)
A_WHILE = 6.0
"""Seconds for which the storage is away: several tries of everybody, and many minutes of the machines' time."""

A_MINUTE = 60.0
"""Seconds after which everybody tries as seldom as they ever do."""

ENDS = {"installed", "error", "cancelled"}

Seen = Callable[[dict[str, Any]], bool]


@pytest.fixture
def service(tmp_path: Path, bucket: S3, monkeypatch: pytest.MonkeyPatch) -> Iterator[MusterProcess]:
    """A service that has its files in the bucket and a real release on offer."""
    release = OfferedRelease(tmp_path)
    release.start()
    for name, value in release.environment.items():
        monkeypatch.setenv(name, value)
    service = MusterProcess(tmp_path / "data", storage=bucket.url("files"))
    try:
        service.start()
        yield service
        service.kill()
    finally:
        release.stop()


@asynccontextmanager
async def ready(service: MusterProcess) -> AsyncIterator[tuple[Client, Place]]:
    """A cluster that could be installed."""
    async with SteadyClient(service.url) as client:
        place = await new_place(client, "outage", ROOM)
        async with up(client, place, profiles_of(ROOM), SPEED):
            await until(client, place.cluster_id, in_state("ready"))
            yield client, place
    assert service.problems() == []


@asynccontextmanager
async def installing(service: MusterProcess) -> AsyncIterator[tuple[Client, Place]]:
    """A cluster whose installation has just been asked for."""
    async with ready(service) as (client, place):
        await client.call(INSTALL_CLUSTER, cluster_id=place.cluster_id)
        yield client, place


def in_state(*states: str) -> Seen:
    return lambda cluster: cluster["status"] in states


def preparing(words: str) -> Seen:
    """What is told of the preparation has these words in it."""
    return lambda cluster: words in cluster["last-installation-preparation"].get("reason", "")


async def comes_to_its_end(client: Client, place: Place) -> None:
    """The cluster is installed, and its credentials can be had."""
    cluster = await until(client, place.cluster_id, in_state(*ENDS))
    assert cluster["status"] == "installed", cluster["status_info"]
    query = {"file_name": "kubeconfig"}
    assert await client.call(DOWNLOAD_CREDENTIALS, cluster_id=place.cluster_id, query=query)


async def test_what_is_asked_for_while_the_storage_is_away_for_a_minute_is_done_when_it_is_back(
    service: MusterProcess, bucket: S3
) -> None:
    async with ready(service) as (client, place):
        bucket.stop()
        await client.call(INSTALL_CLUSTER, cluster_id=place.cluster_id)
        await waits_for_the_storage(client, place)
        await asyncio.sleep(A_MINUTE)
        await asyncio.to_thread(bucket.start)
        await comes_to_its_end(client, place)


@pytest.mark.parametrize("step", ["manifests", "ignition-configs"])
async def test_a_preparation_waits_for_the_storage_and_says_so(service: MusterProcess, bucket: S3, step: str) -> None:
    async with installing(service) as (client, place):
        await until(client, place.cluster_id, preparing(f"create {step} runs"))
        bucket.stop()
        await waits_for_the_storage(client, place)
        await asyncio.sleep(A_WHILE)
        await asyncio.to_thread(bucket.start)
        await comes_to_its_end(client, place)


async def waits_for_the_storage(client: Client, place: Place) -> None:
    """The preparation goes on waiting, and what it waits for is shown."""
    cluster = await until(client, place.cluster_id, preparing("it is tried again"))
    told = cluster["last-installation-preparation"]
    assert told["status"] == "not_started"
    assert told["reason"].startswith("The storage does not answer for ")
    assert cluster["status"] == "preparing-for-installation"


async def test_hosts_wait_for_a_storage_that_is_away_while_they_are_installed(
    service: MusterProcess, bucket: S3
) -> None:
    async with installing(service) as (client, place):
        await until(client, place.cluster_id, in_state("installing"))
        bucket.stop()
        await asyncio.sleep(A_WHILE)
        await asyncio.to_thread(bucket.start)
        await comes_to_its_end(client, place)


async def test_a_kubeconfig_that_cannot_be_stored_is_told_and_is_stored_later(
    service: MusterProcess, bucket: S3
) -> None:
    async with installing(service) as (client, place):
        await until(client, place.cluster_id, in_state("finalizing"))
        bucket.stop()
        delayed = await told(client, place, "kubeconfig_delayed")
        assert delayed["severity"] == "warning"
        assert "The storage does not answer" in delayed["message"]
        await asyncio.to_thread(bucket.start)
        await comes_to_its_end(client, place)


async def told(client: Client, place: Place, name: str) -> dict[str, Any]:
    """The event of a name, once it has been told."""
    query = {"cluster_id": place.cluster_id, "limit": "-1"}
    async with asyncio.timeout(60):
        while True:
            events = await client.call(LIST_EVENTS, query=query)
            if found := [each for each in events if each["name"] == name]:
                return dict(found[0])
            await asyncio.sleep(0.1)

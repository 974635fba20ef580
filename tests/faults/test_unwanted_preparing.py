"""A preparation that nobody wants any more is stopped while its installer runs, by whichever replica runs it.

The release is in a real registry; the installer in it is the stand-in, which hangs (`parts/openshift_install.py`).
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from muster.client import Client
from muster.domain.errors import NotFound
from muster.lab.fleet import Place, up
from muster.lab.profiles import Room, profiles_of
from muster.lab.site import new_place
from muster.lab.steady import SteadyClient
from muster.wire.endpoints.clusters import (
    CANCEL_INSTALLATION,
    DELETE_CLUSTER,
    GET_CLUSTER,
    INSTALL_CLUSTER,
    RESET_CLUSTER,
)
from muster.wire.endpoints.endpoint import Endpoint
from parts.installs import SPEED, until
from parts.offered_release import OfferedRelease
from parts.process import MusterProcess

pytestmark = pytest.mark.slow

ROOM = Room(masters=1, workers=0)
SOON = 3.0
"""Seconds in which a service stops what it was itself told to stop."""

NEXT_BEAT = 10.0
"""Seconds in which it hears of what another replica was told."""

WAYS: dict[str, Endpoint] = {"cancel": CANCEL_INSTALLATION, "reset": RESET_CLUSTER, "delete": DELETE_CLUSTER}


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OfferedRelease]:
    """A release on offer whose installer never ends."""
    release = OfferedRelease(tmp_path, "hang", "create")
    release.start()
    for name, value in release.environment.items():
        monkeypatch.setenv(name, value)
    yield release
    release.stop()


@asynccontextmanager
async def preparing(client: Client, release: OfferedRelease) -> AsyncIterator[Place]:
    """A cluster whose installer runs, and does not end."""
    place = await new_place(client, "unwanted", ROOM)
    async with up(client, place, profiles_of(ROOM), SPEED):
        await until(client, place.cluster_id, lambda cluster: cluster["status"] == "ready")
        await client.call(INSTALL_CLUSTER, cluster_id=place.cluster_id)
        await within(30, lambda: bool(release.running))
        yield place


async def within(seconds: float, holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110 - other processes have no events
            await asyncio.sleep(0.02)


def folders(data: Path) -> list[Path]:
    """Where installers run."""
    return list((data / "install-config-generate").iterdir())


@pytest.mark.parametrize("way", WAYS)
async def test_an_installer_that_nobody_wants_any_more_is_stopped_at_once(
    tmp_path: Path, release: OfferedRelease, way: str
) -> None:
    service = MusterProcess(tmp_path / "data")
    service.start()
    try:
        async with SteadyClient(service.url) as client, preparing(client, release) as place:
            assert len(folders(tmp_path / "data")) == 1
            await client.call(WAYS[way], cluster_id=place.cluster_id)
            await within(SOON, lambda: not release.running and not folders(tmp_path / "data"))
            assert len(release.calls) == 1
            await _nothing_came_of_it(client, place, way)
        files = tmp_path / "data" / "files" / place.cluster_id
        assert not files.exists() or not [each for each in files.rglob("*") if each.is_file()]
        assert service.problems() == []
    finally:
        service.kill()


async def _nothing_came_of_it(client: Client, place: Place, way: str) -> None:
    if way == "delete":
        with pytest.raises(NotFound):
            await client.call(GET_CLUSTER, cluster_id=place.cluster_id)
        return
    cluster = await client.call(GET_CLUSTER, cluster_id=place.cluster_id)
    assert cluster["status"] != "preparing-for-installation"
    assert cluster["last-installation-preparation"]["status"] == "not_started"
    assert "openshift_cluster_id" not in cluster


async def test_an_installer_is_stopped_by_what_another_replica_is_told(
    tmp_path: Path, release: OfferedRelease, postgres_url: str
) -> None:
    files = f"{tmp_path}/files"
    replicas = [MusterProcess(tmp_path / name, database=postgres_url, storage=files) for name in ("one", "other")]
    for replica in replicas:
        replica.start()
    try:
        async with SteadyClient(replicas[0].url) as client, preparing(client, release) as place:
            (running,) = [name for name in ("one", "other") if (tmp_path / name / "install-config-generate").exists()]
            elsewhere = replicas[running == "one"]
            async with SteadyClient(elsewhere.url) as other:
                await other.call(CANCEL_INSTALLATION, cluster_id=place.cluster_id)
            await within(NEXT_BEAT, lambda: not release.running and not folders(tmp_path / running))
        assert [replica.problems() for replica in replicas] == [[], []]
    finally:
        for replica in replicas:
            replica.kill()

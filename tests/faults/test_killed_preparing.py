"""The service is killed in every step of a preparation: the next one makes the files, and nothing is left behind.

The release is in a real registry, the files are in a real S3 server; before each stands a turnstile that holds the call
by which a step is known. The installer of the release is the stand-in (`parts/openshift_install.py`).
"""

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from muster.client import Client
from muster.lab.fleet import up
from muster.lab.profiles import Room, profiles_of
from muster.lab.site import new_place
from muster.lab.steady import SteadyClient
from muster.wire.endpoints.clusters import DOWNLOAD_CREDENTIALS, DOWNLOAD_FILES
from muster.wire.endpoints.manifests import CREATE_MANIFEST
from parts.installs import SPEED, installed
from parts.offered_release import OfferedRelease
from parts.openshift_install import PASSWORD
from parts.process import MusterProcess
from parts.s3 import BUCKET, S3
from parts.turnstile import Turnstile

pytestmark = pytest.mark.slow

ROOM = Room(workers=0)
MINE = "kind: ConfigMap\nmetadata: {name: mine}\n"
RUNS = ("manifests", "ignition-configs")


class Stage(NamedTuple):
    """A service whose preparation can be stopped where we like."""

    service: MusterProcess
    release: OfferedRelease
    registry: Turnstile
    storage: Turnstile
    files: Path
    """What the S3 server has of it."""


Stop = Callable[[Stage], Awaitable[None]]


def at_storage(like: str) -> Stop:
    """When this is asked of the storage."""
    return lambda stage: stage.storage.held(like)


def at_registry(like: str) -> Stop:
    """When this is asked of the registry."""
    return lambda stage: stage.registry.held(like)


def in_run(step: str) -> Stop:
    """When the installer is in the middle of a step."""

    async def hung(stage: Stage) -> None:
        while not stage.release.hangs_in(step):  # noqa: ASYNC110 - another process has no events
            await asyncio.sleep(0.02)

    return hung


STEPS: dict[str, Stop] = {
    "roles and bootstrap are settled": at_storage(r"GET .*prefix=.*logs"),
    "the user's manifests are read": at_storage(r"GET .*/manifests/openshift/mine\.yaml"),
    "the system manifests are made, the release is read": at_registry(r"GET /v2/ocp/release/manifests/"),
    "the install-config is made, the tools are fetched": at_registry(r"GET /v2/ocp/components/blobs/"),
    "create manifests": in_run("manifests"),
    "create ignition-configs": in_run("ignition-configs"),
    "what the installer made is changed for the hosts": at_storage(r"PUT .*\.ign"),
    "upload": at_storage(r"PUT .*/metadata\.json"),
    "credentials": at_storage(r"PUT .*/kubeadmin-password"),
    "the last of the files": at_storage(r"PUT .*/custom_manifests\.json"),
}
"""Where the service is killed, in the order of a preparation. Every go passes through all that was before."""


@pytest.fixture
def release(tmp_path: Path) -> Iterator[OfferedRelease]:
    release = OfferedRelease(tmp_path, "hang once", "never")
    yield release
    release.stop()


@asynccontextmanager
async def staged(tmp_path: Path, release: OfferedRelease, bucket: S3) -> AsyncIterator[Stage]:
    async with Turnstile(release.registry.host) as registry, Turnstile(f"127.0.0.1:{bucket.port}") as storage:
        release.start(called=registry.host)
        address = f"s3://{BUCKET}/files?endpoint=http://{storage.host}&region=us-east-1"
        service = MusterProcess(tmp_path / "data", storage=address)
        yield Stage(service, release, registry, storage, bucket.folder / "data" / BUCKET / "files")


async def test_a_service_killed_in_each_step_of_a_preparation_prepares_all_the_same(
    tmp_path: Path, release: OfferedRelease, bucket: S3, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with staged(tmp_path, release, bucket) as stage:
        for name, value in release.environment.items():
            monkeypatch.setenv(name, value)
        stage.service.start()
        try:
            async with SteadyClient(stage.service.url) as client:
                cluster = await _installed_under_fire(client, stage)
                await _has_what_was_made(client, cluster)
            _is_whole(stage, cluster)
            _left_nothing_behind(tmp_path, stage)
        finally:
            stage.service.kill()


async def _installed_under_fire(client: Client, stage: Stage) -> dict[str, Any]:
    place = await new_place(client, "real", ROOM)
    mine = {"folder": "openshift", "file_name": "mine.yaml", "content": b64encode(MINE.encode()).decode()}
    await client.call(CREATE_MANIFEST, cluster_id=place.cluster_id, body=mine)
    async with up(client, place, profiles_of(ROOM), SPEED):
        killer = asyncio.create_task(_kill_in_each_step(stage))
        try:
            cluster = await installed(client, place.cluster_id)
            await asyncio.wait_for(killer, 1)
        finally:
            killer.cancel()
    return cluster


async def _kill_in_each_step(stage: Stage) -> None:
    for stop in STEPS.values():
        await stop(stage)
        stage.service.kill()
        async with asyncio.timeout(5):
            while stage.release.running:  # noqa: ASYNC110 - another process has no events
                await asyncio.sleep(0.01)
        await asyncio.to_thread(stage.service.start)


async def _has_what_was_made(client: Client, cluster: dict[str, Any]) -> None:
    password = await client.call(
        DOWNLOAD_CREDENTIALS, cluster_id=cluster["id"], query={"file_name": "kubeadmin-password"}
    )
    metadata = await client.call(DOWNLOAD_FILES, cluster_id=cluster["id"], query={"file_name": "metadata.json"})
    assert password == PASSWORD.encode()
    assert json.loads(metadata)["clusterID"] == cluster["openshift_cluster_id"]


def _is_whole(stage: Stage, cluster: dict[str, Any]) -> None:
    """Every file is there once, and all are of one making."""
    folder = stage.files / cluster["id"]
    roles = {"bootstrap.ign", "master.ign", "worker.ign"}
    hosts = {f"master-{host['id']}.ign" for host in cluster["hosts"]}
    credentials = {"kubeconfig", "kubeconfig-noingress", "kubeadmin-password"}
    beside = {"metadata.json", "install-config.yaml", "custom_manifests.json"}
    assert {each.name for each in folder.iterdir() if each.is_file()} == roles | hosts | credentials | beside
    assert (folder / "manifests/openshift/mine.yaml").read_text() == MINE
    trust = json.loads((folder / "master.ign").read_text())["ignition"]["security"]
    for name in hosts:
        assert json.loads((folder / name).read_text())["ignition"]["security"] == trust


def _left_nothing_behind(tmp_path: Path, stage: Stage) -> None:
    assert stage.service.problems() == []
    assert list((tmp_path / "data/install-config-generate").iterdir()) == []
    assert list((tmp_path / "data/installers/in-use").iterdir()) == []
    assert len(list((tmp_path / "data/workers").iterdir())) == 1
    assert stage.release.running == []
    goes = [call["words"][1] for call in stage.release.calls]
    # Four kills come before the first run, one in each run, four after the last.
    assert goes == [RUNS[0], *RUNS, *RUNS * 5]

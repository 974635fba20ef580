"""The service is killed while the installer of a real release runs: the next one makes the files, and nothing is left.

The release is in a real registry; the installer in it is the stand-in (`parts/openshift_install.py`).
"""

import asyncio
import json
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from muster.lab.fleet import up
from muster.lab.profiles import Room, profiles_of
from muster.lab.site import new_place
from muster.lab.steady import SteadyClient
from muster.wire.endpoints.clusters import DOWNLOAD_CREDENTIALS, DOWNLOAD_FILES
from parts.installs import SPEED, installed
from parts.openshift_install import PASSWORD, calls_of, stand_in
from parts.process import MusterProcess
from parts.registry import DockerRegistry
from parts.release_image import push_release

pytestmark = pytest.mark.slow

VERSION = "4.20.9"
STEPS = ("manifests", "ignition-configs")


@pytest.fixture
def release(tmp_path, monkeypatch):
    """A release in a registry, on offer; its installer hangs once in each step."""
    registry = DockerRegistry(tmp_path / "registry")
    registry.start()
    program = stand_in(tmp_path / "bin", "hang once", "never")
    pushed = push_release(registry, version=VERSION, program=program.read_bytes())
    mirrors = tmp_path / "registries.conf"
    mirrors.write_text(f'[[registry]]\nlocation = "{registry.host}"\ninsecure = true\n')
    monkeypatch.setenv("MUSTER_MIRROR_REGISTRIES", str(mirrors))
    monkeypatch.setenv("RELEASE_IMAGES", json.dumps([{"version": VERSION, "url": pushed.url}]))
    yield program
    registry.stop()
    for call in calls_of(program):
        with suppress(ProcessLookupError):
            os.killpg(call["pid"], signal.SIGKILL)


async def test_a_service_killed_in_each_step_of_the_installer_prepares_all_the_same(
    tmp_path: Path, release: Path
) -> None:
    service = MusterProcess(tmp_path / "data")
    service.start()
    try:
        async with SteadyClient(service.url) as client:
            room = Room()
            place = await new_place(client, "real", room)
            async with up(client, place, profiles_of(room), SPEED):
                killer = asyncio.create_task(_kill_in_each_step(service, release))
                cluster = await installed(client, place.cluster_id)
                await killer
            password = await client.call(
                DOWNLOAD_CREDENTIALS, cluster_id=place.cluster_id, query={"file_name": "kubeadmin-password"}
            )
            metadata, config = [
                await client.call(DOWNLOAD_FILES, cluster_id=place.cluster_id, query={"file_name": name})
                for name in ("metadata.json", "install-config.yaml")
            ]
        assert password == PASSWORD.encode()
        assert json.loads(metadata)["clusterID"] == cluster["openshift_cluster_id"]
        assert [call["words"][1] for call in calls_of(release)] == [STEPS[0], *STEPS, *STEPS]
        assert service.problems() == []
        _nothing_secret_was_told(json.loads(config)["pullSecret"], service, release)
        assert list((tmp_path / "data/install-config-generate").iterdir()) == []
    finally:
        service.kill()


def _nothing_secret_was_told(pull_secret: str, service: MusterProcess, program: Path) -> None:
    told = [service.log.read_text(), json.dumps([(call["words"], call["environment"]) for call in calls_of(program)])]
    for entry in json.loads(pull_secret)["auths"].values():
        assert not any(entry["auth"] in each for each in told)
    assert not any(PASSWORD in each for each in told)


async def _kill_in_each_step(service: MusterProcess, program: Path) -> None:
    for step in STEPS:
        while not program.with_name(f"hung-{step}").exists():  # noqa: ASYNC110 - another process has no events
            await asyncio.sleep(0.02)
        service.kill()
        await asyncio.to_thread(service.start)

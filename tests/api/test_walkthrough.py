"""A tutorial of the original, typed in as it stands, leads to a cluster: the old API, the new one and curl."""

import asyncio
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from making import SECRET

from muster.lab.fleet import Place, up
from muster.lab.profiles import Room, profiles_of
from muster.lab.steady import SteadyClient
from parts.images import OLD, embedded_in, offered
from parts.service import RunningService

SCRIPT = Path(__file__).parent / "walkthrough.sh"
SPEED = 2000.0
PATIENCE = 120.0
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEqzvpFJjSfYyCFmPMTyN3rXQ4jSc6pY1vPKLmG7s1bW core@lab.local"
RELEASE = {
    "openshift_version": "4.8",
    "cpu_architecture": "x86_64",
    "url": "quay.io/openshift-release-dev/ocp-release:4.8.5-x86_64",
    "version": "4.8.5",
}
SYSTEM = OLD._replace(version="4.8")


@pytest.fixture
def running(tmp_path) -> Iterator[RunningService]:
    offer = {"RELEASE_IMAGES": json.dumps([RELEASE]), "MUSTER_INSTALLER": "lab", **offered(tmp_path, SYSTEM)}
    service = RunningService(tmp_path / "data", offer)
    service.start()
    yield service
    service.stop()


@pytest.fixture
def home(tmp_path) -> Path:
    """A folder in which somebody follows the tutorial."""
    folder = tmp_path / "home"
    (folder / ".ssh").mkdir(parents=True)
    (folder / ".ssh" / "id_ed25519.pub").write_text(f"{KEY}\n")
    (folder / "pull-secret.txt").write_text(f"{SECRET}\n")
    os.mkfifo(folder / "room")
    return folder


class Reader:
    """Somebody who follows the tutorial in a folder, and what came of it."""

    def __init__(self, home: Path, url: str) -> None:
        self.home = home
        self._url = url

    async def follow(self) -> None:
        """Type everything in, and let machines be switched on where the tutorial says so."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "AI_URL": self._url}
        typing = await asyncio.create_subprocess_exec("bash", str(SCRIPT), cwd=self.home, env=environment)
        try:
            async with asyncio.timeout(PATIENCE):
                cluster_id = await self._told("masters")
                await self._with_machines(cluster_id, typing)
            assert typing.returncode == 0
        finally:
            if typing.returncode is None:
                typing.kill()

    async def _told(self, expected: str) -> str:
        """The cluster for which machines are to be switched on."""
        who, _, cluster_id = (await asyncio.to_thread((self.home / "room").read_text)).strip().partition(" ")
        assert who == expected
        return cluster_id

    async def _with_machines(self, cluster_id: str, typing: asyncio.subprocess.Process) -> None:
        room = Room(network="192.167.124.0/24", seed=cluster_id, reserved=("192.167.124.7", "192.167.124.8"))
        place = Place(cluster_id=cluster_id, infra_env_id=cluster_id)
        async with SteadyClient(self._url) as client, up(client, place, profiles_of(room), SPEED) as fleet:
            workers = [machine for name, machine in fleet.machines.items() if name.startswith("worker")]
            for machine in workers:
                machine.powered = False
            await self._told("workers")
            for machine in workers:
                machine.powered = True
                machine.nudge()
            await typing.wait()

    def text(self, name: str) -> str:
        return (self.home / name).read_text()

    def lines(self, name: str) -> list[str]:
        return self.text(name).split()

    def json(self, name: str) -> Any:
        return json.loads(self.text(name))

    def documents(self, name: str) -> list[Any]:
        """The documents that jq has written one after the other."""
        decoder, rest, found = json.JSONDecoder(), self.text(name).strip(), []
        while rest:
            document, end = decoder.raw_decode(rest)
            found.append(document)
            rest = rest[end:].strip()
        return found

    def verdicts(self, name: str) -> dict[str, str]:
        return {each["id"]: each["status"] for group in self.json(name).values() for each in group}


@pytest.mark.skipif(not all(map(shutil.which, ("bash", "curl", "jq"))), reason="no bash, curl or jq here")
async def test_a_tutorial_of_the_original_leads_to_a_cluster(running, home):
    reader = Reader(home, running.url)
    await reader.follow()
    registered = reader.json("registered.json")
    assert (registered["name"], registered["kind"], registered["openshift_version"]) == ("ocpd", "Cluster", "4.8.5")
    assert (registered["ingress_vip"], "api_vip" in registered) == ("192.167.124.8", False)
    assert registered["machine_network_cidr"] == "192.167.124.0/24"
    assert reader.lines("first-status") == ["pending-for-input"]
    assert reader.verdicts("first-validations.json")["sufficient-masters-count"] == "failure"
    assert reader.verdicts("first-validations.json")["cluster-cidr-defined"] == "success"
    image = reader.json("image.json")["image_info"]
    assert (image["type"], image["ssh_public_key"]) == ("full-iso", KEY)
    downloaded = reader.home / "discovery_image_ocpd.iso"
    assert downloaded.stat().st_size == (home.parent / f"{SYSTEM.fixture}.iso").stat().st_size
    assert registered["id"] in embedded_in(downloaded)
    assert image["download_url"] == f"{running.url}/api/assisted-install/v1/clusters/{registered['id']}/downloads/image"
    assert reader.verdicts("second-validations.json")["all-hosts-are-ready-to-install"] == "success"
    hosts = reader.json("hosts.json")
    assert {each["infra_env_id"] for each in hosts} == {each["cluster_id"] for each in hosts} == {registered["id"]}
    assert {each["status_info"] for each in hosts} != {""}
    assert {each["hostname"] for each in reader.documents("inventories.json")} == {"master-0", "master-1", "master-2"}
    assert reader.lines("ids") == [each["id"] for each in hosts]
    assert reader.lines("roles-before") == ["auto-assign"] * 3
    assert reader.lines("roles-after") == ["master"] * 3
    addressed = reader.json("addressed.json")
    assert (addressed["api_vip"], addressed["ingress_vip"]) == ("192.167.124.7", "192.167.124.8")
    assert reader.json("started.json")["status"] == "preparing-for-installation"
    assert "Writing image to disk" in [each["current_stage"] for each in reader.documents("progress-of-hosts.json")]
    assert {name: value for name, value in reader.json("progress.json").items() if name.endswith("percentage")} == {
        "finalizing_stage_percentage": 100,
        "installing_stage_percentage": 100,
        "preparing_for_installation_stage_percentage": 100,
        "total_percentage": 100,
    }
    assert yaml.safe_load(reader.text(".kube/config"))["clusters"]
    credentials = reader.json("credentials.json")
    assert set(credentials) == {"console_url", "password", "username"}
    assert credentials["console_url"] == "https://console-openshift-console.apps.ocpd.lab.local"
    assert credentials["username"] == "kubeadmin"

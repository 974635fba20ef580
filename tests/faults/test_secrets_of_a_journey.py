"""Whatever becomes of an installation, no secret gets into anything but what was made for it.

A service that asks everybody who calls, a registry that asks for a login, an installation that is cancelled and then
comes to its end, and another whose installer fails and shouts out all it knows (the stand-in of
`parts/openshift_install.py`). Then everything that was said is searched.
"""

import asyncio
import json
import subprocess
import sys
import urllib.request
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from muster.client import Client, as_user
from muster.domain.errors import MusterError
from muster.lab.fleet import Place, up
from muster.lab.profiles import Room, profiles_of
from muster.lab.steady import SteadyClient
from muster.wire.endpoints import clusters, events, hosts, infra_envs, manifests, ours
from muster.wire.infra_envs import token_in
from parts.installs import SPEED, until
from parts.keys import Locksmith
from parts.offered_release import VERSION, OfferedRelease
from parts.openshift_install import PASSWORD, calls_of, stand_in
from parts.planted import found
from parts.process import MusterProcess
from parts.registry import PASSWORD as REGISTRY_PASSWORD
from parts.registry import login

pytestmark = pytest.mark.slow

FAILING = "4.20.8"
ROOM = Room(workers=0)
ALONE = Room(masters=1, workers=0, network="192.168.9.0/24", seed="alone")

PLANTED = {
    "the login to the registry": login(),
    "the password to the registry": REGISTRY_PASSWORD,
    "the password of the proxy": "Planted-proxy-9f2c",
    "the password of the image's proxy": "Planted-proxy-41d7",
    "the token of the ignition endpoint": "Planted-token-77ab",
    "a header of the ignition endpoint": "Planted-header-3e10",
    "the password to fence a host": "Planted-fence-c05d",
    "a BMC's password in the install-config": "Planted-bmc-8812",
    "a vCenter's password in the install-config": "Planted-vcenter-5a6f",
    "a Secret among the manifests": "Planted-manifest-e3b9",
    "a key in the ignition of the image": "Planted-image-0c4d",
    "a key in the ignition of a host": "Planted-host-6d21",
}
"""What users write."""


IN_ENVIRONMENT_ONLY = {"the key to the storage", "the key of the service", "the token of the user"}
DERIVED = {"the token of the image", "the token of the other image"}


@pytest.fixture
def smith() -> Locksmith:
    return Locksmith()


@pytest.fixture
def release(tmp_path: Path) -> Iterator[OfferedRelease]:
    """Two releases in one locked registry: the installer of the older one fails and shouts."""
    release = OfferedRelease(tmp_path)
    release.start()
    release.offer(FAILING, stand_in(tmp_path / "failing", "garbage", "create"))
    release.registry.lock()
    yield release
    release.stop()


@pytest.fixture
def service(
    tmp_path: Path, release: OfferedRelease, smith: Locksmith, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MusterProcess]:
    """A service that asks everybody who calls, and logs all it does."""
    storage = {"AWS_ACCESS_KEY_ID": "me", "AWS_SECRET_ACCESS_KEY": "Planted-storage-b71e"}
    settings = {"LOG_LEVEL": "debug", "TNF_CLUSTERS_SUPPORT": "true"}
    for name, value in (release.environment | smith.environment | storage | settings).items():
        monkeypatch.setenv(name, value)
    service = MusterProcess(tmp_path / "data")
    service.start()
    yield service
    service.kill()


async def test_no_secret_is_anywhere_but_where_it_belongs(
    tmp_path: Path, service: MusterProcess, release: OfferedRelease, smith: Locksmith
) -> None:
    async with SteadyClient(service.url, credentials=as_user(smith.user())) as client:
        async with heard(client) as stream:
            place = await _installed_after_all(client, release)
            other = await _failed(client, release)
            said = {"the live stream": b"", **await _everything(client, [place, other])}
            await asyncio.sleep(0.5)
        said["the live stream"] = json.dumps(stream).encode()
        belongs = await _install_configs(client, [place, other])
        secrets = PLANTED | await _generated(client, place) | _of_service(smith, place, other)
    belongs |= _made_for_secrets(tmp_path / "data")
    said |= _said_beside(tmp_path, service, release, smith, place)
    assert len(stream) > 100
    assert len(said) > 30
    assert "\n".join(f"{name} is in {place}" for name, place in found(secrets, said)) == ""
    # The search finds what is there to be found.
    known = {name for name, _ in found(secrets, belongs)}
    assert known == secrets.keys() - IN_ENVIRONMENT_ONLY - DERIVED
    assert all(b"Traceback" not in content for content in said.values())


# The journeys


async def _described(client: Client, name: str, version: str, room: Room, **more: Any) -> Place:
    """A cluster and its image, with a secret wherever one can be."""
    secret = json.dumps({"auths": {_registry_of(more.pop("release")): {"auth": login()}}})
    body = {"name": name, "openshift_version": version, "base_dns_domain": "lab.local", "pull_secret": secret}
    proxy = _proxy("the password of the proxy")
    cluster = await client.call(clusters.REGISTER_CLUSTER, body=body | proxy | more)
    image = {
        "name": f"{name}-hosts",
        "cluster_id": cluster["id"],
        "pull_secret": secret,
        "proxy": _proxy("the password of the image's proxy"),
        "ignition_config_override": _ignition(PLANTED["a key in the ignition of the image"]),
    }
    infra_env = await client.call(infra_envs.REGISTER_INFRA_ENV, body=image)
    return Place(cluster_id=cluster["id"], infra_env_id=infra_env["id"], token=token_in(infra_env["download_url"]))


def _registry_of(release: OfferedRelease) -> str:
    return release.registry.host


def _proxy(name: str) -> dict[str, str]:
    return {"http_proxy": f"http://me:{PLANTED[name]}@proxy.lab.local:3128"}


def _ignition(key: str) -> str:
    file = {"path": "/etc/key", "mode": 0o600, "contents": {"source": f"data:,{key}"}}
    return json.dumps({"ignition": {"version": "3.2.0"}, "storage": {"files": [file]}})


async def _installed_after_all(client: Client, release: OfferedRelease) -> Place:
    """A cluster that is cancelled while it is prepared, and installed then."""
    vips = {
        name: [{"ip": each} for each in ips]
        for name, ips in (("api_vips", ROOM.api_vips), ("ingress_vips", ROOM.ingress_vips))
    }
    place = await _described(client, "journey", VERSION, ROOM, release=release, **vips)
    async with up(client, place, profiles_of(ROOM), SPEED):
        cluster = await until(client, place.cluster_id, _is("ready"))
        await _plant(client, place, cluster)
        await client.call(clusters.INSTALL_CLUSTER, cluster_id=place.cluster_id)
        await until(client, place.cluster_id, lambda _: bool(release.calls))
        await client.call(clusters.CANCEL_INSTALLATION, cluster_id=place.cluster_id)
        await until(client, place.cluster_id, _is("ready"))
        await client.call(clusters.INSTALL_CLUSTER, cluster_id=place.cluster_id)
        cluster = await until(client, place.cluster_id, _is("installed", "error"))
        assert cluster["status"] == "installed", cluster["status_info"]
        await until(client, place.cluster_id, lambda each: each.get("logs_info") == "completed")
    return place


async def _plant(client: Client, place: Place, cluster: dict[str, Any]) -> None:
    """Secrets that come after the description of a cluster."""
    for host in cluster["hosts"]:
        ids = {"infra_env_id": place.infra_env_id, "host_id": host["id"]}
        fencing = {"address": "https://10.0.0.9", "username": "me", "password": PLANTED["the password to fence a host"]}
        header = {"key": "X-Key", "value": PLANTED["a header of the ignition endpoint"]}
        body = {
            "ignition_endpoint_token": PLANTED["the token of the ignition endpoint"],
            "ignition_endpoint_http_headers": [header],
            "fencing_credentials": fencing,
        }
        await client.call(hosts.UPDATE_HOST, body=body, **ids)
        config = {"config": _ignition(PLANTED["a key in the ignition of a host"])}
        await client.call(hosts.UPDATE_HOST_IGNITION, body=config, **ids)
    bmc = {"address": "redfish://10.0.0.9", "password": PLANTED["a BMC's password in the install-config"]}
    await _override(client, place, {"baremetal": {"hosts": [{"name": "master-0", "bmc": bmc}]}})
    value = b64encode(PLANTED["a Secret among the manifests"].encode()).decode()
    text = json.dumps({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "mine"}, "data": {"key": value}})
    manifest = {"folder": "openshift", "file_name": "mine.yaml", "content": b64encode(text.encode()).decode()}
    await client.call(manifests.CREATE_MANIFEST, cluster_id=place.cluster_id, body=manifest)


async def _override(client: Client, place: Place, platform: dict[str, Any]) -> None:
    wish = json.dumps({"platform": platform})
    await client.call(clusters.UPDATE_INSTALL_CONFIG, cluster_id=place.cluster_id, body=wish)


async def _failed(client: Client, release: OfferedRelease) -> Place:
    """A cluster whose installer fails, and says all it knows while it does."""
    alone = {"high_availability_mode": "None", "user_managed_networking": True, "control_plane_count": 1}
    place = await _described(client, "failing", FAILING, ALONE, release=release, **alone)
    async with up(client, place, profiles_of(ALONE), SPEED):
        await until(client, place.cluster_id, _is("ready"))
        password = PLANTED["a vCenter's password in the install-config"]
        await _override(client, place, {"vsphere": {"vcenters": [{"server": "vc", "password": password}]}})
        await client.call(clusters.INSTALL_CLUSTER, cluster_id=place.cluster_id)
        cluster = await until(client, place.cluster_id, lambda each: "ended with 1" in _preparation(each))
        assert "(secret)" in _preparation(cluster)
        with suppress(MusterError):
            await client.call(clusters.RESET_CLUSTER, cluster_id=place.cluster_id)
    return place


def _is(*states: str) -> Any:
    return lambda cluster: cluster["status"] in states


def _preparation(cluster: dict[str, Any]) -> str:
    return str(cluster["last-installation-preparation"].get("reason", ""))


# What was said


@asynccontextmanager
async def heard(client: Client) -> AsyncIterator[list[dict[str, Any]]]:
    """All that the live stream tells meanwhile, and told before."""
    messages: list[dict[str, Any]] = []

    async def listen() -> None:
        async for message in client.listen(ours.STREAM_CHANGES, after="0.0"):
            messages.append(message)  # noqa: PERF401 - it never ends, so nothing would come of a list

    listening = asyncio.create_task(listen())
    try:
        yield messages
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


async def _everything(client: Client, places: list[Place]) -> dict[str, bytes]:
    """What can be read of the clusters that was not made for secrets."""
    said: dict[str, bytes] = {}
    for place in places:
        cluster = {"cluster_id": place.cluster_id}
        every = {"categories": "user,metrics", "limit": "-1"}
        of_cluster = await client.call(clusters.LIST_CLUSTER_HOSTS, **cluster)
        said |= {
            f"events of {place.cluster_id}": _text(await client.call(events.LIST_EVENTS, query=cluster | every)),
            f"events of the image of {place.cluster_id}": _text(
                await client.call(events.LIST_EVENTS, query={"infra_env_id": place.infra_env_id} | every)
            ),
            f"logs of {place.cluster_id}": await _bytes(client, clusters.DOWNLOAD_LOGS, **cluster),
            f"recording of {place.cluster_id}": await _bytes(client, ours.RECORDING, **cluster),
        }
        for row in (ours.EXPLAIN_CLUSTER, ours.HISTORY_OF_CLUSTER, ours.TIMELINE):
            said[f"{row.name} of {place.cluster_id}"] = _text(await client.call(row, **cluster))
        for host in of_cluster:
            ids = {"infra_env_id": place.infra_env_id, "host_id": host["id"]}
            for row in (ours.EXPLAIN_HOST, ours.HISTORY_OF_HOST):
                said[f"{row.name} of {host['id']}"] = _text(await client.call(row, **ids))
        said |= await _refusals(client, place)
    return said


async def _refusals(client: Client, place: Place) -> dict[str, bytes]:
    """What is said against secrets in the wrong place or shape."""
    secret = PLANTED["the password of the proxy"]
    bodies = [
        {"pull_secret": secret},
        {"pull_secret": json.dumps({"auths": {"x": {"auth": secret}}})},
        {"http_proxy": f"ftp://me:{secret}@proxy"},
        {"no_such_field": secret},
    ]
    said = {}
    for number, body in enumerate(bodies):
        with pytest.raises(MusterError) as refused:
            await client.call(clusters.UPDATE_CLUSTER, cluster_id=place.cluster_id, body=body)
        said[f"refusal {number} of {place.cluster_id}"] = str(refused.value).encode()
    return said


def _text(answer: Any) -> bytes:
    return json.dumps(answer).encode()


async def _bytes(client: Client, row: Any, **ids: str) -> bytes:
    """A file; or why there is none."""
    try:
        content: bytes = await client.call(row, **ids)
    except MusterError as error:
        return str(error).encode()
    return content


def _said_beside(
    tmp_path: Path, service: MusterProcess, release: OfferedRelease, smith: Locksmith, place: Place
) -> dict[str, bytes]:
    """What is said to others than the callers: logs, processes, figures, files on the disk, the commands."""
    data = tmp_path / "data"
    programs = (release.program, tmp_path / "failing/openshift-install")
    calls = [(call["words"], call["environment"], call["found"]) for each in programs for call in calls_of(each)]
    assert len(calls) >= 4
    request = urllib.request.Request(f"{service.url}/metrics")
    with urllib.request.urlopen(request, timeout=10) as answer:
        metrics = answer.read()
    commands = {
        words[0]: _command(service, smith, *words)
        for words in (["record", place.cluster_id, "--to", str(tmp_path / "a.zip")], ["timeline", place.cluster_id])
    }
    return {
        "the log": service.log.read_bytes(),
        "the words of the service": Path(f"/proc/{service.pid}/cmdline").read_bytes(),
        "the words and environments of installers": json.dumps(calls).encode(),
        "the figures": metrics,
        "muster record": commands["record"] + b"\n",
        "what muster record has written": (tmp_path / "a.zip").read_bytes(),
        "muster timeline": commands["timeline"],
        **{
            f"the file {path.relative_to(data)}": path.read_bytes()
            for path in data.rglob("*")
            if path.is_file() and not path.is_relative_to(data / "files") and not path.name.startswith("muster.db")
        },
    }


def _command(service: MusterProcess, smith: Locksmith, *words: str) -> bytes:
    """What a command says."""
    ended = subprocess.run(
        [Path(sys.executable).with_name("muster"), *words, "--url", service.url],
        env={"MUSTER_TOKEN": smith.user(), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        timeout=60,
        check=True,
    )
    return ended.stdout + ended.stderr


# The secrets, and where they belong


def _made_for_secrets(data: Path) -> dict[str, bytes]:
    """The records, and what the clusters are installed from."""
    records = {f"records {path.name}": path.read_bytes() for path in data.glob("muster.db*")}
    return records | {str(path): path.read_bytes() for path in (data / "files").rglob("*") if path.is_file()}


async def _install_configs(client: Client, places: list[Place]) -> dict[str, bytes]:
    """The install-configs, for those who may have them."""
    return {
        place.cluster_id: _text(await client.call(clusters.GET_INSTALL_CONFIG, cluster_id=place.cluster_id))
        for place in places
    }


async def _generated(client: Client, place: Place) -> dict[str, str]:
    """What was made for the cluster, and only its owner may have."""
    query = {"file_name": "kubeconfig"}
    text = await client.call(clusters.DOWNLOAD_CREDENTIALS, cluster_id=place.cluster_id, query=query)
    key = yaml.safe_load(text)["users"][0]["user"]["client-key-data"]
    assert b"PRIVATE KEY" in b64decode(key)
    return {"the key of the admin": key, "the password of kubeadmin": PASSWORD}


def _of_service(smith: Locksmith, place: Place, other: Place) -> dict[str, str]:
    """What the service and those who call it show each other. Of a key, the rest is the public one; of a token, ids."""
    return {
        "the token of the image": place.token.rpartition(".")[2],
        "the token of the other image": other.token.rpartition(".")[2],
        "the key to the storage": "Planted-storage-b71e",
        "the key of the service": smith.private.splitlines()[1],
        "the token of the user": smith.user().rpartition(".")[2],
    }

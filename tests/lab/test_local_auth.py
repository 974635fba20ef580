"""The lab behind a service that asks everybody who calls: machines show the token that their image gives them."""

import asyncio
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from muster.adapters.machine.simulated import SimulatedMachine
from muster.cli import app
from muster.client import Client, as_agent, as_user, of_agent, of_user
from muster.domain.errors import NotFound, Unauthenticated
from muster.lab.fleet import up
from muster.lab.profiles import Room, profiles_of
from muster.lab.site import new_place, place_of
from muster.lab.steady import SteadyClient
from muster.wire.endpoints.clusters import DOWNLOAD_CREDENTIALS, GET_CLUSTER, INSTALL_CLUSTER, LIST_CLUSTERS
from muster.wire.endpoints.hosts import LIST_HOSTS
from muster.wire.endpoints.infra_envs import GET_INFRA_ENV
from muster.wire.endpoints.ours import HISTORY_OF_CLUSTER, STREAM_CHANGES
from parts.keys import Locksmith
from parts.service import RunningService
from watching import in_state, until

SPEED = 2000.0


@pytest.fixture(scope="module")
def smith() -> Locksmith:
    return Locksmith()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory, smith) -> Iterator[RunningService]:
    service = RunningService(tmp_path_factory.mktemp("guarded"), smith.environment)
    service.start()
    yield service
    service.stop()


@pytest.fixture
async def client(guarded, smith):
    async with SteadyClient(guarded.url, credentials=as_user(smith.user())) as client:
        yield client


async def test_machines_that_show_the_token_of_their_image_become_a_cluster(client, smith):
    room = Room(workers=1)
    place = await new_place(client, "lab", room)
    assert place.token == smith.infra_env(place.infra_env_id)
    async with up(client, place, profiles_of(room.but(seed=place.infra_env_id)), SPEED):
        await until(client, place.cluster_id, in_state("ready"))
        await client.call(INSTALL_CLUSTER, cluster_id=place.cluster_id)
        cluster = await until(client, place.cluster_id, in_state("installed", "error"))
        assert cluster["status"] == "installed"
        await until(client, place.cluster_id, lambda seen: seen.get("logs_info") == "completed")
    query = {"file_name": "kubeconfig"}
    assert await client.call(DOWNLOAD_CREDENTIALS, query=query, cluster_id=place.cluster_id)
    history = await client.call(HISTORY_OF_CLUSTER, cluster_id=place.cluster_id)
    actors = {change["actor"] for change in history["changes"]}
    assert {"alice", f"infra-env {place.infra_env_id}"} <= actors


async def noted(machine: SimulatedMachine, words: str) -> None:
    """Return once a machine has these words in its journal."""
    for _ in range(3000):
        if any(words in line for line in machine.noted):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(machine.noted)


async def test_machines_with_the_token_of_another_image_are_refused(client):
    room = Room(masters=1, workers=0)
    own, other = await new_place(client, "own", room), await new_place(client, "other", room)
    profiles = profiles_of(room.but(seed=own.infra_env_id))
    async with up(client, own.but(token=other.token, cluster_id=""), profiles, SPEED) as fleet:
        (machine,) = fleet.machines.values()
        await noted(machine, "cannot register")
        assert not await client.call(LIST_HOSTS, infra_env_id=own.infra_env_id)
        assert not any(other.token in line for line in machine.noted)
    agent = client.bearing(as_agent(other.token))
    for endpoint, ids in (
        (GET_INFRA_ENV, {"infra_env_id": own.infra_env_id}),
        (GET_CLUSTER, {"cluster_id": own.cluster_id}),
    ):
        with pytest.raises(NotFound, match="token"):
            await agent.call(endpoint, **ids)
    assert (await agent.call(GET_CLUSTER, cluster_id=other.cluster_id))["id"] == other.cluster_id


async def test_a_machine_whose_token_is_none_gives_up_and_says_so(client):
    room = Room(masters=1, workers=0)
    place = await new_place(client, "rubbish", room)
    profiles = profiles_of(room.but(seed=place.infra_env_id))
    async with up(client, place.but(token="rubbish", cluster_id=""), profiles, SPEED) as fleet:
        (machine,) = fleet.machines.values()
        await noted(machine, "nothing more is done until this machine is started again")
        assert not any("rubbish" in line for line in machine.noted)


async def test_a_place_that_is_there_already_is_found_with_its_token(client):
    place = await new_place(client, "found-again", Room(workers=0))
    assert (await place_of(client, "found-again"))[0] == place


async def test_who_shows_nothing_is_told_so(guarded):
    async with Client(guarded.url, credentials=as_user("")) as client:
        with pytest.raises(Unauthenticated, match="Authorization"):
            await client.call(LIST_CLUSTERS)
        with pytest.raises(Unauthenticated, match="Authorization"):
            await anext(aiter(client.listen(STREAM_CHANGES)))


def test_users_and_agents_have_their_tokens_in_the_environment():
    environment = {"MUSTER_TOKEN": "mine\n", "PULL_SECRET_TOKEN": " its "}
    assert of_user(environment) == {"Authorization": "Bearer mine"}
    assert of_agent(environment) == {"X-Secret-Key": "its"}
    assert of_user({}) == {}
    assert of_agent({}) == {"X-Secret-Key": ""}


def test_the_commands_of_the_lab_show_the_users_token(guarded, smith, monkeypatch):
    monkeypatch.setenv("MUSTER_TOKEN", smith.user())
    words = ["lab", "up", "--url", guarded.url, "--speed", str(SPEED), "--masters", "1", "--workers", "0", "--install"]
    ended = CliRunner().invoke(app, words, catch_exceptions=False)
    assert ended.exit_code == 0
    assert smith.user() not in ended.output
    monkeypatch.delenv("MUSTER_TOKEN")
    with pytest.raises(Unauthenticated, match="Authorization"):
        CliRunner().invoke(app, words, catch_exceptions=False)

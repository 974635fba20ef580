"""Machines with one identity, as they come from a cloned virtual machine: noticed, kept apart, and sorted out."""

import json
from collections.abc import Iterator

import pytest

from muster.lab.fleet import up
from muster.lab.profiles import Room, profiles_of
from muster.lab.site import new_place
from muster.lab.steady import SteadyClient
from muster.wire.endpoints.events import LIST_EVENTS
from parts.service import RunningService
from watching import failing, until

SPEED = 2000.0


@pytest.fixture(scope="module")
def forgetful_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that soon forgets machines it does not hear of any more."""
    service = RunningService(tmp_path_factory.mktemp("forgetful"), {"MUSTER_IDENTITY_MEMORY": "2s"})
    service.start()
    yield service
    service.stop()


def only_host(cluster):
    (host,) = cluster["hosts"]
    return host


def is_contested(host) -> bool:
    return "2 machines report as this one host" in host["status_info"]


def named(host) -> str:
    return json.loads(host.get("inventory") or "{}").get("hostname", "")


async def test_a_machine_and_its_clone_are_kept_apart_until_one_is_gone(forgetful_service):
    room = Room(masters=2, workers=0)
    async with SteadyClient(forgetful_service.url) as client:
        place = await new_place(client, "lab", room)
        original, clone = profiles_of(room.but(seed=place.infra_env_id))
        async with up(client, place, [original, clone.but(serial=original.serial)], SPEED) as fleet:
            cluster = await until(
                client, place.cluster_id, lambda seen: seen["hosts"] and is_contested(only_host(seen))
            )
            assert only_host(cluster)["status"] == "insufficient"
            assert "has-inventory" in failing(only_host(cluster))
            fleet.strike(original.hostname, "agent-crash")
            await until(
                client,
                place.cluster_id,
                lambda seen: (
                    "has-inventory" not in failing(only_host(seen)) and named(only_host(seen)) == clone.hostname
                ),
            )
        told = [event["name"] for event in await client.call(LIST_EVENTS, query={"cluster_id": place.cluster_id})]
        assert told.count("host_identity_clash") == told.count("host_identity_settled") >= 1

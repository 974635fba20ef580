"""A cluster of simulated machines, installed from beginning to end over the real agent protocol."""

import asyncio
from typing import Any

from muster.client import Client
from muster.lab.fleet import up
from muster.lab.profiles import Room, profiles_of
from muster.lab.site import new_place
from muster.lab.steady import SteadyClient
from muster.wire.endpoints.clusters import GET_CLUSTER, INSTALL_CLUSTER

SPEED = 2000.0
PATIENCE = 60.0


async def install_in_the_lab(url: str) -> None:
    """Five machines become a cluster."""
    room = Room(masters=3, workers=2)
    async with asyncio.timeout(PATIENCE), SteadyClient(url) as client:
        place = await new_place(client, "witnessed", room)
        async with up(client, place, profiles_of(room.but(seed=place.infra_env_id)), SPEED):
            await _until(client, place.cluster_id, "status", "ready")
            await client.call(INSTALL_CLUSTER, cluster_id=place.cluster_id)
            await _until(client, place.cluster_id, "status", "installed")
            await _until(client, place.cluster_id, "logs_info", "completed")


async def _until(client: Client, cluster_id: str, field: str, value: str) -> None:
    cluster: dict[str, Any] = {}
    while cluster.get(field) != value:
        cluster = await client.call(GET_CLUSTER, cluster_id=cluster_id)
        await asyncio.sleep(0.05)

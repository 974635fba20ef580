"""What the fault tests do again and again: describe a cluster, press install, wait for the end."""

import asyncio
from collections.abc import Callable
from typing import Any

from muster.client import Client
from muster.domain.errors import Refused, Unavailable
from muster.wire.endpoints.clusters import GET_CLUSTER, INSTALL_CLUSTER

SPEED = 400.0
"""Simulated seconds in a second."""

PATIENCE = 240.0


async def until(client: Client, cluster_id: str, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The cluster once something holds of it."""
    cluster: dict[str, Any] = {}
    async with asyncio.timeout(PATIENCE):
        while not (cluster and holds(cluster)):
            try:
                cluster = await client.call(GET_CLUSTER, cluster_id=cluster_id)
            except Unavailable:
                cluster = {}
            await asyncio.sleep(0.1)
    return cluster


async def installed(client: Client, cluster_id: str) -> dict[str, Any]:
    """The cluster after install was pressed and everything that follows has come about."""
    await until(client, cluster_id, lambda each: each["status"] == "ready")
    while True:
        try:
            await client.call(INSTALL_CLUSTER, cluster_id=cluster_id)
        except Unavailable:
            await asyncio.sleep(0.1)
        except Refused:
            # The first call was taken in although its answer got lost.
            break
        else:
            break
    cluster = await until(client, cluster_id, lambda each: each["status"] in {"installed", "error", "cancelled"})
    hosts = [(each["requested_hostname"], each["status"], each["status_info"]) for each in cluster["hosts"]]
    assert cluster["status"] == "installed", (cluster["status_info"], hosts)
    return cluster

"""How tests with a lab wait: for something to be so about a cluster, up to a deadline."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from muster.client import Client
from muster.wire.endpoints.clusters import GET_CLUSTER

PATIENCE = 30.0
LOOKS_AGAIN = 0.03

Seen = dict[str, Any]


async def until(client: Client, cluster_id: str, holds: Callable[[Seen], bool], patience: float = PATIENCE) -> Seen:
    """The cluster, once something is so; what it was instead if that does not come about."""
    cluster: Seen = {}
    try:
        async with asyncio.timeout(patience):
            while True:
                cluster = await client.call(GET_CLUSTER, cluster_id=cluster_id)
                if holds(cluster):
                    return cluster
                await asyncio.sleep(LOOKS_AGAIN)
    except TimeoutError:
        hosts = [
            (host["requested_hostname"], host["status"], host["progress"].get("current_stage"), host["status_info"])
            for host in cluster.get("hosts", ())
        ]
        raise AssertionError(f"{cluster.get('status')}: {cluster.get('status_info')} {hosts}") from None


def in_state(*states: str) -> Callable[[Seen], bool]:
    """The cluster is in one of these states."""
    return lambda cluster: cluster["status"] in states


def host_of(cluster: Seen, name: str) -> Seen:
    """A host by its name; nothing is known of one that has not reported in."""
    unknown: Seen = {"status": "", "progress": {}}
    return next((host for host in cluster["hosts"] if host["requested_hostname"] == name), unknown)


def failing(host: Seen) -> set[str]:
    """The checks that a host fails."""
    groups = json.loads(host.get("validations_info") or "{}").values()
    return {check["id"] for group in groups for check in group if check["status"] == "failure"}

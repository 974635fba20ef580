"""Whole installations: machines of the lab, the real service, everything between."""

import asyncio

from muster.adapters.machine.simulated import Boot
from muster.wire.endpoints.clusters import (
    CANCEL_INSTALLATION,
    DOWNLOAD_LOGS,
    INSTALL_CLUSTER,
)
from watching import in_state, until


async def install(lab):
    """Press install as soon as that can be done."""
    await until(lab.client, lab.place.cluster_id, in_state("ready"))
    await lab.client.call(INSTALL_CLUSTER, cluster_id=lab.place.cluster_id)


async def test_an_installation_leaves_the_logs_of_every_host_and_of_the_controller(lab):
    async with lab(workers=0) as it:
        client, cluster_id = it.client, it.place.cluster_id
        await install(it)
        cluster = await until(client, cluster_id, lambda seen: seen.get("logs_info") == "completed")
        assert {host["logs_info"] for host in cluster["hosts"]} == {"completed"}
        assert await client.call(DOWNLOAD_LOGS, query={"logs_type": "controller"}, cluster_id=cluster_id)
        query = {"logs_type": "host", "host_id": cluster["hosts"][0]["id"]}
        assert await client.call(DOWNLOAD_LOGS, query=query, cluster_id=cluster_id)


async def test_an_installation_survives_the_service_being_started_again(lab, service):
    async with lab() as it:
        client, cluster_id = it.client, it.place.cluster_id
        await install(it)
        for stage in ("Writing image to disk", "Rebooting"):
            await until(client, cluster_id, lambda seen, stage=stage: stage in _stages(seen))
            await asyncio.to_thread(service.stop)
            await asyncio.to_thread(service.start)
        cluster = await until(client, cluster_id, in_state("installed", "error"))
        assert cluster["status"] == "installed"


async def test_a_cancelled_installation_ends_on_the_hosts_and_their_logs_are_sent(lab):
    async with lab(workers=0) as it:
        client, cluster_id = it.client, it.place.cluster_id
        await install(it)
        await until(client, cluster_id, lambda seen: "Writing image to disk" in _stages(seen))
        await client.call(CANCEL_INSTALLATION, cluster_id=cluster_id)
        await until(client, cluster_id, lambda seen: _logs(seen) == {"completed"})
        assert all(machine.booted is Boot.IMAGE for machine in it.fleet.machines.values())
        assert not any("Rebooting" in line for machine in it.fleet.machines.values() for line in machine.noted)


def _logs(cluster) -> set[str]:
    return {host.get("logs_info", "") for host in cluster["hosts"]}


def _stages(cluster) -> set[str]:
    return {host["progress"].get("current_stage", "") for host in cluster["hosts"]}

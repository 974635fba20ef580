"""Whole installations: machines of the lab, the real service, everything between."""

import asyncio

import yaml

from muster.adapters.machine.simulated import Boot
from muster.wire.endpoints.clusters import (
    CANCEL_INSTALLATION,
    DOWNLOAD_CREDENTIALS,
    DOWNLOAD_LOGS,
    GET_CREDENTIALS,
    INSTALL_CLUSTER,
)
from watching import host_of, in_state, until


async def install(lab):
    """Press install as soon as that can be done."""
    await until(lab.client, lab.place.cluster_id, in_state("ready"))
    await lab.client.call(INSTALL_CLUSTER, cluster_id=lab.place.cluster_id)


async def test_five_machines_become_a_cluster_once_the_fault_of_one_is_mended(lab):
    async with lab(("worker-1", "wrong-clock")) as it:
        client, cluster_id = it.client, it.place.cluster_id
        cluster = await until(client, cluster_id, lambda seen: host_of(seen, "worker-0")["status"] == "known")
        assert host_of(cluster, "worker-1")["status"] == "insufficient"
        it.fleet.mend("worker-1", "wrong-clock")
        await install(it)
        cluster = await until(client, cluster_id, in_state("installed", "error"))
        assert cluster["status"] == "installed"
        assert cluster["progress"]["total_percentage"] == 100
        assert {host["progress"]["current_stage"] for host in cluster["hosts"]} == {"Done"}
        assert sum(host["role"] == "master" for host in cluster["hosts"]) == 3
        kubeconfig = await client.call(DOWNLOAD_CREDENTIALS, query={"file_name": "kubeconfig"}, cluster_id=cluster_id)
        assert yaml.safe_load(kubeconfig)["clusters"]
        credentials = await client.call(GET_CREDENTIALS, cluster_id=cluster_id)
        assert credentials["console_url"] == "https://console-openshift-console.apps.lab.lab.local"


async def test_an_installation_leaves_the_logs_of_every_host_and_of_the_controller(lab):
    async with lab(workers=0) as it:
        client, cluster_id = it.client, it.place.cluster_id
        await install(it)
        cluster = await until(client, cluster_id, lambda seen: seen.get("logs_info") == "completed")
        assert {host["logs_info"] for host in cluster["hosts"]} == {"completed"}
        assert await client.call(DOWNLOAD_LOGS, query={"logs_type": "controller"}, cluster_id=cluster_id)
        query = {"logs_type": "host", "host_id": cluster["hosts"][0]["id"]}
        assert await client.call(DOWNLOAD_LOGS, query=query, cluster_id=cluster_id)


async def test_one_machine_becomes_a_cluster_by_itself(lab):
    async with lab(masters=1, workers=0) as it:
        await install(it)
        cluster = await until(it.client, it.place.cluster_id, in_state("installed", "error"))
        assert cluster["status"] == "installed"


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

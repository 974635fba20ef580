"""A cluster that was installed in the lab takes in another machine."""

import gzip
import json

import pytest

from muster.adapters.machine.simulated import Boot
from muster.lab.profiles import Room, profiles_of
from muster.wire.endpoints.clusters import ALLOW_ADD_HOSTS, INSTALL_CLUSTER
from muster.wire.endpoints.hosts import DOWNLOAD_HOST_IGNITION, INSTALL_HOST, RESET_HOST, UPDATE_HOST
from parts.ignition import complaints, needs_ignition
from watching import host_of, in_state, until

NEWCOMER = "worker-0"


@pytest.fixture(params=[3, 1], ids=["three masters", "a single node"])
async def running(lab, request):
    """A lab whose cluster runs and takes in more hosts, and a machine that is about to be one of them."""
    async with lab(masters=request.param, workers=0) as it:
        client, cluster_id = it.client, it.place.cluster_id
        await until(client, cluster_id, in_state("ready"))
        await client.call(INSTALL_CLUSTER, cluster_id=cluster_id)
        await until(client, cluster_id, in_state("installed"))
        await client.call(ALLOW_ADD_HOSTS, cluster_id=cluster_id)
        room = Room(masters=request.param, workers=1, seed=it.place.infra_env_id)
        it.fleet.add(profiles_of(room)[-1])
        yield it


async def newcomer(it, *states):
    """The machine that came later, once it is in one of these states."""
    cluster = await until(it.client, it.place.cluster_id, lambda seen: host_of(seen, NEWCOMER)["status"] in states)
    return host_of(cluster, NEWCOMER)


def ids(host):
    return {"infra_env_id": host["infra_env_id"], "host_id": host["id"]}


@needs_ignition
async def test_a_worker_joins_a_cluster_that_was_installed(running):
    host = await newcomer(running, "known")
    assert (host["kind"], host["role"]) == ("AddToExistingClusterHost", "worker")
    assert json.loads(host["api_vip_connectivity"])["is_success"]
    await running.client.call(INSTALL_HOST, **ids(host))
    added = await newcomer(running, "added-to-existing-cluster", "error")
    assert (added["status"], added["progress"]["current_stage"]) == ("added-to-existing-cluster", "Done")
    machine = running.fleet.machine(NEWCOMER)
    await machine.until(lambda: machine.on and machine.booted is Boot.DISK)
    assert complaints(await running.client.call(DOWNLOAD_HOST_IGNITION, **ids(host))) == ""


async def test_a_control_plane_host_joins_a_cluster_that_was_installed(running):
    host = await newcomer(running, "known")
    await running.client.call(UPDATE_HOST, body={"host_role": "master"}, **ids(host))
    host = await newcomer(running, "known")
    assert (host["role"], host["machine_config_pool_name"]) == ("master", "master")
    await running.client.call(INSTALL_HOST, **ids(host))
    added = await newcomer(running, "added-to-existing-cluster", "error")
    assert (added["status"], added["role"]) == ("added-to-existing-cluster", "master")
    journal = gzip.decompress(await running.fleet.machine(NEWCOMER).logs())
    assert b"stage Rebooting" in journal
    assert b"stage Waiting for bootkube" not in journal
    ignition = json.loads(await running.client.call(DOWNLOAD_HOST_IGNITION, **ids(host)))
    (merged,) = ignition["ignition"]["config"]["merge"]
    assert merged["source"].endswith("/config/master")


async def test_a_worker_that_was_to_join_starts_over(running):
    host = await newcomer(running, "known")
    await running.client.call(INSTALL_HOST, **ids(host))
    await newcomer(running, "installing-in-progress", "added-to-existing-cluster")
    await running.client.call(RESET_HOST, **ids(host))
    assert (await newcomer(running, "resetting-pending-user-action"))["status"]

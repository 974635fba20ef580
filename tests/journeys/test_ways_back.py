"""Installations that are cancelled and reset, in every phase, and go well the next time."""

import shutil
from pathlib import Path

import pytest
from course import check_course, course_of
from installing import install, kubeconfig_of, press_install
from phases import (
    OTHER,
    PHASES,
    SUFFERER,
    act,
    names_told,
    refused,
    seen,
    start_images,
    until_told,
)

from muster.adapters.machine.simulated import Boot
from muster.domain.clusters import ClusterState
from muster.domain.states.hosts import HostState
from muster.wire.endpoints.clusters import (
    CANCEL_INSTALLATION,
    DOWNLOAD_CREDENTIALS,
    DOWNLOAD_LOGS,
    GET_CLUSTER,
    RESET_CLUSTER,
)
from muster.wire.endpoints.events import LIST_EVENTS
from watching import in_state

pytestmark = pytest.mark.slow

BEGUN = [name for name in PHASES if name != "preparing"]
"""Phases in which hosts have been told to install."""


def states_of(cluster) -> set[str]:
    return {host["status"] for host in cluster["hosts"]}


def percent_of(cluster) -> int:
    return int(cluster["progress"].get("total_percentage", 0))


def check_asked(cluster) -> None:
    """The user is asked for the discovery image. A host that has started it again by itself may be back already."""
    asked = [host for host in cluster["hosts"] if host["requested_hostname"] != SUFFERER]
    assert {host["status"] for host in asked} == {"resetting-pending-user-action"}
    assert {host["status_info"] for host in asked} == {"Start the discovery image on the host to go on"}


async def check_end(it, *, attempts) -> None:
    """The last attempt has come to its end, and the way there was lawful."""
    course = await course_of(it.client, it.place.cluster_id)
    check_course(course)
    assert len(course.attempts) == attempts
    assert course.totals[-1] == 100
    assert {host.ended for host in course.hosts.values()} == {HostState.INSTALLED}
    assert await kubeconfig_of(it)


async def test_a_cancelled_preparation_leaves_a_cluster_that_is_ready_and_can_be_installed(lab):
    async with lab(workers=0) as it:
        phase = PHASES["preparing"]
        await phase.hold(it)
        cluster = await act(it, CANCEL_INSTALLATION)
        assert (cluster["status"], states_of(cluster)) == ("ready", {"known"})
        assert percent_of(cluster) == 0
        assert (await names_told(it)).count("cluster_installation_canceled") == 1
        with refused():
            await act(it, CANCEL_INSTALLATION)
        with refused():
            await act(it, RESET_CLUSTER)
        phase.let_go(it)
        await install(it)
        await check_end(it, attempts=2)


@pytest.mark.parametrize("name", BEGUN)
async def test_an_installation_is_cancelled_reset_and_goes_well_the_next_time(lab, name):
    async with lab(workers=0) as it:
        phase = PHASES[name]
        await phase.hold(it)
        before = await act(it, GET_CLUSTER)
        assert before["status"] == phase.state
        cluster = await act(it, CANCEL_INSTALLATION)
        assert (cluster["status"], states_of(cluster)) == ("cancelled", {"cancelled"})
        assert percent_of(cluster) >= percent_of(before)
        with refused():
            await act(it, CANCEL_INSTALLATION)
        cluster = await act(it, RESET_CLUSTER)
        assert (cluster["status"], percent_of(cluster)) == ("insufficient", 0)
        check_asked(cluster)
        phase.let_go(it)
        start_images(it)
        await install(it)
        await check_end(it, attempts=2)
        told = await names_told(it)
        assert (told.count("cluster_installation_canceled"), told.count("cluster_installation_reset")) == (1, 1)
        assert told.count("user_required_complete_installation_reset") == 3


@pytest.mark.parametrize("name", BEGUN)
async def test_an_installation_is_reset_in_the_middle_and_goes_well_the_next_time(lab, name):
    async with lab(workers=0) as it:
        phase = PHASES[name]
        await phase.hold(it)
        cluster = await act(it, RESET_CLUSTER)
        assert (cluster["status"], percent_of(cluster)) == ("insufficient", 0)
        check_asked(cluster)
        phase.let_go(it)
        start_images(it)
        await install(it)
        await check_end(it, attempts=2)


async def test_a_preparation_is_reset_and_the_hosts_come_back_without_a_restart(lab):
    async with lab(workers=0) as it:
        phase = PHASES["preparing"]
        await phase.hold(it)
        cluster = await act(it, RESET_CLUSTER)
        assert (cluster["status"], states_of(cluster)) == ("insufficient", {"resetting"})
        phase.let_go(it)
        await seen(it, in_state("ready"))
        assert any("registering again" in line for line in it.fleet.machine(OTHER).noted)
        await install(it)
        await check_end(it, attempts=2)
        assert "user_required_complete_installation_reset" not in await names_told(it)


async def test_an_installation_that_is_reset_ends_on_the_hosts_too(lab):
    async with lab(workers=0) as it:
        phase = PHASES["bootstrapping"]
        await phase.hold(it)
        cluster = await act(it, RESET_CLUSTER)
        bootstrap = next(host for host in cluster["hosts"] if host.get("bootstrap"))
        machine = it.fleet.machine(bootstrap["requested_hostname"])
        await machine.until(lambda: "assisted-installer was stopped" in machine.noted[-1])
        phase.let_go(it)
        assert not any("Rebooting" in line for line in machine.noted)
        start_images(it)
        await install(it)
        await check_end(it, attempts=2)


async def test_machines_that_are_started_before_the_reset_come_back_once_it_is_there(lab):
    async with lab(workers=0) as it:
        phase = PHASES["writing"]
        await phase.hold(it)
        await act(it, CANCEL_INSTALLATION)
        phase.let_go(it)
        for machine in it.fleet.machines.values():
            machine.start_image()
            await machine.until(lambda machine=machine: "cannot register now" in machine.noted[-1])
        await act(it, RESET_CLUSTER)
        await install(it)
        await check_end(it, attempts=2)


@pytest.mark.parametrize("asked", [CANCEL_INSTALLATION, RESET_CLUSTER], ids=["cancel", "reset"])
async def test_what_is_not_being_installed_is_neither_cancelled_nor_reset(lab, asked):
    async with lab(masters=1, workers=0) as it:
        await seen(it, in_state("ready"))
        with refused():
            await act(it, asked)
        await install(it)
        with refused():
            await act(it, asked)
        assert (await act(it, GET_CLUSTER))["status"] == "installed"
        assert await kubeconfig_of(it)


async def test_hosts_whose_installation_is_cancelled_stop_and_send_their_logs_once(lab):
    async with lab(workers=0) as it:
        await PHASES["bootstrapping"].hold(it)
        cluster = await act(it, CANCEL_INSTALLATION)
        bootstrap = next(host for host in cluster["hosts"] if host.get("bootstrap"))
        machine = it.fleet.machine(bootstrap["requested_hostname"])
        cluster = await seen(it, lambda cluster: logs_of(cluster, bootstrap["id"]) == "completed")
        query = {"logs_type": "host", "host_id": bootstrap["id"]}
        assert await act(it, DOWNLOAD_LOGS, query=query)
        # The controller that runs on the masters hands over its own logs, and then all is quiet.
        await seen(it, lambda cluster: cluster.get("logs_info") == "completed")
        assert (await names_told(it)).count("cluster_logs_uploaded") == 1
        told = await it.client.call(LIST_EVENTS, query={"host_id": bootstrap["id"]})
        assert [event["name"] for event in told].count("host_logs_uploaded") == 1
        assert machine.booted is Boot.IMAGE
        assert not any("Rebooting" in line for line in machine.noted)


def logs_of(cluster, host_id) -> str:
    return next(host.get("logs_info", "") for host in cluster["hosts"] if host["id"] == host_id)


async def test_a_single_node_is_cancelled_reset_and_installed(lab):
    async with lab((SUFFERER, "bootstrap-hangs"), masters=1, workers=0) as it:
        await press_install(it)
        await seen(it, lambda cluster: cluster["hosts"][0]["progress"].get("current_stage") == "Waiting for bootkube")
        await act(it, CANCEL_INSTALLATION)
        cluster = await act(it, RESET_CLUSTER)
        assert cluster["api_vips"] == cluster["ingress_vips"] == []
        it.fleet.mend(SUFFERER, "bootstrap-hangs")
        start_images(it)
        await install(it)
        await check_end(it, attempts=2)


async def test_files_that_are_lost_before_hosts_fetch_them_fail_the_installation_in_so_many_words(lab, service):
    async with lab(workers=0) as it:
        phase = PHASES["preparing"]
        await phase.hold(it)
        await seen(it, lambda cluster: cluster["last-installation-preparation"]["status"] == "success")
        shutil.rmtree(Path(service.settings.data) / "files")
        phase.let_go(it)
        cluster = await seen(it, in_state("error"))
        assert any("the storage has lost it" in host["status_info"] for host in cluster["hosts"])
        await act(it, RESET_CLUSTER)
        start_images(it)
        await install(it)
        await check_end(it, attempts=2)


async def test_an_installation_that_lost_its_files_is_reset_and_goes_well_the_next_time(lab, service):
    async with lab(workers=0) as it:
        phase = PHASES["finalizing"]
        await phase.hold(it)
        shutil.rmtree(Path(service.settings.data) / "files")
        phase.let_go(it)
        await until_told(it, "kubeconfig_delayed")
        assert (await act(it, GET_CLUSTER))["status"] == ClusterState.FINALIZING
        with refused():
            await act(it, DOWNLOAD_CREDENTIALS, query={"file_name": "kubeconfig"})
        await act(it, RESET_CLUSTER)
        start_images(it)
        await install(it)
        await check_end(it, attempts=2)

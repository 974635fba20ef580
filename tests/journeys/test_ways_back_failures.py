"""Installations in which something fails: what becomes of the cluster, what is kept for finding out, and the way on."""

from functools import partial

import pytest
from course import check_course, course_of
from installing import install, kubeconfig_of, press_install
from phases import (
    SUFFERER,
    act,
    is_at,
    is_in,
    names_told,
    seen,
    start_images,
)

from muster.domain.clusters import ClusterState
from muster.domain.progress import Stage
from muster.domain.states.hosts import HostState
from muster.wire.endpoints.clusters import DOWNLOAD_LOGS, RESET_CLUSTER, UPDATE_CLUSTER
from parts.labs import bring_up
from parts.service import RunningService
from watching import host_of, in_state

pytestmark = pytest.mark.slow

LIMITS = {
    "HOST_MAX_DISCONNECTION_TIME": "3s",
    "HOST_STAGE_WRITING_IMAGE_TO_DISK_TIMEOUT": "6s",
    "HOST_STAGE_REBOOTING_TIMEOUT": "3s",
    "HOST_STAGE_WAITING_FOR_BOOTKUBE_TIMEOUT": "3s",
    "FINALIZING_STAGE_WAITING_FOR_CLUSTER_OPERATORS_TIMEOUT": "3s",
}
"""What machines of a lab keep to with ease. One that dies while it writes is missed before it is found to be slow."""

WORKER = "worker-1"


def served(folder, **settings):
    service = RunningService(folder, LIMITS | settings)
    service.start()
    yield service
    service.stop()


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    """A service that soon finds that something takes too long, and gives it up."""
    yield from served(tmp_path_factory.mktemp("impatient"))


@pytest.fixture(scope="module")
def lenient(tmp_path_factory):
    """A service that soon finds that something takes too long, and only says so."""
    yield from served(tmp_path_factory.mktemp("lenient"), ENABLE_SOFT_TIMEOUTS="true")


@pytest.fixture
def impatient_lab(impatient):
    return partial(bring_up, impatient.url)


@pytest.fixture
def lenient_lab(lenient):
    return partial(bring_up, lenient.url)


async def checked_course(it):
    """The course of the installation, which has kept to the laws."""
    course = await course_of(it.client, it.place.cluster_id)
    check_course(course)
    return course


async def start_over(it, *faults):
    """Reset, put right what was wrong, start every machine from its image, and install to the end."""
    cluster = await act(it, RESET_CLUSTER)
    assert {host["status"] for host in cluster["hosts"]} == {"resetting-pending-user-action"}
    for name, fault in faults:
        it.fleet.mend(name, fault)
    start_images(it)
    await install(it)
    course = await checked_course(it)
    assert ClusterState.ERROR in course.attempts[0].states
    assert (len(course.attempts), course.totals[-1]) == (2, 100)
    return course


def has_sent_logs(cluster, name) -> bool:
    return host_of(cluster, name).get("logs_info") == "completed"


# Hosts


async def test_a_master_dies_while_writing_and_the_cluster_is_installed_once_it_is_repaired(impatient_lab):
    fault = "power-loss:writing-image-to-disk"
    async with impatient_lab((SUFFERER, fault), workers=0) as it:
        await press_install(it)
        cluster = await seen(it, in_state("error"))
        assert SUFFERER in cluster["status_info"]
        assert "lost while it was being installed" in host_of(cluster, SUFFERER)["status_info"]
        living = [name for name in it.fleet.machines if name != SUFFERER]
        cluster = await seen(
            it, lambda cluster: {host_of(cluster, each).get("logs_info") for each in living} == {"completed"}
        )
        assert {host["status"] for host in cluster["hosts"]} == {"error"}
        for each in living:
            query = {"logs_type": "host", "host_id": host_of(cluster, each)["id"]}
            assert await act(it, DOWNLOAD_LOGS, query=query)
        course = await start_over(it, (SUFFERER, fault))
        told = [each for each in course.attempts[0].told if each.name == "host_logs_uploaded"]
        assert sorted(each.host for each in told) == living
        assert [each.name for each in course.told].count("cluster_installation_failed") == 1


async def test_a_worker_fails_and_the_cluster_does_with_two_others(lab):
    async with lab((WORKER, "disk-write-failure"), workers=3) as it:
        cluster = await install(it)
        assert cluster["status_info"] == f"The cluster is installed, but these hosts are missing: {WORKER}"
        assert host_of(cluster, WORKER)["status"] == "error"
        course = await checked_course(it)
        assert course.totals[-1] == 100
        ended = {name: host.ended for name, host in course.hosts.items()}
        assert ended.pop(WORKER) is HostState.ERROR
        assert set(ended.values()) == {HostState.INSTALLED}
        assert await kubeconfig_of(it)


async def test_two_of_three_workers_fail_and_the_cluster_with_them(lab):
    async with lab((WORKER, "disk-write-failure"), ("worker-2", "disk-write-failure"), workers=3) as it:
        await press_install(it)
        cluster = await seen(it, in_state("error"))
        assert "Too few hosts are left" in cluster["status_info"]
        assert {WORKER, "worker-2"} <= set(cluster["status_info"].replace(",", " ").split())
        await start_over(it, (WORKER, "disk-write-failure"), ("worker-2", "disk-write-failure"))


async def test_a_host_starts_its_image_again_and_the_installation_goes_on_once_its_boot_order_is_right(lab):
    async with lab((WORKER, "boots-iso-again")) as it:
        await press_install(it)
        cluster = await seen(it, in_state("installing-pending-user-action"))
        assert WORKER in cluster["status_info"]
        assert "boot order" in host_of(cluster, WORKER)["status_info"]
        it.fleet.mend(WORKER, "boots-iso-again")
        await seen(it, in_state("installed"))
        course = await checked_course(it)
        (attempt,) = course.attempts
        assert ClusterState.PENDING_USER_ACTION in attempt.states
        assert HostState.PENDING_USER_ACTION in course.hosts[WORKER].states
        assert {host.ended for host in course.hosts.values()} == {HostState.INSTALLED}


# What takes too long


async def test_a_disk_that_takes_too_long_fails_its_host_and_the_cluster(impatient_lab):
    async with impatient_lab((SUFFERER, "slow-writes"), workers=0) as it:
        await press_install(it)
        cluster = await seen(it, in_state("error"))
        assert "no progress at stage Writing image to disk" in host_of(cluster, SUFFERER)["status_info"]
        await start_over(it, (SUFFERER, "slow-writes"))


async def test_a_stage_that_takes_too_long_is_told_of_where_limits_are_soft(lenient_lab):
    async with lenient_lab(workers=0) as it:
        for name in it.fleet.machines:
            it.fleet.strike(name, "bootstrap-hangs")
        await press_install(it)
        cluster = await seen(it, lambda cluster: any(is_late(host) for host in cluster["hosts"]))
        assert cluster["status"] == "installing"
        for name in it.fleet.machines:
            it.fleet.mend(name, "bootstrap-hangs")
        await seen(it, in_state("installed"))
        assert (await names_told(it)).count("host_stage_timed_out") == 1
        await checked_course(it)


def is_late(host) -> bool:
    return bool(host["progress"].get("stage_timed_out"))


async def test_a_host_that_does_not_come_back_waits_for_its_user_and_goes_on(impatient_lab):
    fault = "power-loss:rebooting"
    async with impatient_lab((SUFFERER, fault), workers=0) as it:
        await press_install(it)
        await seen(it, is_at(SUFFERER, Stage.REBOOTING))
        cluster = await seen(it, is_in(SUFFERER, HostState.PENDING_USER_ACTION))
        assert "check that it starts from disk vda" in host_of(cluster, SUFFERER)["status_info"]
        it.fleet.mend(SUFFERER, fault)
        await seen(it, in_state("installed"))
        course = await checked_course(it)
        assert course.hosts[SUFFERER].ended is HostState.INSTALLED


# Operators


async def test_an_operator_fails_and_the_cluster_is_installed_without_it(lab):
    async with lab(workers=0) as it:
        await act(it, UPDATE_CLUSTER, body={"olm_operators": [{"name": "lso"}]})
        it.fleet.break_operator("lso")
        cluster = await install(it)
        assert cluster["status_info"] == "The cluster is installed, but these operators did not come up: lso"
        operators = {each["name"]: each["status"] for each in cluster["monitored_operators"]}
        assert operators == {"console": "available", "lso": "failed"}
        course = await checked_course(it)
        told = course.names_told()
        assert told.count("cluster_degraded_OLM_operators_failed") == 1
        assert course.totals[-1] == 100
        assert await kubeconfig_of(it)


async def test_the_console_fails_and_the_cluster_with_it(impatient_lab):
    async with impatient_lab(workers=0) as it:
        it.fleet.break_operator("console")
        await press_install(it)
        cluster = await seen(it, in_state("error"))
        assert "stage Waiting for cluster operators took more than" in cluster["status_info"]
        await seen(it, lambda cluster: cluster.get("logs_info") == "completed")
        told = await names_told(it)
        assert told.count("cluster_installation_failed") == 1
        assert told.count("cluster_operator_report") == 1
        assert await act(it, DOWNLOAD_LOGS, query={"logs_type": "controller"})
        it.fleet.mend_operator("console")
        await start_over(it)

"""Every fault of the lab, and what the service makes of it."""

import pytest

from muster.domain.errors import Invalid
from muster.lab.faults import FAULTS, mend, parsed, strike
from muster.wire.endpoints.clusters import INSTALL_CLUSTER
from muster.wire.endpoints.events import LIST_EVENTS
from parts.machines import a_profile, a_room, a_running_machine
from watching import failing, host_of, in_state, until

SUFFERER = "worker-1"

DISCOVERED = {
    "too-few-cores": "has-min-cpu-cores",
    "small-disk": "has-min-valid-disks",
    "wrong-clock": "time-synced-between-host-and-service",
    "packet-loss": "sufficient-packet-loss-requirement-for-role",
    "no-route:worker-0": "belongs-to-majority-group",
}
"""Faults that keep a host from being installed, with the check that finds each."""

PREVENTS_PREPARATION = ("image-pull-failure", "dns-failure")
"""Faults that show when install has been pressed."""


def a_fault(kind: str) -> str:
    details = {"no-route": "two", "power-loss": "writing-image-to-disk"}
    return f"{kind}:{details[kind]}" if kind in details else kind


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_alters_a_machine_and_mending_it_restores_it(kind):
    machine = a_running_machine(a_room())
    strike(machine, a_fault(kind))
    assert machine.profile != a_profile()
    mend(machine, a_fault(kind))
    assert machine.profile == a_profile()


def test_faults_add_up_and_are_mended_one_by_one():
    machine = a_running_machine(a_room())
    strike(machine, "too-few-cores")
    strike(machine, "packet-loss")
    mend(machine, "too-few-cores")
    assert machine.profile == a_profile(loss_percentage=30.0)


@pytest.mark.parametrize("text", ["tea-break", "no-route", "packet-loss:much", "power-loss:Lunch"])
def test_a_fault_that_makes_no_sense_is_refused_with_what_does(text):
    with pytest.raises(Invalid, match=r"there are|is to be written as"):
        parsed(text)


async def install(lab):
    await until(lab.client, lab.place.cluster_id, in_state("ready"))
    await lab.client.call(INSTALL_CLUSTER, cluster_id=lab.place.cluster_id)


@pytest.mark.parametrize(("fault", "check"), DISCOVERED.items())
async def test_a_fault_is_found_before_the_installation_and_once_mended_is_gone(lab, fault, check):
    def found(cluster):
        return any(host["status"] == "insufficient" and check in failing(host) for host in _concerned(cluster))

    async with lab((SUFFERER, fault)) as it:
        client, cluster_id = it.client, it.place.cluster_id
        await until(client, cluster_id, lambda seen: found(seen) and host_of(seen, "master-0")["status"] == "known")
        it.fleet.mend(SUFFERER, fault)
        await until(client, cluster_id, in_state("ready"))


def _concerned(cluster):
    """The sufferer and the other worker: a way that is cut is cut for both ends."""
    return [host_of(cluster, SUFFERER), host_of(cluster, "worker-0")]


@pytest.mark.parametrize("fault", PREVENTS_PREPARATION)
async def test_images_that_cannot_be_had_end_the_preparation_and_mended_it_goes_on(lab, fault):
    async with lab((SUFFERER, fault)) as it:
        client, cluster_id = it.client, it.place.cluster_id
        await install(it)
        await until(client, cluster_id, lambda seen: "container-images-available" in failing(host_of(seen, SUFFERER)))
        cluster = await until(client, cluster_id, in_state("ready"))
        events = await client.call(LIST_EVENTS, query={"host_id": host_of(cluster, SUFFERER)["id"]})
        assert any("preparing-failed" in event["message"] for event in events)
        it.fleet.mend(SUFFERER, fault)
        await install(it)
        await until(client, cluster_id, in_state("installing"))


async def test_a_host_whose_agent_died_is_disconnected_until_it_is_started_again(impatient_lab):
    async with impatient_lab() as it:
        client, cluster_id = it.client, it.place.cluster_id
        await until(client, cluster_id, in_state("ready"))
        it.fleet.strike(SUFFERER, "agent-crash")
        await until(client, cluster_id, lambda seen: host_of(seen, SUFFERER)["status"] == "disconnected")
        it.fleet.mend(SUFFERER, "agent-crash")
        await until(client, cluster_id, in_state("ready"))


async def test_a_host_that_starts_the_image_again_waits_for_the_user_and_goes_on_once_mended(lab):
    async with lab((SUFFERER, "boots-iso-again")) as it:
        client, cluster_id = it.client, it.place.cluster_id
        await install(it)
        waiting = "installing-pending-user-action"
        cluster = await until(client, cluster_id, lambda seen: host_of(seen, SUFFERER)["status"] == waiting)
        assert "boot order" in host_of(cluster, SUFFERER)["status_info"]
        it.fleet.mend(SUFFERER, "boots-iso-again")
        await until(client, cluster_id, in_state("installed"))


async def test_a_disk_that_cannot_be_written_to_fails_its_host_and_says_at_which_percent(lab):
    async with lab((SUFFERER, "disk-write-failure")) as it:
        await install(it)
        cluster = await until(it.client, it.place.cluster_id, lambda seen: host_of(seen, SUFFERER)["status"] == "error")
        assert "failed 3 times" in host_of(cluster, SUFFERER)["status_info"]
        assert "40%" in host_of(cluster, SUFFERER)["status_info"]


async def test_a_host_that_loses_power_while_it_writes_is_lost_there(impatient_lab):
    fault = "power-loss:writing-image-to-disk"
    async with impatient_lab((SUFFERER, fault)) as it:
        await install(it)
        cluster = await until(it.client, it.place.cluster_id, lambda seen: host_of(seen, SUFFERER)["status"] == "error")
        assert host_of(cluster, SUFFERER)["progress"]["current_stage"] == "Writing image to disk"
        assert not it.fleet.machine(SUFFERER).on
        it.fleet.mend(SUFFERER, fault)
        await it.fleet.machine(SUFFERER).until(lambda: it.fleet.machine(SUFFERER).on)


async def test_a_host_that_loses_power_after_its_restart_goes_on_when_it_has_power_again(lab):
    fault = "power-loss:configuring"
    async with lab((SUFFERER, fault)) as it:
        client, cluster_id = it.client, it.place.cluster_id
        await install(it)
        machine = it.fleet.machine(SUFFERER)
        await machine.until(lambda: not machine.powered)
        it.fleet.mend(SUFFERER, fault)
        await until(client, cluster_id, in_state("installed"))

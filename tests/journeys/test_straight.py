"""Installations that go well, from bare machines to a kubeconfig: every size of cluster, and the way it takes."""

import pytest
from course import check_course, course_of
from installing import install, install_config_of, kubeconfig_of, server_in, straight_course

from muster.domain.progress import BOOTSTRAP_STAGES, MASTER_STAGES, SINGLE_NODE_STAGES, WORKER_STAGES, Stage
from muster.domain.roles import Role
from muster.domain.states.clusters import ClusterState
from muster.domain.states.hosts import HostState as S
from muster.lab.profiles import profiles_of
from muster.wire.endpoints.clusters import ALLOW_ADD_HOSTS
from muster.wire.endpoints.hosts import INSTALL_HOST
from watching import host_of, until

API = "https://api.lab.lab.local:6443"


def without_copying(stages):
    """The stages of an installation that brings no registry of its own."""
    return tuple(stage for stage in stages if stage is not Stage.COPYING)


def roles_in(cluster):
    """How many hosts have each role in the end."""
    roles = [host["role"] for host in cluster["hosts"]]
    return {role: roles.count(role) for role in set(roles)}


def machines_in(config):
    """The machines of an install-config, by their names, with their roles."""
    return {machine["name"]: machine["role"] for machine in config["platform"]["baremetal"]["hosts"]}


def replicas_in(config):
    """How many machines of each kind an install-config counts."""
    return config["controlPlane"]["replicas"], config["compute"][0]["replicas"]


async def test_a_single_machine_becomes_a_cluster_by_itself(lab):
    async with lab(masters=1, workers=0) as it:
        cluster = await install(it)
        course = await straight_course(it)
        config, kubeconfig = await install_config_of(it), await kubeconfig_of(it)
    (run,) = course.hosts["master-0"].runs
    assert run.stages == without_copying(SINGLE_NODE_STAGES)
    own = it.room.address(10)
    assert [vip["ip"] for vip in (*cluster["api_vips"], *cluster["ingress_vips"])] == [own, own]
    assert config["platform"] == {"none": {}}
    assert replicas_in(config) == (1, 0)
    assert config["bootstrapInPlace"]["installationDisk"] == cluster["hosts"][0]["installation_disk_id"]
    assert config["networking"]["machineNetwork"] == [{"cidr": it.room.network}]
    assert server_in(kubeconfig) == API


@pytest.mark.slow
async def test_three_masters_alone_become_a_cluster(lab):
    async with lab(workers=0) as it:
        cluster = await install(it)
        course = await straight_course(it)
        config, kubeconfig = await install_config_of(it), await kubeconfig_of(it)
    assert cluster["schedulable_masters_forced_true"]
    assert roles_in(cluster) == {"master": 3}
    stages = sorted((host.runs[0].stages for host in course.hosts.values()), key=len)
    assert stages == [*[without_copying(MASTER_STAGES)] * 2, without_copying(BOOTSTRAP_STAGES)]
    platform = config["platform"]["baremetal"]
    assert (platform["apiVIPs"], platform["ingressVIPs"]) == (list(it.room.api_vips), list(it.room.ingress_vips))
    assert platform["provisioningNetwork"] == "Disabled"
    assert machines_in(config) == dict.fromkeys(it.room.names, "master")
    assert replicas_in(config) == (3, 0)
    assert config["networking"]["machineNetwork"] == [{"cidr": it.room.network}]
    assert not {"arbiter", "bootstrapInPlace", "proxy"} & set(config)
    assert server_in(kubeconfig) == API


@pytest.mark.slow
async def test_three_masters_and_two_workers_become_a_cluster(lab):
    async with lab() as it:
        cluster = await install(it)
        course = await straight_course(it)
        config = await install_config_of(it)
        assert server_in(await kubeconfig_of(it)) == API
    assert not cluster["schedulable_masters_forced_true"]
    assert roles_in(cluster) == {"master": 3, "worker": 2}
    for name in ("worker-0", "worker-1"):
        assert [run.stages for run in course.hosts[name].runs] == [WORKER_STAGES]
    assert replicas_in(config) == (3, 2)
    assert machines_in(config) == {name: name.partition("-")[0] for name in it.room.names}


@pytest.mark.slow
async def test_two_masters_and_an_arbiter_become_a_cluster(lab):
    async with lab(masters=2, arbiters=1, workers=0) as it:
        cluster = await install(it)
        course = await straight_course(it)
        config = await install_config_of(it)
        assert server_in(await kubeconfig_of(it)) == API
    assert roles_in(cluster) == {"master": 2, "arbiter": 1}
    (run,) = course.hosts["arbiter-0"].runs
    assert (run.role, run.stages) == (Role.ARBITER, without_copying(MASTER_STAGES))
    assert config["arbiter"] == {"name": "arbiter", "replicas": 1, "hyperthreading": "Enabled"}
    assert replicas_in(config) == (2, 0)
    assert machines_in(config) == {"master-0": "master", "master-1": "master", "arbiter-0": "arbiter"}


@pytest.mark.slow
async def test_five_masters_and_a_hundred_workers_become_a_cluster(lab):
    patience = 180.0
    async with lab(masters=5, workers=100, speed=1000.0) as it:
        cluster = await install(it, patience)
        course = await straight_course(it)
        config = await install_config_of(it)
        assert server_in(await kubeconfig_of(it)) == API
    assert roles_in(cluster) == {"master": 5, "worker": 100}
    assert sum(host.runs[0].stages == WORKER_STAGES for host in course.hosts.values()) == 100
    assert replicas_in(config) == (5, 100)
    assert len(machines_in(config)) == 105


@pytest.mark.slow
async def test_two_workers_join_a_cluster_that_was_installed(lab):
    async with lab(workers=0) as it:
        client, cluster_id = it.client, it.place.cluster_id
        await install(it)
        await straight_course(it)
        await client.call(ALLOW_ADD_HOSTS, cluster_id=cluster_id)
        newcomers = profiles_of(it.room.but(workers=2))[-2:]
        for newcomer in newcomers:
            it.fleet.add(newcomer)
        for newcomer in newcomers:
            host = await host_in(it, newcomer.hostname, "known")
            await client.call(INSTALL_HOST, infra_env_id=host["infra_env_id"], host_id=host["id"])
        for newcomer in newcomers:
            host = await host_in(it, newcomer.hostname, "added-to-existing-cluster", "error")
            assert host["progress"] | DONE == host["progress"]
        course = await course_of(client, cluster_id)
        assert server_in(await kubeconfig_of(it)) == API
    check_course(course)
    assert course.states[-2:] == (ClusterState.INSTALLED, ClusterState.ADDING_HOSTS)
    assert course.totals[-1] == 100
    for name in ("worker-0", "worker-1"):
        host = course.hosts[name]
        assert host.states[-4:] == (S.KNOWN, S.INSTALLING, S.IN_PROGRESS, S.ADDED)
        assert [(run.role, run.day2) for run in host.runs] == [(Role.WORKER, True)]
        assert course.names_told(name).count("host_installation_started") == 1


async def host_in(lab, name, *states):
    """A host, once it is in one of these states."""
    seen = await until(lab.client, lab.place.cluster_id, lambda seen: host_of(seen, name)["status"] in states)
    return host_of(seen, name)


DONE = {"current_stage": "Done", "installation_percentage": 100}

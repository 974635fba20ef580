"""How journeys press install, and what they look at in the end: the course of it all, and the files that it leaves."""

import json

import yaml
from course import check_course, course_of

from muster.domain.events import Severity
from muster.domain.states.clusters import ClusterState
from muster.domain.states.hosts import HostState
from muster.wire.endpoints.clusters import DOWNLOAD_CREDENTIALS, DOWNLOAD_FILES, INSTALL_CLUSTER
from watching import in_state, until

PATIENCE = 30.0

STRAIGHT = (ClusterState.PREPARING, ClusterState.INSTALLING, ClusterState.FINALIZING, ClusterState.INSTALLED)
STRAIGHT_FOR_HOSTS = (
    HostState.KNOWN,
    HostState.PREPARING,
    HostState.PREPARED,
    HostState.INSTALLING,
    HostState.IN_PROGRESS,
    HostState.INSTALLED,
)


async def press_install(lab, patience=PATIENCE):
    """Press install as soon as that can be done."""
    client, cluster_id = lab.client, lab.place.cluster_id
    await until(client, cluster_id, in_state("ready"), patience)
    await client.call(INSTALL_CLUSTER, cluster_id=cluster_id)


async def install(lab, patience=PATIENCE):
    """The cluster, once it has been installed and its controller has taken leave."""
    client, cluster_id = lab.client, lab.place.cluster_id
    await press_install(lab, patience)
    cluster = await until(client, cluster_id, in_state("installed", "error"), patience)
    assert cluster["status"] == "installed", cluster["status_info"]
    return await until(client, cluster_id, lambda seen: seen.get("logs_info") == "completed", patience)


async def straight_course(lab):
    """What the installation went through: one attempt, without a step aside or a word of warning."""
    course = await course_of(lab.client, lab.place.cluster_id)
    check_course(course)
    (attempt,) = course.attempts
    assert attempt.states == STRAIGHT
    assert [each for each in attempt.told if each.severity is not Severity.INFO] == []
    assert (course.totals[0], course.totals[-1]) == (0, 100)
    for host in course.hosts.values():
        assert host.states[-len(STRAIGHT_FOR_HOSTS) :] == STRAIGHT_FOR_HOSTS, host
    check_words(course)
    return course


def check_words(course):
    """What is to be told of each host on a straight way, once, is told."""
    bootstraps = [name for name, host in course.hosts.items() if host.runs[-1].bootstrap]
    assert len(bootstraps) == 1
    for name in course.hosts:
        words = course.names_told(name)
        chosen = name in bootstraps and not course.single_node
        assert words.count("host_bootstrap_set") == chosen
        assert words.count("host_logs_uploaded") == 1
        assert "image_status_updated" in words
    assert course.names_told().count("cluster_logs_uploaded") == 1
    assert "cluster_operator_status" in course.names_told()


async def install_config_of(lab):
    """The install-config that the cluster was made from."""
    query = {"file_name": "install-config.yaml"}
    return json.loads(await lab.client.call(DOWNLOAD_FILES, query=query, cluster_id=lab.place.cluster_id))


async def kubeconfig_of(lab):
    """The kubeconfig that the user takes home."""
    query = {"file_name": "kubeconfig"}
    text = await lab.client.call(DOWNLOAD_CREDENTIALS, query=query, cluster_id=lab.place.cluster_id)
    return yaml.safe_load(text)


def server_in(kubeconfig):
    """Where a kubeconfig leads to."""
    (cluster,) = kubeconfig["clusters"]
    return cluster["cluster"]["server"]

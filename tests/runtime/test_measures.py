"""What commits tell is counted, under the names that dashboards know."""

import re
from datetime import timedelta

import pytest

from builders import NOW, a_cluster, a_disk, a_host, a_machine, a_nic, an_infra_env
from muster.domain.clusters import ClusterState
from muster.domain.hosts import DiskSpeed, HostState, ImageStatus
from muster.domain.progress import HostProgress, Stage
from muster.domain.roles import Role
from muster.domain.verdicts import Finding, Status
from muster.ports import Change, Commit
from muster.runtime.measures import Measures
from muster.runtime.meters import text_of

GIB, GB = 2**30, 10**9
MINUTE = timedelta(minutes=1)


def figures(*changes):
    """What a commit of these changes makes of figures that were nought, by name and labels; buckets left out."""
    measures = Measures()
    commit = Commit(scope="s", version=1, at=NOW, actor="t", triggers=("T",))
    measures.hear(commit.but(changes=tuple(Change(old=old, new=new) for old, new in changes)))
    lines = [line for line in text_of(measures.meters).decode().splitlines() if not line.startswith("#")]
    shown = dict(line.removeprefix("service_assisted_installer_").rsplit(" ", 1) for line in lines)
    return {name: float(value) for name, value in shown.items() if "_bucket" not in name and value != "0"}


def changed(record, **changes):
    return record, record.but(**changes)


def finding(status):
    return Finding(status=status, message="")


def test_the_names_and_labels_are_those_that_dashboards_know():
    shown = {
        match["name"]: match["kind"]
        for match in re.finditer(r"# TYPE (?P<name>\S+) (?P<kind>\S+)", text_of(full().meters).decode())
    }
    assert {name.removeprefix("service_assisted_installer_"): kind for name, kind in shown.items()} == {
        "cluster_creations": "counter",
        "cluster_installation_started": "counter",
        "cluster_installation_seconds": "histogram",
        "host_installation_phase_seconds": "histogram",
        "cluster_hosts": "counter",
        "cluster_host_cores": "histogram",
        "cluster_host_ram_gb": "histogram",
        "cluster_host_disk_gb": "histogram",
        "cluster_host_nic_gb": "histogram",
        "cluster_host_disk_sync_duration_ms": "histogram",
        "cluster_image_pull_status": "histogram",
        "cluster_validation_is_in_failed_status_on_cluster_deletion": "counter",
        "host_validation_is_in_failed_status_on_cluster_deletion": "counter",
        "cluster_validation_failed_after_success_before_installation": "counter",
        "host_validation_failed_after_success_before_installation": "counter",
    }


LIMITS = {
    "cluster_installation_seconds": "1 5 10 30 60 120 300 600 900 1200 1800",
    "host_installation_phase_seconds": "1 5 10 30 60 120 300 600 900 1200 1800",
    "cluster_host_cores": "1 2 4 8 16 32 64 128 256 512",
    "cluster_host_ram_gb": "8 16 32 64 128 256 512 1024 2048",
    "cluster_host_disk_gb": "250 500 1000 2000 4000 8000 16000",
    "cluster_host_nic_gb": "1 10 20 40 100",
    "cluster_host_disk_sync_duration_ms": "1 5 10 15 20",
    "cluster_image_pull_status": "0.1 0.5 1 5 10 15 20 25 30 35 40 45 50",
}


def full():
    """Figures of which none is missing."""
    measures = Measures()
    for meter in measures.meters:
        labels = ["x"] * len(meter._labels)
        if hasattr(meter, "observe"):
            meter.observe(1, *labels)
        else:
            meter.add(*labels)
    return measures


@pytest.mark.parametrize("name", sorted(LIMITS))
def test_the_buckets_are_those_that_dashboards_know(name):
    text = text_of(full().meters).decode()
    limits = re.findall(rf'^service_assisted_installer_{name}_bucket{{.*le="(.*)"}}', text, re.MULTILINE)
    assert limits == [*LIMITS[name].split(), "+Inf"]


# Clusters


def test_a_new_cluster_is_counted_and_an_infra_env_is_not():
    assert figures((None, a_cluster()), (None, an_infra_env())) == {"cluster_creations": 1}


def test_an_installation_is_counted_when_it_begins():
    assert figures(changed(a_cluster(), status=ClusterState.PREPARING)) == {"cluster_installation_started": 1}
    assert figures(changed(a_cluster(status=ClusterState.PREPARING), status=ClusterState.INSTALLING)) == {}


@pytest.mark.parametrize("status", [ClusterState.INSTALLED, ClusterState.ERROR, ClusterState.CANCELLED])
def test_an_installation_is_measured_when_it_ends(status):
    cluster = a_cluster(status=ClusterState.FINALIZING, install_started_at=NOW - 40 * MINUTE)
    assert figures(changed(cluster, status=status)) == {
        f'cluster_installation_seconds_sum{{result="{status}"}}': 2400,
        f'cluster_installation_seconds_count{{result="{status}"}}': 1,
    }
    assert figures(changed(cluster.but(install_started_at=None), status=status)) == {}


# Hosts


def at(stage, minutes=0):
    return HostProgress(current_stage=stage, stage_started_at=NOW - minutes * MINUTE)


def test_a_stage_is_measured_when_the_next_begins():
    host = a_host("h1", progress=at(Stage.WRITING, minutes=2))
    for after, result in ((Stage.REBOOTING, "Done"), (Stage.FAILED, "Failed")):
        shown = figures(changed(host.but(inventory=None), progress=at(after)))
        assert shown[f'host_installation_phase_seconds_sum{{phase="Writing image to disk",result="{result}"}}'] == 120
    assert figures(changed(host, progress=at(Stage.WRITING).but(progress_info="50%"))) == {}
    assert figures(changed(a_host("h1"), progress=at(Stage.STARTING))) == {}
    assert figures((None, host)) == {}


def test_a_host_that_has_ended_is_counted_with_what_it_is_made_of():
    machine = a_machine(
        cores=16,
        memory_gib=64,
        disks=(a_disk("sda", size_bytes=500 * GB), a_disk("sdb", size_bytes=2000 * GB, drive_type="HDD")),
        interfaces=(a_nic("eth0", speed_mbps=25_000), a_nic("eth1", speed_mbps=-1)),
    )
    host = a_host("h1", role=Role.MASTER, inventory=machine, progress=HostProgress())
    ended = 'role="master",result="Done"'
    assert figures(changed(host, progress=at(Stage.DONE))) == {
        f"cluster_hosts{{{ended}}}": 1,
        f"cluster_host_cores_sum{{{ended}}}": 16,
        f"cluster_host_cores_count{{{ended}}}": 1,
        f"cluster_host_ram_gb_sum{{{ended}}}": 64,
        f"cluster_host_ram_gb_count{{{ended}}}": 1,
        f'cluster_host_disk_gb_sum{{diskType="SSD",{ended}}}': 500,
        f'cluster_host_disk_gb_count{{diskType="SSD",{ended}}}': 1,
        f'cluster_host_disk_gb_sum{{diskType="HDD",{ended}}}': 2000,
        f'cluster_host_disk_gb_count{{diskType="HDD",{ended}}}': 1,
        f"cluster_host_nic_gb_sum{{{ended}}}": 25,
        f"cluster_host_nic_gb_count{{{ended}}}": 1,
    }


def test_the_bootstrap_is_counted_as_one_and_an_unknown_machine_as_a_host():
    host = a_host("h1", role=Role.MASTER, bootstrap=True, inventory=None)
    assert figures(changed(host, progress=at(Stage.FAILED))) == {'cluster_hosts{role="bootstrap",result="Failed"}': 1}


def test_disks_and_images_that_were_tried_out_are_measured_once():
    speeds = {"sda": DiskSpeed(tested=True, speed_ms=4), "sdb": DiskSpeed(tested=True, exit_code=1, speed_ms=9)}
    images = {"quay.io/x": ImageStatus(name="quay.io/x", download_rate=12.5, result="success"), "y": ImageStatus()}
    tried = changed(a_host("h1"), disk_speeds=speeds, images=images)
    assert figures(tried) == {
        "cluster_host_disk_sync_duration_ms_sum": 4,
        "cluster_host_disk_sync_duration_ms_count": 1,
        'cluster_image_pull_status_sum{imageName="quay.io/x",result="success"}': 12.5,
        'cluster_image_pull_status_count{imageName="quay.io/x",result="success"}': 1,
    }
    assert figures(changed(tried[1], requested_hostname="other")) == {}


# Checks


def test_a_check_that_fails_after_it_has_passed_is_counted_before_the_installation():
    good = {name: finding(Status.SUCCESS) for name in ("a", "b")}
    bad = {"a": finding(Status.FAILURE), "b": finding(Status.PENDING), "c": finding(Status.FAILURE)}
    assert figures(
        changed(a_host("h1", verdicts=good), verdicts=bad), changed(a_cluster(verdicts=good), verdicts=bad)
    ) == {
        'host_validation_failed_after_success_before_installation{hostValidationType="a"}': 1,
        'cluster_validation_failed_after_success_before_installation{clusterValidationType="a"}': 1,
    }
    host = a_host("h1", verdicts=good, status=HostState.INSTALLING)
    cluster = a_cluster(verdicts=good, status=ClusterState.INSTALLING)
    assert figures(changed(host, verdicts=bad), changed(cluster, verdicts=bad)) == {}


def test_what_fails_when_a_cluster_is_given_up_is_counted_unless_it_was_installed():
    failing = {"a": finding(Status.FAILURE), "b": finding(Status.SUCCESS)}
    host, cluster = a_host("h1", verdicts=failing), a_cluster(verdicts=failing)
    assert figures(changed(host, deleted_at=NOW), changed(cluster, deleted_at=NOW), (None, a_host("h2"))) == {
        'host_validation_is_in_failed_status_on_cluster_deletion{hostValidationType="a"}': 1,
        'cluster_validation_is_in_failed_status_on_cluster_deletion{clusterValidationType="a"}': 1,
    }
    installed = cluster.but(status=ClusterState.ADDING_HOSTS)
    assert figures(changed(host, deleted_at=NOW), changed(installed, deleted_at=NOW)) == {}
    assert figures(changed(host, deleted_at=NOW)) == {}

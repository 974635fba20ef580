"""How much machine each role needs, by version, and what the operator of the service may say of it."""

import msgspec
import pytest

from builders import (
    INFRA_ENV_ID,
    a_cluster,
    a_day2_host,
    a_host,
    a_machine,
    a_pool_view,
    a_ready_host,
    a_running_cluster,
    a_view,
    an_infra_env,
    host_view,
)
from judging import host_verdict
from muster.domain.clusters import ClusterState
from muster.domain.decide import decide
from muster.domain.errors import Invalid
from muster.domain.hosts import HostState
from muster.domain.inputs.requirements import Entry, read_requirements
from muster.domain.inventory import Cpu, SystemVendor
from muster.domain.policy import Policy
from muster.domain.requirements import SHIPPED, Figures, Requirements, VersionedRequirements, is_edge_worker
from muster.domain.roles import Role
from muster.domain.steps.installation_disk_speed_check import DiskSpeedReply
from muster.domain.triggers import Replied
from muster.domain.verdicts import Status

EDGE = a_machine(
    cpu=Cpu(count=2, architecture="aarch64"),
    system_vendor=SystemVendor(product_name="BlueField SoC"),
)
PRODUCTS = Policy().edge_products
BASE = Requirements()


def role(cores, **more):
    return {"cpu_cores": cores, "ram_mib": 1024, "disk_size_gb": 20, **more}


COMPLETE = {"master": role(4), "worker": role(2), "sno": role(8)}
DEFAULT = {"version": "default", **COMPLETE}


def read(*entries):
    return read_requirements(msgspec.convert(entries, tuple[Entry, ...]))


def problems(*entries):
    with pytest.raises(Invalid) as refused:
        read(*entries)
    return str(refused.value).splitlines()


# What ships


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("master", (4, 16384, 100, 10, 100, 0)),
        ("arbiter", (2, 8192, 50, 10, 1000, 0)),
        ("worker", (2, 8192, 100, 10, 1000, 10)),
        ("sno", (8, 16384, 100, 10, None, None)),
        ("edge_worker", (2, 8192, 15, 10, None, None)),
    ],
)
def test_every_role_has_its_figures(name, figures):
    assert msgspec.structs.astuple(getattr(SHIPPED.for_version("4.20"), name)) == figures


@pytest.mark.parametrize(
    ("version", "cores"),
    [
        ("4.21.9", 8),
        ("4.22", 4),
        ("4.22.0-ec.3", 4),
        ("4.22.0-multi", 4),
        ("4.23.1", 4),
        ("5.0", 4),
        ("", 8),
        ("nonsense", 8),
    ],
)
def test_a_single_node_needs_fewer_cores_from_one_version_on(version, cores):
    requirements = SHIPPED.for_version(version)
    assert requirements.sno.cpu_cores == cores
    assert requirements.but(sno=BASE.sno) == BASE


# Which figures apply


@pytest.mark.parametrize(
    ("asked", "how", "figures"),
    [
        (Role.MASTER, {}, BASE.master),
        (Role.BOOTSTRAP, {}, BASE.master),
        (Role.MASTER, {"single_node": True}, BASE.sno),
        (Role.MASTER, {"edge": True}, BASE.master),
        (Role.ARBITER, {"edge": True}, BASE.arbiter),
        (Role.WORKER, {}, BASE.worker),
        (Role.AUTO, {}, BASE.worker),
        (Role.WORKER, {"edge": True}, BASE.edge_worker),
        (Role.AUTO, {"edge": True}, BASE.edge_worker),
    ],
)
def test_figures_go_by_role(asked, how, figures):
    assert BASE.of(asked, **how) == figures


def test_a_host_without_a_cluster_is_held_to_the_smallest_disk_and_to_a_worker_where_all_are_alike():
    assert BASE.pool is BASE.arbiter
    same = Figures(cpu_cores=1, ram_mib=1, disk_size_gb=10)
    alike = Requirements(master=same.but(cpu_cores=2), worker=same, arbiter=same.but(cpu_cores=3))
    assert alike.pool is alike.worker


@pytest.mark.parametrize(
    ("machine", "edge"),
    [
        (EDGE, True),
        (EDGE.but(cpu=Cpu(count=2, architecture="arm64")), True),
        (EDGE.but(system_vendor=SystemVendor(product_name="bluefieldsoc")), True),
        (EDGE.but(system_vendor=SystemVendor(product_name="BlueField")), False),
        (EDGE.but(cpu=Cpu(count=2, architecture="x86_64")), False),
        (EDGE.but(cpu=None), False),
        (EDGE.but(system_vendor=None), False),
        (None, False),
    ],
)
def test_an_edge_worker_is_known_by_its_processor_and_its_product_name(machine, edge):
    assert is_edge_worker(machine, PRODUCTS) is edge


def test_an_edge_worker_is_held_to_figures_of_its_own():
    view = a_view(hosts=[a_host("h1", role=Role.WORKER, inventory=EDGE)])
    assert host_view(view, "h1").base_figures == BASE.edge_worker
    no_products = view.but(policy=Policy(edge_products=frozenset()))
    assert host_view(no_products, "h1").base_figures == BASE.worker


def test_a_host_is_held_to_the_version_of_its_cluster_and_else_of_its_image():
    image = {INFRA_ENV_ID: an_infra_env(openshift_version="4.22")}
    single = a_view(a_cluster(openshift_version="4.20.1", control_plane_count=1), [a_host("h1", role=Role.MASTER)])
    assert host_view(single.but(infra_envs=image), "h1").base_figures.cpu_cores == 8
    day2 = a_view(a_running_cluster(openshift_version="4.20.1", control_plane_count=1), [a_day2_host()])
    assert host_view(day2.but(infra_envs=image), "h9").requirements.sno.cpu_cores == 4
    loose = a_pool_view(a_host("h1"), infra_envs=image)
    assert host_view(loose, "h1").requirements.sno.cpu_cores == 4
    assert host_view(loose, "h1").base_figures == BASE.arbiter


def test_a_small_single_node_will_do_in_a_new_version_only():
    host = a_host("h1", role=Role.MASTER, inventory=a_machine(cores=4))
    for version, status in (("4.21.3", Status.FAILURE), ("4.22.0", Status.SUCCESS)):
        cluster = a_cluster(openshift_version=version, control_plane_count=1)
        assert host_verdict("has-cpu-cores-for-role", host, cluster=cluster).status is status


@pytest.mark.parametrize(
    ("asked", "milliseconds", "told"),
    [(Role.MASTER, 6, True), (Role.MASTER, 5, False), (Role.WORKER, 6, False), (Role.WORKER, 21, True)],
)
def test_a_disk_is_slow_by_the_figure_of_the_hosts_own_role(asked, milliseconds, told):
    figures = BASE.but(
        master=BASE.master.but(installation_disk_speed_threshold_ms=5),
        worker=BASE.worker.but(installation_disk_speed_threshold_ms=20),
    )
    assert ("disk_speed_slower_than_supported" in events_of(asked, milliseconds, figures)) is told


def test_where_no_disk_is_too_slow_none_is_told_of():
    any_speed = BASE.but(worker=BASE.worker.but(installation_disk_speed_threshold_ms=0))
    assert "disk_speed_slower_than_supported" not in events_of(Role.WORKER, 9999, any_speed)


def events_of(asked, milliseconds, figures):
    """What is told when a preparing host has tried out its disk."""
    host = a_ready_host("h1", role=asked, status=HostState.PREPARING)
    view = a_view(
        a_cluster(status=ClusterState.PREPARING),
        [host],
        policy=Policy(requirements=VersionedRequirements(default=figures)),
    )
    reply = DiskSpeedReply(path=host.installation_disk_id, io_sync_duration=milliseconds)
    decision = decide(view, Replied(host_id="h1", step="installation-disk-speed-check", reply=reply))
    return {event.name for event in decision.events}


# What the operator of the service says


def test_without_entries_what_ships_counts():
    assert read() is SHIPPED


def test_the_default_entry_counts_for_every_version():
    requirements = read(DEFAULT)
    assert requirements.for_version("4.22").sno.cpu_cores == 8
    assert requirements.for_version("").master == Figures(
        cpu_cores=4, ram_mib=1024, disk_size_gb=20, installation_disk_speed_threshold_ms=0
    )


def test_an_arbiter_and_an_edge_worker_need_what_a_worker_needs_unless_more_is_said():
    assert read(DEFAULT).default.arbiter == read(DEFAULT).default.edge_worker == read(DEFAULT).default.worker
    said = read({**DEFAULT, "arbiter": role(3), "edge-worker": role(1)}).default
    assert (said.arbiter.cpu_cores, said.edge_worker.cpu_cores) == (3, 1)


def test_an_exact_entry_changes_single_figures_of_the_default():
    limits = {"network_latency_threshold_ms": 50.5, "packet_loss_percentage": 0}
    base = {**DEFAULT, "arbiter": role(3)}
    requirements = read({"version": "4.20.1", "worker": {"cpu_cores": 9, **limits}}, base)
    changed = requirements.for_version("4.20.1")
    assert changed.worker == requirements.default.worker.but(cpu_cores=9, **limits)
    assert changed.but(worker=requirements.default.worker) == requirements.default
    assert requirements.for_version("4.20") == requirements.for_version("4.20.1-multi") == requirements.default


def test_of_the_entries_for_later_versions_the_newest_counts():
    later = [
        {"version": version, "match_type": "min_version", "sno": {"cpu_cores": cores}}
        for version, cores in (("4.9", 6), ("4.22", 4), ("4.14.3", 5))
    ]
    requirements = read(*later, {"version": "4.22.7", "match_type": "exact", "sno": {"cpu_cores": 7}}, DEFAULT)
    cores = [
        requirements.for_version(version).sno.cpu_cores
        for version in ("4.8.9", "4.9.0", "4.14.2", "4.14.3", "4.22.0-rc.1", "4.22.7", "4.30")
    ]
    assert cores == [8, 6, 6, 5, 4, 7, 4]


def test_an_exact_entry_that_is_complete_needs_no_default_and_leaves_other_versions_alone():
    requirements = read({"version": "4.20", **COMPLETE})
    assert requirements.for_version("4.20").worker == requirements.for_version("4.20").arbiter
    assert requirements.for_version("4.20").worker.cpu_cores == 2
    assert requirements.for_version("4.21") == BASE
    assert requirements.for_version("4.22") == SHIPPED.for_version("4.22")


def test_a_null_is_as_good_as_nothing():
    base = {**DEFAULT, "match_type": None, "arbiter": None}
    requirements = read(base, {"version": "4.20", "worker": {"cpu_cores": None}})
    assert requirements.for_version("4.20") == requirements.default


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ([DEFAULT, {"match_type": "exact"}], "[1].version is missing; write a version, or default for all others"),
        ([{**DEFAULT, "match_type": "newer"}], "[0].match_type is 'newer'; it must be exact or min_version"),
        (
            [DEFAULT, {"version": "new", "match_type": "min_version"}],
            "[1].version is 'new'; with min_version it must be a version such as 4.22",
        ),
        (
            [DEFAULT, {"version": "default", "match_type": "min_version"}],
            "[1].version is 'default'; with min_version it must be a version such as 4.22",
        ),
        (
            [{"version": "4.22", "match_type": "min_version", **COMPLETE}],
            "[0] is for min_version 4.22, which adds to the default entry; add one of version default",
        ),
        ([DEFAULT, DEFAULT], "[1] is about the same version as [0], default; put the two together"),
        (
            [DEFAULT, {"version": "4.20"}, {"version": "4.20"}],
            "[2] is about the same version as [1], 4.20; put the two together",
        ),
        (
            [DEFAULT, *({"version": each, "match_type": "min_version"} for each in ("5", "5.0.0"))],
            "[2] is about the same version as [1], 5.0.0; put the two together",
        ),
        (
            [{"version": "default", "master": role(4), "worker": role(2)}],
            "[0].sno is missing; there is nothing else to take the figures of that role from",
        ),
        (
            [{**DEFAULT, "edge-worker": {"cpu_cores": 1, "ram_mib": 1}}],
            "[0].edge-worker.disk_size_gb is missing; there is nothing else to take it from",
        ),
        (
            [{"version": "4.20", **COMPLETE, "master": {"cpu_cores": 1, "disk_size_gb": 1}}],
            "[0].master.ram_mib is missing; there is nothing else to take it from",
        ),
        (
            [DEFAULT, {"version": "4.20", "edge-worker": {"cpu_cores": 0}}],
            "[1].edge-worker.cpu_cores is 0; it must be at least 1",
        ),
        ([{**DEFAULT, "sno": role(1, ram_mib=-1)}], "[0].sno.ram_mib is -1; it must be at least 1"),
        ([{**DEFAULT, "sno": role(1, disk_size_gb=0)}], "[0].sno.disk_size_gb is 0; it must be at least 1"),
        (
            [{**DEFAULT, "sno": role(1, installation_disk_speed_threshold_ms=-1)}],
            "[0].sno.installation_disk_speed_threshold_ms is -1; it must be at least 0",
        ),
    ],
)
def test_an_entry_that_cannot_be_right_is_refused_by_its_path(entries, problem):
    assert problems(*entries) == [f"HW_VALIDATOR_REQUIREMENTS{problem}".replace(" [", " HW_VALIDATOR_REQUIREMENTS[")]


def test_all_that_is_wrong_is_told_at_once():
    assert len(problems({"version": "default", "master": {"cpu_cores": 0}}, {"match_type": "exact"})) == 6


@pytest.mark.parametrize("entry", [{"version": "4.20", "wroker": {}}, {"version": "4.20", "worker": {"cpus": 1}}])
def test_a_misspelt_field_is_not_taken_for_silence(entry):
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        read(entry)


def test_the_entries_are_the_original_wire_form_of_the_figures():
    ours = {field.encode_name for field in msgspec.structs.fields(Entry)}
    assert ours == {"version", "match_type", *(field.encode_name for field in msgspec.structs.fields(Requirements))}


def test_figures_for_a_version_are_looked_up_once():
    requirements = VersionedRequirements(since={"4.22": BASE})
    assert requirements.for_version("4.23") is requirements.for_version("4.23") is BASE

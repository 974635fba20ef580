"""The installer of a release is run: what it is given, what is made of its files, and how its failures are told."""

import asyncio
import json
import os
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
import structlog
import yaml

from adapters.lab_orders import (
    ORDERS,
    SECRET,
    a_single_node,
    an_order,
    five_hosts,
    on_bootstrap,
    parsed,
    quietly,
    the_cluster,
)
from muster.adapters.releases.openshift_install import OpenshiftInstall, Running
from muster.domain.artifacts.post_processing import post_processed
from muster.domain.clusters import Platform, PlatformType
from muster.domain.errors import Broken, Invalid, Unavailable
from muster.domain.hosts import FencingCredentials
from muster.domain.manifests import Folder, Manifest, ManifestName
from muster.domain.roles import Role
from parts.ignition import complaints, needs_ignition
from parts.openshift_install import PASSWORD, calls_of, stand_in

RELEASE = "registry.example.com/release@sha256:0123"
LONG = timedelta(minutes=1)


class Bench:
    """A place where installers are run."""

    def __init__(self, folder, failure="", step="create", **running):
        self.program = stand_in(folder / "bin", failure, step)
        self.work = folder / "work"
        self.lent = []
        self.told = []
        self.running = Running(folder=self.work, **{"patience": LONG, **running})
        self.maker = OpenshiftInstall(self.binary, self.running, asyncio.Semaphore(2))

    @asynccontextmanager
    async def binary(self, release, pull_secret):
        self.lent.append((release, pull_secret))
        yield self.program

    async def made(self, order):
        return post_processed(order, await self.maker.assets(order, self.tell))

    async def tell(self, words):
        self.told.append(words)

    @property
    def calls(self):
        return calls_of(self.program)

    @property
    def left(self):
        return sorted(path.name for path in self.work.iterdir()) if self.work.exists() else []


def of_release(order):
    return order.but(cluster=order.cluster.but(ocp_release_image=RELEASE, openshift_version="4.20.1"))


def manifest(path, text):
    folder, _, name = path.partition("/")
    return Manifest(name=ManifestName(folder=Folder(folder), file_name=name), content=text.encode())


ORDER = of_release(an_order())


# What it makes.


@needs_ignition
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
async def test_an_order_becomes_every_file_that_hosts_install_from(tmp_path, order):
    bench = Bench(tmp_path)
    made = await bench.made(of_release(order))
    hosts = {f"{host.effective_role}-{host.id}.ign" for host in order.hosts}
    roles = {"bootstrap.ign", "master.ign", "worker.ign"} | (
        {"arbiter.ign"} if any(host.role is Role.ARBITER for host in order.hosts) else set()
    )
    beside = {"metadata.json", "install-config.yaml", "kubeconfig-noingress", "kubeadmin-password"}
    assert made.files.keys() == hosts | roles | beside
    configs = {name: content for name, content in made.files.items() if name.endswith(".ign")}
    assert {name: complaints(content) for name, content in configs.items()} == dict.fromkeys(configs, "")
    assert made.files["kubeadmin-password"] == PASSWORD.encode()
    assert parsed(made, "metadata.json")["clusterID"] == made.openshift_cluster_id
    assert bench.left == []


async def test_the_install_config_is_kept_although_the_installer_consumes_it(tmp_path):
    made = await Bench(tmp_path).made(ORDER)
    assert parsed(made, "install-config.yaml") == ORDER.install_config


async def test_a_single_node_gets_everything_from_its_bootstrap(tmp_path):
    bench = Bench(tmp_path)
    made = await bench.made(of_release(a_single_node()))
    assert [call["words"][1] for call in bench.calls] == ["manifests", "single-node-ignition-config"]
    assert parsed(made, "master.ign") == parsed(made, "worker.ign") == {"ignition": {"version": "3.2.0"}}
    assert "/opt/openshift/assisted-install-bootstrap" not in on_bootstrap(made)


async def test_manifests_of_service_and_user_lie_among_those_of_the_installer(tmp_path):
    scheduler = "manifests/cluster-scheduler-02-config.yml.patch_mine"
    order = ORDER.but(
        manifests=(
            manifest("openshift/mine.yaml", "kind: Pod\nmetadata: {name: mine}\n"),
            manifest("manifests/two.yaml", "kind: Pod\n---\nkind: Job\n"),
            manifest(scheduler, "- {op: replace, path: /spec/mastersSchedulable, value: true}"),
        )
    )
    found = on_bootstrap(await Bench(tmp_path).made(order))
    assert found["/opt/openshift/openshift/mine.yaml"] == b"kind: Pod\nmetadata: {name: mine}\n"
    assert len([path for path in found if path.startswith("/opt/openshift/manifests/two-")]) == 2
    patched = yaml.safe_load(found["/opt/openshift/manifests/cluster-scheduler-02-config.yml"])
    assert patched["spec"] == {"mastersSchedulable": True}
    assert not any("patch" in path for path in found)


async def test_a_patch_without_anything_to_change_is_told_before_the_installer_goes_on(tmp_path):
    bench = Bench(tmp_path)
    with pytest.raises(Invalid, match=r"absent\.yaml"):
        await bench.made(ORDER.but(manifests=(manifest("openshift/absent.yaml.patch", "- {op: remove, path: /a}"),)))
    assert len(bench.calls) == 1
    assert bench.left == []


@pytest.mark.parametrize(("workers", "topology"), [(1, "HighlyAvailable"), (2, "Whatever")])
async def test_one_worker_is_as_good_as_several(tmp_path, workers, topology):
    whatever = manifest(
        "manifests/cluster-infrastructure-02-config.yml.patch_a",
        "- {op: replace, path: /status/infrastructureTopology, value: Whatever}",
    )
    order = of_release(an_order(hosts=five_hosts()[: 3 + workers], manifests=[whatever]))
    found = on_bootstrap(await Bench(tmp_path).made(order))
    infrastructure = yaml.safe_load(found["/opt/openshift/manifests/cluster-infrastructure-02-config.yml"])
    assert infrastructure["status"]["infrastructureTopology"] == topology


async def test_a_platform_that_could_make_machines_is_not_told_to(tmp_path):
    cluster = the_cluster().but(platform=Platform(type=PlatformType.VSPHERE))
    bench = Bench(tmp_path)
    found = on_bootstrap(await bench.made(of_release(an_order(cluster))))
    assert not any("machine" in path for path in found if path.startswith("/opt/openshift/openshift/"))
    assert not any("master-machines" in name for name in bench.calls[1]["found"])


async def test_the_machines_of_the_installer_are_those_that_were_discovered(tmp_path):
    found = on_bootstrap(await Bench(tmp_path).made(ORDER))
    machines = [json.loads(content) for path, content in found.items() if "openshift-cluster-api_hosts" in path]
    assert [each["metadata"]["name"] for each in machines] == [host.hostname for host in five_hosts()]
    status = json.loads(machines[0]["metadata"]["annotations"]["baremetalhost.metal3.io/status"])
    assert status["hardware"]["nics"][0]["ip"] == "192.168.1.10"
    assert all("status" not in each and each["spec"]["externallyProvisioned"] for each in machines)


# What it is told.


async def test_it_is_told_of_the_release_and_of_the_first_host_and_of_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not for you")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example.com:3128")
    bench = Bench(tmp_path, invoker="somebody")
    await bench.made(ORDER)
    assert bench.lent == [(RELEASE, SECRET)]
    for call in bench.calls:
        told = call["environment"]
        folder = call["words"][-1]
        ours = {name: value for name, value in told.items() if name.startswith("OPENSHIFT")}
        assert ours == {
            "OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE": RELEASE,
            "OPENSHIFT_INSTALL_INVOKER": "somebody",
            "OPENSHIFT_INSTALL_BOOTSTRAP_NODE_IP": "192.168.1.10",
        }
        assert told["HOME"] == folder
        assert told["HTTPS_PROXY"] == "http://proxy.example.com:3128"
        assert "AWS_SECRET_ACCESS_KEY" not in told
    assert bench.calls[0]["found"] == ["install-config.yaml"]
    assert bench.calls[0]["mode"] == 0o600


async def test_authorities_of_the_users_own_are_handed_over(tmp_path):
    (tmp_path / "certificates").mkdir()
    (tmp_path / "certificates/root-ca.crt").write_text("mine")
    bench = Bench(tmp_path, certificates=str(tmp_path / "certificates"))
    await bench.made(ORDER)
    assert "tls/root-ca.crt" in bench.calls[0]["found"]
    assert bench.calls[0]["environment"]["OPENSHIFT_INSTALL_LOAD_CLUSTER_CERTS"] == "true"


async def test_it_is_told_what_it_is_at(tmp_path):
    bench = Bench(tmp_path)
    await bench.made(ORDER)
    assert bench.told == [
        f"openshift-install of OpenShift 4.20.1 is taken from {RELEASE}",
        "openshift-install create manifests runs",
        "openshift-install create ignition-configs runs",
    ]


async def test_nothing_secret_is_in_its_words_or_in_the_log(tmp_path):
    bench = Bench(tmp_path)
    with structlog.testing.capture_logs() as logs:
        await bench.made(ORDER)
    auth = json.loads(SECRET)["auths"]["registry.example.com"]["auth"]
    assert auth not in json.dumps([call["words"] for call in bench.calls])
    assert auth not in json.dumps([call["environment"] for call in bench.calls])
    assert auth not in str(logs)


async def test_only_so_many_run_at_once(tmp_path):
    bench = Bench(tmp_path)
    turns = asyncio.Semaphore(1)
    maker = OpenshiftInstall(bench.binary, bench.running, turns)
    await turns.acquire()
    waiting = [asyncio.create_task(maker.assets(ORDER, bench.tell)) for _ in range(2)]
    await asyncio.sleep(0)
    assert len(bench.lent) == 2
    assert bench.calls == []
    assert bench.told[-1] == (
        "openshift-install waits until fewer run at once; MUSTER_INSTALLERS_AT_ONCE says how many may"
    )
    turns.release()
    assert len(await asyncio.gather(*waiting)) == 2
    order = [call["words"][1] for call in bench.calls]
    assert order == ["manifests", "ignition-configs"] * 2


# How it fails.


async def failure_of(bench, order=ORDER):
    with pytest.raises(Broken) as failed:
        await bench.maker.assets(order, bench.tell)
    assert bench.left == []
    return str(failed.value)


async def test_what_it_has_against_an_install_config_is_told_in_its_own_words(tmp_path):
    order = ORDER.but(cluster=ORDER.cluster.but(base_dns_domain=""))
    assert await failure_of(Bench(tmp_path), order) == (
        "openshift-install create manifests ended with 3 and said: failed to fetch Master Machines: failed to load"
        ' asset "Install Config": invalid "install-config.yaml" file: baseDomain: Invalid value: "": domain name is'
        " empty"
    )


@pytest.mark.slow
@pytest.mark.parametrize("step", ["manifests", "ignition-configs"])
async def test_one_that_hangs_is_stopped_and_told(tmp_path, step):
    bench = Bench(tmp_path, "hang", step, patience=timedelta(seconds=4))
    assert await failure_of(bench) == (
        f"openshift-install create {step} has not ended after 4 seconds and was stopped; look whether the service's"
        " machine is short of processors or memory, or set MUSTER_INSTALLER_TIMEOUT higher"
    )
    with pytest.raises(ProcessLookupError):
        os.kill(bench.calls[-1]["pid"], 0)


async def test_one_that_crashes_is_told(tmp_path):
    said = await failure_of(Bench(tmp_path, "crash"))
    assert said == "openshift-install create manifests ended with -11 and said: nothing"


async def test_garbage_is_told_without_anything_secret_and_not_at_length(tmp_path):
    hosts = [host.but(fencing_credentials=FencingCredentials(password="fenceless")) for host in five_hosts()]
    said = await failure_of(Bench(tmp_path, "garbage"), ORDER.but(hosts=tuple(hosts)))
    assert said.endswith('"auth":"(secret)"}}} to read the release (secret)')
    assert len(said) < 600
    assert said.isprintable()
    for secret in ("c2VjcmV0OnNlY3JldA==", "secret:secret", "PRIVATE KEY", "fenceless"):
        assert secret not in said


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        ("forgetful", "openshift-install ended well and has written no master.ign"),
        ("homeless", "The installer has written no auth/kubeconfig and no auth/kubeadmin-password"),
        ("unreadable", "worker.ign, which the installer has written, is not JSON"),
    ],
)
async def test_files_that_are_missing_or_unreadable_are_named(tmp_path, failure, words):
    assert await failure_of(Bench(tmp_path, failure, "nothing")) == words


async def test_a_program_that_is_none_is_told(tmp_path):
    bench = Bench(tmp_path)
    bench.program.write_bytes(b"\x7fELF for another machine")
    said = await failure_of(bench)
    assert said == f"openshift-install create manifests: openshift-install of {RELEASE} cannot be run here"


async def test_a_release_out_of_reach_may_be_had_another_time(tmp_path):
    @asynccontextmanager
    async def unreachable(release, pull_secret):
        raise Unavailable("registry.example.com does not answer")
        yield

    maker = OpenshiftInstall(unreachable, Running(folder=tmp_path), asyncio.Semaphore(1))
    with pytest.raises(Unavailable, match="does not answer"):
        await maker.assets(ORDER, quietly)


async def test_whoever_stops_waiting_leaves_nothing_behind(tmp_path):
    bench = Bench(tmp_path, "hang", "ignition-configs")
    task = asyncio.create_task(bench.maker.assets(ORDER, bench.tell))
    while len(bench.calls) < 2:  # noqa: ASYNC110 - another process has no event to wait for
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert bench.left == []
    with pytest.raises(ProcessLookupError):
        os.kill(bench.calls[-1]["pid"], 0)

"""`aicli` from PyPI, unmodified, does with the service whatever it can do."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from aicli import Aicli, commands
from listed import unlisted
from making import AGENT, SECRET
from scenario_stage import Stage
from scenario_told import KEY
from witnessing import WitnessedService

from parts.images import X86, embedded_in, offered

pytestmark = pytest.mark.slow

LEFT_OUT = {
    "boot host": "it talks to the management controllers of machines, not to the service",
    "create abi-creds": "it reads the folder of an installation without a service",
    "create deployment": "it is made of other commands, and pauses for a minute between them",
    "scale deployment": "it is made of other commands, and pauses for a minute between them",
    "create onprem": "it starts the original in containers",
    "delete onprem": "it stops the original",
}
"""Commands that are not run here, and why."""

PARAMETERS = {
    "openshift_version": "4.20",
    "domain": "lab.local",
    "pull_secret": "secret.json",
    "public_key": "id.pub",
    "api_ip": "192.168.126.2",
    "ingress_ip": "192.168.126.3",
    "minimal": True,
    "tags": ["one", "two"],
    "static_network_config": [
        {"interfaces": [{"name": "eth0", "type": "ethernet", "state": "up", "mac-address": "52:54:00:00:00:01"}]}
    ],
}
MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WitnessedService]:
    """A service whose answers are all looked at."""
    folder = tmp_path_factory.mktemp("service")
    service = WitnessedService(folder / "data", offered(folder, X86._replace(version="4.20")))
    service.start()
    yield service
    service.stop()
    assert unlisted(service.witness.differences) == []


@pytest.fixture(scope="module")
def stage(running: WitnessedService) -> Iterator[Stage]:
    """The hand that makes what has to be there before."""
    it = Stage(running.url)
    yield it
    it.close()


@pytest.fixture
def ai(running: WitnessedService, tmp_path: Path) -> Aicli:
    """The command on a desk with all that it asks for."""
    (tmp_path / "secret.json").write_text(SECRET)
    (tmp_path / "id.pub").write_text(KEY)
    (tmp_path / "parameters.yml").write_text(yaml.safe_dump(PARAMETERS))
    (tmp_path / "pool.yml").write_text(
        yaml.safe_dump({name: PARAMETERS[name] for name in ("pull_secret", "public_key")})
    )
    return Aicli(tmp_path, running.url)


@contextmanager
def machines_for(running: WitnessedService, cluster: str) -> Iterator[None]:
    """Machines of the lab that belong to a cluster, while something is done with them."""
    muster = Path(sys.executable).with_name("muster")
    words = ["lab", "up", "--url", running.url, "--cluster", cluster, "--workers", "0", "--speed", "2000"]
    lab = subprocess.Popen([str(muster), *words], stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        lab.terminate()
        lab.wait(10)


def test_no_command_is_left_out_without_a_reason():
    run = set(re.findall(r'\bai\(f?"([a-z]+ [a-z-]+)', Path(__file__).read_text()))
    assert run.isdisjoint(LEFT_OUT)
    assert run | LEFT_OUT.keys() == commands()


def test_a_file_of_parameters_becomes_an_installed_cluster(ai, running):
    ai("create cluster lab --paramfile parameters.yml")
    with machines_for(running, "lab"):
        ai("wait host -n 3 lab")
        assert all(f"master-{number}" in ai("list host") for number in range(3))
        ai("update host master-0 -P name=first -P labels=[zone=a] -P extra_args=--append-karg=console=ttyS0")
        assert "zone" in ai("info host first")
        ai("wait cluster -s ready lab")
        assert "api-vips-valid" in ai("info validation -a lab")
        ai("start cluster lab")
        ai("wait cluster lab")
    ai("download kubeconfig lab")
    assert yaml.safe_load(ai.file("kubeconfig.lab"))["kind"] == "Config"
    ai("download kubeadmin-password lab")
    assert ai.file("kubeadmin-password.lab")
    ai("download ignition -r master lab")
    assert json.loads(ai.file("master.ign.lab"))["ignition"]
    assert "installed" in ai("list cluster")
    assert "installed" in ai("list event lab")
    ai("update cluster lab -P day2=true -P infraenv=false")
    assert "adding-hosts" in ai("info cluster lab -f status")


def test_a_cluster_is_described_changed_and_deleted(ai):
    ai("create cluster paper --paramfile parameters.yml")
    assert "one,two" in ai("info cluster paper -f tags")
    assert "cpu_cores" in ai("info cluster --preflight paper")
    ai("update cluster paper -P tags=[three] -P infraenv=false")
    assert "tags: three" in ai("export cluster paper")
    ai("update installconfig paper -P installconfig={'fips':True}")
    ai("download installconfig paper")
    assert yaml.safe_load(ai.file("install-config.yaml.paper"))["fips"] is True
    ai("create cluster there-day2 --paramfile parameters.yml -P infraenv=false -P api_vip_dnsname=192.168.126.2")
    assert "adding-hosts" in ai("info cluster there-day2 -f status")
    ai("delete cluster -y paper there-day2")
    assert "paper" not in ai("list cluster")


def test_manifests_are_uploaded_listed_downloaded_and_deleted(ai):
    ai("create cluster told --paramfile parameters.yml -P infraenv=false")
    (ai.desk / "mine").mkdir()
    (ai.desk / "mine" / "one.yaml").write_text(MANIFEST)
    ai("create manifest --dir mine told")
    assert "one.yaml" in ai("list manifest told")
    ai("download manifests told")
    assert ai.file("one.yaml") == MANIFEST
    ai("delete manifest -y told one.yaml")
    assert "one.yaml" not in ai("list manifest told")


def test_images_are_described_changed_and_deleted(ai):
    ai("create infraenv pictures --paramfile parameters.yml")
    assert "pictures" in ai("list infraenv")
    assert "minimal-iso" in ai("info infraenv pictures -f type")
    assert "/minimal.iso" in ai("info iso -s pictures")
    assert "52:54:00:00:00:01" in ai("info static-network-config pictures")
    ai("update infraenv pictures --paramfile pool.yml -P minimal=false")
    ai("update iso pictures --paramfile pool.yml -P password=true")
    assert "/full.iso" in ai("create iso pictures --paramfile pool.yml")
    ai("download iso pictures")
    assert "aicli" in embedded_in(ai.desk / "pictures.iso")
    ai("download discovery-ignition pictures")
    assert "aicli" in ai.file("discovery.ign.pictures")
    ai("download ipxe-script pictures")
    assert ai.file("ipxe-script.pictures").startswith("#!ipxe")
    ai("download static-network-config pictures")
    assert (ai.desk / "static-network-config.pictures.tar").stat().st_size
    assert "not implemented" in ai("download initrd pictures")
    ai("delete infraenv -y pictures")
    assert "pictures" not in ai("list infraenv")


def test_hosts_of_a_pool_are_bound_unbound_and_deleted(ai, stage):
    cluster_id = stage.cluster(name="bound")
    one, other = stage.in_a_pool(), stage.in_a_pool()
    ai(f"bind host {one.host_id} {cluster_id}")
    ai(f"bind infraenv {other.infra_env_id} {cluster_id}")
    for host in (one, other):
        register = {"host_id": host.host_id, "discovery_agent_version": AGENT}
        stage.hand.v2(f"POST /infra-envs/{host.infra_env_id}/hosts", register)
        assert stage.installer.v2_get_host(*host).cluster_id == cluster_id
    ai(f"unbind host {one.host_id}")
    ai(f"unbind infraenv {other.infra_env_id}")
    for host in (one, other):
        assert stage.installer.v2_get_host(*host).cluster_id is None
    ai(f"create fakehost --paramfile pool.yml {one.infra_env_id}")
    assert len(stage.installer.v2_list_hosts(one.infra_env_id)) == 2
    ai(f"delete host -y {one.host_id}")
    assert len(stage.installer.v2_list_hosts(one.infra_env_id)) == 1


def test_hosts_are_added_to_a_cluster_and_reset(ai, stage):
    one, other = stage.added_later(), stage.added_later()
    ai(f"start host {one.host_id}")
    ai(f"stop host {one.host_id}")
    assert stage.installer.v2_get_host(*one).status == "installing"
    # Its cluster's own host is there too, and is left alone.
    ai(f"start infraenv {other.infra_env_id}")
    assert stage.installer.v2_get_host(*other).status == "installing"
    ai(f"stop infraenv {other.infra_env_id}")
    assert stage.installer.v2_get_host(*other).status == "resetting-pending-user-action"


def test_an_installation_is_stopped(ai, stage):
    it = stage.installing()
    ai(f"stop cluster {it.cluster_id}")
    assert stage.installer.v2_get_cluster(it.cluster_id).status == "insufficient"


def test_the_service_and_all_words_are_told(ai):
    assert "4.20" in ai("info service")
    assert "openshift_version" in ai("list all-keyword")
    assert "base_dns_domain" in ai("list cluster-keyword")
    assert "image_type" in ai("list infraenv-keyword")
    assert "host_role" in ai("list host-keyword")
    assert "sno_disk" in ai("list extra-keyword")

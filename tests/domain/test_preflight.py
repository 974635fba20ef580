"""What a cluster is going to need of its hosts, before there are any."""

import json
from pathlib import Path

import msgspec
import pytest

from builders import a_cluster, a_policy, a_running_cluster
from muster.domain.clusters import DiskEncryption
from muster.domain.operators import OLM_OPERATORS
from muster.domain.operators.settings import OperatorSettings
from muster.domain.preflight import preflight

RECORDING = Path(__file__).parents[3] / "shared" / "reference" / "recordings" / "multi-node-install.jsonl"


def told(cluster=None, **policy):
    """The preflight as it goes over the wire."""
    return msgspec.to_builtins(preflight(cluster or a_cluster(), a_policy(**policy)))


def of(name, found):
    return next(each for each in found["operators"] if each["operator_name"] == name)


def figures(name, role, found):
    needs = of(name, found)["requirements"][role]["quantitative"]
    return needs.get("cpu_cores", 0), needs.get("ram_mib", 0)


def without_words(found):
    """What of a preflight is not free text."""
    if isinstance(found, dict):
        return {key: without_words(value) for key, value in found.items() if key != "qualitative"}
    return [without_words(each) for each in found] if isinstance(found, list | tuple) else found


def named(operators):
    return {each["operator_name"]: without_words(each) for each in operators}


def silences(operators):
    """Whether each operator says something in words, nothing, or has no words at all."""
    return {
        (each["operator_name"], role): needs["qualitative"] and bool(needs["qualitative"])
        for each in operators
        for role, needs in each["requirements"].items()
    }


def test_it_is_what_was_recorded():
    if not RECORDING.exists():
        pytest.skip("the recordings are not at hand")
    lines = map(json.loads, RECORDING.read_text().splitlines())
    recorded = next(line["response"] for line in lines if line["call"].endswith("/preflight-requirements"))
    found = json.loads(msgspec.json.encode(preflight(a_cluster(), a_policy())))
    assert found["ocp"] == recorded["ocp"]
    assert named(found["operators"]) == named(recorded["operators"])
    assert silences(found["operators"]) == silences(recorded["operators"])


def test_every_operator_is_told_in_order_of_name():
    assert [each["operator_name"] for each in told()["operators"]] == list(OLM_OPERATORS)


def test_a_running_cluster_is_told_nothing_of_operators():
    found = told(a_running_cluster())
    assert found["operators"] == ()
    assert found["ocp"]["worker"]["quantitative"]["cpu_cores"] == 2


def test_a_single_node_needs_more():
    found = told(a_cluster(control_plane_count=1))
    assert found["ocp"]["master"]["quantitative"] == {
        "cpu_cores": 8,
        "ram_mib": 16384,
        "disk_size_gb": 100,
        "installation_disk_speed_threshold_ms": 10,
    }
    assert figures("cnv", "master", found) == (6, 510)
    assert figures("mce", "master", found) == (8, 32768)
    assert of("openshift-ai", found)["dependencies"] == ("lvm",)


def test_figures_follow_the_version():
    assert figures("lvm", "worker", told(a_cluster(openshift_version="4.12.1"))) == (1, 1200)
    newest = told(a_cluster(openshift_version="4.22.0", control_plane_count=1))
    assert newest["ocp"]["master"]["quantitative"]["cpu_cores"] == 4


def test_figures_follow_the_settings():
    found = told(operators=OperatorSettings(mtv_cpu_per_host=5, odf_per_host_cpu_compact_mode=7))
    assert figures("mtv", "master", found) == (5, 1024)
    assert figures("odf", "master", found) == (7, 19456)


@pytest.mark.parametrize(
    ("encryption", "master", "worker"),
    [
        (DiskEncryption(enable_on="all"), True, True),
        (DiskEncryption(enable_on="masters"), True, False),
        (DiskEncryption(enable_on="arbiters,workers"), False, True),
        (DiskEncryption(enable_on="all", mode="tang"), False, False),
        (DiskEncryption(), False, False),
    ],
)
def test_a_role_whose_disks_are_unlocked_by_a_chip_needs_one(encryption, master, worker):
    ocp = told(a_cluster(disk_encryption=encryption))["ocp"]
    flags = [ocp[role]["quantitative"].get("tpm_enabled_in_bios", False) for role in ("master", "worker")]
    assert flags == [master, worker]

"""Jobs that set up a new cluster for an operator: they are run as they are, with a stand-in for `oc`."""

import os
import subprocess

import pytest

from builders import a_policy
from muster.domain.operators.setup_job import REGISTRY
from subscribing import files

SETUP = tuple(f"setup_{kind}" for kind in ("serviceaccount", "clusterrole", "clusterrolebinding", "job"))
STEMS = {"kmm": "50_kmm", "openshift-ai": "50_openshift_ai"}


def a_job(*names):
    found = files(*names)
    stem = STEMS[names[0]]
    return {end: found[f"{stem}_{end}.yaml"] for end in SETUP}


@pytest.mark.parametrize("name", ["kmm", "openshift-ai"])
def test_a_job_runs_with_the_rights_that_it_needs_and_no_others(name):
    job = a_job(name)
    account = job["setup_serviceaccount"]["metadata"]
    assert job["setup_clusterrolebinding"]["subjects"] == [{"kind": "ServiceAccount", **account}]
    assert job["setup_clusterrolebinding"]["roleRef"]["name"] == job["setup_clusterrole"]["metadata"]["name"]
    assert [rule["resources"] for rule in job["setup_clusterrole"]["rules"]] == [["configs"]]
    pod = job["setup_job"]["spec"]["template"]["spec"]
    assert pod["serviceAccountName"] == account["name"]
    assert pod["containers"][0]["image"] == a_policy().controller_image


OC = """#!/bin/bash
echo "$*" >>"$CALLED"
case $* in
    *spec.managementState*) [[ $1 == get ]] && printf '%s' "$STATE" ;;
    *'{.spec.storage}'*) printf '%s' "$STORAGE" ;;
    'get storageclass '*) printf '%s' "$DEFAULT" ;;
    annotate*) exit "${MISSING:-0}" ;;
esac
exit 0
"""
"""Stands in for `oc`: it answers as it is told, and notes what is changed."""


def changed(tmp_path, job, **answers):
    """What a job changes in a cluster that answers so, and how it ends."""
    program, called = tmp_path / "oc", tmp_path / "called"
    program.write_text(OC)
    program.chmod(0o755)
    environment = {"STATE": "Removed", "STORAGE": "{}", "DEFAULT": "", **answers, "CALLED": str(called)}
    ended = subprocess.run(
        job["setup_job"]["spec"]["template"]["spec"]["containers"][0]["command"],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, [line for line in called.read_text().splitlines() if not line.startswith("get")]


PATCH = "patch configs.imageregistry.operator.openshift.io/cluster --type merge --patch"
ON = f'{PATCH} {{"spec":{{"managementState":"Managed"}}}}'
PASSING = f'{PATCH} {{"spec":{{"storage":{{"emptyDir":{{}}}},"replicas":1,"rolloutStrategy":"Recreate"}}}}'


@pytest.mark.parametrize(
    ("state", "storage", "expected"),
    [
        ("Removed", "{}", [PASSING, ON]),
        ("Removed", "", [PASSING, ON]),
        ("Removed", '{"pvc":{"claim":"mine"}}', [ON]),
        ("Managed", "{}", []),
    ],
)
def test_the_registry_of_the_cluster_is_switched_on_with_what_storage_it_has(tmp_path, state, storage, expected):
    assert changed(tmp_path, a_job("kmm"), STATE=state, STORAGE=storage) == (0, expected)


ANNOTATED = "annotate --overwrite storageclass {} storageclass.kubernetes.io/is-default-class=true"


@pytest.mark.parametrize(("keeper", "chosen"), [("odf", "ocs-storagecluster-ceph-rbd"), ("lvm", "lvms-vg1")])
def test_storage_is_what_is_meant_where_nobody_says_unless_something_else_is(tmp_path, keeper, chosen):
    job = a_job("openshift-ai", keeper)
    assert [rule["resources"] for rule in job["setup_clusterrole"]["rules"]] == [["configs"], ["storageclasses"]]
    wanted = ANNOTATED.format(chosen)
    assert changed(tmp_path, job, STATE="Managed") == (0, [wanted])
    (tmp_path / "called").unlink()
    assert changed(tmp_path, job, STATE="Managed", DEFAULT="mine") == (0, [])


def test_a_job_fails_and_is_tried_again_while_there_is_no_storage_yet(tmp_path):
    job = a_job("openshift-ai", "odf")
    assert job["setup_job"]["spec"]["template"]["spec"]["restartPolicy"] == "OnFailure"
    assert changed(tmp_path, job, STATE="Managed", MISSING="1")[0] == 1


def test_without_an_operator_that_makes_storage_nothing_is_said_of_it():
    assert a_job("openshift-ai")["setup_job"]["spec"]["template"]["spec"]["containers"][0]["command"][2].endswith(
        REGISTRY
    )

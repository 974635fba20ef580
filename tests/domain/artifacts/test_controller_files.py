"""The manifests that start the controller in a new cluster."""

import json

import pytest

from muster.domain.artifacts.controller_files import Controller, controller_files
from muster.domain.artifacts.controller_rights import RULES
from muster.domain.artifacts.ignition import config, data_of
from parts.ignition import complaints, needs_ignition

NAME = "assisted-installer-controller"


def a_controller(**changes) -> Controller:
    controller = Controller(
        cluster_id="c1", service_url="https://s", image="lab/controller", openshift_version="4.20.1",
        control_plane_count=3,
    )  # fmt: skip
    return controller.but(**changes)


def trees(controller=None, token="hunter2"):
    made = [
        json.loads(data_of(each["contents"]["source"]))
        for each in controller_files(controller or a_controller(), token)
    ]
    return {tree["kind"]: tree for tree in made}


def pod(**changes):
    return trees(a_controller(**changes))["Job"]["spec"]["template"]["spec"]


def volumes(**changes):
    return {each["name"]: each for each in pod(**changes)["volumes"]}


def test_there_is_an_object_of_each_kind_in_a_namespace_of_its_own():
    made = trees()
    assert set(made) == {
        "Namespace", "NetworkPolicy", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "ConfigMap", "Secret",
        "Job",
    }  # fmt: skip
    spaces = {kind: tree["metadata"].get("namespace") for kind, tree in made.items()}
    assert {kind for kind, space in spaces.items() if space is None} == {
        "Namespace",
        "ClusterRole",
        "ClusterRoleBinding",
    }
    assert set(spaces.values()) == {None, made["Namespace"]["metadata"]["name"]}


def test_the_pods_of_the_namespace_may_use_their_hosts():
    labels = trees()["Namespace"]["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "privileged"
    assert labels["security.openshift.io/scc.podSecurityLabelSync"] == "false"


def test_nobody_keeps_the_controller_from_the_network():
    spec = trees()["NetworkPolicy"]["spec"]
    assert (spec["ingress"], spec["egress"]) == ([{}], [{}])


def test_whoever_runs_the_controller_has_its_rights():
    made = trees()
    assert made["ClusterRoleBinding"]["roleRef"]["name"] == made["ClusterRole"]["metadata"]["name"]
    assert made["ClusterRoleBinding"]["subjects"][0]["name"] == pod()["serviceAccountName"]


def test_no_right_is_for_everything():
    words = [word for rule in RULES for word in (rule.group, *rule.kinds, *rule.verbs)]
    assert "*" not in words
    assert not any("secrets" in rule.kinds for rule in RULES)


def test_only_requests_of_kubelets_are_approved():
    rules = trees()["ClusterRole"]["rules"]
    approving = next(rule for rule in rules if rule["verbs"] == ["approve"])
    assert all("kubelet" in signer for signer in approving["resourceNames"])


def test_what_the_controller_has_to_know_is_in_its_settings():
    told = trees(a_controller(insecure=True, must_gather_image="m", authorities="/ca"))["ConfigMap"]["data"]
    assert told == {
        "cluster-id": "c1", "inventory-url": "https://s", "skip-cert-verification": "true", "ca-cert-path": "/ca",
        "check-cluster-version": "false", "control-plane-count": "3", "must-gather-image": "m",
    }  # fmt: skip


def test_every_setting_is_in_the_environment_and_the_token_only_by_name():
    (container,) = pod()["containers"]
    named = {each["name"]: each for each in container["env"]}
    keys = {each["valueFrom"]["configMapKeyRef"]["key"] for each in named.values() if "configMapKeyRef" in str(each)}
    assert keys == set(trees()["ConfigMap"]["data"])
    assert named["OPENSHIFT_VERSION"]["value"] == "4.20.1"
    assert named["NOTIFY_NUM_REBOOTS"]["value"] == "false"
    assert "hunter2" not in json.dumps(trees()["Job"])


def test_the_token_is_a_file_that_only_the_controller_reads():
    token = volumes()["token"]["secret"]
    assert token["defaultMode"] == 0o400
    assert [each["path"] for each in token["items"]] == ["token"]


def test_the_controller_runs_on_the_control_plane_and_does_not_tire():
    assert pod()["hostNetwork"] is True
    assert pod()["restartPolicy"] == "OnFailure"
    assert [each["key"] for each in pod()["tolerations"]] == list(pod()["nodeSelector"])
    assert trees()["Job"]["spec"]["backoffLimit"] == 100


def test_on_a_single_node_it_starts_before_the_node_is_ready_and_uses_the_first_kubeconfig():
    keys = [each["key"] for each in pod(control_plane_count=1)["tolerations"]]
    assert "node.kubernetes.io/not-ready" in keys
    assert "node.kubernetes.io/network-unavailable" in keys
    assert (
        volumes(control_plane_count=1)["bootstrap-secrets"]["hostPath"]["path"] == "/etc/kubernetes/bootstrap-secrets"
    )
    assert "bootstrap-secrets" not in volumes()


@pytest.mark.parametrize(("authorities", "seen"), [("", None), ("/etc/ca.crt", "/etc/ca.crt")])
def test_who_has_signed_for_the_service_is_seen_where_it_is_on_the_node(authorities, seen):
    mount = volumes(authorities=authorities).get("service-ca")
    assert (mount and mount["hostPath"]["path"]) == seen


def test_a_service_without_a_name_is_found_by_its_addresses():
    assert "hostAliases" not in pod()
    aliases = pod(service_addresses=("192.0.2.1", "192.0.2.2"))["hostAliases"]
    assert {each["ip"] for each in aliases} == {"192.0.2.1", "192.0.2.2"}
    assert all(each["hostnames"] == ["assisted-api.local.openshift.io"] for each in aliases)


@needs_ignition
def test_ignition_takes_the_files():
    assert complaints(json.dumps(config(controller_files(a_controller(), "t"))).encode()) == ""

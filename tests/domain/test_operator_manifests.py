"""What gets each operator into a cluster: the files that OLM finds, and what is applied once it runs."""

import pytest

from builders import a_cluster
from muster.domain.operators import OLM_OPERATORS
from muster.domain.operators.operator import settled
from muster.domain.operators.settings import OperatorSettings
from subscribing import applied, files

SHORT = ("ns", "operator_group", "subscription")
LONG = ("namespace", "operatorgroup", "subscription")
WATCHED = ("prometheus-role", "prometheus-rolebinding")
SETUP = tuple(f"setup_{kind}" for kind in ("serviceaccount", "clusterrole", "clusterrolebinding", "job"))
FILES = {
    "lso": ("50_openshift-lso", (*SHORT, *WATCHED)),
    "odf": ("50_openshift-odf", SHORT),
    "cnv": ("50_openshift-cnv", (*SHORT, "workers_schedstats", "masters_schedstats")),
    "lvm": ("50_openshift-lvm", SHORT),
    "mce": ("50_openshift-mce", ("ns", "operator_group", "operator_subscription")),
    "mtv": ("50_openshift-mtv", SHORT),
    "osc": ("50_openshift-osc", SHORT),
    "nmstate": ("50_openshift-nmstate", SHORT),
    "node-feature-discovery": ("50_nodefeaturediscovery", LONG),
    "nvidia-gpu": ("50_nvidia_gpu", LONG),
    "amd-gpu": ("50_amd_gpu", (*LONG, *WATCHED, "masters_module_blacklist", "workers_module_blacklist")),
    "kmm": ("50_kmm", (*LONG, *SETUP)),
    "openshift-ai": ("50_openshift_ai", (*LONG, *SETUP)),
    "loki": ("50_openshift-loki", SHORT),
    "openshift-logging": ("50_openshift-logging", SHORT),
    "pipelines": ("50_pipelines", ("subscription",)),
    "servicemesh": ("50_servicemesh", ("subscription",)),
    "authorino": ("50_authorino", ("subscription",)),
    "serverless": ("50_serverless", LONG),
    "node-maintenance": ("50_node-maintenance", LONG),
    "metallb": ("50_metallb", LONG),
    "oadp": ("50_oadp", LONG),
    "cluster-observability": ("50_cluster-observability", LONG),
    "numaresources": ("50_numaresources", (*LONG, *WATCHED)),
    "kube-descheduler": ("50_kube-descheduler", LONG),
    "node-healthcheck": ("50_node-healthcheck", LONG),
    "self-node-remediation": ("50_self-node-remediation", ("subscription",)),
    "fence-agents-remediation": ("50_fence-agents-remediation", ("subscription",)),
}
"""The files of each operator, chosen alone."""

CHANNELS = {
    "latest": ["pipelines"],
    "tech-preview-v1": ["authorino"],
    "alpha": ["amd-gpu"],
    "stable": [
        "cluster-observability", "cnv", "fence-agents-remediation", "kmm", "kube-descheduler", "metallb",
        "node-feature-discovery", "node-healthcheck", "node-maintenance", "nvidia-gpu", "openshift-ai",
        "self-node-remediation", "serverless", "servicemesh",
    ],
}  # fmt: skip
"""The operators that are taken from a certain line of versions."""

LATER = {
    "lso": ["LocalVolumeSet"],
    "odf": ["StorageCluster"],
    "cnv": ["HyperConverged"],
    "lvm": ["LVMCluster"],
    "mce": ["MultiClusterEngine"],
    "mtv": ["ForkliftController"],
    "osc": ["KataConfig"],
    "nmstate": ["NMState"],
    "node-feature-discovery": ["NodeFeatureDiscovery"],
    "nvidia-gpu": ["ClusterPolicy"],
    "amd-gpu": ["DeviceConfig"],
    "openshift-ai": ["DSCInitialization", "DataScienceCluster"],
    "metallb": ["MetalLB"],
    "oadp": ["DataProtectionApplication"],
    "cluster-observability": ["MonitoringStack", "ThanosQuerier"],
    "numaresources": ["NUMAResourcesOperator"],
    "kube-descheduler": ["KubeDescheduler"],
    "node-healthcheck": ["NodeHealthCheck"],
}
"""What is applied of each operator, chosen alone."""


every_operator = pytest.mark.parametrize("name", OLM_OPERATORS)


def test_every_operator_is_spoken_of_here():
    assert FILES.keys() == OLM_OPERATORS.keys()


@every_operator
def test_an_operator_has_its_files(name):
    stem, ends = FILES[name]
    assert list(files(name)) == [f"{stem}_{end}.yaml" for end in ends]


@every_operator
def test_an_operator_is_subscribed_to_where_it_is_waited_for(name):
    (subscription,) = (each for each in files(name).values() if each["kind"] == "Subscription")
    operator, cluster = OLM_OPERATORS[name], a_cluster()
    assert subscription["metadata"] == {
        "name": settled(operator.subscription, cluster, OperatorSettings()),
        "namespace": settled(operator.namespace, cluster, OperatorSettings()),
    }
    spec = subscription["spec"]
    assert spec["name"] == ("kubevirt-hyperconverged" if name == "cnv" else subscription["metadata"]["name"])
    assert spec["source"] == ("certified-operators" if name.endswith("-gpu") else "redhat-operators")
    assert spec["sourceNamespace"] == "openshift-marketplace"
    assert spec["installPlanApproval"] == "Automatic"
    channel = next((channel for channel, names in CHANNELS.items() if name in names), None)
    assert spec.get("channel") == channel


@every_operator
def test_an_operator_has_a_namespace_unless_it_is_a_guest_in_that_of_others(name):
    found = files(name).values()
    namespace = settled(OLM_OPERATORS[name].namespace, a_cluster(), OperatorSettings())
    own = [each["metadata"]["name"] for each in found if each["kind"] == "Namespace"]
    groups = [each["metadata"]["namespace"] for each in found if each["kind"] == "OperatorGroup"]
    assert own == groups == ([] if len(FILES[name][1]) == 1 else [namespace])


@every_operator
def test_what_is_applied_of_an_operator_is_what_makes_it_work(name):
    assert list(applied(name)) == LATER.get(name, [])


@pytest.mark.parametrize("version", ["4.8.1", "4.12.30", "4.16.1", "4.17.2", "4.18.4", "4.20.1"])
def test_all_operators_together_have_files_and_groups_that_do_not_contradict_each_other(version):
    found = files(*OLM_OPERATORS, openshift_version=version)
    named = {}
    for each in found.values():
        key = (each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"])
        if each["kind"] != "Namespace":
            assert named.setdefault(key, each) == each
    groups = [each["metadata"]["namespace"] for each in named.values() if each["kind"] == "OperatorGroup"]
    assert len(groups) == len(set(groups))


def test_an_operator_that_nobody_knows_any_more_is_left_out():
    assert files("one-of-old") == {}
    assert applied("one-of-old") == {}


def test_operators_look_at_their_own_namespace_or_at_all():
    def targets(name):
        (group,) = (each["spec"] for each in files(name).values() if each["kind"] == "OperatorGroup")
        return group

    assert targets("lso") == {"targetNamespaces": ["openshift-local-storage"]}
    assert targets("kmm") == {}


def test_the_monitoring_of_the_cluster_is_let_in():
    found = files("lso")
    assert found["50_openshift-lso_ns.yaml"]["metadata"]["labels"] == {"openshift.io/cluster-monitoring": "true"}
    binding = found["50_openshift-lso_prometheus-rolebinding.yaml"]
    assert binding["subjects"][0] == {
        "kind": "ServiceAccount",
        "name": "prometheus-k8s",
        "namespace": "openshift-monitoring",
    }
    assert binding["roleRef"]["name"] == found["50_openshift-lso_prometheus-role.yaml"]["metadata"]["name"]

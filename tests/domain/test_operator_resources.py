"""What is applied once operators run, and what has to be there from the start, as the cluster needs it."""

from base64 import b64decode
from datetime import timedelta

import pytest
import yaml

from builders import a_ready_host, some_ready_hosts
from equipping import with_disks
from muster.domain.artifacts.system_manifests import custom_manifests
from muster.domain.operators.settings import OperatorSettings
from muster.domain.roles import Role
from subscribing import a_site, applied, files

SHORT = ("ns", "operator_group", "subscription")


# Storage


def with_spares(hosts):
    return [with_disks(host, 100, 20) for host in hosts]


WORKERS_ALONE = [
    {"key": "node-role.kubernetes.io/worker", "operator": "Exists"},
    {"key": "node-role.kubernetes.io/master", "operator": "DoesNotExist"},
]


def test_storage_on_workers_counts_their_disks_that_are_large_enough():
    found = applied("lso", "odf", hosts=with_spares(some_ready_hosts(3, 3)))
    storage = found["StorageCluster"]["spec"]
    assert storage["storageDeviceSets"][0]["count"] == 3
    assert storage["labelSelector"] == {"matchExpressions": WORKERS_ALONE}
    volumes = found["LocalVolumeSet"]["spec"]
    assert volumes["nodeSelector"] == {"nodeSelectorTerms": [{"matchExpressions": WORKERS_ALONE}]}
    assert volumes["deviceInclusionSpec"]["minSize"] == "25G"
    claim = storage["storageDeviceSets"][0]["dataPVCTemplate"]["spec"]
    assert claim["storageClassName"] == volumes["storageClassName"] == "localblock-sc"


def test_storage_of_a_compact_cluster_is_on_all_nodes():
    found = applied("lso", "odf", hosts=with_spares(some_ready_hosts(3)))
    assert found["StorageCluster"]["spec"]["storageDeviceSets"][0]["count"] == 3
    assert found["StorageCluster"]["spec"]["labelSelector"] == {}
    assert "nodeSelector" not in found["LocalVolumeSet"]["spec"]


def test_local_storage_alone_takes_every_disk():
    assert applied("lso")["LocalVolumeSet"]["spec"] == {
        "storageClassName": "localblock-sc",
        "volumeMode": "Block",
        "deviceInclusionSpec": {
            "deviceTypes": ["disk"],
            "deviceMechanicalProperties": ["Rotational", "NonRotational"],
        },
    }


@pytest.mark.parametrize(
    ("version", "kinds"),
    [
        ("4.8.1", ["StorageCluster"]),
        ("4.18.4", ["StorageCluster", "StorageSystem"]),
        ("4.19.0", ["StorageCluster"]),
    ],
)
def test_storage_has_another_record_in_some_versions(version, kinds):
    assert list(applied("odf", openshift_version=version)) == kinds


def test_storage_went_by_another_name_in_4_8():
    found = files("odf", openshift_version="4.8.1")
    assert list(found) == [f"50_openshift-ocs_{end}.yaml" for end in SHORT]
    subscription = found["50_openshift-ocs_subscription.yaml"]
    assert subscription["metadata"]["name"] == subscription["spec"]["name"] == "ocs-operator"
    assert subscription["spec"]["channel"] == "stable-4.8"


@pytest.mark.parametrize(
    ("version", "subscription", "volumes"),
    [
        ("4.11.3", "odf-lvm-operator", {"name": "vg1"}),
        ("4.12.30", "lvms-operator", {"name": "vg1"}),
        ("4.20.1", "lvms-operator", {"name": "vg1", "default": True}),
    ],
)
def test_volumes_from_spare_disks_are_what_is_meant_where_nobody_says(version, subscription, volumes):
    found = files("lvm", openshift_version=version)["50_openshift-lvm_subscription.yaml"]
    assert found["metadata"]["name"] == found["spec"]["name"] == subscription
    (device,) = applied("lvm", openshift_version=version)["LVMCluster"]["spec"]["storage"]["deviceClasses"]
    thin = device.pop("thinPoolConfig")
    assert thin == {"name": "thin-pool-1", "sizePercent": 90, "overprovisionRatio": 10}
    assert device == volumes


@pytest.mark.parametrize(
    ("names", "version", "keeper", "storage_class"),
    [
        (("mce", "odf"), "4.20.1", "odf", "ocs-storagecluster-cephfs"),
        (("mce", "lvm"), "4.20.1", "lvm", "lvms-vg1"),
        (("mce", "lvm"), "4.11.3", "lvm", "odf-lvm-vg1"),
        (("mce", "lvm", "odf"), "4.20.1", "odf", "ocs-storagecluster-cephfs"),
    ],
)
def test_multicluster_engine_gets_room_from_whoever_makes_storage(names, version, keeper, storage_class):
    entries = custom_manifests(a_site(*names, openshift_version=version))
    (entry,) = (entry for entry in entries if b"AgentServiceConfig" in b64decode(entry["Content"]))
    assert entry["Name"] == keeper
    spec = applied(*names, openshift_version=version)["AgentServiceConfig"]["spec"]
    assert {part: each["resources"]["requests"]["storage"] for part, each in spec.items()} == {
        "databaseStorage": "10Gi",
        "filesystemStorage": "10Gi",
        "imageStorage": "50Gi",
    }
    assert {each["storageClassName"] for each in spec.values()} == {storage_class}


def test_multicluster_engine_without_storage_gets_no_room():
    assert list(applied("mce")) == ["MultiClusterEngine"]


# Virtual machines


def test_the_community_offers_virtualization_too():
    found = files("cnv", settings=OperatorSettings(cnv_mode=False))["50_openshift-cnv_subscription.yaml"]
    assert found["metadata"]["namespace"] == "kubevirt-hyperconverged"
    assert found["spec"]["name"] == "community-kubevirt-hyperconverged"
    assert found["spec"]["source"] == "community-operators"


def test_kernels_measure_how_long_virtual_machines_wait():
    found = files("cnv")
    for role in ("master", "worker"):
        manifest = found[f"50_openshift-cnv_{role}s_schedstats.yaml"]
        assert manifest["spec"] == {"kernelArguments": ["schedstats=enable"]}


OLD_SINGLE_NODE = {"control_plane_count": 1, "openshift_version": "4.11.3"}


def test_an_old_single_node_keeps_the_disks_of_its_machines_itself():
    assert files("cnv", **OLD_SINGLE_NODE)["50_openshift-cnv_hpp_sc.yaml"]["parameters"] == {"storagePool": "local"}
    (pool,) = applied("cnv", **OLD_SINGLE_NODE)["HostPathProvisioner"]["spec"]["storagePools"]
    assert pool == {"name": "local", "path": "/var/hpvolumes"}


def test_the_disks_of_its_machines_have_a_disk_of_their_own_if_local_storage_brings_one():
    (pool,) = applied("cnv", "lso", **OLD_SINGLE_NODE)["HostPathProvisioner"]["spec"]["storagePools"]
    assert pool["pvcTemplate"]["resources"] == {"requests": {"storage": "50Gi"}}
    assert pool["pvcTemplate"]["storageClassName"] == "localblock-sc"


LONG_LIVED = ["EvictPodsWithPVC", "EvictPodsWithLocalStorage"]


@pytest.mark.parametrize(
    ("version", "profiles", "customized"),
    [
        ("4.20.1", ["KubeVirtRelieveAndMigrate"], False),
        ("4.19.3", ["DevKubeVirtRelieveAndMigrate"], False),
        ("4.18.4", ["DevKubeVirtRelieveAndMigrate"], True),
        ("4.17.2", ["LongLifecycle", *LONG_LIVED], True),
        ("4.16.1", ["DevPreviewLongLifecycle", *LONG_LIVED], False),
    ],
)
def test_virtual_machines_are_moved_as_each_version_can(version, profiles, customized):
    spec = applied("cnv", "kube-descheduler", openshift_version=version)["KubeDescheduler"]["spec"]
    assert (spec["mode"], spec["deschedulingIntervalSeconds"]) == ("Automatic", 60)
    assert spec["profiles"] == profiles
    assert ("profileCustomizations" in spec) is customized


def test_without_virtual_machines_it_is_only_told_what_would_be_moved():
    spec = applied("kube-descheduler")["KubeDescheduler"]["spec"]
    assert (spec["mode"], spec["deschedulingIntervalSeconds"]) == ("Predictive", 3600)
    assert spec["profiles"] == ["AffinityAndTaints"]


@pytest.mark.parametrize(("version", "measured"), [("4.18.4", True), ("4.17.2", False)])
def test_kernels_measure_pressure_where_that_decides_what_is_moved(version, measured):
    found = files("cnv", "kube-descheduler", openshift_version=version)
    measuring = [each["spec"] for path, each in found.items() if path.endswith("s_psi.yaml")]
    assert measuring == ([{"kernelArguments": ["psi=1"]}] * 2 if measured else [])


@pytest.mark.parametrize(("names", "plugins"), [(("oadp",), []), (("oadp", "cnv"), ["kubevirt"])])
def test_virtual_machines_are_backed_up_where_there_are_any(names, plugins):
    velero = applied(*names)["DataProtectionApplication"]["spec"]["configuration"]["velero"]
    assert velero == {"defaultPlugins": ["openshift", "csi", *plugins], "noDefaultBackupLocation": True}


# Nodes


def test_workers_that_are_ill_start_themselves_again_as_the_service_is_set():
    settings = OperatorSettings(
        node_healthcheck_min_healthy="70%",
        node_healthcheck_unready=timedelta(minutes=2),
        self_node_remediation_template="mine",
    )
    spec = applied("node-healthcheck", settings=settings)["NodeHealthCheck"]["spec"]
    assert spec["minHealthy"] == "70%"
    assert spec["remediationTemplate"]["name"] == "mine"
    assert spec["unhealthyConditions"] == [
        {"type": "Ready", "status": "False", "duration": "120s"},
        {"type": "Ready", "status": "Unknown", "duration": "300s"},
    ]


@pytest.mark.parametrize(("workers", "pool"), [(2, "worker"), (0, "master")])
def test_pods_are_placed_close_to_their_memory_on_nodes_that_carry_workloads(workers, pool):
    found = applied("numaresources", hosts=some_ready_hosts(3, workers))
    (group,) = found["NUMAResourcesOperator"]["spec"]["nodeGroups"]
    assert group["machineConfigPoolSelector"]["matchLabels"] == {
        f"pools.operator.machineconfiguration.openshift.io/{pool}": ""
    }


@pytest.mark.parametrize(
    ("version", "image"),
    [
        ("4.14.8", "registry.redhat.io/openshift4/ose-node-feature-discovery:v4.14"),
        ("4.16.1", "registry.redhat.io/openshift4/ose-node-feature-discovery-rhel9:v4.16"),
        ("4.17.2", None),
    ],
)
def test_nodes_are_looked_at_by_the_image_of_their_version(version, image):
    spec = applied("node-feature-discovery", openshift_version=version)["NodeFeatureDiscovery"]["spec"]
    assert spec["operand"].get("image") == image
    assert yaml.safe_load(spec["workerConfig"]["configData"])["sources"]["pci"]["deviceLabelFields"] == ["vendor"]


def test_nodes_with_cards_of_amd_are_labelled_as_its_drivers_look_for_them():
    found = applied("node-feature-discovery", "amd-gpu")
    (rule,) = found["NodeFeatureRule"]["spec"]["rules"]
    assert rule["labels"] == found["DeviceConfig"]["spec"]["selector"]


def test_a_single_node_is_measured_once():
    one = applied("cluster-observability", control_plane_count=1, hosts=[a_ready_host("m1", role=Role.MASTER)])
    assert one["MonitoringStack"]["spec"]["prometheusConfig"] == {"replicas": 1}
    many = applied("cluster-observability")
    assert "prometheusConfig" not in many["MonitoringStack"]["spec"]
    assert many["ThanosQuerier"]["spec"]["selector"]["matchLabels"] == many["MonitoringStack"]["metadata"]["labels"]


# Artificial intelligence


@pytest.mark.parametrize(
    ("names", "state", "mode"),
    [((), "Removed", "RawDeployment"), (("servicemesh",), "Removed", "RawDeployment"),
     (("servicemesh", "serverless"), "Managed", None)],
)  # fmt: skip
def test_models_are_served_only_while_they_are_called_if_the_cluster_can_do_that(names, state, mode):
    found = applied("openshift-ai", *names)
    assert found["DSCInitialization"]["spec"]["serviceMesh"] == {"managementState": state}
    serving = found["DataScienceCluster"]["spec"]["components"]["kserve"]
    assert serving["serving"]["managementState"] == state
    assert serving.get("defaultDeploymentMode") == mode


def test_there_is_a_profile_for_each_kind_of_card():
    entries = custom_manifests(a_site("openshift-ai", "nvidia-gpu", "amd-gpu"))
    (content,) = (entry["Content"] for entry in entries if entry["Name"] == "openshift-ai")
    profiles = [tree for tree in yaml.safe_load_all(b64decode(content)) if tree["kind"] == "HardwareProfile"]
    assert [each["spec"]["identifiers"][-1]["identifier"] for each in profiles] == ["nvidia.com/gpu", "amd.com/gpu"]

"""The manifests that the service adds of its own accord: which there are, when, and what is in them."""

import json
from base64 import b64decode

import pytest
import yaml

from builders import a_cluster, a_policy, a_ready_host, a_view, an_infra_env, cluster_view, some_ready_hosts
from equipping import selecting
from muster.domain.artifacts.patches import Operation, patched
from muster.domain.artifacts.system_manifests import custom_manifests, system_manifests
from muster.domain.clusters import DiskEncryption
from muster.domain.inputs.manifests import require_name
from muster.domain.manifests import Folder
from muster.domain.networks import NtpSource
from muster.domain.operators import OLM_OPERATORS
from muster.domain.policy import Policy
from muster.domain.roles import Role
from parts.ignition import complaints, files_of, needs_ignition

SCHEDULABLE = "openshift/cluster-scheduler-02-config.yml.patch_ai_set_masters_schedulable"
TANG = '[{"url": "http://tang.example.com:7500", "thumbprint": "PLjNyRdGw03zlRoGjQYMahSZGu9"}]'
ARBITER = a_ready_host("a1", 40, role=Role.ARBITER)
EVERYWHERE = DiskEncryption(enable_on="all", mode="tang", tang_servers=TANG)


def a_site(cluster=None, hosts=None, policy=None, **changes):
    found = some_ready_hosts(3, 2) if hosts is None else hosts
    return cluster_view(a_view(cluster or a_cluster(), found, policy=policy or a_policy(), **changes))


def made(*parts, **changes):
    return system_manifests(a_site(*parts, **changes))


def ignition_in(manifest):
    return json.dumps(manifest["spec"]["config"]).encode()


def of_kind(manifests, kind):
    return {path: each for path, each in manifests.items() if isinstance(each, dict) and each["kind"] == kind}


def test_every_cluster_gets_its_time_sources_and_takes_over_the_interfaces_of_its_disks():
    plain = a_cluster(schedulable_masters_forced_true=False)
    assert list(made(plain)) == [
        "openshift/50-masters-chrony-configuration.yaml",
        "openshift/50-workers-chrony-configuration.yaml",
        "openshift/50-masters-iscsi-nic-reapply.yaml",
        "openshift/50-workers-iscsi-nic-reapply.yaml",
    ]


def test_arbiters_get_manifests_of_their_own():
    with_arbiter = made(a_cluster(disk_encryption=EVERYWHERE), [*some_ready_hosts(2), ARBITER])
    assert {
        "openshift/50-arbiters-chrony-configuration.yaml",
        "openshift/50-arbiters-iscsi-nic-reapply.yaml",
        "openshift/99-openshift-arbiter-tang-encryption.yaml",
    } <= with_arbiter.keys()
    assert not [path for path in made(a_cluster(disk_encryption=EVERYWHERE)) if "arbiter" in path]


def test_a_machine_config_says_for_which_role_it_is_and_is_called_after_its_file():
    configs = of_kind(made(), "MachineConfig")
    assert {
        path: (each["metadata"]["name"], *each["metadata"]["labels"].items()) for path, each in configs.items()
    } == {
        f"openshift/50-{role}s-{end}.yaml": (f"50-{role}s-{end}", ("machineconfiguration.openshift.io/role", role))
        for end in ("chrony-configuration", "iscsi-nic-reapply")
        for role in ("master", "worker")
    }


EVERYTHING = [
    made(selecting(*OLM_OPERATORS, disk_encryption=EVERYWHERE), [*some_ready_hosts(2), ARBITER]),
    made(a_cluster(disk_encryption=EVERYWHERE.but(mode="tpmv2"))),
    made(a_cluster(control_plane_count=1), some_ready_hosts(1)),
]


@needs_ignition
@pytest.mark.parametrize("manifests", EVERYTHING)
def test_ignition_has_nothing_against_what_nodes_are_given(manifests):
    configs = [each for each in of_kind(manifests, "MachineConfig").values() if "config" in each["spec"]]
    assert len(configs) >= 4
    assert [complaints(ignition_in(each)) for each in configs] == [""] * len(configs)


@pytest.mark.parametrize("manifests", EVERYTHING)
def test_what_is_made_can_be_kept_among_the_manifests_and_read_as_yaml(manifests):
    for path, content in manifests.items():
        folder, _, file_name = path.partition("/")
        assert Folder(folder) is Folder.OPENSHIFT
        require_name(file_name)
        assert yaml.safe_load(json.dumps(content)) == content


def test_the_same_cluster_gets_the_same_manifests_in_whatever_order_its_hosts_are():
    hosts = [
        host.but(ntp_sources=(NtpSource(source_name=f"{host.id}.example.com"),)) for host in some_ready_hosts(3, 2)
    ]
    cluster = selecting("odf", "lso")
    assert json.dumps(made(cluster, hosts)) == json.dumps(made(cluster, hosts[::-1]))


# Time


def chrony(cluster=None, hosts=None, **changes):
    manifest = made(cluster, hosts, **changes)["openshift/50-masters-chrony-configuration.yaml"]
    assert manifest["spec"]["config"]["ignition"] == {"version": "3.1.0"}
    return files_of(ignition_in(manifest))["/etc/chrony.conf"].splitlines()


def hosts_seeing(*names):
    sources = tuple(NtpSource(source_name=name) for name in names)
    return [host.but(ntp_sources=sources) for host in some_ready_hosts(3)]


def test_nodes_ask_the_public_servers_and_those_that_hosts_have_used():
    assert chrony(hosts=hosts_seeing("b.example.com", "192.168.1.1")) == [
        "pool 2.rhel.pool.ntp.org iburst",
        "sourcedir /run/chrony-dhcp",
        "driftfile /var/lib/chrony/drift",
        "makestep 1.0 3",
        "rtcsync",
        "logdir /var/log/chrony",
        "server 192.168.1.1 iburst",
        "server b.example.com iburst",
    ]


def test_what_the_user_has_added_comes_first_and_nothing_comes_twice():
    lines = chrony(
        a_cluster(additional_ntp_source="z.example.com, b.example.com"),
        hosts_seeing("b.example.com", "a.example.com"),
        infra_envs={"e": an_infra_env(additional_ntp_sources="y.example.com,z.example.com")},
    )
    assert [line.split()[1] for line in lines if line.startswith("server")] == [
        "z.example.com",
        "b.example.com",
        "y.example.com",
        "a.example.com",
    ]


def test_where_the_user_has_named_all_sources_nobody_else_is_asked():
    lines = chrony(a_cluster(ntp_sources="one.example.com"), hosts_seeing("2.rhel.pool.ntp.org"))
    assert [line for line in lines if line.startswith(("pool", "server"))] == ["server one.example.com iburst"]


def test_an_agent_cannot_give_orders_to_the_clocks_of_nodes():
    lines = chrony(hosts=hosts_seeing("good.example.com", "x iburst\nallow all", "", "fe80::1%eth0"))
    assert [line for line in lines if line.startswith("server")] == [
        "server fe80::1%eth0 iburst",
        "server good.example.com iburst",
    ]
    assert "allow all" not in lines


def test_hosts_that_have_told_nothing_add_nothing():
    silent = [host.but(ntp_sources=None) for host in some_ready_hosts(3)]
    assert not [line for line in chrony(hosts=silent) if line.startswith("server")]


# Encryption


def encrypted(cluster, policy=None):
    found = made(cluster, policy=policy)
    return {path.removeprefix("openshift/"): each for path, each in found.items() if "encryption" in path}


def test_disks_of_the_roles_that_the_user_names_are_unlocked_by_the_machine():
    cluster = a_cluster(disk_encryption=DiskEncryption(enable_on="masters", mode="tpmv2"))
    (path, manifest), *others = encrypted(cluster).items()
    assert (path, others) == ("99-openshift-master-tpm-encryption.yaml", [])
    assert manifest["metadata"]["name"] == "master-tpm"
    assert manifest["spec"] == {
        "config": {
            "ignition": {"version": "3.2.0"},
            "storage": {
                "luks": [
                    {
                        "name": "root",
                        "device": "/dev/disk/by-partlabel/root",
                        "clevis": {"tpm2": True},
                        "options": ["--cipher", "aes-cbc-essiv:sha256"],
                        "wipeVolume": True,
                    }
                ],
                "filesystems": [
                    {"device": "/dev/mapper/root", "format": "xfs", "label": "root", "wipeFilesystem": True}
                ],
            },
        }
    }


def test_disks_that_servers_unlock_need_the_network_before():
    manifests = encrypted(a_cluster(disk_encryption=EVERYWHERE))
    assert list(manifests) == [f"99-openshift-{role}-tang-encryption.yaml" for role in ("master", "worker")]
    for role, manifest in zip(("master", "worker"), manifests.values(), strict=True):
        assert manifest["metadata"]["name"] == f"{role}-tang"
        assert manifest["spec"]["kernelArguments"] == ["rd.neednet=1"]
        assert manifest["spec"]["config"]["storage"]["luks"][0]["clevis"] == {"tang": json.loads(TANG)}


@pytest.mark.parametrize(
    ("policy", "cipher"),
    [
        (Policy(), "aes-cbc-essiv:sha256"),
        (Policy(service_fips=True), "aes-xts-plain64"),
        (Policy(service_fips=True, disk_encryption_cipher="serpent-xts-plain64"), "serpent-xts-plain64"),
    ],
)
def test_the_cipher_is_the_one_that_was_set_or_one_that_the_service_may_use(policy, cipher):
    cluster = a_cluster(disk_encryption=DiskEncryption(enable_on="workers"))
    (manifest,) = encrypted(cluster, policy).values()
    assert manifest["spec"]["config"]["storage"]["luks"][0]["options"] == ["--cipher", cipher]


def test_nothing_is_encrypted_unasked():
    assert encrypted(a_cluster()) == {}


# Where workloads and measurements go


@pytest.mark.parametrize(("wanted", "forced"), [(True, False), (False, True)])
def test_the_control_plane_carries_workloads_if_it_is_to_or_has_to(wanted, forced):
    cluster = a_cluster(schedulable_masters=wanted, schedulable_masters_forced_true=forced)
    operations = [Operation(**each) for each in made(cluster)[SCHEDULABLE]]
    for spec in ({"mastersSchedulable": False}, {}):
        assert patched({"spec": spec}, operations) == {"spec": {"mastersSchedulable": True}}
    assert SCHEDULABLE not in made(a_cluster(schedulable_masters_forced_true=False))


@pytest.mark.parametrize(
    ("service", "server"),
    [
        ("https://api.stage.openshift.com", "https://infogw.api.stage.openshift.com"),
        ("https://api.integration.openshift.com/", "https://telemeter.invalid"),
    ],
)
def test_clusters_made_for_trials_send_their_measurements_elsewhere(service, server):
    manifest = made(policy=Policy(service_url=service))["openshift/redirect-telemeter.yaml"]
    assert manifest["metadata"] == {"name": "cluster-monitoring-config", "namespace": "openshift-monitoring"}
    assert yaml.safe_load(manifest["data"]["config.yaml"]) == {"telemeterClient": {"telemeterServerURL": server}}


@pytest.mark.parametrize("service", ["https://api.openshift.com", "http://192.168.1.1:8090", "nothing"])
def test_other_clusters_send_their_measurements_to_where_they_always_do(service):
    assert "openshift/redirect-telemeter.yaml" not in made(policy=Policy(service_url=service))


# Operators


def test_a_cluster_without_operators_has_nothing_of_them():
    assert not [path for path in made(a_cluster()) if "50_" in path or "olm" in path]
    assert custom_manifests(a_site()) == []


def documents(content):
    return list(yaml.safe_load_all(b64decode(content)))


def test_what_is_applied_once_operators_run_is_kept_for_the_controller_with_the_service_and_in_the_cluster():
    view = a_site(selecting("cnv", "odf", "pipelines", openshift_version="4.18.4"))
    kept = {entry["Name"]: documents(entry["Content"]) for entry in custom_manifests(view)}
    assert {name: [each["kind"] for each in trees] for name, trees in kept.items()} == {
        "cnv": ["HyperConverged"],
        "odf": ["StorageCluster", "StorageSystem"],
    }
    manifest = system_manifests(view)["openshift/olm_operator_manifests.yaml"]
    assert manifest["metadata"] == {"name": "olm-operator-manifests", "namespace": "assisted-installer"}
    entries = manifest["data"]
    about = {key: yaml.safe_load(text) for key, text in entries.items() if key.endswith(".metadata.yaml")}
    assert about == {
        "cnv.metadata.yaml": {
            "namespace": "openshift-cnv",
            "subscriptionName": "hco-operatorhub",
            "manifests": ["cnv-00.yaml"],
        },
        "odf.metadata.yaml": {
            "namespace": "openshift-storage",
            "subscriptionName": "odf-operator",
            "manifests": ["odf-00.yaml", "odf-01.yaml"],
        },
        "pipelines.metadata.yaml": {
            "namespace": "openshift-operators",
            "subscriptionName": "openshift-pipelines-operator-rh",
            "manifests": [],
        },
    }
    for name, trees in kept.items():
        assert [documents(entries[key]) for key in about[f"{name}.metadata.yaml"]["manifests"]] == [
            [tree] for tree in trees
        ]


def test_what_is_kept_for_the_controller_is_not_taken_for_json():
    (entry,) = custom_manifests(a_site(selecting("nmstate")))
    assert b64decode(entry["Content"]).startswith(b"---\n{")

"""What an installer has made becomes what hosts install from: the service and the machines are added to it."""

import json
import tomllib
from ipaddress import ip_interface

import pytest

from adapters.lab_orders import ORDERS, an_order, contents, five_hosts, host_named, the_cluster
from builders import a_disk, a_nic
from muster.domain.artifacts.assets import CLUSTER_VERSION, ROOT, Assets
from muster.domain.artifacts.ignition import config, data_url, file
from muster.domain.artifacts.post_processing import post_processed
from muster.domain.clusters import Platform, PlatformType
from muster.domain.connectivity import L3, ConnectivityReport, RemoteHost
from muster.domain.errors import Broken, Invalid
from muster.domain.inventory import Boot, Cpu, Memory, Route, SystemVendor
from muster.domain.networks import Vip
from muster.domain.roles import Role
from muster.domain.trust import Trust
from parts.ignition import complaints, needs_ignition

POINTER = {
    "ignition": {
        "version": "3.2.0",
        "config": {"merge": [{"source": "https://api-int.lab.example.com:22623/config/worker"}]},
    }
}
VERSION = {CLUSTER_VERSION: {"kind": "ClusterVersion", "spec": {"clusterID": "its-own-id"}}}


def the_assets(manifests=None, files=(), roles=("master", "worker", "arbiter")):
    manifests = VERSION | (manifests or {})
    texts = [file(path, json.dumps(tree), 0o600) for path, tree in manifests.items()]
    return Assets(
        bootstrap=config([*texts, *files]),
        roles=dict.fromkeys(roles, POINTER),
        manifests=manifests,
        metadata=b"{}",
        kubeconfig=b"kubeconfig",
        password=b"password",
    )


def made(order=None, **assets):
    return post_processed(order or an_order(), the_assets(**assets)).files


def files_in(files, name):
    return contents(json.loads(files[name]))


# The first host.


def test_the_files_have_their_names_and_the_cluster_has_its_own_id():
    files = post_processed(an_order(), the_assets())
    assert files.openshift_cluster_id == "its-own-id"
    assert files.files["kubeconfig-noingress"] == b"kubeconfig"
    assert files.files["kubeadmin-password"] == b"password"
    assert json.loads(files.files["install-config.yaml"])["metadata"] == {"name": "lab"}


def test_a_cluster_that_does_not_say_what_it_calls_itself_has_no_id():
    assert the_assets({CLUSTER_VERSION: {"kind": "ClusterVersion"}}).openshift_cluster_id == ""


@needs_ignition
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_ignition_has_nothing_against_any_config(order):
    pool = {f"{ROOT}/openshift/pool.yaml": {"kind": "MachineConfigPool", "metadata": {"name": "infra"}}}
    order = order.but(trust=Trust(service_ca="-----BEGIN CERTIFICATE-----\n"))
    configs = {name: content for name, content in made(order, manifests=pool).items() if name.endswith(".ign")}
    assert {name: complaints(content) for name, content in configs.items()} == dict.fromkeys(configs, "")


def test_the_first_host_is_marked_unless_it_is_the_only_one():
    marks = {"/opt/openshift/assisted-install-bootstrap", "/etc/NetworkManager/conf.d/99-kni.conf"}
    assert marks <= files_in(made(), "bootstrap.ign").keys()
    assert marks.isdisjoint(files_in(made(ORDERS["single node"]), "bootstrap.ign"))


MESSAGE = {"path": "/etc/motd", "append": [{"source": "data:,one%0A"}, {"source": data_url(b"two\n")}], "mode": 0o644}
FETCHED = {"path": "/etc/motd", "append": [{"source": "https://example.com/motd"}]}


def test_the_message_of_the_day_takes_the_place_of_the_live_systems():
    entries = json.loads(made(files=[MESSAGE])["bootstrap.ign"])["storage"]["files"]
    (message,) = [entry for entry in entries if entry["path"] == "/etc/motd"]
    assert message == {
        "path": "/etc/motd",
        "overwrite": True,
        "mode": 0o644,
        "contents": {"source": data_url(b"one\ntwo\n")},
    }


def test_a_message_that_is_fetched_from_elsewhere_stays_as_it_is():
    assert FETCHED in json.loads(made(files=[FETCHED])["bootstrap.ign"])["storage"]["files"]


@pytest.mark.parametrize(("version", "stays"), [("4.6.60", False), ("4.7.0", True)])
def test_what_the_service_has_seen_to_itself_is_left_out(version, stays):
    keyfile = file("/etc/NetworkManager/system-connections/nmconnection", "x")
    provisioning = file(f"{ROOT}/openshift/99_baremetal-provisioning-config.yaml", "x")
    order = an_order(the_cluster().but(openshift_version=version))
    found = files_in(made(order, files=[keyfile, provisioning]), "bootstrap.ign")
    assert keyfile["path"] not in found
    assert (provisioning["path"] in found) is stays


# Its machines.


def machines(*names, place="hosts"):
    return {
        f"{ROOT}/openshift/99_openshift-cluster-api_{place}-{number}.yaml": {
            "kind": "BareMetalHost",
            "metadata": {"name": name, "annotations": {"mine": "stays"}},
            "status": {"poweredOn": False},
        }
        for number, name in enumerate(names)
    }


def described(order, manifests):
    found = files_in(made(order, manifests=manifests), "bootstrap.ign")
    return [json.loads(found[path]) for path in manifests]


def status_of(machine):
    return json.loads(machine["metadata"]["annotations"]["baremetalhost.metal3.io/status"])


def equipped():
    machine = five_hosts()[0].inventory.but(
        interfaces=(
            a_nic(
                "eth0", "192.168.1.10/24", "192.168.1.11/24", "fd00::10/64", speed_mbps=10_000, vendor="A", product="B"
            ),
            a_nic("eth1", "10.0.0.1/8", speed_mbps=-1),
        ),
        disks=(
            a_disk("sda", drive_type="HDD", size_bytes=10**11, wwn="w", hctl="0:0:0:0"),
            a_disk("sr0", drive_type="ODD"),
            a_disk("nvme0n1", drive_type="SSD", by_path="/dev/disk/by-path/pci-1"),
        ),
        memory=Memory(physical_bytes=32 << 30),
        cpu=Cpu(count=8, architecture="x86_64", model_name="M", frequency=2100.5, flags=("vmx",)),
        system_vendor=SystemVendor(manufacturer="Maker", product_name="Model", serial_number="1"),
    )
    return (five_hosts()[0].but(inventory=machine), *five_hosts()[1:])


def test_a_machine_is_told_what_was_discovered():
    cluster = the_cluster().but(machine_networks=("192.168.1.0/24", "fd00::/64"))
    (machine,) = described(an_order(cluster, equipped()), machines("master-0"))
    status = status_of(machine)
    assert status["poweredOn"] is True
    hardware = status["hardware"]
    assert hardware["ramMebibytes"] == 32768
    assert hardware["cpu"]["count"] == 8
    assert hardware["systemVendor"]["manufacturer"] == "Maker"
    assert [(nic["name"], nic["ip"], nic["speedGbps"]) for nic in hardware["nics"]] == [
        ("eth0", "192.168.1.10", 10),
        ("eth0", "fd00::10", 10),
        ("eth1", "", 0),
    ]
    assert [(disk["name"], disk["rotational"]) for disk in hardware["storage"]] == [
        ("/dev/sda", True),
        ("/dev/disk/by-path/pci-1", False),
    ]


def test_a_machine_has_nothing_of_its_status_but_what_was_discovered():
    (machine,) = described(an_order(), machines("master-0"))
    assert "status" not in machine
    assert machine["spec"] == {"externallyProvisioned": True}
    assert machine["metadata"]["annotations"]["mine"] == "stays"
    assert status_of(machine)["provisioning"]["state"] == ""


def test_a_machine_of_which_little_is_known_is_told_that():
    hosts = tuple(host.but(inventory=None) for host in five_hosts())
    cluster = the_cluster().but(platform=Platform(type=PlatformType.NONE))
    (machine,) = described(an_order(cluster, hosts), machines("master-0"))
    assert status_of(machine)["hardware"] == {"hostname": "master-0", "nics": [], "storage": []}


def test_a_machine_of_old_is_not_said_to_be_set_up_elsewhere():
    order = an_order(the_cluster().but(openshift_version="4.6.60"))
    (machine,) = described(order, machines("master-0"))
    assert machine["spec"] == {}


def test_machines_of_another_name_are_the_next_of_their_role():
    hosts = (*five_hosts(), host_named("boot", Role.BOOTSTRAP, 9), host_named("third", Role.ARBITER, 30))
    names = ("lab-master-0", "master-1", "lab-worker-0", "lab-master-2", "lab-master-3")
    found = machines(*names) | machines("x", place="arbiter_hosts")
    hostnames = [status_of(each)["hardware"]["hostname"] for each in described(an_order(hosts=hosts), found)]
    assert hostnames == ["boot", "master-1", "worker-0", "master-0", "master-2", "third"]


def test_a_machine_that_no_host_could_be_is_an_error():
    with pytest.raises(Broken, match="made a machine lab-worker-9, and there is no worker left that it could be"):
        described(an_order(hosts=five_hosts()[:3]), machines("lab-worker-9"))


def test_machines_of_the_user_are_left_alone():
    mine = {f"{ROOT}/openshift/mine.yaml": {"kind": "BareMetalHost", "metadata": {"name": "spare"}}}
    assert described(an_order(), mine) == list(mine.values())


# A release that the nodes keep.

KEPT = {f"{ROOT}/openshift/iri.yaml": {"kind": "InternalReleaseImage", "metadata": {"name": "cluster"}}}
REGISTRIES = """\
unqualified-search-registries = ["registry.example.com"]
[aliases]
"one" = "other"
[[registry]]
prefix = ""
location = "quay.io/a"
mirror-by-digest-only = true
  [[registry.mirror]]
  location = "mirror.example.com:5000/a"
  insecure = true
[[registry]]
location = "quay.io/b"
"""


def internal(manifests, files=()):
    found = files_in(made(manifests={**KEPT, **manifests}, files=files), "bootstrap.ign")
    return [json.loads(found[path]) for path in manifests], found


def test_mirrors_of_the_first_host_get_the_nodes_besides():
    _, found = internal({}, [file("/etc/containers/registries.conf", REGISTRIES)])
    whole = tomllib.loads(found["/etc/containers/registries.conf"].decode())
    assert whole["unqualified-search-registries"] == ["registry.example.com"]
    assert whole["aliases"] == {"one": "other"}
    first, second = whole["registry"]
    assert (first["location"], first["mirror-by-digest-only"], second) == ("quay.io/a", True, {"location": "quay.io/b"})
    assert first["mirror"] == [
        {"location": "mirror.example.com:5000/a", "insecure": True},
        {"location": "api-int.lab.example.com:22625/a", "insecure": True},
        {"location": "localhost:22625/a", "insecure": True},
    ]


def test_manifests_that_name_mirrors_get_the_nodes_besides():
    sources = {
        "idms": {
            "kind": "ImageDigestMirrorSet",
            "spec": {"imageDigestMirrors": [{"source": "q/a", "mirrors": ["m/a"]}]},
        },
        "itms": {"kind": "ImageTagMirrorSet", "spec": {"imageTagMirrors": [{"source": "q/a"}]}},
        "catalogue": {"kind": "CatalogSource", "spec": {"image": "m/catalogue:v1"}},
        "cluster": {"kind": "ClusterCatalog", "spec": {"source": {"type": "Image", "image": {"ref": "m/cc:v1"}}}},
        "empty catalogue": {"kind": "CatalogSource"},
        "empty cluster": {"kind": "ClusterCatalog"},
        "empty set": {"kind": "ImageTagMirrorSet"},
    }
    trees, _ = internal({f"{ROOT}/openshift/{name}.yaml": tree for name, tree in sources.items()})
    idms, itms, catalogue, cluster, *_ = trees
    nodes = ["api-int.lab.example.com:22625/a", "localhost:22625/a"]
    assert idms["spec"]["imageDigestMirrors"] == [{"source": "q/a", "mirrors": ["m/a", *nodes]}]
    assert itms["spec"]["imageTagMirrors"] == [{"source": "q/a", "mirrors": []}]
    assert catalogue["spec"]["image"] == "api-int.lab.example.com:22625/catalogue:v1"
    assert cluster["spec"]["source"]["image"]["ref"] == "api-int.lab.example.com:22625/cc:v1"
    assert {each["metadata"]["annotations"]["internalreleaseimage.openshift.io/patched"] for each in trees} == {"true"}


def test_registries_that_cannot_be_read_are_told():
    with pytest.raises(Broken, match=r"registries\.conf that cannot be read"):
        internal({}, [file("/etc/containers/registries.conf", "[[")])


def test_without_such_a_release_mirrors_stay_as_they_are():
    path = f"{ROOT}/openshift/mine.yaml"
    tree = {"kind": "CatalogSource", "spec": {"image": "m/catalogue:v1"}}
    other = {f"{ROOT}/openshift/iri.yaml": {"kind": "InternalReleaseImage", "metadata": {"name": "other"}}}
    found = files_in(made(manifests={path: tree, **other}), "bootstrap.ign")
    assert json.loads(found[path]) == tree


# The roles.


def test_hosts_trust_the_service_where_it_has_signed_for_itself():
    files = made(an_order().but(trust=Trust(service_ca="mine")))
    for name in ("master.ign", "worker.ign", "arbiter.ign", "worker-id-worker-0.ign"):
        assert files_in(files, name)["/etc/assisted-service/service-ca-cert.crt"] == b"mine"
    assert "storage" not in json.loads(made()["master.ign"])


def with_ipv6(address="fd00::1/64"):
    nic = a_nic("eth0", "192.168.1.10/24", address)
    return tuple(host.but(inventory=host.inventory.but(interfaces=(nic,))) for host in five_hosts())


def test_hosts_that_all_have_ipv6_are_known_again_by_the_dhcp_server():
    settings = files_in(made(an_order(hosts=with_ipv6())), "worker.ign")["/etc/NetworkManager/conf.d/01-ipv6.conf"]
    assert settings == b"[connection]\nipv6.dhcp-iaid=mac\nipv6.dhcp-duid=ll\n"


def test_hosts_of_old_are_told_where_their_network_settings_are():
    cluster = the_cluster().but(openshift_version="4.9.1")
    settings = files_in(made(an_order(cluster, with_ipv6())), "master.ign")["/etc/NetworkManager/conf.d/01-ipv6.conf"]
    assert b"[keyfile]" in settings


@pytest.mark.parametrize(
    "hosts", [with_ipv6("fe80::1/64"), (*with_ipv6(), five_hosts()[0].but(id="other", inventory=None))]
)
def test_one_host_without_ipv6_is_enough_to_do_without(hosts):
    order = an_order(the_cluster().but(platform=Platform(type=PlatformType.NONE)), hosts)
    assert "storage" not in json.loads(made(order)["worker.ign"])


def test_addresses_that_were_leased_are_gone_on_with_by_the_control_plane():
    cluster = the_cluster().but(
        vip_dhcp_allocation=True, api_vip_lease="lease {\n}", api_vips=(Vip(ip="192.168.1.5"),), ingress_vips=()
    )
    files = made(an_order(cluster))
    found = files_in(files, "master.ign")
    assert found["/etc/keepalived/unsupported-monitor.conf"].decode().splitlines()[::3] == [
        "api-vip:",
        "  ip-address: 192.168.1.5",
    ]
    assert found["/etc/keepalived/lease-api"] == b"lease {\n}"
    assert "/etc/keepalived/lease-ingress" not in found
    assert "storage" not in json.loads(files["worker.ign"])


# The hosts.


def test_every_host_has_its_name_and_the_older_version_of_its_role_stays():
    assets = the_assets()
    old = {"ignition": POINTER["ignition"] | {"version": "3.1.0"}}
    assets = assets.but(roles=dict.fromkeys(assets.roles, old))
    config = json.loads(post_processed(an_order(), assets).files["master-id-master-0.ign"])
    assert config["ignition"] == old["ignition"]
    assert contents(config)["/etc/hostname"] == b"master-0"


def test_a_host_that_runs_from_its_disk_cleans_up():
    first = five_hosts()[0]
    disk = first.but(inventory=first.inventory.but(boot=Boot(device_type="persistent")))
    config = json.loads(made(an_order(hosts=(disk, *five_hosts()[1:])))["master-id-master-0.ign"])
    assert [unit["name"] for unit in config["systemd"]["units"]] == ["cleanup-assisted-discovery-stateroot.service"]


def in_pool(pool, role=Role.WORKER):
    return an_order(hosts=(*five_hosts()[:3], host_named("special", role, 20, machine_config_pool_name=pool)))


def test_a_worker_is_led_to_its_pool_and_others_are_not():
    pools = {f"{ROOT}/openshift/pool.yaml": {"kind": "MachineConfigPool", "metadata": {"name": "infra"}}}
    for role, target in ((Role.WORKER, "infra"), (Role.MASTER, "worker")):
        config = json.loads(made(in_pool("infra", role), manifests=pools)[f"{role}-id-special.ign"])
        (source,) = config["ignition"]["config"]["merge"]
        assert source["source"].endswith(f"/config/{target}")


def test_a_pool_that_no_manifest_makes_is_named():
    nameless = {f"{ROOT}/openshift/pool.yaml": {"kind": "MachineConfigPool"}}
    with pytest.raises(Invalid, match="host special is to be in the pool infra, and no manifest makes"):
        made(in_pool("infra"), manifests=nameless)


def test_a_worker_that_fetches_nothing_has_no_way_to_its_pool():
    assets = the_assets()
    empty = {"ignition": {"version": "3.2.0"}}
    assets = assets.but(roles=dict.fromkeys(assets.roles, empty))
    config = json.loads(post_processed(in_pool("worker"), assets).files["worker-id-special.ign"])
    assert config["ignition"] == empty["ignition"]


def test_a_host_whose_role_the_release_does_not_know_is_named():
    order = an_order(hosts=(*five_hosts()[:2], host_named("third", Role.ARBITER, 30)))
    with pytest.raises(Invalid, match="host third is to be arbiter, and this release has no config for that role"):
        made(order, roles=("master", "worker"))


def test_a_single_node_without_a_machine_network_is_given_no_hint():
    order = ORDERS["single node"]
    order = order.but(cluster=order.cluster.but(machine_networks=()))
    assert files_in(made(order), "master-id-node.ign").keys() == {"/etc/hostname"}


# Where each node has its address.


def told_nodes(**changes):
    return an_order(
        the_cluster().but(**{"platform": Platform(type=PlatformType.NONE), "machine_networks": (), **changes}),
        tuple(reached_by_all(five_hosts())),
    )


def reached_by_all(hosts):
    for host in hosts:
        about = tuple(
            RemoteHost(
                host_id=other.id,
                l3_connectivity=tuple(
                    L3(remote_ip_address=str(ip_interface(each).ip), successful=True)
                    for each in other.inventory.addresses
                ),
            )
            for other in hosts
            if other.id != host.id
        )
        way = Route(interface="eth0", destination="0.0.0.0", gateway="192.168.1.1", family=2)
        yield host.but(connectivity=ConnectivityReport(remote_hosts=about), inventory=host.inventory.but(routes=(way,)))


def test_nodes_without_virtual_addresses_are_told_which_network_is_theirs():
    order = told_nodes()
    found = files_in(made(order), "worker-id-worker-0.ign")
    assert found["/etc/default/nodeip-configuration"] == b"KUBELET_NODEIP_HINT=192.168.1.0\n"
    assert order.first_address == "192.168.1.10"


def test_the_network_of_the_nodes_is_a_machine_network():
    order = told_nodes(machine_networks=("10.0.0.0/8", "fd00::/64"))
    assert order.install_config["networking"]["machineNetwork"] == [{"cidr": "192.168.1.0/24"}, {"cidr": "fd00::/64"}]


def test_nodes_are_not_told_what_nobody_could_choose():
    order = told_nodes()
    order = order.but(hosts=tuple(host.but(connectivity=None) for host in order.hosts))
    assert files_in(made(order), "worker-id-worker-0.ign").keys() == {"/etc/hostname"}
    assert order.first_address == ""


@pytest.mark.parametrize(
    ("order", "address"),
    [
        (an_order(), "192.168.1.10"),
        (an_order(the_cluster().but(machine_networks=())), ""),
        (an_order(hosts=five_hosts()[1:]), ""),
        (an_order(the_cluster().but(load_balancer="user-managed")), ""),
        (ORDERS["single node"], "192.168.1.10"),
    ],
)
def test_the_address_of_the_first_host_is_in_the_first_machine_network(order, address):
    assert order.first_address == address


@pytest.mark.parametrize(("workers", "patches"), [(0, 0), (1, 1), (2, 0)])
def test_one_worker_alone_is_as_good_as_several(workers, patches):
    assert len(an_order(hosts=five_hosts()[: 3 + workers]).topology) == patches


def test_a_host_without_a_role_is_refused_by_name():
    with pytest.raises(Invalid, match="host nobody has no role yet"):
        made(an_order(hosts=(*five_hosts(), host_named("nobody", Role.AUTO, 40))))

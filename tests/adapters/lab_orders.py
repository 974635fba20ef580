"""Orders for the lab's release, and ways to read what it makes of them."""

import json
from base64 import b64decode
from ipaddress import ip_address

import yaml
from cryptography import x509

from builders import a_cluster, a_host, a_machine
from muster.adapters.releases.lab import LabReleases
from muster.domain.artifacts.assets import Order
from muster.domain.artifacts.post_processing import post_processed
from muster.domain.clusters import Platform, PlatformType
from muster.domain.inventory import Interface
from muster.domain.manifests import Folder, Manifest, ManifestName
from muster.domain.networks import ClusterNetwork, Vip
from muster.domain.roles import Role

API_VIP = ip_address("192.168.1.5")
SECRET = '{"auths":{"registry.example.com":{"auth":"c2VjcmV0OnNlY3JldA=="}}}'


def the_cluster():
    return a_cluster().but(
        name="lab",
        base_dns_domain="example.com",
        openshift_version="4.20.1",
        pull_secret=SECRET,
        ssh_public_key="ssh-ed25519 AAAAC3Nza one\nssh-ed25519 AAAAC3Nzb two",
        api_vips=(Vip(ip=str(API_VIP)),),
        ingress_vips=(Vip(ip="192.168.1.6"),),
        cluster_networks=(ClusterNetwork(cidr="10.128.0.0/14", host_prefix=23),),
        service_networks=("172.30.0.0/16",),
        machine_networks=("192.168.1.0/24",),
    )


def host_named(name, role, number, **changes):
    nic = Interface(name="eth0", mac_address=f"52:54:00:00:00:{number}", ipv4_addresses=(f"192.168.1.{number}/24",))
    machine = a_machine().but(hostname="localhost", interfaces=(nic,))
    return a_host(f"id-{name}").but(role=role, requested_hostname=name, inventory=machine, **changes)


def five_hosts():
    masters = [host_named(f"master-{n}", Role.MASTER, 10 + n, bootstrap=n == 0) for n in range(3)]
    return (*masters, *(host_named(f"worker-{n}", Role.WORKER, 20 + n) for n in range(2)))


INFRA = Manifest(
    name=ManifestName(folder=Folder.OPENSHIFT, file_name="pool.yaml"),
    content=b"apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata:\n  name: infra\n",
)
"""A pool for workers of a kind."""


def an_order(cluster=None, hosts=None, manifests=()):
    return Order(cluster=cluster or the_cluster(), hosts=hosts or five_hosts(), manifests=tuple(manifests))


def a_single_node():
    cluster = the_cluster().but(
        control_plane_count=1,
        platform=Platform(type=PlatformType.NONE),
        user_managed_networking=True,
        api_vips=(),
        ingress_vips=(),
    )
    return an_order(cluster, (host_named("node", Role.MASTER, 10, bootstrap=True),))


ORDERS = {
    "five hosts": an_order(),
    "single node": a_single_node(),
    "arbiter": an_order(
        the_cluster().but(control_plane_count=2),
        (*five_hosts()[:2], host_named("arbiter-0", Role.ARBITER, 30)),
    ),
    "IPv6": an_order(
        the_cluster().but(
            platform=Platform(type=PlatformType.NONE),
            api_vips=(Vip(ip="fd00::5"),),
            service_networks=("fd02::/112",),
            machine_networks=("fd00::/64",),
        )
    ),
    "overridden host": an_order(
        manifests=[INFRA],
        hosts=(
            *five_hosts()[:4],
            host_named(
                "worker-1",
                Role.WORKER,
                21,
                machine_config_pool_name="infra",
                ignition_config_overrides=json.dumps(
                    {
                        "ignition": {"version": "3.1.0"},
                        "storage": {"files": [{"path": "/etc/motd", "contents": {"source": "data:,hello"}}]},
                    }
                ),
            ),
        ),
    ),
}


async def made(order=None):
    order = order or an_order()
    return post_processed(order, await LabReleases().assets(order, quietly))


async def quietly(_):
    """Nobody looks how far it has come."""


def contents(config):
    """The files of an Ignition config, decoded, by path."""
    found = {}
    for entry in config.get("storage", {}).get("files", ()):
        head, _, body = entry["contents"]["source"].partition(",")
        found[entry["path"]] = b64decode(body) if head.endswith(";base64") else body.encode()
    return found


def parsed(files, name):
    return json.loads(files.files[name])


def on_bootstrap(files):
    return contents(parsed(files, "bootstrap.ign"))


def certificates_of(pem):
    return x509.load_pem_x509_certificates(pem)


def entry(kubeconfig, kind):
    return yaml.safe_load(kubeconfig)[f"{kind}s"][0][kind]


def trusted_by(kubeconfig):
    return b64decode(entry(kubeconfig, "cluster")["certificate-authority-data"])

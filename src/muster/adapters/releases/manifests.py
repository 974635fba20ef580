"""The manifests a lab cluster starts with. Called by `bootstrap`, which puts them on the first host."""

import json
from typing import Any

from muster.domain.artifacts.install_config import Tree
from muster.domain.clusters import Cluster, PlatformType
from muster.domain.record import Record
from muster.domain.releases import parts

from .certificates import Certificates

_PLATFORM_NAMES = {
    PlatformType.BAREMETAL: "BareMetal",
    PlatformType.NUTANIX: "Nutanix",
    PlatformType.VSPHERE: "VSphere",
    PlatformType.NONE: "None",
    PlatformType.EXTERNAL: "External",
}


class Site(Record):
    """What the manifests speak of."""

    cluster: Cluster
    cluster_id: str
    infra_id: str
    install_config: Tree
    certificates: Certificates


def manifests(site: Site) -> dict[str, Tree]:
    """Every manifest by its place below the bootstrap's folder. JSON is YAML, so the names say yaml."""
    return {
        "manifests/cvo-overrides.yaml": _cluster_version(site),
        "manifests/cluster-config.yaml": _cluster_config(site),
        "manifests/cluster-infrastructure-02-config.yml": _infrastructure(site),
        "manifests/cluster-dns-02-config.yml": _config("DNS", {"baseDomain": site.cluster.domain}),
        "manifests/cluster-ingress-02-config.yml": _config("Ingress", {"domain": f"apps.{site.cluster.domain}"}),
        "manifests/cluster-network-02-config.yml": _network(site.cluster),
        "manifests/cluster-scheduler-02-config.yml": _scheduler(site.cluster),
        "manifests/kube-system-configmap-root-ca.yaml": _root_ca(site),
        "manifests/machine-config-server-tls-secret.yaml": _machine_config_server(site),
        "manifests/openshift-config-secret-pull-secret.yaml": _pull_secret(site.cluster),
        **_machines(site),
    }


def _machines(site: Site) -> dict[str, Tree]:
    """A BareMetalHost for every machine that the install-config knows."""
    known = site.install_config["platform"].get("baremetal", {}).get("hosts", ())
    return {
        f"openshift/99_openshift-cluster-api_{_FILES.get(each['role'], 'hosts')}-{number}.yaml": {
            "apiVersion": "metal3.io/v1alpha1",
            "kind": "BareMetalHost",
            "metadata": {"name": each["name"], "namespace": "openshift-machine-api"},
            "spec": {"online": True, "bootMACAddress": each["bootMACAddress"], "bootMode": each["bootMode"]},
            "status": {},
        }
        for number, each in enumerate(known)
    }


_FILES = {"arbiter": "arbiter_hosts"}


def _config(kind: str, spec: Tree, **more: Any) -> Tree:
    """The one object of a kind that configures the cluster."""
    return {"apiVersion": "config.openshift.io/v1", "kind": kind, "metadata": {"name": "cluster"}, "spec": spec, **more}


def _named(kind: str, namespace: str, name: str, **content: Any) -> Tree:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"namespace": namespace, "name": name}, **content}


def _cluster_version(site: Site) -> Tree:
    minor = ".".join(str(part) for part in parts(site.cluster.openshift_version)[:2])
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "metadata": {"namespace": "openshift-cluster-version", "name": "version"},
        "spec": {"channel": f"stable-{minor}" if minor else "", "clusterID": site.cluster_id},
    }


def _cluster_config(site: Site) -> Tree:
    """What the cluster was made from, without the secret that stands in a place of its own."""
    shown = {**site.install_config, "pullSecret": ""}
    return _named("ConfigMap", "kube-system", "cluster-config-v1", data={"install-config": json.dumps(shown)})


def _infrastructure(site: Site) -> Tree:
    cluster = site.cluster
    platform = _PLATFORM_NAMES[cluster.platform.type]
    topology = "SingleReplica" if cluster.single_node else "HighlyAvailable"
    status = {
        "apiServerURL": f"https://api.{cluster.domain}:6443",
        "apiServerInternalURI": f"https://api-int.{cluster.domain}:6443",
        "infrastructureName": site.infra_id,
        "controlPlaneTopology": topology,
        "infrastructureTopology": topology,
        "platform": platform,
        "platformStatus": {"type": platform},
    }
    return _config("Infrastructure", {"platformSpec": {"type": platform}}, status=status)


def _network(cluster: Cluster) -> Tree:
    pods = [{"cidr": each.cidr, "hostPrefix": each.host_prefix} for each in cluster.cluster_networks]
    spec = {
        "clusterNetwork": pods,
        "serviceNetwork": list(cluster.service_networks),
        "networkType": cluster.network_type,
    }
    return _config("Network", spec)


def _scheduler(cluster: Cluster) -> Tree:
    schedulable = cluster.schedulable_masters or cluster.schedulable_masters_forced_true
    return _config("Scheduler", {"mastersSchedulable": schedulable})


def _root_ca(site: Site) -> Tree:
    root = site.certificates.root_ca.chain.decode()
    return _named("ConfigMap", "kube-system", "root-ca", data={"ca.crt": root})


def _machine_config_server(site: Site) -> Tree:
    server = site.certificates.machine_config_server
    return _named(
        "Secret",
        "openshift-machine-config-operator",
        "machine-config-server-tls",
        type="kubernetes.io/tls",
        stringData={"tls.crt": server.chain.decode(), "tls.key": server.key_pem.decode()},
    )


def _pull_secret(cluster: Cluster) -> Tree:
    return _named(
        "Secret",
        "openshift-config",
        "pull-secret",
        type="kubernetes.io/dockerconfigjson",
        stringData={".dockerconfigjson": cluster.pull_secret},
    )

"""A cluster of the lab, as machines see it: what its names mean, and what it hands out to machines that want to join.

Whoever brings a lab up puts the names into the room; the controller adds the rest once the cluster takes in more hosts.
"""

import json
from typing import Any

from muster.domain.artifacts.ignition import Config, config, encoded, file
from muster.domain.joining import KUBECONFIG, MACHINE_CONFIG, OWN_SERVICES, PLAIN_PORT
from muster.domain.networks import IPV6, family
from muster.domain.roles import Role

POOLS = (Role.MASTER, Role.ARBITER, Role.WORKER)
BALANCER = "203.0.113.20"
"""Where the names of a cluster lead to that has no addresses of its own."""


def pages_of(cluster: dict[str, Any]) -> dict[str, bytes]:
    """By URL, the configuration of each kind of node."""
    name = cluster["api_vip_dns_name"]
    place = f"[{name}]" if family(name) == IPV6 else name
    return {f"http://{place}:{PLAIN_PORT}/config/{pool}": encoded(_rendered(cluster)) for pool in POOLS}


def names_of(cluster: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """What the name server has to know of a cluster: nothing if the cluster answers for its own names."""
    if not cluster.get("user_managed_networking"):
        return {}
    domain = f"{cluster['name']}.{cluster['base_dns_domain']}"
    return {f"{name}.{domain}": (BALANCER,) for name in ("api", "api-int", "console-openshift-console.apps")}


def _rendered(cluster: dict[str, Any]) -> Config:
    """As much of a node's configuration as anyone looks at before the node is there."""
    domain = f"{cluster['name']}.{cluster['base_dns_domain']}"
    system = {"spec": {"osImageURL": f"lab.muster.local/rhcos:{cluster['openshift_version']}"}}
    files = [
        file(KUBECONFIG, f"clusters:\n- cluster:\n    server: https://api-int.{domain}:6443\n  name: lab\n"),
        file(MACHINE_CONFIG, json.dumps(system)),
    ]
    if not cluster.get("user_managed_networking"):
        files += [file(path, "kind: Pod\n") for path in sorted(OWN_SERVICES)]
    return config(files)

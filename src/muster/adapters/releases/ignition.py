"""The Ignition configs of a release: the pointer of a role, and what becomes of it for one host.

Called by the adapters of `ports.Releases`; the words that configs are made of are the domain's.
"""

from collections.abc import Sequence
from ipaddress import ip_network

from muster.domain.artifacts import ignition
from muster.domain.artifacts.host_ignition import host_overrides
from muster.domain.artifacts.ignition import (
    EXECUTABLE,
    PRIVATE,
    READABLE,
    SPEC,
    Config,
    data_url,
    encoded,
    file,
    merged,
    unit,
)
from muster.domain.clusters import Cluster
from muster.domain.hosts import Host
from muster.domain.roles import Role

__all__ = [
    "EXECUTABLE", "PRIVATE", "READABLE", "SPEC", "Config", "config", "encoded", "file", "merged", "of_host", "pointer",
    "unit",
]  # fmt: skip

MACHINE_CONFIG_PORT = 22623


def config(files: Sequence[Config] = (), units: Sequence[Config] = (), ssh_keys: Sequence[str] = ()) -> Config:
    """A config of its own; parts that are empty are left out."""
    users = [{"name": "core", "sshAuthorizedKeys": list(ssh_keys)}] if ssh_keys else []
    return ignition.config(files, units, users)


def pointer(domain: str, pool: str, trust: bytes) -> Config:
    """A config that fetches the rest from the cluster's machine config server."""
    source = f"https://api-int.{domain}:{MACHINE_CONFIG_PORT}/config/{pool}"
    return {
        "ignition": {
            "version": SPEC,
            "config": {"merge": [{"source": source}]},
            "security": {"tls": {"certificateAuthorities": [{"source": data_url(trust)}]}},
        }
    }


def of_host(base: Config, host: Host, cluster: Cluster) -> Config:
    """The config of a role made the config of one host: its name, its pool, what its user wants."""
    own: list[Config] = []
    if host.hostname:
        own.append(file("/etc/hostname", host.hostname))
    if cluster.single_node and cluster.machine_networks:
        hint = ip_network(cluster.machine_networks[0]).network_address
        own.append(file("/etc/default/nodeip-configuration", f"KUBELET_NODEIP_HINT={hint}\n"))
    return merged(merged(_pooled(base, host), config(own)), host_overrides(host))


def _pooled(base: Config, host: Host) -> Config:
    """The pointer of a worker led to the pool that was asked for."""
    pool = host.machine_config_pool_name
    sources = base["ignition"].get("config", {}).get("merge", ())
    if not (pool and sources and host.effective_role is Role.WORKER):
        return base
    turned = [{**each, "source": each["source"].replace("/config/worker", f"/config/{pool}")} for each in sources]
    return {**base, "ignition": {**base["ignition"], "config": {"merge": turned}}}

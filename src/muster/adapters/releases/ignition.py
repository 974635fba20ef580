"""The words of an Ignition config (spec 3.2), and what becomes of it for one host.

Called by the adapters of `ports.Releases`. Configs are JSON objects, because users may
override any part of them.
"""

import json
from base64 import b64encode
from collections.abc import Sequence
from ipaddress import ip_network
from typing import Any

from muster.domain.clusters import Cluster
from muster.domain.errors import Invalid
from muster.domain.hosts import Host
from muster.domain.roles import Role

SPEC = "3.2.0"
PRIVATE = 0o600
READABLE = 0o644
EXECUTABLE = 0o755
MACHINE_CONFIG_PORT = 22623

Config = dict[str, Any]
"""An Ignition config or a part of one."""

_KEYS = ("path", "name", "device", "source")
"""What tells the entries of a list apart when two configs are merged."""


def config(files: Sequence[Config] = (), units: Sequence[Config] = (), ssh_keys: Sequence[str] = ()) -> Config:
    """A config of its own; parts that are empty are left out."""
    whole: Config = {"ignition": {"version": SPEC}}
    if ssh_keys:
        whole["passwd"] = {"users": [{"name": "core", "sshAuthorizedKeys": list(ssh_keys)}]}
    if files:
        whole["storage"] = {"files": list(files)}
    if units:
        whole["systemd"] = {"units": list(units)}
    return whole


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


def file(path: str, content: str | bytes, mode: int = READABLE) -> Config:
    """A file that belongs to root and replaces what is there."""
    source = data_url(content if isinstance(content, bytes) else content.encode())
    return {"path": path, "overwrite": True, "mode": mode, "user": {"name": "root"}, "contents": {"source": source}}


def unit(name: str, contents: str, *, enabled: bool) -> Config:
    """A systemd unit."""
    return {"name": name, "enabled": enabled, "contents": contents}


def data_url(content: bytes) -> str:
    """A URL that carries its content."""
    return f"data:text/plain;charset=utf-8;base64,{b64encode(content).decode()}"


def encoded(whole: Config) -> bytes:
    """The config as the file it is kept in."""
    return json.dumps(whole, separators=(",", ":")).encode()


def of_host(base: Config, host: Host, cluster: Cluster) -> Config:
    """The config of a role made the config of one host: its name, its pool, what its user wants."""
    own: list[Config] = []
    if host.hostname:
        own.append(file("/etc/hostname", host.hostname))
    if cluster.single_node and cluster.machine_networks:
        hint = ip_network(cluster.machine_networks[0]).network_address
        own.append(file("/etc/default/nodeip-configuration", f"KUBELET_NODEIP_HINT={hint}\n"))
    return merged(merged(_pooled(base, host), config(own)), _overrides(host))


def _pooled(base: Config, host: Host) -> Config:
    """The pointer of a worker led to the pool that was asked for."""
    pool = host.machine_config_pool_name
    sources = base["ignition"].get("config", {}).get("merge", ())
    if not (pool and sources and host.effective_role is Role.WORKER):
        return base
    turned = [{**each, "source": each["source"].replace("/config/worker", f"/config/{pool}")} for each in sources]
    return {**base, "ignition": {**base["ignition"], "config": {"merge": turned}}}


def _overrides(host: Host) -> Config:
    """What the user wants changed on this host; it may hold secrets, so a complaint does not quote it."""
    if not host.ignition_config_overrides:
        return {}
    try:
        wish = json.loads(host.ignition_config_overrides)
    except ValueError:
        wish = None
    if not isinstance(wish, dict):
        raise Invalid(f"ignition_config_overrides of host {host.name}: must be an Ignition config in JSON")
    return wish


def merged(below: Config, above: Config) -> Config:
    """Both configs as one: an entry of the same path or name is replaced part by part, others are added."""
    whole: Config = _laid_over(below, above)
    return {**whole, "ignition": {**whole["ignition"], "version": SPEC}}


def _laid_over(below: Any, above: Any) -> Any:
    if isinstance(below, dict) and isinstance(above, dict):
        joined = {key: _laid_over(below[key], value) if key in below else value for key, value in above.items()}
        return {**below, **joined}
    if isinstance(below, list) and isinstance(above, list):
        return _joined(below, above)
    return above


def _joined(below: list[Any], above: list[Any]) -> list[Any]:
    entries = {_identity(entry): entry for entry in below}
    for entry in above:
        same = _identity(entry)
        entries[same] = _laid_over(entries[same], entry) if same in entries else entry
    return list(entries.values())


def _identity(entry: Any) -> str:
    """What makes two entries of a list the same one."""
    if isinstance(entry, dict):
        return next((f"{key}={entry[key]}" for key in _KEYS if key in entry), json.dumps(entry, sort_keys=True))
    return json.dumps(entry)

"""Turns the config of a role into that of each host: its name, its address, its pool, what its user wants."""

from collections.abc import Iterator, Mapping
from ipaddress import ip_network

from muster.domain.artifacts.assets import Assets, Order
from muster.domain.artifacts.host_ignition import host_overrides, own_config
from muster.domain.artifacts.ignition import Config, config, file, merged
from muster.domain.errors import Invalid
from muster.domain.hosts import Host
from muster.domain.roles import Role

HINT = "/etc/default/nodeip-configuration"
WORKERS = "worker"
"""The pool that every cluster has for its workers."""

_INSTALLED_AS = {
    Role.MASTER: Role.MASTER,
    Role.BOOTSTRAP: Role.MASTER,
    Role.ARBITER: Role.ARBITER,
    Role.WORKER: Role.WORKER,
}


def host_configs(order: Order, assets: Assets, roles: Mapping[str, Config]) -> dict[str, Config]:
    """The config of each host by the name of its file; `Invalid` if a host has no role, or a pool that nobody knows."""
    pools = {WORKERS, *_names(assets)}
    return {
        f"{role}-{host.id}": _of_host(order, host, _pooled(roles[role], host, pools))
        for host in order.hosts
        for role in (_role(host, roles),)
    }


def _names(assets: Assets) -> Iterator[str]:
    for pool in assets.of_kind("MachineConfigPool").values():
        yield (pool.get("metadata") or {}).get("name") or ""


def _role(host: Host, roles: Mapping[str, Config]) -> str:
    """The role whose config the host is installed with; the first host ends as a master too."""
    role = _INSTALLED_AS.get(host.effective_role)
    if role is None:
        raise Invalid(f"role: host {host.name} has no role yet; give it one of master, arbiter or worker")
    if role.value not in roles:
        raise Invalid(
            f"role: host {host.name} is to be {role.value}, and this release has no config for that role; give the host"
            f" one of {', '.join(sorted(roles))}, or install a newer release"
        )
    return role.value


def _of_host(order: Order, host: Host, below: Config) -> Config:
    """The config of a host, in the version of its role's; the user may want another."""
    hint = _hint(order, host)
    told = config([file(HINT, f"KUBELET_NODEIP_HINT={hint}\n")] if hint else [])
    added = merged(own_config(host), told)
    del added["ignition"]
    return merged(merged(below, added), host_overrides(host))


def _hint(order: Order, host: Host) -> str:
    """An address of the network in which the node has its own; "" where nobody has to say."""
    networks = order.cluster.machine_networks
    if order.cluster.single_node and networks:
        return str(ip_network(networks[0]).network_address)
    chosen = order.node_addresses.get(host.id)
    return str(chosen.network.network_address) if chosen else ""


def _pooled(below: Config, host: Host, pools: set[str]) -> Config:
    """The config of a worker led to the pool that was asked for."""
    pool = host.machine_config_pool_name
    if not pool or host.effective_role is not Role.WORKER:
        return below
    if pool not in pools:
        raise Invalid(
            f"machine_config_pool_name: host {host.name} is to be in the pool {pool}, and no manifest makes a"
            f" MachineConfigPool of that name; add one, or name one of {', '.join(sorted(pools))}"
        )
    head = below["ignition"]
    sources = head.get("config", {}).get("merge", ())
    turned = [each | {"source": each["source"].replace("config/worker", f"config/{pool}")} for each in sources]
    return below | {"ignition": head | {"config": {"merge": turned}}} if turned else below

"""Turns a running cluster and a host that joins it into the host's own Ignition config.

`accepts/additions.py` asks whether it can be made; the effect `GenerateHostIgnition` puts it into storage, where
the host fetches it. It leads to what the cluster's own machine config server hands out.
"""

import json
from collections.abc import Iterator

from muster.domain.clusters import Cluster
from muster.domain.errors import Invalid, Refused
from muster.domain.hosts import Host
from muster.domain.joining import IgnitionSource, ignition_source

from .ignition import EXECUTABLE, SPEC, Config, config, encoded, file, merged, unit


def host_ignition(cluster: Cluster, host: Host) -> bytes:
    """The first configuration of a host that joins a running cluster.

    `Refused` while nobody knows where the cluster hands out its own, `Invalid` if the user's part cannot be read.
    """
    source = ignition_source(cluster, host)
    if source is None:
        raise Refused(
            f"Nobody knows where cluster {cluster.name} hands out the configuration of new hosts; "
            "set its api_vip_dns_name or its ignition_endpoint.url"
        )
    own = own_config(host)
    return encoded(merged(merged(_pointer(source), own), host_overrides(host)))


def ignition_name(host: Host) -> str:
    """The name under which the configuration of a host is kept among the files of its cluster."""
    return f"{host.effective_role}-{host.id}.ign"


def _pointer(source: IgnitionSource) -> Config:
    fetched: Config = {"source": source.url}
    if source.headers:
        fetched["httpHeaders"] = [{"name": name, "value": value} for name, value in source.headers.items()]
    head: Config = {"version": SPEC, "config": {"merge": [fetched]}}
    if source.ca_certificate:
        trusted = {"source": f"data:text/plain;charset=utf-8;base64,{source.ca_certificate}"}
        head["security"] = {"tls": {"certificateAuthorities": [trusted]}}
    return {"ignition": head}


def host_overrides(host: Host) -> Config:
    """What the user wants changed on a host; it may hold secrets, so a complaint does not quote it."""
    if not host.ignition_config_overrides:
        return {}
    try:
        wish = json.loads(host.ignition_config_overrides)
    except ValueError:
        wish = None
    if not isinstance(wish, dict):
        raise Invalid(f"ignition_config_overrides of host {host.name}: must be an Ignition config in JSON")
    return wish


def own_config(host: Host) -> Config:
    """What every host gets for itself, however it comes into its cluster: its name, and what tidies up its disk."""
    return config(_files(host), _units(host))


def _files(host: Host) -> Iterator[Config]:
    if host.hostname:
        yield file("/etc/hostname", host.hostname)
    if _runs_from_its_disk(host):
        yield file(CLEANUP, CLEANUP_SCRIPT, EXECUTABLE)


def _units(host: Host) -> Iterator[Config]:
    if _runs_from_its_disk(host):
        yield unit(CLEANUP_UNIT, CLEANUP_SERVICE)


def _runs_from_its_disk(host: Host) -> bool:
    """The discovery image is on the disk itself, beside the system that is installed there in place."""
    boot = host.inventory.boot if host.inventory else None
    return boot is not None and boot.device_type == "persistent"


CLEANUP_UNIT = "cleanup-assisted-discovery-stateroot.service"
CLEANUP = "/usr/local/bin/cleanup-assisted-discovery-stateroot.sh"

CLEANUP_SCRIPT = r"""#!/usr/bin/env bash
# Removes the discovery system from the disk, once the system that was installed beside it has started.
set -euo pipefail
own=$(ostree admin status | sed -nE 's/^\* ([^ ]+) .*/\1/p')
mapfile -t names < <(ostree admin status | sed -nE 's/^[* ] ([^ ]+) [0-9a-f]{64}\.[0-9]+.*/\1/p')
mount -o remount,rw /sysroot
mount -o remount,rw /boot
for ((index = ${#names[@]} - 1; index >= 0; index--)); do
    if [[ ${names[index]} != "$own" ]]; then
        ostree admin undeploy "$index"
    fi
done
find /sysroot/ostree/deploy -mindepth 1 -maxdepth 1 ! -name "$own" -exec rm -rf {} +
ostree admin cleanup
"""

CLEANUP_SERVICE = f"""\
[Unit]
Description=Remove the discovery system from the disk
ConditionPathExists=!/var/lib/cleanup-assisted-discovery-stateroot.done
After=local-fs.target

[Service]
Type=oneshot
ExecStart={CLEANUP}
ExecStartPost=/usr/bin/touch /var/lib/cleanup-assisted-discovery-stateroot.done

[Install]
WantedBy=multi-user.target
"""

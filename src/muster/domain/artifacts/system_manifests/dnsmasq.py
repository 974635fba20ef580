"""A single node answers for the names of its own cluster, so that it runs where nobody else knows them.

dnsmasq on the node knows `api`, `api-int` and everything below `apps`, and asks the name servers of the network for
all else. NetworkManager leaves `/etc/resolv.conf` alone and calls a script of ours, which puts the node itself first.
A node that is given another name or address later is told so in `OVERRIDES_PATH`; the words in it are those that
tools which move single nodes write.
"""

from shlex import quote
from typing import Any

from muster.domain.artifacts.ignition import EXECUTABLE, OLDEST, config, file, unit
from muster.domain.artifacts.machine_config import machine_config
from muster.domain.clusters import Cluster
from muster.domain.roles import Role
from muster.domain.views import ClusterView

SCRIPT_PATH = "/usr/local/bin/dnsmasq_config.sh"
DISPATCHER_PATH = "/etc/NetworkManager/dispatcher.d/forcedns"
NETWORK_MANAGER_PATH = "/etc/NetworkManager/conf.d/single-node.conf"
CONFIG_PATH = "/etc/dnsmasq.d/single-node.conf"
OVERRIDES_PATH = "/etc/default/sno_dnsmasq_configuration_overrides"

_BEFORE = f"""#!/usr/bin/env bash
# Writes how dnsmasq is to answer for the names of this cluster, from the addresses that this node has now.
set -euo pipefail
CONFIG=${{CONFIG:-{CONFIG_PATH}}}
OVERRIDES=${{OVERRIDES:-{OVERRIDES_PATH}}}
"""

_AFTER = r"""
if [[ -r $OVERRIDES ]]; then
    source "$OVERRIDES"
fi
domain=${SNO_CLUSTER_NAME_OVERRIDE:-$CLUSTER_NAME}.${SNO_BASE_DOMAIN_OVERRIDE:-$BASE_DOMAIN}

# The address of this node in each of the cluster's networks; where it has none, those from which it reaches others.
own_addresses() {
    local network address line found=
    for network in "${NETWORKS[@]}"; do
        if read -r _ _ _ address _ < <(ip -oneline address show scope global to "$network"); then
            found=1
            echo "${address%%/*}"
        fi
    done
    if [[ -z $found ]]; then
        for network in 192.0.2.1 2001:db8::1; do
            line=$(ip -oneline route get "$network" 2>/dev/null || true)
            if [[ $line == *" src "* ]]; then
                line=${line#* src }
                echo "${line%% *}"
            fi
        done
    fi
}

if [[ -n ${SNO_DNSMASQ_IP_OVERRIDE:-} ]]; then
    IFS=', ' read -ra addresses <<<"$SNO_DNSMASQ_IP_OVERRIDE"
else
    mapfile -t addresses < <(own_addresses)
fi
if ((${#addresses[@]} == 0)); then
    echo "this node has no address yet by which $domain could be found" >&2
    exit 1
fi

text=$'resolv-file=/run/NetworkManager/resolv.conf\nbind-dynamic\n'
for address in "${addresses[@]}"; do
    text+="listen-address=$address"$'\n'
done
for name in api api-int apps; do
    # Nobody else is asked about these names, not even for addresses of a family that this node does not have.
    text+="local=/$name.$domain/"$'\n'
    for address in "${addresses[@]}"; do
        text+="address=/$name.$domain/$address"$'\n'
    done
done
mkdir -p "${CONFIG%/*}"
printf '%s' "$text" >"$CONFIG"
"""

DISPATCHER = rf"""#!/usr/bin/env bash
# Called by NetworkManager whenever something about the network changes, and once when dnsmasq has started:
# names are asked of this node first, and of the name servers of the network if it does not answer. Never fails.
CONFIG=${{CONFIG:-{CONFIG_PATH}}}
WRITER=${{WRITER:-{SCRIPT_PATH}}}
KNOWN=${{KNOWN:-/run/NetworkManager/resolv.conf}}
RESOLV=${{RESOLV:-/etc/resolv.conf}}

before=$(cat "$CONFIG" 2>/dev/null)
servers=
if "$WRITER"; then
    servers=$(sed -n 's/^listen-address=/nameserver /p' "$CONFIG")
    if [[ -n $before && $(<"$CONFIG") != "$before" ]]; then
        systemctl --no-block try-restart dnsmasq.service
    fi
fi
if [[ -r $KNOWN ]]; then
    others=$(<"$KNOWN")
    printf '%s\n' "${{servers:+$servers$'\n'}}$others" >"$RESOLV"
fi
exit 0
"""

NETWORK_MANAGER = "[main]\nrc-manager=unmanaged\n"

SERVICE = f"""\
[Unit]
Description=Answer for the names of this cluster
Wants=network-online.target
After=network-online.target
Before=kubelet-dependencies.target crio.service kubelet.service
StartLimitIntervalSec=0

[Service]
ExecStartPre={SCRIPT_PATH}
ExecStart=/usr/sbin/dnsmasq --keep-in-foreground --conf-file={CONFIG_PATH}
ExecStartPost={DISPATCHER_PATH}
Restart=always
RestartSec=5

[Install]
WantedBy=multi-user.target
"""


def is_wanted(view: ClusterView) -> bool:
    """Whether the node is the only one, and the service wants it to answer."""
    return view.cluster.single_node and view.policy.single_node_dnsmasq


def manifest(view: ClusterView) -> dict[str, Any]:
    """All that makes the node answer."""
    files = [
        file(SCRIPT_PATH, script(view.cluster), EXECUTABLE),
        file(DISPATCHER_PATH, DISPATCHER, EXECUTABLE),
        file(NETWORK_MANAGER_PATH, NETWORK_MANAGER),
    ]
    written = config(files, [unit("dnsmasq.service", SERVICE)], version=OLDEST)
    return machine_config("50-master-dnsmasq-configuration", Role.MASTER, written)


def script(cluster: Cluster) -> str:
    """The script that writes the configuration of dnsmasq."""
    networks = " ".join(map(quote, cluster.machine_networks))
    known = f"CLUSTER_NAME={quote(cluster.name)}\nBASE_DOMAIN={quote(cluster.base_dns_domain)}\nNETWORKS=({networks})\n"
    return f"{_BEFORE}{known}{_AFTER}"

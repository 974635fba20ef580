"""A node whose disk is on the network takes over the interfaces it was started with.

The initrd sets them up to reach the disk, and NetworkManager leaves them as it finds them: nobody renews their lease,
and settings that came later do not count. They are applied once more, without a break, the first time a node starts.
"""

from typing import Any

from muster.domain.artifacts.ignition import EXECUTABLE, OLDEST, config, file, unit
from muster.domain.artifacts.machine_config import machine_config
from muster.domain.roles import Role
from muster.domain.validations.encryption import GROUPS
from muster.domain.views import ClusterView

SCRIPT_PATH = "/usr/local/bin/iscsi-nic-reapply.sh"
UNIT = "iscsi-nic-reapply.service"
STAMP = "/var/lib/iscsi-nic-reapply.done"

SCRIPT = r"""#!/usr/bin/env bash
# Applies the settings of the interfaces over which this machine reaches its disk once more.
set -euo pipefail
shopt -s nullglob
HOSTS=${HOSTS:-/sys/class/iscsi_host}

declare -A SEEN=()
for file in "$HOSTS"/*/ipaddress; do
    address=$(<"$file")
    # Without an address the card does iSCSI by itself, and no interface of the system is concerned.
    if [[ -z $address || $address == "<NULL>" || $address == "(null)" ]]; then
        continue
    fi
    if ! read -r _ nic _ < <(ip -oneline address show to "$address"); then
        echo "no interface has the address $address, from which the disk is reached"
        continue
    fi
    if [[ -z ${SEEN[$nic]:-} ]]; then
        SEEN[$nic]=1
        echo "applying the settings of $nic, from which the disk is reached, once more"
        nmcli device reapply "$nic"
    fi
done
"""

SERVICE = f"""\
[Unit]
Description=Take over the interfaces over which the disk is reached
ConditionKernelCommandLine=rd.iscsi.firmware
ConditionPathExists=!{STAMP}
Wants=NetworkManager-wait-online.service
After=NetworkManager-wait-online.service
Before=ovs-configuration.service nodeip-configuration.service

[Service]
Type=oneshot
ExecStart={SCRIPT_PATH}
ExecStartPost=/usr/bin/touch {STAMP}

[Install]
WantedBy=multi-user.target
"""


def manifest(_: ClusterView, role: Role) -> dict[str, Any]:
    """The unit on a role's nodes; where the disk is in the machine it does nothing."""
    config_ = config([file(SCRIPT_PATH, SCRIPT, EXECUTABLE)], [unit(UNIT, SERVICE)], version=OLDEST)
    return machine_config(f"50-{GROUPS[role]}-iscsi-nic-reapply", role, config_)

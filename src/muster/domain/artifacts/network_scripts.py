"""What runs on a machine that finds its own network settings among those of all hosts, and the units that run it.

Text only; `discovery_ignition.py` puts it into full images and `minimal_initrd.py` into the beginning of minimal ones.
Bash itself does the work where it can: little else is there before the system has been fetched.
"""

COMMON_PATH = "/usr/local/bin/common_network_script.sh"
SCRIPT_PATH = "/usr/local/bin/pre-network-manager-config.sh"
UNIT = "pre-network-manager-config.service"

COMMON = r"""#!/usr/bin/env bash
# Finds the network settings that are meant for this machine, by the MAC addresses of its interfaces.
CONFIGS=${CONFIGS:-/etc/assisted/network}
INTERFACES=${INTERFACES:-/sys/class/net}
QUIET=3
LIMIT=30

# Waits until no interface has come or gone for a while.
await_interfaces() {
    local before now quiet=0 second
    before=$(echo "$INTERFACES"/*)
    for ((second = 0; second < LIMIT; second++)); do
        sleep 1
        now=$(echo "$INTERFACES"/*)
        if [[ $now != "$before" ]]; then
            quiet=0
        elif ((++quiet >= QUIET)); then
            return
        fi
        before=$now
    done
    echo "interfaces still come and go after $LIMIT seconds; going on with those that are there"
}

# Prints the MAC addresses of this machine, in capitals.
own_addresses() {
    local folder mac
    for folder in "$INTERFACES"/*; do
        if [[ ${folder##*/} != lo && -r $folder/address ]]; then
            read -r mac <"$folder/address"
            echo "${mac^^}"
        fi
    done
}

# Prints the folders whose settings are for an interface of this machine.
own_settings() {
    local own folder line
    mapfile -t own < <(own_addresses)
    for folder in "$CONFIGS"/*/; do
        if [[ ! -r ${folder}mac_interface.ini ]]; then
            echo "$folder says for no MAC address that it is meant; it is skipped" >&2
            continue
        fi
        while IFS= read -r line || [[ -n $line ]]; do
            line=${line%%=*}
            if [[ " ${own[*]} " == *" ${line^^} "* ]]; then
                echo "$folder"
                break
            fi
        done <"${folder}mac_interface.ini"
    done
}
"""

SCRIPT = rf"""#!/usr/bin/env bash
# Applies the network settings that are meant for this machine, if there are any.
set -euo pipefail
source {COMMON_PATH}
if [[ ! -d $CONFIGS ]]; then
    exit 0
fi
sleep "${{DISCOVERY_DELAY_SECONDS:-0}}"
await_interfaces
mapfile -t folders < <(own_settings)
if ((${{#folders[@]}} == 0)); then
    mapfile -t own < <(own_addresses)
    echo "no network settings are meant for this machine, whose MAC addresses are ${{own[*]}}"
    exit 0
fi
mkdir -p /etc/nmstate
for folder in "${{folders[@]}}"; do
    echo "applying $folder"
    cp "$folder"*.yml /etc/nmstate/
done
nmstatectl service
if [[ -e /etc/initrd-release ]]; then
    mkdir -p /etc/coreos-firstboot-network
    cp /etc/NetworkManager/system-connections/* /etc/coreos-firstboot-network/
    /usr/sbin/coreos-copy-firstboot-network
fi
"""

IN_SYSTEM = f"""\
[Unit]
Description=Apply the network settings that are meant for this machine
After=NetworkManager-wait-online.service
Before=nmstate.service

[Service]
Type=oneshot
RemainAfterExit=yes
TimeoutSec=60
ExecStart={SCRIPT_PATH}

[Install]
WantedBy=multi-user.target
"""
"""The unit of a full image: the system is there, and the network comes up."""


def in_initrd(delay: int) -> str:
    """The unit of a minimal image: the system has yet to be fetched over the network."""
    return f"""\
[Unit]
Description=Apply the network settings that are meant for this machine
DefaultDependencies=no
After=nm-initrd.service systemd-udev-settle.service
Before=coreos-livepxe-rootfs.service

[Service]
Type=oneshot
RemainAfterExit=yes
Environment=DISCOVERY_DELAY_SECONDS={delay}
TimeoutSec={60 + delay}
ExecStart={SCRIPT_PATH}
"""

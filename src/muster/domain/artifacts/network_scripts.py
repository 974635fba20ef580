"""What runs on a machine that finds its own network settings among those of all hosts, and the units that run it.

Text only; `discovery_ignition.py` puts it into full images and `minimal_initrd.py` before the system of all others.
Bash itself does the work where it can: little else is there before the system has been fetched. The variables in
capitals are where things lie; tests say otherwise.
"""

COMMON_PATH = "/usr/local/bin/common_network_script.sh"
SCRIPT_PATH = "/usr/local/bin/pre-network-manager-config.sh"
UNIT = "pre-network-manager-config.service"

COMMON = r"""#!/usr/bin/env bash
# Finds the network settings that are meant for this machine, by the MAC addresses of its interfaces.
CONFIGS=${CONFIGS:-/etc/assisted/network}
INTERFACES=${INTERFACES:-/sys/class/net}
LIMIT=${LIMIT:-30}

declare -A NIC=()     # by MAC address in capitals, the interface that has it
declare -a OWN=()     # the folders that are meant for this machine
declare -a MISSING=() # what these folders speak of and the machine does not have

# Looks which interface has which MAC address now. What is made of others may have their address: it comes last.
look() {
    local folder mac
    NIC=()
    for folder in "$INTERFACES"/*; do
        mac=
        if [[ ${folder##*/} != lo && -r $folder/address ]]; then
            read -r mac <"$folder/address" || true
        fi
        if [[ -n $mac && (-z ${NIC[${mac^^}]:-} || -e $folder/device) ]]; then
            NIC[${mac^^}]=${folder##*/}
        fi
    done
}

# Looks which folders are meant for this machine: those with one of its addresses.
match() {
    local folder line mac
    local -a own absent
    OWN=() MISSING=()
    for folder in "$CONFIGS"/*/; do
        own=() absent=()
        if [[ -r ${folder}mac_interface.ini ]]; then
            while IFS= read -r line || [[ -n $line ]]; do
                mac=${line%%=*}
                if [[ -n $mac && -n ${NIC[${mac^^}]:-} ]]; then
                    own+=("$mac")
                else
                    absent+=("${line#*=} ($mac)")
                fi
            done <"${folder}mac_interface.ini"
        fi
        if ((${#own[@]})); then
            OWN+=("$folder")
            MISSING+=("${absent[@]}")
        fi
    done
}

# Waits until every interface is there that the settings of this machine speak of, but not for ever.
await_interfaces() {
    local second
    for ((second = 0; second < LIMIT; second++)); do
        look
        match
        if ((${#OWN[@]} && !${#MISSING[@]})); then
            return
        fi
        sleep 1
    done
    look
    match
    if ((${#MISSING[@]})); then
        printf 'after %s seconds this machine still lacks %s; going on without\n' "$LIMIT" "${MISSING[@]/%/,}"
    fi
}
"""

SCRIPT = r"""#!/usr/bin/env bash
# Applies the network settings that are meant for this machine, if there are any.
set -euo pipefail
shopt -s nullglob
umask 077
source "${COMMON:-/usr/local/bin/common_network_script.sh}"
NMSTATE=${NMSTATE:-/etc/nmstate}
if [[ -e ${INITRD:-/etc/initrd-release} ]]; then
    DESTINATION=${DESTINATION:-/etc/coreos-firstboot-network}
else
    DESTINATION=${DESTINATION:-/etc/NetworkManager/system-connections}
fi
LONGEST=15 # characters of an interface's name

declare -A REAL=()  # by the name in the settings, that of the interface; empty if the machine does not have it
declare -A GIVEN=() # by a name that was made here, what it was made from
declare -A READY=() # by the name of a keyfile, its text

# Sets NEW to what an interface of the settings is called here; fails if the machine does not have it.
rename() {
    local old=$1 name best='' rest nic number=0
    for name in "${!REAL[@]}"; do
        if [[ ($old == "$name" || $old == "$name".*) && ${#name} -gt ${#best} ]]; then
            best=$name
        fi
    done
    NEW=$old
    if [[ -z $best ]]; then
        return 0
    fi
    nic=${REAL[$best]} rest=${old#"$best"}
    if [[ -z $nic ]]; then
        return 1
    fi
    NEW=$nic$rest
    if ((${#rest} && ${#rest} < LONGEST && ${#NEW} > LONGEST)); then
        nic=${nic:0:LONGEST-${#rest}}
        NEW=$nic$rest
        while [[ ${GIVEN[$NEW]:-$old} != "$old" ]]; do
            NEW=${nic:0:${#nic}-1}$((number++))$rest
        done
        GIVEN[$NEW]=$old
    fi
}

# Puts a line of a keyfile right: all names at once, so that two of them may change places.
rewrite() {
    local iif
    case $LINE in
    id=* | interface-name=* | master=* | controller=* | parent=* | peer=* | port1=* | port2=* | primary=*)
        if rename "${LINE#*=}"; then
            LINE=${LINE%%=*}=$NEW
        fi
        ;;
    routing-rule*' iif '*)
        iif=${LINE#* iif }
        iif=${iif%% *}
        if rename "$iif"; then
            LINE=${LINE/" iif $iif"/" iif $NEW"}
        fi
        ;;
    esac
}

# Makes the keyfiles of a folder ready for the interfaces of this machine.
prepare() {
    local folder=$1 file base text line mac
    REAL=() GIVEN=()
    while IFS= read -r line || [[ -n $line ]]; do
        mac=${line%%=*}
        REAL[${line#*=}]=${NIC[${mac^^}]:-}
    done <"${folder}mac_interface.ini"
    for file in "$folder"*.nmconnection; do
        base=${file##*/}
        base=${base%.nmconnection}
        if ! rename "$base"; then
            echo "the settings of $base are left out: this machine does not have it"
            continue
        fi
        base=$NEW text=
        while IFS= read -r LINE || [[ -n $LINE ]]; do
            rewrite
            text+=$LINE$'\n'
        done <"$file"
        READY[$base.nmconnection]=$text
    done
}

if [[ ! -d $CONFIGS ]]; then
    exit 0
fi
sleep "${DISCOVERY_DELAY_SECONDS:-0}"
await_interfaces
if ((${#OWN[@]} == 0)); then
    echo "no network settings are meant for this machine, whose MAC addresses are ${!NIC[*]}"
    exit 0
fi
policies=()
for folder in "${OWN[@]}"; do
    own=("$folder"*.yml) keyfiles=("$folder"*.nmconnection)
    echo "applying $folder"
    policies+=("${own[@]}")
    if ((${#keyfiles[@]})); then
        prepare "$folder"
    elif ((${#own[@]} == 0)); then
        echo "$folder has no settings; it is skipped"
    fi
done
if ((${#READY[@]})); then
    mkdir -p "$DESTINATION"
    rm -f "$DESTINATION"/*
    for name in "${!READY[@]}"; do
        printf '%s' "${READY[$name]}" >"$DESTINATION/$name"
    done
fi
if ((${#policies[@]})); then
    mkdir -p "$NMSTATE"
    cp "${policies[@]}" "$NMSTATE/"
    nmstatectl service
fi
"""

TIMEOUT = 60
"""Seconds for all of it: half of them may pass with waiting for interfaces."""


def in_system(*, policies: bool) -> str:
    """The unit of a full image: policies are applied once the network is up, keyfiles are there before it is."""
    order = "After=NetworkManager-wait-online.service\nBefore=nmstate.service"
    return f"""\
[Unit]
Description=Apply the network settings that are meant for this machine
{order if policies else "Before=NetworkManager.service"}

[Service]
Type=oneshot
RemainAfterExit=yes
TimeoutSec={TIMEOUT}
StandardOutput=journal+console
ExecStart={SCRIPT_PATH}

[Install]
WantedBy=multi-user.target
"""


def in_initrd(delay: int) -> str:
    """The unit before there is a system, which has yet to be fetched over the network."""
    return f"""\
[Unit]
Description=Apply the network settings that are meant for this machine
DefaultDependencies=no
After=systemd-udev-settle.service
Before=coreos-copy-firstboot-network.service

[Service]
Type=oneshot
RemainAfterExit=yes
Environment=DISCOVERY_DELAY_SECONDS={delay}
TimeoutSec={TIMEOUT + delay}
StandardOutput=journal+console
ExecStart={SCRIPT_PATH}
"""

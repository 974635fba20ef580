"""What every discovery image carries, whoever it is for: scripts, settings and units. Text only.

`discovery_ignition.py` puts each in its place.
"""

REMOVE_BROKEN_IMAGE = """#!/usr/bin/env bash
# A pull that was cut off can leave an image that podman knows and cannot use. Such a one is removed. Never fails.
image=$1
path=${image%@*}
name=${path##*/}
repository=${path%"$name"}${name%%:*}
if podman image exists "$image" && ! podman images --format '{{.Repository}}' | grep -qxF "$repository"; then
    echo "$image is there and cannot be listed; it is removed and will be fetched again"
    podman rmi --force "$image"
fi
exit 0
"""

PULL_IMAGE = """#!/usr/bin/env bash
# Fetches an image, however long it takes, less and less often.
image=$1
wait=5
until podman image exists "$image" || podman pull --quiet "$image"; do
    echo "$image could not be fetched; trying again in $wait seconds"
    sleep "$wait"
    wait=$((wait * 2 > 300 ? 300 : wait * 2))
done
"""

MOTD = """
  **  **  **  **  **  **  **  **  **  **  **  **  **  **  **  **
  This machine is being discovered and installed as part of an
  OpenShift cluster by the Assisted Installer.

  How it is doing:      systemctl status agent.service
  What the agent says:  journalctl --tag agent
  **  **  **  **  **  **  **  **  **  **  **  **  **  **  **  **
"""

IPV6 = """[connection]
ipv6.dhcp-iaid=mac
ipv6.dhcp-duid=ll
"""

SELINUX_MODULE = """module assisted 1.0;
require {
    type chronyd_t;
    type container_file_t;
    type spc_t;
    class unix_dgram_socket sendto;
    class dir search;
    class sock_file write;
}

# The agent asks chronyd for its time sources from within a container.
allow chronyd_t container_file_t:dir search;
allow chronyd_t container_file_t:sock_file write;
allow chronyd_t spc_t:unix_dgram_socket sendto;
"""

SELINUX = """[Unit]
Description=Let chronyd answer the agent

[Service]
Type=oneshot
ExecStartPre=/usr/bin/checkmodule -M -m -o /root/assisted.mod /root/assisted.te
ExecStartPre=/usr/bin/semodule_package -o /root/assisted.pp -m /root/assisted.mod
ExecStart=/usr/sbin/semodule -i /root/assisted.pp

[Install]
WantedBy=multi-user.target
"""

MULTIPATH = """defaults {
    user_friendly_names yes
    find_multipaths yes
    enable_foreign "^$"
}
blacklist_exceptions {
    property "(SCSI_IDENT_|ID_WWN)"
}
"""

ISCSI = """[Unit]
Description=Bring up the iSCSI disks that the firmware knows
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStartPre=-/usr/sbin/modprobe iscsi_ibft
ExecStartPre=-/usr/sbin/iscsistart -f
ExecStart=-/usr/sbin/iscsistart -b

[Install]
WantedBy=multi-user.target
"""

ORACLE_SCRIPT = """#!/usr/bin/env bash
# On Oracle Cloud, runs what the user has given the instance to run. Elsewhere there is nothing to do.
set -euo pipefail
ASSET_TAG=${ASSET_TAG:-/sys/class/dmi/id/chassis_asset_tag}
USER_DATA=${USER_DATA:-http://169.254.169.254/opc/v2/instance/metadata/user_data}
case $(uname -m) in
    ppc64le | s390x) exit 0 ;;
esac
if [[ ! -r $ASSET_TAG || $(<"$ASSET_TAG") != OracleCloud.com ]]; then
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=$(curl --silent --show-error --noproxy '*' --max-time 60 --header 'Authorization: Bearer Oracle' \\
    --output "$folder/encoded" --write-out '%{http_code}' "$USER_DATA")
case $status in
    200) ;;
    404)
        echo "this instance was given nothing to run"
        exit 0
        ;;
    *)
        echo "the cloud answered $status when it was asked what to run"
        exit 1
        ;;
esac
base64 --decode "$folder/encoded" >"$folder/user-data"
bash "$folder/user-data"
"""

ORACLE_UNIT = """[Unit]
Description=Run what the user of Oracle Cloud has given this instance to run
Wants=NetworkManager-wait-online.service
After=NetworkManager.service NetworkManager-wait-online.service
StartLimitIntervalSec=0

[Service]
Type=oneshot
RemainAfterExit=yes
Restart=on-failure
RestartSec=30
Environment=ASSISTED_INSTALLER_DISCOVERY_ENV=1
ExecStart=/usr/local/bin/oci-eval-user-data.sh

[Install]
WantedBy=multi-user.target
"""

UNSIGNED_IMAGES = """{
  "default": [{"type": "insecureAcceptAnything"}],
  "transports": {"docker-daemon": {"": [{"type": "insecureAcceptAnything"}]}}
}
"""
"""Podman's policy where mirrors have no signatures to show."""

NTP_UNIT = """[Unit]
Description=Use the time sources that were asked for
Before=chronyd.service

[Service]
Type=oneshot
ExecStart=/usr/bin/bash -c '[ -x /usr/local/bin/add-ntp-sources.sh ] && exec /usr/local/bin/add-ntp-sources.sh; \
exec /var/usrlocal/bin/add-ntp-sources.sh'

[Install]
WantedBy=multi-user.target
"""

CHRONY = """sourcedir /run/chrony-dhcp
driftfile /var/lib/chrony/drift
makestep 1.0 -1
rtcsync
logdir /var/log/chrony
"""
"""How the clock is kept where the users have said which sources to use, and no others."""

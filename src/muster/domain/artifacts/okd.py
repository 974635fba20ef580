"""What a machine needs before it can be discovered for OKD, whose system is the community's and lacks some parts.

Text only; `discovery_ignition.py` puts it into the image.
"""

from shlex import quote

SCRIPT_PATH = "/usr/local/bin/okd-binaries.sh"
UNIT = "okd-overlay.service"
PIVOT_PATH = "/etc/systemd/system/release-image-pivot.service.d/wait-for-okd.conf"
AGENT_PATH = "/etc/systemd/system/agent.service.d/wait-for-okd.conf"

_SCRIPT = r"""
if [[ -e /run/okd-overlay.done ]]; then
    exit 0
fi
until podman image exists "$image" || podman pull --quiet --authfile /root/.docker/config.json "$image"; do
    echo "$image could not be fetched; trying again in 10 seconds"
    sleep 10
done

# What is written to the system from now on goes into memory, which has to have room for it.
mount -o remount,size=6G /var
mkdir -p /var/okd-overlay/upper /var/okd-overlay/work
chcon --reference=/usr /var/okd-overlay/upper
mount -t overlay -o lowerdir=/usr,upperdir=/var/okd-overlay/upper,workdir=/var/okd-overlay/work overlay /usr

parts=$(podman image mount "$image")
rpm --upgrade --force --nodeps --nosignature "$parts"/rpms/*.rpm
mkdir -p /opt/openshift/openshift /var/lib/kubelet
if compgen -G "$parts/manifests/*" >/dev/null; then
    cp -a "$parts"/manifests/* /opt/openshift/openshift/
fi
podman image umount "$image"
ln -sf /root/.docker/config.json /var/lib/kubelet/config.json
systemctl daemon-reload
touch /run/okd-overlay.done
"""

SERVICE = f"""\
[Unit]
Description=Add to this system what OKD needs of it
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=oneshot
RemainAfterExit=yes
Restart=on-failure
RestartSec=10
ExecStart={SCRIPT_PATH}

[Install]
WantedBy=multi-user.target
"""

NEVER = """[Unit]
ConditionPathExists=/there-is-no-other-system-to-go-to
"""
"""The machine stays with the system it has been started with."""

AGENT_WAITS = f"""[Unit]
Wants={UNIT}
After={UNIT}
"""

JOURNAL_SOCKET = """[Unit]
Description=Hold the port of the journal, which others look for

[Socket]
ListenStream=19531

[Install]
WantedBy=sockets.target
"""


def script(rpms_image: str) -> str:
    """The script that fetches the missing parts from an image."""
    head = "#!/usr/bin/env bash\n# Adds to a Fedora CoreOS what OKD needs of its system.\nset -euo pipefail\n"
    return f"{head}image={quote(rpms_image)}\n{_SCRIPT}"

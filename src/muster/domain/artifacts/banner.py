"""What a machine shows on its console before anybody logs in: to whom it reports, and where it is found there.

Text only; `discovery_ignition.py` puts it into the image. The id of the machine is worked out as its agent does it,
from what the firmware says; a machine whose firmware says nothing shows no id rather than a wrong one.
"""

from shlex import quote

SCRIPT_PATH = "/usr/local/bin/muster-banner"
UNIT = "muster-banner.service"

_BEFORE = r"""#!/usr/bin/env bash
# Writes what the console shows: the service this machine reports to, and its page there. Never fails.
DMI=${DMI:-/sys/class/dmi/id}
ETC=${ETC:-/etc}
"""

_AFTER = r"""
said() {
    local text=
    if [[ -r $DMI/$1 ]]; then
        text=$(tr -d '\0' <"$DMI/$1" 2>/dev/null)
    fi
    text=${text#"${text%%[![:space:]]*}"}
    printf '%s' "${text%"${text##*[![:space:]]}"}"
}

host_id() {
    local serial uuid
    serial=$(said board_serial)
    case ${serial,,} in
        "" | unknown | none | "(none)" | - | "default string" | "not specified" | "to be filled by o.e.m." | \
            "unspecified base board serial number" | "unspecified system serial number" | pca_number.acc) ;;
        *)
            serial=$(printf '%s' "$serial" | md5sum)
            echo "${serial:0:8}-${serial:8:4}-${serial:12:4}-${serial:16:4}-${serial:20:12}"
            return
            ;;
    esac
    uuid=$(said product_uuid)
    uuid=${uuid,,}
    case $uuid in
        00000000-0000-0000-0000-000000000000 | 03000200-0400-0500-0006-000700080009) ;;
        *)
            if [[ $uuid =~ ^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$ ]]; then
                echo "$uuid"
            fi
            ;;
    esac
}

banner() {
    local id
    id=$(host_id)
    printf '\n  This machine reports to %s\n' "$SERVICE"
    if [[ -n $id ]]; then
        printf '  It is host %s, and its page is %s/h/%s\n\n' "$id" "$SERVICE" "${id:0:8}"
    else
        printf '  Its firmware gives it no name; its agent says its id: journalctl --tag agent\n\n'
    fi
}

text=$(banner)
for place in issue.d/50-muster.issue motd.d/50-muster; do
    mkdir -p "$ETC/${place%/*}" && printf '%s\n\n' "$text" >"$ETC/$place"
done
if command -v agetty >/dev/null; then
    agetty --reload
fi
exit 0
"""

SERVICE = f"""\
[Unit]
Description=Show on the console to whom this machine reports
Before=getty.target systemd-user-sessions.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart={SCRIPT_PATH}

[Install]
WantedBy=multi-user.target
"""
"""The unit that runs the script."""


def script(service_url: str) -> str:
    """The script for machines that report to a service."""
    return f"{_BEFORE}SERVICE={quote(service_url)}\n{_AFTER}"

"""Turns the network settings that users have written for hosts into files of the discovery image.

Each host has a folder with two files: which MAC address stands for which name, and a policy for nmstate that finds
the interfaces by their MAC addresses. The machine looks for its own folder when it starts (`network_scripts.py`).
"""

import io
import re
import tarfile

import msgspec

from muster.domain.infra_envs import InfraEnv
from muster.domain.inputs.static_networks import HostNetworkInput, MacInterfaceInput

from .ignition import PRIVATE

ROOT = "/etc/assisted/network"
_STARTS = re.compile(r"\A(?:[ \t]*(?:#[^\n]*)?\n)*---[^\n]*\n")
"""Where a YAML document says that it begins, which it may not say within another."""


def network_files(infra_env: InfraEnv) -> dict[str, str]:
    """The files by their paths, host by host; none if the users have written no settings."""
    if not infra_env.static_network_config:
        return {}
    hosts = msgspec.json.decode(infra_env.static_network_config, type=tuple[HostNetworkInput, ...])
    files: dict[str, str] = {}
    for number, host in enumerate(hosts):
        folder = f"{ROOT}/host{number}"
        files[f"{folder}/mac_interface.ini"] = _names(host.interfaces)
        files[f"{folder}/ymlFile{number}.yml"] = _policy(str(host.network_yaml), host.interfaces)
    return files


def _names(interfaces: tuple[MacInterfaceInput, ...]) -> str:
    return "\n".join(sorted(f"{each.mac_address}={each.logical_nic_name}" for each in interfaces))


def _policy(settings: str, interfaces: tuple[MacInterfaceInput, ...]) -> str:
    """What the user wrote, where every name of an interface stands for whatever has its MAC address.

    The text is kept as it is otherwise: reading it as data would decide for nmstate what `on` or 52:54:00 mean.
    """
    found = {str(each.logical_nic_name): f"iface{number}" for number, each in enumerate(interfaces)}
    capture = "".join(
        f'  {name}: interfaces.mac-address == "{each.mac_address.upper()}"\n'
        for name, each in zip(found.values(), interfaces, strict=True)
    )
    named = _name_of(found).sub(
        lambda hit: f'{hit["before"]}"{{{{ capture.{found[hit["name"]]}.interfaces.0.name }}}}"',
        _STARTS.sub("", settings),
    )
    lines = (f"  {line}" if line.strip() else "" for line in named.splitlines())
    return f"capture:\n{capture}desiredState:\n" + "\n".join(lines) + "\n"


def _name_of(found: dict[str, str]) -> re.Pattern[str]:
    """A whole value or member of a list that is one of the names, quoted or not."""
    names = "|".join(sorted(map(re.escape, found), key=len, reverse=True))
    before = r"(?P<before>(?:(?::|(?:^|(?<=[ \t]))-)[ \t]+|[\[{,][ \t]*))"
    return re.compile(rf"{before}(?P<quote>[\"']?)(?P<name>{names})(?P=quote)(?=[ \t]*(?:$|[,\]}}]|#))", re.MULTILINE)


def network_archive(infra_env: InfraEnv) -> bytes:
    """The same files as a tar, for those who want to see what a host will find; b"" if there are none."""
    files = network_files(infra_env)
    if not files:
        return b""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for path, text in files.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode, entry.mtime = len(text.encode()), PRIVATE, int(infra_env.updated_at.timestamp())
            tar.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()

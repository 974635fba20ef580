"""Turns the network settings that are kept for hosts into files of the discovery image.

Each host has a folder: which MAC address stands for which name, and either a policy for the nmstate of the system or
keyfiles for NetworkManager. The machine looks for its own folder when it starts (`network_scripts.py`).
"""

import io
import tarfile

from muster.domain.errors import Refused
from muster.domain.infra_envs import InfraEnv
from muster.domain.nmstate.network import HostNetwork
from muster.domain.policy import Policy

from .ignition import PRIVATE

ROOT = "/etc/assisted/network"


def applies_policies(infra_env: InfraEnv, policy: Policy) -> bool:
    """Whether the system of an image has nmstate to apply settings with."""
    return policy.discovery.applies_nmstate(infra_env.openshift_version)


def network_files(infra_env: InfraEnv, policy: Policy) -> dict[str, str]:
    """What the system finds, by paths; none if there are no settings."""
    if not applies_policies(infra_env, policy):
        return keyfile_files(infra_env)
    files: dict[str, str] = {}
    for number, network in enumerate(_networks(infra_env)):
        files |= _folder(number, network, {f"ymlFile{number}.yml": network.policy})
    return files


def keyfile_files(infra_env: InfraEnv) -> dict[str, str]:
    """What is found where there is no nmstate, by paths; `Refused` if the settings of a host make no keyfiles."""
    files: dict[str, str] = {}
    for number, network in enumerate(_networks(infra_env)):
        if network.unsupported:
            raise Refused(
                f"Infra-env {infra_env.name}: static_network_config[{number}].network_yaml has what only nmstate on "
                f"the host can apply ({network.unsupported[0]}); start the host from a full-iso, or leave that out"
            )
        files |= _folder(number, network, {each.name: each.text for each in network.keyfiles})
    return files


def _networks(infra_env: InfraEnv) -> tuple[HostNetwork, ...]:
    if infra_env.static_network_config and not infra_env.networks:
        raise Refused(
            f"Infra-env {infra_env.name}: its network settings were kept by an older version of this service; "
            "write static_network_config once more"
        )
    return infra_env.networks


def _folder(number: int, network: HostNetwork, files: dict[str, str]) -> dict[str, str]:
    return {f"{ROOT}/host{number}/{name}": text for name, text in {"mac_interface.ini": network.names, **files}.items()}


def network_archive(infra_env: InfraEnv, policy: Policy) -> bytes:
    """What the system finds as a tar, for those who want to see it; b"" if there is nothing."""
    files = network_files(infra_env, policy)
    if not files:
        return b""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for path, text in files.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode, entry.mtime = len(text.encode()), PRIVATE, int(infra_env.updated_at.timestamp())
            tar.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()

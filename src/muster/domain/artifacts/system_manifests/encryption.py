"""The disks of nodes are encrypted: the key is in the machine's TPM, or with servers on its network."""

import json
from typing import Any

from muster.domain.artifacts.ignition import Config, config
from muster.domain.artifacts.machine_config import machine_config
from muster.domain.policy import Policy
from muster.domain.roles import Role
from muster.domain.validations.encryption import encrypts_role
from muster.domain.views import ClusterView

USUAL = "aes-cbc-essiv:sha256"
FIPS = "aes-xts-plain64"
"""What a service that may use approved ciphers only asks for."""

NETWORK = "rd.neednet=1"
"""The disk is unlocked over the network, which has to be there before."""


def uses_tpm(view: ClusterView, role: Role) -> bool:
    """Whether the machine itself unlocks the disks of a role."""
    return encrypts_role(view.cluster, role) and not _by_servers(view)


def uses_tang(view: ClusterView, role: Role) -> bool:
    """Whether servers unlock the disks of a role."""
    return encrypts_role(view.cluster, role) and _by_servers(view)


def _by_servers(view: ClusterView) -> bool:
    return view.cluster.disk_encryption.mode == "tang"


def by_tpm(view: ClusterView, role: Role) -> dict[str, Any]:
    """Nodes whose TPM unlocks their disk."""
    return machine_config(f"{role}-tpm", role, _encrypted({"tpm2": True}, view.policy))


def by_tang(view: ClusterView, role: Role) -> dict[str, Any]:
    """Nodes whose disk is unlocked by any one of the servers."""
    servers = json.loads(view.cluster.disk_encryption.tang_servers)
    tang = [{"url": server["url"], "thumbprint": server["thumbprint"]} for server in servers]
    return machine_config(f"{role}-tang", role, _encrypted({"tang": tang}, view.policy), (NETWORK,))


def _encrypted(clevis: dict[str, Any], policy: Policy) -> Config:
    cipher = policy.disk_encryption_cipher or (FIPS if policy.service_fips else USUAL)
    volume = {
        "name": "root",
        "device": "/dev/disk/by-partlabel/root",
        "clevis": clevis,
        "options": ["--cipher", cipher],
        "wipeVolume": True,
    }
    system = {"device": "/dev/mapper/root", "format": "xfs", "label": "root", "wipeFilesystem": True}
    return config() | {"storage": {"luks": [volume], "filesystems": [system]}}

"""The Ignition configs of the lab's releases: the pointer of a role, and what starts the first host.

The words that configs are made of are the domain's.
"""

from collections.abc import Sequence

from muster.domain.artifacts import ignition
from muster.domain.artifacts.ignition import (
    EXECUTABLE,
    PRIVATE,
    READABLE,
    SPEC,
    Config,
    data_url,
    encoded,
    file,
    merged,
    unit,
)

__all__ = [
    "EXECUTABLE", "PRIVATE", "READABLE", "SPEC", "Config", "config", "encoded", "file", "merged", "pointer", "unit",
]  # fmt: skip

MACHINE_CONFIG_PORT = 22623


def config(files: Sequence[Config] = (), units: Sequence[Config] = (), ssh_keys: Sequence[str] = ()) -> Config:
    """A config of its own; parts that are empty are left out."""
    users = [{"name": "core", "sshAuthorizedKeys": list(ssh_keys)}] if ssh_keys else []
    return ignition.config(files, units, users)


def pointer(domain: str, pool: str, trust: bytes) -> Config:
    """A config that fetches the rest from the cluster's machine config server."""
    source = f"https://api-int.{domain}:{MACHINE_CONFIG_PORT}/config/{pool}"
    return {
        "ignition": {
            "version": SPEC,
            "config": {"merge": [{"source": source}]},
            "security": {"tls": {"certificateAuthorities": [{"source": data_url(trust)}]}},
        }
    }

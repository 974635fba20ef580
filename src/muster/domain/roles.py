"""What a host is to become, asked or suggested."""

from enum import StrEnum


class Role(StrEnum):
    """The part a host plays in the cluster."""

    AUTO = "auto-assign"
    MASTER = "master"
    ARBITER = "arbiter"
    WORKER = "worker"
    BOOTSTRAP = "bootstrap"


SETTLED_ROLES = frozenset({Role.MASTER, Role.ARBITER, Role.WORKER})
"""Roles an installation can start with."""

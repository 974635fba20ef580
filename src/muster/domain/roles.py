"""What a host is to become, asked or suggested."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

from .record import Record

if TYPE_CHECKING:  # a host is made of what is here
    from .hosts import Host


class Role(StrEnum):
    """The part a host plays in the cluster."""

    AUTO = "auto-assign"
    MASTER = "master"
    ARBITER = "arbiter"
    WORKER = "worker"
    BOOTSTRAP = "bootstrap"


SETTLED_ROLES = frozenset({Role.MASTER, Role.ARBITER, Role.WORKER})
"""Roles an installation can start with."""

WITH_ARBITER = 2
"""The size of a control plane that needs a third vote from elsewhere."""


class Headcount(Record):
    """How many hosts of each role there are."""

    masters: int = 0
    arbiters: int = 0
    workers: int = 0


def headcount(hosts: Iterable["Host"], control_plane: int, fits: Callable[["Host", Role], bool]) -> Headcount:
    """How many hosts of each role there are once those without a role have taken the places they fit."""
    counts = dict.fromkeys(SETTLED_ROLES, 0)
    open_hosts = []
    for host in hosts:
        role = host.effective_role
        if role is Role.AUTO:
            open_hosts.append(host)
        else:
            counts[Role.MASTER if role is Role.BOOTSTRAP else role] += 1
    for host in open_hosts:
        if counts[Role.MASTER] < control_plane and fits(host, Role.MASTER):
            counts[Role.MASTER] += 1
        elif control_plane == WITH_ARBITER and not counts[Role.ARBITER] and fits(host, Role.ARBITER):
            counts[Role.ARBITER] += 1
        else:
            counts[Role.WORKER] += 1
    return Headcount(masters=counts[Role.MASTER], arbiters=counts[Role.ARBITER], workers=counts[Role.WORKER])

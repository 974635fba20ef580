"""Where nodes get the time from: the sources that the user wants, and those that hosts have used so far."""

import re
from collections.abc import Iterator
from typing import Any

from muster.domain.artifacts.ignition import OLDEST, config, file
from muster.domain.artifacts.machine_config import machine_config
from muster.domain.roles import Role
from muster.domain.validations.encryption import GROUPS
from muster.domain.views import ClusterView

POOL = "pool 2.rhel.pool.ntp.org iburst\n"
"""The public servers that a node asks unless the user has named all it may ask."""

_REST = """\
sourcedir /run/chrony-dhcp
driftfile /var/lib/chrony/drift
makestep 1.0 3
rtcsync
logdir /var/log/chrony
"""

_NAME = re.compile(r"[A-Za-z0-9_.:%-]+")
"""A host name or an address. What agents tell is not trusted to be one, since each line of the file is an order."""


def manifest(view: ClusterView, role: Role) -> dict[str, Any]:
    """The time sources of a role's nodes."""
    written = config([file("/etc/chrony.conf", chrony_conf(view))], version=OLDEST)
    return machine_config(f"50-{GROUPS[role]}-chrony-configuration", role, written)


def chrony_conf(view: ClusterView) -> str:
    """The file. Where the user has named all sources, nobody else is asked."""
    only = _listed(view.cluster.ntp_sources)
    servers = "".join(f"server {source} iburst\n" for source in only or dict.fromkeys(_sources(view)))
    return f"{'' if only else POOL}{_REST}{servers}"


def _sources(view: ClusterView) -> Iterator[str]:
    """What the user has named, then what hosts have told, in an order that does not depend on that of the hosts."""
    yield from _listed(view.cluster.additional_ntp_source)
    for infra_env in sorted(view.view.infra_envs.values(), key=lambda each: each.id):
        yield from _listed(infra_env.additional_ntp_sources)
    told = {source.source_name for host in view.hosts for source in host.ntp_sources or ()}
    yield from sorted(filter(_NAME.fullmatch, told))


def _listed(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]

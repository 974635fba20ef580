"""What users may write about clusters that are not installed from here, and what becomes of it.

Turns `ClusterImport` into a cluster that runs and takes in hosts, and `DisconnectedClusterCreate` into one that is
installed without this service; `accepts/clusters.py` calls both.
"""

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from muster.domain.clusters import Cluster, ClusterKind, ClusterState
from muster.domain.networks import plain

from .fields import Input, Uuid, canonical, given, require_none
from .scalars import name_problems

Filled = Annotated[str, Meta(min_length=1)]

UNKNOWN: dict[str, Any] = {
    "cpu_architecture": "",
    "high_availability_mode": "",
    "control_plane_count": 0,
    "network_type": "",
    "hyperthreading": "",
}
"""What nobody has told of such a cluster; others would take the usual for granted."""


class ClusterImport(Input, kw_only=True):
    """What is known of a cluster that runs."""

    name: Filled
    api_vip_dnsname: Filled
    openshift_cluster_id: Uuid
    openshift_version: str | UnsetType = UNSET


class DisconnectedClusterCreate(Input, kw_only=True):
    """What is known of a cluster that is installed without this service."""

    name: Annotated[str, Meta(min_length=1, max_length=54)]
    openshift_version: Filled


def imported_cluster(inputs: ClusterImport, *, cluster_id: str, owner: str, now: datetime) -> Cluster:
    """The cluster that runs, as far as it is known. An address that tells its name and its domain wins."""
    name, domain = _named_by(inputs.api_vip_dnsname) or (inputs.name, "")
    require_none(name_problems(name, dots=False))
    return Cluster(
        id=cluster_id,
        name=name,
        base_dns_domain=domain,
        user_name=owner,
        created_at=now,
        updated_at=now,
        kind=ClusterKind.ADD_HOSTS,
        imported=True,
        status=ClusterState.ADDING_HOSTS,
        status_info="The cluster runs and takes in more hosts",
        status_updated_at=now,
        api_vip_dns_name=inputs.api_vip_dnsname,
        openshift_cluster_id=canonical(inputs.openshift_cluster_id),
        openshift_version=given(inputs.openshift_version, ""),
        **UNKNOWN,
    )


def _named_by(address: str) -> tuple[str, str] | None:
    """The name and the base domain of a cluster whose API is at `api.<name>.<domain>`; None if it is not."""
    label, _, rest = address.partition(".")
    name, _, domain = rest.partition(".")
    if label != "api" or not name or not domain or plain(address):
        return None
    return name, domain


def disconnected_cluster(inputs: DisconnectedClusterCreate, *, cluster_id: str, owner: str, now: datetime) -> Cluster:
    """A cluster of which there is nothing but its name and version; nothing happens to it here."""
    return Cluster(
        id=cluster_id,
        name=inputs.name,
        openshift_version=inputs.openshift_version,
        user_name=owner,
        created_at=now,
        updated_at=now,
        kind=ClusterKind.DISCONNECTED,
        status=ClusterState.UNMONITORED,
        status_info="The cluster is installed without this service; nothing is followed here",
        status_updated_at=now,
        **UNKNOWN,
    )

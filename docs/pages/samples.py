"""Records to show something by."""

from datetime import UTC, datetime
from typing import Any

from muster.domain.clusters import Cluster, ClusterState
from muster.domain.hosts import Host, HostState
from muster.domain.infra_envs import InfraEnv
from muster.domain.triggers import Registered

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
DATES: dict[str, Any] = {"created_at": EPOCH, "updated_at": EPOCH}
SOMETHING: dict[Any, Any] = {
    Cluster: Cluster(id="", name="", status=ClusterState.READY, status_updated_at=EPOCH, **DATES),
    Host: Host(id="", infra_env_id="", status=HostState.KNOWN, status_updated_at=EPOCH, registered_at=EPOCH, **DATES),
    InfraEnv: InfraEnv(id="", name="", **DATES),
    HostState: HostState.DISCOVERING,
    str: "",
    int: 0,
    tuple[str, ...]: (),
    str | None: None,
    Registered: Registered(host_id="", infra_env_id=""),
}
"""Something ordinary of each kind that pages are about."""

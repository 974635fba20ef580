"""The `logs-gather` step: a host that failed or was stopped sends its logs."""

from collections.abc import Iterator

from muster.domain.clusters import Cluster
from muster.domain.networks import plain
from muster.domain.record import Record
from muster.domain.roles import Role
from muster.domain.views import HostView

from .step import Args, Step


class LogsRequest(Record, omit_defaults=False):
    """Whose logs, and from which other hosts they are fetched along."""

    cluster_id: str
    infra_env_id: str
    host_id: str
    bootstrap: bool
    installer_gather: bool = True
    master_ips: tuple[str, ...] = ()


def _ask(view: HostView) -> Args | None:
    host, cluster = view.host, view.cluster
    if cluster is None or host.logs_collected_at is not None:
        return None
    return (
        LogsRequest(
            cluster_id=cluster.id,
            infra_env_id=host.infra_env_id,
            host_id=host.id,
            bootstrap=host.bootstrap,
            master_ips=tuple(_masters_of(view, cluster)) if host.bootstrap else (),
        ),
    )


def _masters_of(view: HostView, cluster: Cluster) -> Iterator[str]:
    """Where the bootstrap finds the rest of the control plane."""
    for host in view.view.living:
        if host.bootstrap or host.effective_role is Role.WORKER or host.inventory is None:
            continue
        if cluster.user_managed_networking:
            yield from map(plain, host.inventory.addresses)
        elif cluster.machine_networks and (address := host.address_in(cluster.machine_networks[0])):
            yield address


STEP = Step(kind="logs-gather", ask=_ask)

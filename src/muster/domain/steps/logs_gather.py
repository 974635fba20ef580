"""The `logs-gather` step: a host that failed or was stopped sends its logs."""

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
    others = [each for each in view.view.living if not each.bootstrap and each.effective_role is not Role.WORKER]
    network = cluster.machine_networks[0] if cluster.machine_networks else ""
    addresses = (each.address_in(network) for each in others) if host.bootstrap and network else ()
    return (
        LogsRequest(
            cluster_id=cluster.id,
            infra_env_id=host.infra_env_id,
            host_id=host.id,
            bootstrap=host.bootstrap,
            master_ips=tuple(filter(None, addresses)),
        ),
    )


STEP = Step(kind="logs-gather", ask=_ask)

"""The `logs-gather` step: the machine sends its logs."""

from collections.abc import Sequence

from muster.agent.logs import Owner, send_logs
from muster.client import Client
from muster.domain.steps.logs_gather import LogsRequest
from muster.machine import Machine

from .step import Reply, first


async def do(machine: Machine, args: Sequence[str], client: Client) -> Reply:
    """Collect the logs and hand them over."""
    request = first(args, LogsRequest)
    owner = Owner(cluster_id=request.cluster_id, infra_env_id=request.infra_env_id, host_id=request.host_id)
    await send_logs(machine, client, owner)
    return Reply(output="The logs have been handed over")

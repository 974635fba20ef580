"""The way of a machine's logs to the service. The agent's `logs-gather` step and the installer send them."""

import aiohttp

from muster.agent.patience import patiently
from muster.client import Client
from muster.domain.record import Record
from muster.machine import Machine
from muster.wire.endpoints.clusters import UPLOAD_LOGS
from muster.wire.endpoints.hosts import HOST_LOGS_PROGRESS
from muster.wire.hosts import LogsProgress

TRIES = 360
NAME = "logs.tar.gz"

REQUESTED = LogsProgress(logs_state="requested")
COLLECTING = LogsProgress(logs_state="collecting")
COMPLETED = LogsProgress(logs_state="completed")


class Owner(Record):
    """Whose logs they are."""

    cluster_id: str
    infra_env_id: str
    host_id: str


async def send_logs(machine: Machine, client: Client, owner: Owner) -> None:
    """Collect the machine's logs and hand them over, saying how far that has come."""

    async def tell(news: LogsProgress) -> None:
        await client.call(HOST_LOGS_PROGRESS, body=news, infra_env_id=owner.infra_env_id, host_id=owner.host_id)

    async def upload() -> None:
        query = {"logs_type": "host", "host_id": owner.host_id, "infra_env_id": owner.infra_env_id}
        await client.call(UPLOAD_LOGS, body=upload_form(content), query=query, cluster_id=owner.cluster_id)

    await patiently(lambda: tell(REQUESTED), machine.sleep, TRIES)
    content = await machine.logs()
    await patiently(lambda: tell(COLLECTING), machine.sleep, TRIES)
    await patiently(upload, machine.sleep, TRIES)
    await patiently(lambda: tell(COMPLETED), machine.sleep, TRIES)


def upload_form(content: bytes, name: str = NAME) -> aiohttp.FormData:
    """The form in which logs are uploaded. It can be sent once."""
    form = aiohttp.FormData()
    form.add_field("upfile", content, filename=name, content_type="application/gzip")
    return form

"""`muster replay`: a cluster with all its past, out of one file, to be looked at anywhere."""

import asyncio
import signal
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
import uvloop

from muster.api.app import App
from muster.api.auth.recorded import Recorded
from muster.api.server import Server
from muster.domain.errors import Invalid
from muster.domain.views import View
from muster.runtime.settings import read_settings
from muster.runtime.wiring import Service, replayed
from muster.wire.endpoints.endpoint import DROP_IN, OURS

from .serve import configure_logs

SOME_PORT = 8091
"""Not that of the service, which may run beside."""


def replay(
    file: Annotated[Path, typer.Argument(help="What `muster record` has written.")],
    *,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = SOME_PORT,
    at: Annotated[str, typer.Option(help="An earlier moment to look at, such as 2026-01-31T12:00:00Z.")] = "",
) -> None:
    """Show a recorded cluster as it was, by the calls of the service that it was recorded from; nothing can change."""
    configure_logs("warning", "text")
    service = replayed(file, _moment(at), read_settings({}, host=host, port=port))
    uvloop.run(_show(service, host, port))


def _moment(text: str) -> datetime | None:
    """A moment as it was written; one without a zone is in UTC."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Invalid(f"--at: {text!r} is no moment; write it as 2026-01-31T12:00:00Z") from None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


async def _show(service: Service, host: str, port: int) -> None:
    server = Server(App(service, Recorded), host, port)
    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, server.stop)
    (view,) = await service.views("cluster")
    typer.echo(_greeting(view, f"http://{host}:{port}"))
    try:
        await server.serve()
    finally:
        await service.stop()


def _greeting(view: View, url: str) -> str:
    """What is to be seen, and where."""
    cluster = view.cluster
    assert cluster is not None
    return (
        f"Cluster {cluster.name} is {cluster.status} at {view.now.isoformat()}: {cluster.status_info}\n"
        f"  {url}{DROP_IN}/v2/clusters/{cluster.id}\n"
        f"  {url}{OURS}/clusters/{cluster.id}/timeline, or: muster timeline {cluster.id} --url {url}\n"
        "Nothing can be changed here. Press Ctrl-C to end."
    )

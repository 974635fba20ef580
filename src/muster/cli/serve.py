"""`muster serve`: the service in one process."""

import asyncio
import logging
import signal
import sys
from typing import Annotated

import structlog
import typer
import uvloop

from muster.api.app import App
from muster.api.server import Server
from muster.domain.errors import Invalid
from muster.runtime.settings import Settings, doubts, read_settings
from muster.runtime.wiring import build

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on (8090).")] = None,
    data: Annotated[str | None, typer.Option(help="Folder for the database and the files (data).")] = None,
    database: Annotated[str | None, typer.Option(help="sqlite:///file or postgresql://user@host/name.")] = None,
    storage: Annotated[str | None, typer.Option(help="Folder or s3://bucket for generated files and logs.")] = None,
) -> None:
    """Run the service: REST API, engine and files in one process."""
    settings = read_settings(host=host, port=port, data=data, database=database, storage=storage)
    configure_logs(settings.log_level)
    for doubt in doubts(settings):
        structlog.get_logger().warning("setting without effect", reason=doubt)
    uvloop.run(_serve(settings))


def configure_logs(level: str) -> None:
    """Log as JSON lines from a level on."""
    if level not in LEVELS:
        raise Invalid(f"LOG_LEVEL is {level!r}; it must be one of {', '.join(LEVELS)}")
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


async def _serve(settings: Settings) -> None:
    service = build(settings)
    await service.start()
    server = Server(App(service), settings.host, settings.port)
    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, server.stop)
    structlog.get_logger().info("serving", port=settings.port, database=settings.database_url.split("@")[-1])
    try:
        await server.serve()
    finally:
        await service.stop()

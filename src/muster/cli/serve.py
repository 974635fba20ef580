"""`muster serve`: the service in one process."""

import asyncio
import logging
import signal
import sys

import structlog
import uvloop
from structlog.typing import Processor

from muster.api.app import App
from muster.api.plain import ScriptsOnly
from muster.api.server import Server
from muster.api.tls import tls_of
from muster.runtime.settings import Settings, doubts, read_settings
from muster.runtime.wiring import build

from .options import Data, Database, Host, Port, Storage

LEVELS = {
    "trace": logging.DEBUG,
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "fatal": logging.CRITICAL,
    "panic": logging.CRITICAL,
}


def serve(
    host: Host = None, port: Port = None, data: Data = None, database: Database = None, storage: Storage = None
) -> None:
    """Run the service: REST API, engine and files in one process."""
    settings = read_settings(host=host, port=port, data=data, database=database, storage=storage)
    configure_logs(settings.log_level, settings.log_format)
    for doubt in doubts(settings):
        structlog.get_logger().warning("setting without effect", reason=doubt)
    uvloop.run(_serve(settings))


class Complaints:
    """Standard error, whatever it is by the time something is written."""

    def write(self, text: str) -> int:
        """Write a text."""
        return sys.stderr.write(text)

    def flush(self) -> None:
        """Have it seen."""
        sys.stderr.flush()


def configure_logs(level: str, form: str = "json") -> None:
    """Log from a level on, as JSON lines or, in the form `text`, for people."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *_rendered(form),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(Complaints()),  # type: ignore[arg-type]  # it writes and flushes
        cache_logger_on_first_use=True,
    )


def _rendered(form: str) -> list[Processor]:
    if form == "text":
        return [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]


async def _serve(settings: Settings) -> None:
    service = build(settings)
    app = App(service)
    servers = _servers(app, settings)
    await service.start()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, _stop, servers)
    structlog.get_logger().info("serving", port=settings.port, database=settings.database_url.split("@")[-1])
    try:
        await asyncio.gather(*(server.serve() for server in servers))
    finally:
        await service.stop()


def _servers(app: App, settings: Settings) -> list[Server]:
    """The server, and the one on the second port, if there is to be one."""
    tls = tls_of(settings)
    servers = [Server(app, settings.host, settings.port, tls)]
    if settings.http_port is not None:
        servers.append(Server(ScriptsOnly(app) if tls else app, settings.host, settings.http_port))
    return servers


def _stop(servers: list[Server]) -> None:
    for server in servers:
        server.stop()

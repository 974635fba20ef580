"""The service about itself: health, readiness, metrics, OpenAPI."""

from collections.abc import Awaitable, Callable
from functools import lru_cache

import msgspec
from prometheus_client import CONTENT_TYPE_LATEST

from muster.api.call import Answer
from muster.api.errors import Malformed
from muster.api.metrics import metrics_text
from muster.domain.errors import Unavailable
from muster.runtime.wiring import Service
from muster.wire.endpoints.endpoint import DROP_IN, JSON, OURS
from muster.wire.openapi import openapi


async def health(_: Service) -> Answer:
    """The process lives."""
    return Answer(status=200)


async def ready(service: Service) -> Answer:
    """The service can serve: its store answers."""
    try:
        await service.store.ready()
    except Unavailable as error:
        return Answer(str(error).encode(), status=503, content_type="text/plain")
    return Answer(status=200)


async def metrics(service: Service) -> Answer:
    """Everything that is counted."""
    return Answer(await metrics_text(service), status=200, content_type=CONTENT_TYPE_LATEST)


@lru_cache(maxsize=1)
def _openapi() -> bytes:
    return msgspec.json.encode(openapi())


async def contract(_: Service) -> Answer:
    """What can be called, as OpenAPI 3.1."""
    return Answer(_openapi(), status=200, content_type=JSON)


PLAIN: dict[str, Callable[[Service], Awaitable[Answer]]] = {
    "/health": health,
    "/ready": ready,
    "/metrics": metrics,
    "/openapi.json": contract,
    f"{DROP_IN}/openapi": contract,
    f"{DROP_IN}/v2/openapi": contract,
    f"{OURS}/openapi": contract,
}
"""Paths outside the API proper."""


async def plain(service: Service, method: str, path: str) -> Answer:
    """The answer of one of these paths. They can only be read; whoever asks for the head gets just that."""
    if method not in {"GET", "HEAD"}:
        raise Malformed(405, f"method {method} is not allowed here, only GET and HEAD", {"allow": "GET,HEAD"})
    return await PLAIN[path](service)

"""One call on its way to the function that serves it, and its answer on the way back."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec

from muster.api.memories import Memories
from muster.runtime.engine import Sender
from muster.runtime.wiring import Service
from muster.wire.endpoints.endpoint import Endpoint


class Call:
    """What a caller asked: path, query, body, already decoded."""

    __slots__ = ("body", "chunks", "headers", "memories", "parameters", "query", "request_id", "service")

    def __init__(
        self, service: Service, memories: Memories, parameters: dict[str, str], headers: dict[str, str]
    ) -> None:
        self.service = service
        self.memories = memories
        self.parameters = parameters
        self.headers = headers
        self.request_id = headers["x-request-id"]
        self.query: Any = None
        self.body: Any = None
        self.chunks: AsyncIterator[bytes] | None = None
        """The body as it comes, for uploads."""

    @property
    def sender(self) -> Sender:
        """On whose behalf things are changed."""
        return Sender(actor="admin", request_id=self.request_id)


class Answer:
    """What is sent back, where it is more than a value with the usual status."""

    __slots__ = ("body", "content_type", "headers", "status", "stream")

    def __init__(
        self,
        body: bytes = b"",
        *,
        status: int = 0,
        headers: dict[str, str] | None = None,
        content_type: str = "",
        stream: AsyncGenerator[bytes] | None = None,
    ) -> None:
        self.body = body
        self.status = status
        self.headers = headers or {}
        self.content_type = content_type
        self.stream = stream


def json_answer(value: Any) -> bytes:
    """A value as JSON, ended by a line, as clients are used to."""
    return msgspec.json.encode(value) + b"\n"


def attachment(name: str, content: bytes) -> Answer:
    """A file to be saved under a name."""
    return Answer(content, headers=saved_as(name))


def saved_as(name: str) -> dict[str, str]:
    """The header that tells a caller under which name to save what comes; only plain characters are kept."""
    plain = "".join(each if each in PLAIN else "_" for each in name)
    return {"content-disposition": f'attachment; filename="{plain}"'}


PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
"""What may stand in the name of a file anywhere."""


Serve = Callable[[Call], Awaitable[Any]]


class Served:
    """A function with the row of the endpoint it serves."""

    def __init__(self, endpoint: Endpoint, serve: Serve) -> None:
        self.endpoint = endpoint
        self.serve = serve


def serves(endpoint: Endpoint) -> Callable[[Serve], Served]:
    """Bind a function to a row of `wire/endpoints`."""
    return lambda serve: Served(endpoint, serve)

"""One call on its way to the function that serves it, and its answer on the way back."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from muster.api.auth.gate import Gate, Subject
from muster.api.auth.principal import EVERYBODY
from muster.api.memories import Memories
from muster.domain.record import Record
from muster.image.regions import Region
from muster.runtime.engine import Sender
from muster.runtime.wiring import Service
from muster.wire.endpoints.endpoint import Endpoint


class Call:
    """What a caller asked: path, query, body, already decoded."""

    __slots__ = (
        "body", "chunks", "gate", "headers", "memories", "parameters", "principal", "query", "request_id", "said",
        "service",
    )  # fmt: skip

    def __init__(
        self, service: Service, memories: Memories, parameters: dict[str, str], headers: dict[str, str], gate: Gate
    ) -> None:
        self.service = service
        self.memories = memories
        self.parameters = parameters
        self.headers = headers
        self.gate = gate
        """Through which the caller came; `gate.links` makes links that lead back in."""
        self.principal = EVERYBODY
        """Who calls."""
        self.request_id = headers["x-request-id"]
        self.query: Any = None
        self.said: Any = None
        """What the row reads of the headers."""
        self.body: Any = None
        self.chunks: AsyncIterator[bytes] | None = None
        """The body as it comes, for uploads."""

    @property
    def sender(self) -> Sender:
        """On whose behalf things are changed."""
        return Sender(actor=self.principal.actor, request_id=self.request_id)

    @property
    def owned(self) -> dict[str, Any]:
        """Whose something new is, as `triggers.New` takes it."""
        caller = self.principal
        return {"owner": caller.username, "org_id": caller.org_id, "email_domain": caller.email_domain}

    async def permit(self, subject: Subject) -> None:
        """Return if the caller may have to do with what its query or body names; else raise `NotFound`."""
        await self.gate.permit(self.principal, subject)


class FileParts(Record):
    """Bytes that are not read before they are sent: parts of a file on disk, with others between them."""

    path: Path
    regions: tuple[Region, ...]

    @property
    def length(self) -> int:
        """How many there are."""
        return sum(each.length for each in self.regions)


class Answer:
    """What is sent back, where it is more than a value with the usual status."""

    __slots__ = ("body", "content_type", "file", "headers", "status", "stream")

    def __init__(
        self,
        body: bytes = b"",
        *,
        status: int = 0,
        headers: dict[str, str] | None = None,
        content_type: str = "",
        stream: AsyncGenerator[bytes] | None = None,
        file: FileParts | None = None,
    ) -> None:
        self.body = body
        self.status = status
        self.headers = headers or {}
        self.content_type = content_type
        self.stream = stream
        self.file = file


def json_answer(value: Any) -> bytes:
    """A value as JSON, ended by a line, as clients are used to."""
    return msgspec.json.encode(value) + b"\n"


def attachment(name: str, content: bytes) -> Answer:
    """A file to be saved under a name."""
    return Answer(content, headers=saved_as(name))


def saved_as(name: str) -> dict[str, str]:
    """The header that tells a caller under which name to save what comes; only plain characters are kept."""
    return {"content-disposition": f'attachment; filename="{plain(name)}"'}


def plain(name: str) -> str:
    """A name that a file may have anywhere."""
    return "".join(each if each in PLAIN else "_" for each in name)


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

"""The typed client: calls the rows of `wire/endpoints`. Agents, the command line and the lab use it."""

import os
from collections.abc import AsyncIterator, Mapping
from copy import copy
from types import TracebackType
from typing import Any, Self

import aiohttp
import msgspec

from muster.domain.errors import (
    Broken,
    Forbidden,
    Invalid,
    MusterError,
    NotFound,
    Refused,
    Unauthenticated,
    Unavailable,
)
from muster.wire.endpoints.endpoint import BYTES, CARRIED_BY, JSON, Endpoint, Scheme

ERRORS: dict[int, type[MusterError]] = {
    400: Invalid,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Refused,
    413: Invalid,
    422: Invalid,
}
"""What an answer means to the caller."""

USER_TOKEN = "MUSTER_TOKEN"  # noqa: S105 - where it is found, not what it is
AGENT_TOKEN = "PULL_SECRET_TOKEN"  # noqa: S105 - as above
"""Where in the environment users and agents have their tokens. On a command line everybody could read them."""


def as_user(token: str) -> dict[str, str]:
    """What a user shows; nothing without a token."""
    return {CARRIED_BY[Scheme.USER]: f"Bearer {token.strip()}"} if token.strip() else {}


def as_agent(token: str) -> dict[str, str]:
    """What an agent, an installer or a controller shows, be it empty."""
    return {CARRIED_BY[Scheme.AGENT]: token.strip()}


def of_user(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What the user shows in whose environment this runs."""
    return as_user(environment.get(USER_TOKEN, ""))


def of_agent(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What the agent shows in whose environment this runs."""
    return as_agent(environment.get(AGENT_TOKEN, ""))


SERVER_FAULT = 500


class Client:
    """A connection to one service, on behalf of whoever the credentials are of: headers that every call has."""

    def __init__(
        self, url: str, *, credentials: Mapping[str, str] = {}, timeout: float = 60.0, connections: int = 100
    ) -> None:
        self._url = url.rstrip("/")
        self.credentials = credentials
        self._timeout = aiohttp.ClientTimeout(total=timeout)
        self._connections = connections
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            timeout=self._timeout,
            connector=aiohttp.TCPConnector(limit=self._connections),
            skip_auto_headers={"User-Agent", "Accept-Encoding"},
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._connected.close()

    @property
    def url(self) -> str:
        """Where the service is."""
        return self._url

    def bearing(self, credentials: Mapping[str, str]) -> Self:
        """The same connection on behalf of someone else. It lives as long as this one."""
        other = copy(self)
        other.credentials = credentials
        return other

    @property
    def _connected(self) -> aiohttp.ClientSession:
        assert self._session is not None, "the client is used inside `async with`"
        return self._session

    async def call(
        self,
        endpoint: Endpoint,
        *,
        body: Any = None,
        query: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
        **parameters: str,
    ) -> Any:
        """Call an endpoint; JSON comes back decoded, files as bytes. An error answer is raised as what it means."""
        form = body if isinstance(body, aiohttp.FormData) else None
        raw = None if body is None or form is not None else msgspec.json.encode(body)
        sent = {**self.credentials, **(headers or {})}
        if raw is not None:
            sent["Content-Type"] = JSON
        url = self._url + endpoint.url(**parameters)
        try:
            async with self._connected.request(
                endpoint.method, url, data=raw if form is None else form, params=query, headers=sent
            ) as response:
                content = await response.read()
        except aiohttp.ClientConnectorError as error:
            reason = error.strerror or "no way there"
            raise Unavailable(f"calling {endpoint.method} {url}: nobody can be reached there ({reason})") from error
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unavailable(f"calling {endpoint.method} {url}: {error or type(error).__name__}") from error
        if response.status >= min(ERRORS):
            raise _error(response.status, content, f"{endpoint.method} {url}")
        if endpoint.gives == BYTES:
            return content
        return msgspec.json.decode(content) if content.strip() else None

    async def listen(
        self, endpoint: Endpoint, *, query: dict[str, str] | None = None, after: str = ""
    ) -> AsyncIterator[dict[str, Any]]:
        """The messages of an event stream, as they come."""
        headers = {**self.credentials, **({"Last-Event-ID": after} if after else {})}
        timeout = aiohttp.ClientTimeout(total=None, sock_read=60)
        url = self._url + endpoint.url()
        try:
            async with self._connected.get(url, params=query, headers=headers, timeout=timeout) as response:
                if response.status >= min(ERRORS):
                    raise _error(response.status, await response.read(), f"GET {url}")
                async for line in response.content:
                    if line.startswith(b"data: "):
                        yield msgspec.json.decode(line[6:])
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unavailable(f"listening to {url}: {error or type(error).__name__}") from error


def _error(status: int, content: bytes, call: str) -> MusterError:
    kind = ERRORS.get(status, Unavailable if status >= SERVER_FAULT else Broken)
    try:
        said = msgspec.json.decode(content)
        reason = said.get("reason") or said.get("message") or ""
    except (msgspec.DecodeError, AttributeError):
        reason = content[:200].decode(errors="replace")
    return kind(reason or f"{call} was answered with status {status}")

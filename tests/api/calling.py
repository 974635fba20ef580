"""A plain HTTP caller: what is given goes over the wire as it is, and comes back the same way."""

import http.client
import json
from collections.abc import Iterator, Mapping
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

V1 = "/api/assisted-install/v1"
V2 = "/api/assisted-install/v2"
OURS = "/api/muster/v1"
JSON = "application/json"

IDLE = 60.0
"""Seconds after which a connection is opened anew: the service closes those that nobody uses."""


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        """The body, read as JSON; None if there is none."""
        return json.loads(self.body) if self.body.strip() else None

    @property
    def said(self) -> str:
        """What an error says."""
        return str(self.json.get("reason") or self.json.get("message"))


class Caller:
    """One kept-up connection to a service."""

    def __init__(self, url: str) -> None:
        self._address = urlsplit(url).netloc
        self._connection = http.client.HTTPConnection(self._address, timeout=20)
        self._called_at = monotonic()

    def raw(
        self, method: str, path: str, body: bytes | Iterator[bytes] | None = None, headers: Mapping[str, str] = {}
    ) -> Reply:
        """One call with exactly these bytes and headers."""
        if monotonic() - self._called_at > IDLE:
            self._connection.close()
        self._called_at = monotonic()
        try:
            self._connection.request(method, path, body=body, headers=dict(headers))
            response = self._connection.getresponse()
            return Reply(response.status, response.headers, response.read())
        except (http.client.HTTPException, OSError):
            self._connection.close()
            raise

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        """One call with a JSON body, if any."""
        if body is None:
            return self.raw(method, path, headers=headers)
        return self.raw(method, path, json.dumps(body).encode(), {"Content-Type": JSON, **headers})

    def v2(self, call: str, body: Any = None, **headers: str) -> Reply:
        """One call of the drop-in API, written as `GET /clusters`."""
        method, _, path = call.partition(" ")
        return self.call(method, V2 + path, body, **headers)

    def v1(self, call: str, body: Any = None, **headers: str) -> Reply:
        """One call of the drop-in API as it was before."""
        method, _, path = call.partition(" ")
        return self.call(method, V1 + path, body, **headers)

    def ours(self, call: str, body: Any = None, **headers: str) -> Reply:
        """One call of our own API, written as `GET /stream`."""
        method, _, path = call.partition(" ")
        return self.call(method, OURS + path, body, **headers)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

"""A listener to the live stream, as a browser is one."""

import http.client
import json
from collections.abc import Mapping
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from calling import OURS


class Message(NamedTuple):
    """One message of the stream."""

    id: str
    event: str
    data: dict[str, Any]


class Listener:
    """One open stream; `with` opens and closes it."""

    def __init__(self, url: str, scope: str = "", after: str = "", headers: Mapping[str, str] = {}) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
        self._path = f"{OURS}/stream" + (f"?scope={scope}" if scope else "")
        self._headers = {**headers, **({"Last-Event-ID": after} if after else {})}
        self._response: http.client.HTTPResponse
        self.raw = b""
        """Everything that has come so far."""

    def __enter__(self) -> Self:
        self._connection.request("GET", self._path, headers=self._headers)
        self._response = self._connection.getresponse()
        assert self._response.status == 200, self._response.read()
        assert self._response.headers["Content-Type"] == "text/event-stream"
        assert self._block() == ["retry: 1000"]
        return self

    def __exit__(self, *_: object) -> None:
        self._response.close()
        self._connection.close()

    def next(self) -> Message:
        """The next message; what only says that the stream lives is passed over."""
        while (block := self._block())[0].startswith(":"):
            pass
        assert not self.ended, "the stream ended"
        fields = dict(line.split(": ", 1) for line in block)
        return Message(fields["id"], fields["event"], json.loads(fields["data"]))

    def take(self, count: int) -> list[Message]:
        """So many messages."""
        return [self.next() for _ in range(count)]

    def comment(self) -> str:
        """What is said when there is nothing to say."""
        return self._block()[0]

    @property
    def ended(self) -> bool:
        """Whether the service has ended the stream."""
        return self._response.isclosed()

    def rest(self) -> bytes:
        """All that comes until the service ends the stream."""
        return self._response.read()

    def _block(self) -> list[str]:
        lines = []
        while line := self._response.readline():
            self.raw += line
            if line == b"\n":
                break
            lines.append(line.decode().rstrip("\n"))
        return lines or [""]

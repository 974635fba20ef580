"""A web server that has an image, and does to whoever fetches it what servers do: cuts off, changes its mind, is down.

It runs in the loop of the test. What it was asked is kept in `asked`; what it does next is put into `faults`.
"""

import asyncio
import lzma
import re
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from email.utils import formatdate
from pathlib import Path
from typing import Any, NamedTuple, Self

from aiohttp import web

from muster.domain.base_images import BaseImage
from parts.service import free_port


class Asked(NamedTuple):
    """One call."""

    path: str
    range: str
    if_range: str
    headers: dict[str, str]
    query: dict[str, str]


Fault = Callable[[web.Request], Awaitable[web.StreamResponse]]


class ImageServer:
    """One server with one content under every path; `tls` makes it speak HTTPS."""

    def __init__(self, content: bytes, tls: Any = None) -> None:
        self.content = content
        self.etag = '"one"'
        self.asked: list[Asked] = []
        self.faults: deque[Fault] = deque()
        self.port = free_port()
        self._tls = tls
        self._runner: web.AppRunner
        self._come = 0
        self._news = asyncio.Event()

    @property
    def url(self) -> str:
        """Where the image is."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}/live.iso"

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port, ssl_context=self._tls).start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        said = request.headers
        self.asked.append(
            Asked(request.path, said.get("Range", ""), said.get("If-Range", ""), dict(said), dict(request.query))
        )
        return await self.faults.popleft()(request) if self.faults else await self.honest(request)

    @property
    def said(self) -> dict[str, str]:
        """What it says of the content."""
        return {"ETag": self.etag, "Last-Modified": formatdate(0, usegmt=True)}

    async def honest(self, request: web.Request) -> web.StreamResponse:
        """The content, or the part of it that is asked for if it is still the same."""
        wanted = re.fullmatch(r"bytes=(\d+)-", request.headers.get("Range", ""))
        if wanted is None or request.headers.get("If-Range", self.etag) != self.etag:
            return web.Response(body=self.content, headers=self.said)
        return self.rest(int(wanted[1]))

    def rest(self, start: int) -> web.Response:
        """The content from a place on."""
        size = len(self.content)
        where = {"Content-Range": f"bytes {start}-{size - 1}/{size}"}
        return web.Response(status=206, body=self.content[start:], headers=self.said | where)

    def hear(self, image: BaseImage) -> None:
        """Hear from whoever fetches how much has come."""
        self._come = image.fetched
        self._news.set()

    async def taken(self, size: int) -> None:
        """Return once so much has come."""
        while self._come < size:
            self._news.clear()
            await self._news.wait()

    # What it does next

    def cut(self, after: int) -> Fault:
        """So many bytes, and once they have come the connection is gone."""

        async def answer(request: web.Request) -> web.StreamResponse:
            response = await self._begun(request, len(self.content))
            await response.write(self.content[:after])
            await self.taken(after)
            request.transport.close()
            return response

        return answer

    def stopping(self, after: int, going: asyncio.Event) -> Fault:
        """So many bytes, and the rest when it is told to go on."""

        async def answer(request: web.Request) -> web.StreamResponse:
            response = await self._begun(request, len(self.content))
            await response.write(self.content[:after])
            await going.wait()
            with suppress(ConnectionError):
                await response.write(self.content[after:])
            return response

        return answer

    def claiming(self, size: int) -> Fault:
        """More bytes are announced than come."""

        async def answer(request: web.Request) -> web.StreamResponse:
            response = await self._begun(request, size)
            await response.write(self.content)
            request.transport.close()
            return response

        return answer

    def unmeasured(self) -> Fault:
        """All of it, and nothing of how much that is."""

        async def answer(request: web.Request) -> web.StreamResponse:
            response = web.StreamResponse()
            response.enable_chunked_encoding()
            await response.prepare(request)
            await response.write(self.content)
            return response

        return answer

    def careless(self, start: int) -> Fault:
        """What is behind a place, whether it is still the same or not."""

        async def answer(_: web.Request) -> web.StreamResponse:
            return self.rest(start)

        return answer

    def short(self, start: int, missing: int) -> Fault:
        """What is behind a place, as if that were all of it, and a little less."""

        async def answer(_: web.Request) -> web.StreamResponse:
            response = self.rest(start)
            response.body = self.content[start:-missing]
            return response

        return answer

    @staticmethod
    def status(code: int, **headers: str) -> Fault:
        """Nothing but a status."""

        async def answer(_: web.Request) -> web.StreamResponse:
            return web.Response(status=code, headers=headers)

        return answer

    async def _begun(self, request: web.Request, size: int) -> web.StreamResponse:
        response = web.StreamResponse(headers=self.said | {"Content-Length": str(size)})
        await response.prepare(request)
        return response


ISOS = Path(__file__).parent / "isos"


def live_image(name: str = "embed-areas-2023-07.x86_64") -> bytes:
    """A small genuine live image."""
    return lzma.decompress((ISOS / f"{name}.iso.xz").read_bytes())

"""A turnstile before any HTTP server: calls go through, except one that somebody waits for and wants to see stopped.

It runs in the loop of the test. What was asked is kept in `asked`. Addresses and signatures of a call are passed on as
they came, so that a server that checks them (S3) is content.
"""

import asyncio
import re
from typing import NamedTuple, Self

import aiohttp
from aiohttp import web
from yarl import URL

from parts.service import free_port

OF_THE_CONNECTION = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding"})
"""Headers that are not passed on: they speak of one connection, and there are two."""


class Stopped(NamedTuple):
    """A call that is to be held."""

    like: re.Pattern[str]
    seen: asyncio.Event


class Turnstile:
    """A turnstile before the server at an address such as `127.0.0.1:5000`."""

    def __init__(self, behind: str) -> None:
        self.behind = behind
        self.port = free_port()
        self.asked: list[str] = []
        self._stopped: list[Stopped] = []
        self._runner: web.AppRunner
        self._session: aiohttp.ClientSession

    @property
    def host(self) -> str:
        """Where it stands."""
        return f"127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=2**30)
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._session = aiohttp.ClientSession(auto_decompress=False)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()
        await self._runner.cleanup()

    async def held(self, like: str) -> None:
        """Return once a call like this one (`PUT .*/bootstrap.ign`) has come. It is never passed on."""
        stopped = Stopped(re.compile(like), asyncio.Event())
        self._stopped.append(stopped)
        await stopped.seen.wait()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        call = f"{request.method} {request.path_qs}"
        self.asked.append(call)
        for stopped in self._stopped:
            if stopped.like.search(call):
                self._stopped.remove(stopped)
                stopped.seen.set()
                # Until the caller is gone, which cancels this.
                await asyncio.Event().wait()
        return await self._passed_on(request)

    async def _passed_on(self, request: web.Request) -> web.StreamResponse:
        headers = {name: value for name, value in request.headers.items() if name.lower() not in OF_THE_CONNECTION}
        url = URL(f"http://{self.behind}{request.raw_path}", encoded=True)
        body = await request.read() if request.can_read_body else None
        async with self._session.request(
            request.method, url, headers=headers, data=body, allow_redirects=False
        ) as answer:
            told = {name: value for name, value in answer.headers.items() if name.lower() not in OF_THE_CONNECTION}
            if request.method == "HEAD":
                return web.Response(status=answer.status, headers=told | _size_of(answer))
            return web.Response(status=answer.status, headers=told, body=await answer.read())


def _size_of(answer: aiohttp.ClientResponse) -> dict[str, str]:
    """How large what was asked about is; nothing of it is sent."""
    size = answer.headers.get("Content-Length")
    return {} if size is None else {"Content-Length": size}

"""What stands between a client and its registry, and does to it what the world does: fails, cuts, sends elsewhere.

It runs in the loop of the test and passes on what is asked. What was asked is kept in `asked`; what it does next,
instead of passing on, is put into `faults`.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from typing import NamedTuple, Self

import aiohttp
from aiohttp import web

from parts.service import free_port


class Asked(NamedTuple):
    """One call."""

    path: str
    range: str
    authorization: str


Fault = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Gate:
    """A gate before a registry."""

    def __init__(self, behind: str) -> None:
        self.behind = behind
        self.port = free_port()
        self.asked: list[Asked] = []
        self.faults: deque[Fault | None] = deque()
        self._runner: web.AppRunner
        self._session: aiohttp.ClientSession

    @property
    def host(self) -> str:
        """By what images of the registry are called that are asked for here."""
        return f"127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/{path:.*}", self._answer)
        self._session = aiohttp.ClientSession(auto_decompress=False)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        said = request.headers
        self.asked.append(Asked(request.path, said.get("Range", ""), said.get("Authorization", "")))
        fault = self.faults.popleft() if self.faults else None
        return await (fault or self.pass_on)(request)

    async def pass_on(self, request: web.Request) -> web.StreamResponse:
        """What the registry answers."""
        status, headers, body = await self._from_behind(request)
        return web.Response(status=status, headers=headers, body=body)

    async def _from_behind(self, request: web.Request) -> tuple[int, dict[str, str], bytes]:
        kept = {name: value for name, value in request.headers.items() if name in ("Accept", "Range", "Authorization")}
        async with self._session.get(f"http://{self.behind}{request.path_qs}", headers=kept) as answer:
            told = ("Content-Type", "Content-Range", "Docker-Content-Digest", "WWW-Authenticate")
            return (
                answer.status,
                {name: answer.headers[name] for name in told if name in answer.headers},
                await answer.read(),
            )

    # What it does next

    def cut(self, after: int) -> Fault:
        """So many bytes, and the connection is gone."""

        async def answer(request: web.Request) -> web.StreamResponse:
            status, headers, body = await self._from_behind(request)
            response = web.StreamResponse(status=status, headers=headers | {"Content-Length": str(len(body))})
            await response.prepare(request)
            await response.write(body[:after])
            request.transport.close()
            return response

        return answer

    def saying(self, status: int, body: bytes = b"", **headers: str) -> Fault:
        """Something of its own; underscores in the names of headers stand for dashes."""

        async def answer(_: web.Request) -> web.StreamResponse:
            told = {name.replace("_", "-"): value for name, value in headers.items()}
            return web.Response(status=status, body=body, headers=told)

        return answer

    def sending_to(self, host: str) -> Fault:
        """The same path elsewhere."""

        async def answer(request: web.Request) -> web.StreamResponse:
            raise web.HTTPTemporaryRedirect(f"http://{host}{request.path_qs}")

        return answer

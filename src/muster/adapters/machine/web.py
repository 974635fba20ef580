"""Web servers as a machine meets them. Every twin of `ports.Machine` answers with it."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from muster.domain.errors import Broken, Unavailable
from muster.machine import Page

PATIENCE = aiohttp.ClientTimeout(total=None, sock_connect=30, sock_read=60)
"""A server that says nothing for so many seconds says nothing at all."""

AT_ONCE = 2**20
GOOD = range(200, 300)


async def fetch(url: str, headers: Mapping[str, str], authorities: str = "") -> Page:
    """What a web server says; `authorities`, if given, are the only certificates that are trusted."""
    async with _answer(url, headers, authorities) as response:
        return Page(status=response.status, content=await response.read())


async def download(url: str, target: Path) -> None:
    """Put what a web server has into a file."""
    async with _answer(url, {}, "") as response:
        if response.status not in GOOD:
            raise Unavailable(f"fetching {url}: it was answered with status {response.status}")
        file = await asyncio.to_thread(target.open, "wb")
        with file:
            async for chunk in response.content.iter_chunked(AT_ONCE):
                await asyncio.to_thread(file.write, chunk)


@asynccontextmanager
async def _answer(url: str, headers: Mapping[str, str], authorities: str) -> AsyncIterator[aiohttp.ClientResponse]:
    connector = aiohttp.TCPConnector(ssl=_trusting(authorities) if authorities else True)
    try:
        async with (
            aiohttp.ClientSession(timeout=PATIENCE, connector=connector, trust_env=True) as session,
            session.get(url, headers=headers) as response,
        ):
            yield response
    except aiohttp.InvalidURL as error:
        raise Broken(f"fetching {url}: that is not an address of a web server") from error
    except aiohttp.ClientSSLError as error:
        raise Broken(f"fetching {url}: the server cannot be trusted: {error}") from error
    except (aiohttp.ClientError, TimeoutError) as error:
        raise Unavailable(f"fetching {url}: {error or type(error).__name__}") from error
    except ValueError as error:
        raise Broken(f"fetching {url}: the headers are not such as a web call may have") from error


def _trusting(authorities: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cadata=authorities)
    except (ssl.SSLError, ValueError) as error:
        raise Broken(f"reading the certificates to trust: {error}") from error

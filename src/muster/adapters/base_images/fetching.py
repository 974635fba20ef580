"""Asks web servers for images, and goes on where it was broken off. `folder` says which and when.

What went wrong is told by whose turn it is: `Unavailable` (ask again soon), `NotFound` (ask again some day), `Broken`
(do not ask again). No sentence has the query of an address or a header in it: both may be secret.
"""

import asyncio
import os
import re
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http.client import responses

import aiohttp
from aiohttp import ClientResponse
from yarl import URL

from muster.domain.base_images import megabytes, shown
from muster.domain.errors import Broken, Invalid, NotFound, Unavailable
from muster.domain.record import SECRET, Record

from .parts import Part, Said

PATIENCE = aiohttp.ClientTimeout(total=None, sock_connect=30, sock_read=60)
"""A server that says nothing for so many seconds says nothing at all."""

PIECE = 1024 * 1024
MOST_REDIRECTS = 10
REDIRECTS = frozenset({301, 302, 303, 307, 308})
SOON = frozenset({408, 421, 425, 429})
"""What a server says that may let us in a little later, besides all that is its own fault."""

SERVER_FAULT = 500
LOCKED_OUT = frozenset({401, 403, 407})
WHOLE = 200
PARTIAL = 206
BEYOND = 416


class Asking(Record):
    """How servers are asked for images."""

    headers: dict[str, str] = {}
    query: dict[str, str] = {}
    ca_file: str = ""
    """Certificates that are trusted besides those of the system."""
    insecure: bool = False
    """Whether everybody is trusted; not if there are certificates."""

    def __repr__(self) -> str:
        # Whoever shows an object does not ask what in it is secret.
        return f"Asking({SECRET})"


Expect = Callable[[int | None], None]
"""Hears how large the image is before anything of it is taken; raises if it cannot be taken."""

Tell = Callable[[int], None]
"""Hears how much of it has come."""


def trusting(asking: Asking) -> ssl.SSLContext | bool:
    """Whom we trust: whom the system trusts, or everybody, or certificates too; `Invalid` if they cannot be read."""
    if not asking.ca_file:
        return not asking.insecure
    context = ssl.create_default_context()
    try:
        context.load_verify_locations(asking.ca_file)
    except (OSError, ssl.SSLError) as error:
        raise Invalid(
            f"OS_IMAGE_DOWNLOAD_TRUSTED_CA_FILE is {asking.ca_file!r}, in which no certificates could be found; "
            "write the path of a file with certificates in PEM form"
        ) from error
    return context


class Fetcher:
    """Asks servers for images, by way of the proxies that the environment names."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._trust = trusting(asking)
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Hang up."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def fetch(self, url: str, part: Part, expect: Expect, tell: Tell) -> None:
        """See that all of an image is in the part. What went wrong is raised; what has come stays there."""
        try:
            async with self._answer(url, _going_on(part)) as response:
                size = await _agreed(response, part, shown(url))
                expect(size)
                async for piece in response.content.iter_chunked(PIECE):
                    await asyncio.to_thread(part.write, piece)
                    tell(part.come)
        except aiohttp.InvalidURL as error:
            raise _unusable(url) from error
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unavailable(f"{shown(url)} could not be fetched: {_words(error)}") from error
        except ValueError as error:
            raise _unusable(url) from error
        if size is not None and (come := part.come) != size:
            await asyncio.to_thread(part.begin, Said(source=shown(url)))
            raise Unavailable(f"{shown(url)} has {megabytes(size)}, and {megabytes(come)} came; it begins anew")

    @asynccontextmanager
    async def _answer(self, url: str, headers: dict[str, str]) -> AsyncIterator[ClientResponse]:
        """What the server says in the end. Our own headers go to no other server than the one that was configured."""
        first = target = URL(url, encoded=True)
        if self._asking.query:
            target = target.update_query(self._asking.query)
        for _ in range(MOST_REDIRECTS):
            own = self._asking.headers if target.origin() == first.origin() else {}
            response = await self._connected.get(target, headers={**own, **headers}, allow_redirects=False)
            async with response:
                location = response.headers.get("Location", "")
                if response.status not in REDIRECTS or not location:
                    yield response
                    return
            target = target.join(URL(location, encoded=True))
        raise NotFound(f"{shown(url)} leads from one address to another without end; correct OS_IMAGES")

    @property
    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                timeout=PATIENCE,
                connector=aiohttp.TCPConnector(ssl=self._trust),
                trust_env=True,
                auto_decompress=False,
                read_bufsize=PIECE,
            )
        return self._session


def _going_on(part: Part) -> dict[str, str]:
    """The headers that ask for what is missing, and for all of it if it has become another since."""
    headers = {"Accept-Encoding": "identity"}
    if part.come and part.said.validator:
        headers |= {"Range": f"bytes={part.come}-", "If-Range": part.said.validator}
    return headers


async def _agreed(response: ClientResponse, part: Part, source: str) -> int | None:
    """How large the image is, once it is settled that what comes now belongs behind what is in the part."""
    if response.status == WHOLE:
        said = Said(
            source=source,
            etag=response.headers.get("ETag", ""),
            modified=response.headers.get("Last-Modified", ""),
            size=response.content_length,
        )
        await asyncio.to_thread(part.begin, said)
        return said.size
    if response.status == PARTIAL and _continues(response, part):
        return part.said.size
    if response.status in {PARTIAL, BEYOND} and part.come:
        await asyncio.to_thread(part.begin, Said(source=source))
        raise Unavailable(f"{source} is another file than a moment ago; it begins anew")
    raise _refused(response.status, source)


def _continues(response: ClientResponse, part: Part) -> bool:
    found = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", response.headers.get("Content-Range", ""))
    if found is None or (int(found[1]), int(found[2])) != (part.come, part.said.size or int(found[2])):
        return False
    part.said = part.said.but(size=int(found[2]))
    return response.headers.get("ETag", part.said.etag) == part.said.etag


def _refused(status: int, source: str) -> Unavailable | NotFound:
    words = f"{status} {responses.get(status, '')}".rstrip()
    if status >= SERVER_FAULT or status in SOON:
        return Unavailable(f"{source} was answered with {words}")
    way_out = (
        "see that OS_IMAGES_REQUEST_HEADERS or OS_IMAGES_REQUEST_QUERY_PARAMS let us in"
        if status in LOCKED_OUT
        else "correct the url in OS_IMAGES, or put the file there"
    )
    return NotFound(f"{source} was answered with {words}; {way_out}")


def _unusable(url: str) -> Broken:
    return Broken(
        f"{shown(url)} cannot be asked for: it is not the address of a web server, or OS_IMAGES_REQUEST_HEADERS has "
        "what no header may have; correct OS_IMAGES"
    )


def _words(error: Exception) -> str:
    """What went wrong on the way. The words of the library may have the whole address in them, so few are taken."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientConnectorSSLError):
        return "the server cannot be trusted; name its authority's certificate in OS_IMAGE_DOWNLOAD_TRUSTED_CA_FILE"
    if isinstance(error, aiohttp.ClientConnectorError):
        return f"{error.host} cannot be reached ({_reason(error.os_error)})"
    if isinstance(error, aiohttp.ClientResponseError):
        return f"what the server or the proxy says makes no sense ({error.status})"
    if isinstance(error, TimeoutError):
        return f"the server has said nothing for {PATIENCE.sock_read:.0f} seconds"
    if isinstance(error, aiohttp.ClientPayloadError | aiohttp.ServerDisconnectedError | aiohttp.ClientOSError):
        return "the connection was cut"
    return type(error).__name__


def _reason(error: OSError) -> str:
    """Of numbers below zero only the error itself knows what they mean: names that cannot be resolved have such."""
    number = error.errno or 0
    return os.strerror(number) if number > 0 else error.strerror or type(error).__name__

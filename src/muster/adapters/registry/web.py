"""Calls to registries and to those who vouch for them: by way of proxies, with the right trust, along redirects.

`doors.py` calls through it. What goes wrong is told by whose turn it is: `Unavailable` (ask again soon) or `Broken` (do
not). No sentence has the query of an address or a header in it: both may be secret.
"""

import os
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import aiohttp
from aiohttp import ClientResponse
from yarl import URL

from muster.adapters.proxies import proxy_for
from muster.domain.errors import Broken, Invalid, Unavailable
from muster.domain.record import Record

from .mirrors import Mirrored, Place

PATIENCE = aiohttp.ClientTimeout(total=None, sock_connect=30, sock_read=60)
"""A registry that says nothing for so many seconds says nothing at all."""

PIECE = 1024 * 1024
MOST_REDIRECTS = 10
REDIRECTS = frozenset({301, 302, 303, 307, 308})
NO_LEAVE = 407
NOT_SAFELY = (aiohttp.ClientConnectorError, aiohttp.ServerDisconnectedError, aiohttp.ClientHttpProxyError)
"""What happens to who speaks TLS to somebody who does not, or by way of a proxy that does not like it."""

ELSEWHERE = {"docker.io": "registry-1.docker.io"}
"""Registries that do not answer under their own names."""


def _wait(failures: int) -> float:
    return float(min(1 << failures, 30))


class Reaching(Record):
    """How registries are reached."""

    mirrored: tuple[Mirrored, ...] = ()
    ca: str = ""
    """Certificates in PEM form that are trusted besides those of the system."""
    tries: int = 5
    """How often in a row nothing may come before it is given up."""
    wait: Callable[[int], float] = _wait
    """Seconds to wait after so many failures."""


class Web:
    """The way to registries. It is used from one loop until it is closed."""

    def __init__(self, reaching: Reaching) -> None:
        self._trust = _trusting(reaching.ca)
        self._plain: set[str] = set()
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Hang up."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    @asynccontextmanager
    async def get(self, place: Place, path: str, headers: dict[str, str]) -> AsyncIterator[ClientResponse]:
        """What a registry answers, once all redirects have been followed."""
        with _told(place.image.host):
            response = await self._reached(place, path, headers)
            async with response:
                yield response

    @asynccontextmanager
    async def get_url(self, url: URL, headers: dict[str, str], *, insecure: bool) -> AsyncIterator[ClientResponse]:
        """What somebody else answers whom a registry has named."""
        with _told(url.authority):
            response = await self._followed(url, headers, insecure=insecure)
            async with response:
                yield response

    async def _reached(self, place: Place, path: str, headers: dict[str, str]) -> ClientResponse:
        """A place that need not be safe is asked safely first: nothing secret goes in the clear without need."""
        host = ELSEWHERE.get(place.image.host, place.image.host)
        safe, plain = (URL(f"{scheme}://{host}{path}", encoded=True) for scheme in ("https", "http"))
        if not place.insecure:
            return await self._followed(safe, headers, insecure=False)
        if host not in self._plain:
            try:
                return await self._followed(safe, headers, insecure=True)
            except NOT_SAFELY:
                pass
        response = await self._followed(plain, headers, insecure=True)
        self._plain.add(host)
        return response

    async def _followed(self, first: URL, headers: dict[str, str], *, insecure: bool) -> ClientResponse:
        """The answer at the end of all redirects. Who we are is said to no other server than the first."""
        target = first
        for _ in range(MOST_REDIRECTS):
            told = headers if target.origin() == first.origin() else _nameless(headers)
            response = await self._connected.get(
                target,
                headers={"Accept-Encoding": "identity", **told},
                allow_redirects=False,
                ssl=False if insecure else self._trust,
                proxy=proxy_for(target),
            )
            location = response.headers.get("Location", "")
            if response.status not in REDIRECTS or not location:
                return response
            response.release()
            target = target.join(URL(location, encoded=True))
        raise Broken(f"{first.authority} leads from one address to another without end")

    @property
    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            # Proxies are looked up here, and not by the session: it would look for logins in files of the user's too.
            # Nor does it keep cookies: many have a say here, each with a login of his own.
            self._session = aiohttp.ClientSession(
                timeout=PATIENCE, auto_decompress=False, read_bufsize=PIECE, cookie_jar=aiohttp.DummyCookieJar()
            )
        return self._session


def _nameless(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name != "Authorization"}


def _trusting(authorities: str) -> ssl.SSLContext | bool:
    """Whom the system trusts, and authorities besides."""
    if not authorities:
        return True
    context = ssl.create_default_context()
    try:
        context.load_verify_locations(cadata=authorities)
    except (ssl.SSLError, ValueError) as error:
        raise Invalid(f"the certificates to trust registries by cannot be read: {error}") from error
    return context


@contextmanager
def _told(host: str) -> Any:
    """Tell what went wrong on the way in sentences of our own."""
    try:
        yield
    except aiohttp.ClientConnectorCertificateError as error:
        raise Broken(
            f"{host} cannot be trusted: {error.certificate_error.args[-1] if error.certificate_error.args else 'TLS'};"
            " add the certificate of its authority to those that registries are trusted by"
        ) from error
    except aiohttp.ClientConnectorSSLError as error:
        raise Broken(
            f"{host} does not speak TLS as we do ({_reason(error.os_error)}); if it is meant to speak plain HTTP, say"
            " in the list of mirrors that it is insecure"
        ) from error
    except aiohttp.InvalidURL as error:
        raise Broken(f"{host} cannot be asked: its address, or that of the proxy, is none") from error
    except (aiohttp.ClientError, TimeoutError) as error:
        raise Unavailable(f"{host} could not be asked: {_words(error)}") from error


def _words(error: Exception) -> str:
    """What went wrong on the way. The words of the library may have the whole address in them, so few are taken."""
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return f"the proxy {error.host} cannot be reached ({_reason(error.os_error)})"
    if isinstance(error, aiohttp.ClientConnectorError):
        return f"it cannot be reached ({_reason(error.os_error)})"
    if isinstance(error, aiohttp.ClientHttpProxyError):
        leave = "; see that its login is right" if error.status == NO_LEAVE else ""
        return f"the proxy answered with status {error.status}{leave}"
    if isinstance(error, TimeoutError):
        return f"nothing has come for {PATIENCE.sock_read:.0f} seconds"
    if isinstance(error, aiohttp.ClientPayloadError | aiohttp.ServerDisconnectedError | aiohttp.ClientOSError):
        return "the connection was cut"
    return type(error).__name__


def _reason(error: OSError) -> str:
    """Of numbers below zero only the error itself knows what they mean: names that cannot be resolved have such."""
    if isinstance(error, ssl.SSLError):
        return error.reason or type(error).__name__
    number = error.errno or 0
    return os.strerror(number) if number > 0 else error.strerror or type(error).__name__

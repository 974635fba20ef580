"""How a registry lets us in: with nothing, with a login, or with a token that somebody else gives for the login.

`client.py` asks for everything through it. No sentence has anything of a login in it.
"""

import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import ClientResponse
from yarl import URL

from muster.domain.errors import Broken, MusterError, NotFound, Unavailable
from muster.domain.record import SECRET, Record

from .manifests import decoded
from .mirrors import Place
from .pull_secrets import Login
from .web import PIECE, Web

SHUT = 401
FORBIDDEN = 403
LOCKED = frozenset({SHUT, FORBIDDEN})
MISSING = 404
FINE = 200
SOON = frozenset({408, 421, 425, 429})
SERVER_FAULT = 500
USUAL_LIFE = 60.0
MARGIN = 10.0
"""Seconds before its end at which a token is not used any more."""

_TOKEN = re.compile(r"\bBearer\s+(?P<said>.*)", re.IGNORECASE | re.DOTALL)
_LOGIN = re.compile(r"\bBasic\b", re.IGNORECASE)
_WORD = re.compile(r'(\w+)="([^"]*)"')


class LockedOut(Broken):
    """A registry does not let us in, and will not as long as the pull secret is what it is."""


class _Token(Record):
    token: str = ""
    access_token: str = ""
    expires_in: float = USUAL_LIFE

    def __repr__(self) -> str:
        return f"_Token({SECRET})"


class Door:
    """A repository of a registry, and who we are there."""

    def __init__(self, place: Place, login: Login | None) -> None:
        self.place = place
        self.login = login
        self.key = (place.image.name, login)

    def locked(self) -> LockedOut:
        """What is told when we are not let in."""
        host, name = self.place.image.host, self.place.image.name
        why = (
            f"the entry that the pull secret has for it is wrong, or may not read {name}; renew the entry"
            if self.login
            else f"the pull secret has no entry for it; add one for {host}, or see that {name} is really there"
        )
        return LockedOut(f"{host} does not let us read {name}: {why}")

    def refused(self, status: int, what: str) -> MusterError:
        """What is told when something cannot be had."""
        host = self.place.image.host
        if status in LOCKED:
            return self.locked()
        if status == MISSING:
            return NotFound(f"{host} has no {what}; correct the name, or put the image there")
        kind = Unavailable if status >= SERVER_FAULT or status in SOON else Broken
        return kind(f"{host} answered with status {status} when asked for {what}")


class Doors:
    """Opens doors, and remembers the tokens that opened them."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._tokens: dict[object, tuple[str, float]] = {}

    @asynccontextmanager
    async def get(self, door: Door, path: str, headers: dict[str, str]) -> AsyncIterator[ClientResponse]:
        """What a registry answers, once we have said who we are if it wants to know."""
        said = self._remembered(door)
        async with self._web.get(door.place, path, {**headers, **said}) as response:
            if response.status != SHUT:
                yield response
                return
            challenges = ", ".join(response.headers.getall("WWW-Authenticate", []))
        said = await self._introduced(door, challenges)
        async with self._web.get(door.place, path, {**headers, **said}) as response:
            yield response

    def _remembered(self, door: Door) -> dict[str, str]:
        value, until = self._tokens.get(door.key, ("", 0.0))
        return {"Authorization": value} if time.monotonic() < until else {}

    async def _introduced(self, door: Door, challenges: str) -> dict[str, str]:
        wants_token = _TOKEN.search(challenges)
        if wants_token:
            value, lasts = await self._token(door, dict(_WORD.findall(wants_token["said"])))
        elif _LOGIN.search(challenges) and door.login:
            value, lasts = f"Basic {door.login.basic}", float("inf")
        else:
            raise door.locked()
        now = time.monotonic()
        self._tokens = {key: each for key, each in self._tokens.items() if each[1] > now}
        self._tokens[door.key] = value, now + lasts - MARGIN
        return {"Authorization": value}

    async def _token(self, door: Door, said: dict[str, str]) -> tuple[str, float]:
        """A token for a repository, from where the registry says that it is to be had, and how long it is good."""
        host, insecure = door.place.image.host, door.place.insecure
        try:
            url = URL(said.get("realm", ""))
        except ValueError:
            url = URL()
        if not url.host or url.scheme not in ("http", "https"):
            raise Broken(f"{host} wants a token, and says not where one is to be had")
        if url.scheme == "http" and door.login and not insecure:
            raise Broken(
                f"{host} wants a token from {url.authority}, which is not encrypted; the login is not sent there unless"
                " the list of mirrors says that the registry is insecure"
            )
        scope = said.get("scope") or f"repository:{door.place.image.repository}:pull"
        query = {"scope": scope} | ({"service": said["service"]} if "service" in said else {})
        headers = {"Authorization": f"Basic {door.login.basic}"} if door.login else {}
        async with self._web.get_url(url.update_query(query), headers, insecure=insecure) as response:
            if response.status != FINE:
                raise door.refused(response.status, f"token of {url.authority}")
            body = await response.content.read(PIECE)
        given: _Token = decoded(body, _Token, f"the token of {url.authority}")
        return f"Bearer {given.token or given.access_token}", given.expires_in

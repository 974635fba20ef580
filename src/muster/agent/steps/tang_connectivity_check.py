"""The `tang-connectivity-check` step: whether this machine reaches the servers that hold the keys of its disk."""

import asyncio
import hashlib
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Any

import msgspec

from muster.client import Client
from muster.domain.errors import Broken, MusterError
from muster.domain.joining import TangAnswer, TangReply, TangServer
from muster.domain.record import Record
from muster.domain.steps.tang_connectivity_check import TangRequest
from muster.machine import Machine

from .step import BAD_ARGUMENTS, Reply, first, replied

GOOD = 200
MEMBERS = {"EC": ("crv", "kty", "x", "y"), "RSA": ("e", "kty", "n"), "OKP": ("crv", "kty", "x"), "oct": ("k", "kty")}
"""By kind of key, what its thumbprint is made of (RFC 7638)."""

DIGESTS = (hashlib.sha256, lambda text: hashlib.sha1(text, usedforsecurity=False))
"""How thumbprints are made; those of old servers are shorter."""


class Keys(Record):
    """What the signed part of a server's answer holds."""

    keys: tuple[dict[str, Any], ...] = ()


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """What every server says of its keys. One that does not answer well spoils the step."""
    servers = first([first(args, TangRequest).tang_servers], tuple[TangServer, ...])
    found = await asyncio.gather(*(_ask(machine, server) for server in servers))
    errors = [each for each in found if isinstance(each, str)]
    if errors:
        failed = replied(TangReply(tang_server_response=None))
        return failed.but(exit_code=BAD_ARGUMENTS, error="; ".join(errors))
    answers = tuple(each for each in found if isinstance(each, TangAnswer))
    return replied(TangReply(is_success=True, tang_server_response=answers))


async def _ask(machine: Machine, server: TangServer) -> TangAnswer | str:
    """A server's answer, or in a sentence why there is no good one."""
    try:
        return await _advertised(machine, server)
    except MusterError as error:
        return f"Tang server {server.url!r}: {error}"


async def _advertised(machine: Machine, server: TangServer) -> TangAnswer:
    if not server.url.startswith(("http://", "https://")):
        raise Broken("the address is no URL of a web server")
    if not server.thumbprint:
        raise Broken("its thumbprint is not given; `tang-show-keys` on the server shows it")
    url = f"{server.url.rstrip('/')}/adv/{server.thumbprint}"
    page = await machine.fetch(url, {})
    if page.status != GOOD:
        raise Broken(f"{url} is answered with status {page.status}; does the server have a key of this thumbprint?")
    try:
        answer = msgspec.json.decode(page.content, type=TangAnswer)
    except msgspec.DecodeError as error:
        raise Broken(f"{url} does not give keys in the form of Tang: {error}") from error
    if server.thumbprint not in _thumbprints(answer.payload):
        raise Broken(
            f"{url} does not give a key of thumbprint {server.thumbprint}; `tang-show-keys` shows the right one"
        )
    return answer.but(tang_url=url)


def _thumbprints(payload: str) -> set[str]:
    """The thumbprints of all keys that a server gives; none if they cannot be read."""
    try:
        found = msgspec.json.decode(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)), type=Keys)
    except (ValueError, msgspec.DecodeError):
        return set()
    return {thumbprint for key in found.keys for thumbprint in _thumbprints_of(key)}


def _thumbprints_of(key: dict[str, Any]) -> list[str]:
    members = {name: key.get(name) for name in MEMBERS.get(key.get("kty", ""), ())}
    text = json.dumps(members, separators=(",", ":"), sort_keys=True).encode()
    return [urlsafe_b64encode(digest(text).digest()).decode().rstrip("=") for digest in DIGESTS]

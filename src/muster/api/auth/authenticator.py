"""The gate where callers are asked who they are, and the seam that says what counts as an answer.

A way of authentication is an `Authenticator`: `local.py` is one; others are added beside it.
"""

from collections.abc import Mapping
from typing import Protocol
from urllib.parse import parse_qsl

from muster.api.errors import Malformed
from muster.domain.errors import NotFound
from muster.wire.endpoints.endpoint import CARRIED_BY, IN_QUERY, Access, Endpoint, Scheme

from .gate import Approach, Subject
from .links import Links
from .principal import ANYBODY, Principal


class Authenticator(Protocol):
    """Finds out who callers are and what they may do."""

    async def authenticate(self, scheme: Scheme, credential: str, parameters: Mapping[str, str]) -> Principal:
        """Who shows this credential in this way, calling what these parameters name. Raises `Malformed` (401)."""

    async def authorize(self, principal: Principal, access: Access, subject: Subject) -> None:
        """Return if the caller may come in this way to this subject; else raise `Malformed` (403, 404)."""

    async def opens(self, principal: Principal, subject: Subject) -> bool:
        """Whether the caller may have to do with what its call names beside the path."""


def unauthenticated(why: str) -> Malformed:
    """A caller that is not known."""
    return Malformed(401, why, {"www-authenticate": "Bearer"})


class Guarded:
    """Asks everybody, in every way that a call may be made."""

    def __init__(self, authenticator: Authenticator, links: Links) -> None:
        self._authenticator = authenticator
        self.links = links

    async def admitted(self, endpoint: Endpoint, approach: Approach) -> Principal:
        """The caller, by the first way in which it is known; if it is by none, the last refusal counts."""
        if not endpoint.access:
            return ANYBODY
        refusal: Malformed | None = None
        for access in endpoint.access:
            credential = _shown(access.scheme, approach)
            if not credential:
                continue
            try:
                principal = await self._authenticator.authenticate(access.scheme, credential, approach.parameters)
            except Malformed as error:
                refusal = error
                continue
            await self._authenticator.authorize(principal, access, subject_of(approach.parameters))
            return principal
        raise refusal or unauthenticated(f"This call needs {' or '.join(_ways(endpoint))}; nothing was shown")

    async def permit(self, principal: Principal, subject: Subject) -> None:
        """Return if the caller may have to do with the subject."""
        if principal.scoped and not await self._authenticator.opens(principal, subject):
            raise NotFound("There is nothing here that this token is for")


def subject_of(parameters: Mapping[str, str]) -> Subject:
    """What a path names."""
    host_id = parameters.get("host_id")
    return Subject(
        cluster_id=parameters.get("cluster_id", ""),
        infra_env_id=parameters.get("infra_env_id", ""),
        host_ids=(host_id,) if host_id else (),
    )


def _shown(scheme: Scheme, approach: Approach) -> str:
    """What a caller shows in one way, if need be as a part of the path; "" if nothing."""
    carrier = CARRIED_BY[scheme]
    if carrier in approach.parameters:
        return approach.parameters[carrier]
    if scheme not in IN_QUERY:
        return approach.headers.get(carrier.lower(), "")
    return dict(parse_qsl(approach.query.decode("latin-1"))).get(carrier, "")


def _ways(endpoint: Endpoint) -> list[str]:
    """The ways to make a call, in words."""
    return [
        f"a token as {'the parameter' if each.scheme in IN_QUERY else 'the header'} {CARRIED_BY[each.scheme]}"
        for each in endpoint.access
    ]

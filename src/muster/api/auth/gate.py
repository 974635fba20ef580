"""What every gate does, whoever it lets in. The kinds of gates are in the modules beside."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from muster.domain.record import Record
from muster.wire.endpoints.endpoint import Endpoint

from .links import Links
from .principal import Principal


class Approach(Record):
    """How a caller comes to the gate: what it shows, and what it wants to get at."""

    headers: Mapping[str, str]
    query: bytes
    parameters: Mapping[str, str]


class Subject(Record):
    """What a call is about, by its path, its query or its body."""

    cluster_id: str = ""
    infra_env_id: str = ""
    host_ids: Sequence[str] = ()


class Gate(Protocol):
    """Lets callers in, or not."""

    links: Links
    """Makes links that let their holder in."""

    async def admitted(self, endpoint: Endpoint, approach: Approach) -> Principal:
        """Who makes a call, if it may make it. Raises `Malformed` (401, 403, 404) if not."""

    async def permit(self, principal: Principal, subject: Subject) -> None:
        """Return if a caller may have to do with what its query or body names; else raise `NotFound`."""

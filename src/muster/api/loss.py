"""What agents are told by a service that knows nothing at all, as after a total loss. `app.py` asks for every failure.

An agent that is told that it is unknown, or that its token is, never asks again: its machine would have to be started
anew even if a backup is restored a minute later. So it is asked to be patient for as long as there is nothing here.
"""

from collections.abc import Mapping

from muster.api.errors import Malformed
from muster.domain.errors import NotFound, Unavailable
from muster.ports import Store
from muster.wire.endpoints.endpoint import AGENT, CARRIED_BY, Endpoint, Scheme

UNKNOWN = frozenset({401, 404})
TOKEN = CARRIED_BY[Scheme.AGENT].lower()

PATIENCE = (
    "This service knows of no cluster and no infra-env at all: its records were lost, or have not been brought back "
    "yet. Bring them back with `muster restore`, or describe the cluster anew and start its machines from the new image"
)


async def told(error: Exception, endpoint: Endpoint, headers: Mapping[str, str], store: Store) -> Exception:
    """The failure that a caller is told: the one that there was, unless it is an agent's and there is nothing here."""
    unknown = isinstance(error, NotFound) or (isinstance(error, Malformed) and error.status in UNKNOWN)
    agent = endpoint.access == (AGENT,) or TOKEN in headers
    if not (unknown and agent):
        return error
    try:
        known = [await store.scopes(kind, gone=True) for kind in ("infra-env", "cluster")]
    except Unavailable as away:
        return away
    return error if any(known) else Unavailable(PATIENCE)

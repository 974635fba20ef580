"""The gate of a recording: everybody may look, and nothing can be changed. `muster replay` opens it."""

from muster.api.errors import Malformed
from muster.api.memories import Memories
from muster.runtime.wiring import Service
from muster.wire.endpoints.endpoint import Endpoint, Scheme
from muster.wire.endpoints.ours import WHAT_IF

from .gate import Approach, Subject
from .links import Links
from .principal import EVERYBODY, Principal


class Recorded:
    """Lets those in who only want to look."""

    def __init__(self, _: Service, __: Memories) -> None:
        self.links = Links(None)

    async def admitted(self, endpoint: Endpoint, _: Approach) -> Principal:
        """Everybody, for what users may read; what machines do with a service they cannot do here."""
        looks = endpoint.method == "GET" or endpoint == WHAT_IF
        if looks and any(each.scheme is Scheme.USER for each in endpoint.access):
            return EVERYBODY
        raise Malformed(
            403,
            f"{endpoint.name}: this is a recording, which can only be looked at;"
            " call the service that it was taken from",
        )

    async def permit(self, _: Principal, __: Subject) -> None:
        """Everybody may have to do with everything."""

"""The gate of AUTH_TYPE=none: everybody is let in as the admin, whatever they show."""

from muster.wire.endpoints.endpoint import Endpoint

from .gate import Approach, Subject
from .links import Links
from .principal import EVERYBODY, Principal


class Open:
    """Nobody is asked."""

    def __init__(self) -> None:
        self.links = Links(None)

    async def admitted(self, _: Endpoint, __: Approach) -> Principal:
        """Everybody is the admin."""
        return EVERYBODY

    async def permit(self, _: Principal, __: Subject) -> None:
        """Everybody may have to do with everything."""

"""Network settings read by this service alone: what the port `Networks` is where there is no nmstatectl."""

import asyncio
from collections.abc import Sequence

from muster.domain.nmstate.network import ReadNetwork
from muster.wire.nmstate import read_network


class OwnNetworks:
    """Reads documents and makes keyfiles as far as the service itself knows how."""

    async def read(self, documents: Sequence[str]) -> tuple[ReadNetwork, ...]:
        """What each document says; read aside, since hundreds of them take a while."""
        return await asyncio.to_thread(lambda: tuple(map(read_network, documents)))

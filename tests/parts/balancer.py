"""A load balancer in front of several replicas: each connection goes to the next one that listens."""

import asyncio
import contextlib
from itertools import count

from parts.service import free_port


class Balancer:
    """Forwards bytes; knows nothing of what they mean."""

    def __init__(self, ports: list[int]) -> None:
        self.port = free_port()
        self._ports = ports
        self._turn = count()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Begin to listen."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)

    async def stop(self) -> None:
        """Stop listening."""
        assert self._server is not None
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = next(self._turn)
        for offset in range(len(self._ports)):
            port = self._ports[(first + offset) % len(self._ports)]
            with contextlib.suppress(OSError):
                there, back = await asyncio.open_connection("127.0.0.1", port)
                await asyncio.gather(_pump(reader, back), _pump(there, writer))
                return
        writer.close()


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await source.read(65536):
            sink.write(chunk)
            await sink.drain()
    sink.close()

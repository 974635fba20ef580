"""A recording opened again behind the real server, for suites that look at one."""

import asyncio
from datetime import datetime
from pathlib import Path

from muster.api.app import App
from muster.api.auth.recorded import Recorded
from muster.api.server import Server
from muster.runtime.wiring import replayed
from parts.service import RunningService


class ReplayedService(RunningService):
    """What `muster replay` serves, from `start` to `stop`."""

    def __init__(self, file: Path, at: datetime | None = None) -> None:
        super().__init__(file.parent)
        self._file = file
        self._at = at

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.service = replayed(self._file, self._at, self.settings)
        self._server = Server(App(self.service, Recorded), "127.0.0.1", self.port)
        self._serving.set()
        try:
            await self._server.serve()
        finally:
            await self.service.stop()

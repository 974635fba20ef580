"""A service before a witness: every answer it sends is held against the contract of the original."""

import gzip
from pathlib import Path
from typing import Any

from conforming import Witness

from muster.api.app import App
from muster.api.sending import Receive, Send
from muster.runtime.wiring import Service
from parts.service import RunningService


class WitnessedApp(App):
    """The application, and somebody who sees what it sends."""

    def __init__(self, running: Service, witness: Witness) -> None:
        super().__init__(running)
        self._witness = witness

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Serve one call and show the answer."""
        started: dict[str, Any] = {}
        body: list[bytes] = []

        async def sent(message: dict[str, Any]) -> None:
            started.update(message)
            body.append(message.get("body", b""))
            await send(message)

        await super().__call__(scope, receive, sent)
        if (b"content-encoding", b"gzip") in started["headers"]:
            body = [gzip.decompress(b"".join(body))]
        self._witness.saw(scope["method"], scope["path"], started["status"], b"".join(body))


class WitnessedService(RunningService):
    """A service whose every answer is looked at."""

    def __init__(self, folder: Path, environment: dict[str, str] | None = None, witness: Witness | None = None) -> None:
        super().__init__(folder, environment)
        self.witness = witness or Witness()

    def face(self) -> App:
        """The application before the witness."""
        return WitnessedApp(self.service, self.witness)

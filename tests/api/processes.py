"""The service as a process of its own, started as a user starts it, with its log in a file."""

import json
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from calling import Caller

from parts.service import free_port

PATIENCE = 20.0


class ServiceProcess:
    """`muster serve` with its data in a folder; `with` starts and ends it."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "log"
        self.data = folder / "data"
        self._environment = environment
        self._process: subprocess.Popen[bytes]

    def __enter__(self) -> Self:
        words = ["serve", "--host", "127.0.0.1", "--port", str(self.port), "--data", str(self.data)]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", "from muster.cli import main; main()", *words], stderr=log, env=self._environment
            )
        caller = Caller(self.url)
        given_up = time.monotonic() + PATIENCE
        while True:
            try:
                caller.call("GET", "/health")
            except OSError:
                assert self._process.poll() is None, self.log.read_text()
                assert time.monotonic() < given_up, "the service did not start"
                # The service needs the processor more.
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(0.01)
            else:
                caller.close()
                return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGTERM)
        assert self._process.wait(PATIENCE) == 0

    def lines(self) -> list[dict[str, Any]]:
        """The log so far, each line read as JSON."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]

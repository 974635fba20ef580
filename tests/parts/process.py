"""The service as a process of its own, to be killed and started again."""

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

from parts.service import free_port

PATIENCE = 20.0


class MusterProcess:
    """`muster serve` with its data in a folder; starting again finds what was there."""

    def __init__(self, folder: Path, **options: str) -> None:
        self.port = free_port()
        self.log = folder / f"service-{self.port}.log"
        folder.mkdir(parents=True, exist_ok=True)
        words = {"host": "127.0.0.1", "port": str(self.port), "data": str(folder), **options}
        muster = Path(sys.executable).with_name("muster")
        self._command = [
            str(muster),
            "serve",
            *(word for name, value in words.items() for word in (f"--{name}", value)),
        ]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where the service listens."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Run the service; returns once it can serve."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, stdout=log, stderr=log, env={"LOG_LEVEL": "info", **os.environ}
            )
        for _ in range(int(PATIENCE / 0.02)):
            if self._process.poll() is not None:
                raise AssertionError(f"the service ended by itself: {self.log.read_text()[-2000:]}")
            if self._answers():
                return
            try:
                self._process.wait(0.02)
            except subprocess.TimeoutExpired:
                continue
        raise AssertionError("the service did not start")

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/ready", timeout=1) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    @property
    def pid(self) -> int:
        """The number of the process."""
        assert self._process is not None
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the service has not ended yet."""
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """End the service at once, in the middle of whatever it does."""
        self._signal(signal.SIGKILL)

    def stop(self) -> int:
        """Ask the service to end; returns its status."""
        return self._signal(signal.SIGTERM)

    def _signal(self, which: signal.Signals) -> int:
        assert self._process is not None
        self._process.send_signal(which)
        return self._process.wait(PATIENCE)

    def problems(self) -> list[str]:
        """What the service logged as an error."""
        return [line for line in self.log.read_text().splitlines() if '"level": "error"' in line]

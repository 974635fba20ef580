"""Starts what is measured: `muster serve` in a process of its own, and the database it is to use.

`budgets.py` asks for a service by the kind of its database and gets one that serves, with a meter on
all of its processes. Everything lies in a temporary folder that is removed at the end.
"""

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import asyncpg
from meters import Meter

from parts.postgres import Postgres

PATIENCE = 30.0
"""Seconds that a start may take before the bench gives up."""

PARTING = 0.5
"""Seconds after which a session of the database has ended for certain, and counts among those that have."""

MUSTER = Path(sys.executable).with_name("muster")


class Service:
    """A service that can be started, killed and started again on the same records."""

    def __init__(self, folder: Path, database: str, postmaster: int | None) -> None:
        self.port = free_port()
        self.folder = folder
        self.environment = {"LOG_LEVEL": "warning"}
        self._database = database
        self._postmaster = postmaster
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def meter(self) -> Meter:
        """What the service and its database cost from here on."""
        return Meter(*self._pids)

    @property
    def parts(self) -> tuple[Meter, ...]:
        """What each of them costs: first the service, then its database if that is a process."""
        return tuple(map(Meter, self._pids))

    @property
    def _pids(self) -> tuple[int, ...]:
        assert self._process is not None, "the service has not been started"
        return (self._process.pid,) if self._postmaster is None else (self._process.pid, self._postmaster)

    def start(self) -> float:
        """Start it; returns after how many seconds it served."""
        began = time.perf_counter()
        self._process = subprocess.Popen(
            [MUSTER, "serve", "--port", str(self.port), "--data", self.folder, "--database", self._database],
            env={**os.environ, **self.environment},
        )
        while not self._serves():
            assert self._process.poll() is None, "the service ended by itself; it says why above"
            assert time.perf_counter() - began < PATIENCE, f"the service does not serve after {PATIENCE} seconds"
            time.sleep(0.01)
        return time.perf_counter() - began

    async def tidy(self) -> None:
        """Have the database do at once what it puts off for quiet times, so that idling costs what idling costs."""
        if self._postmaster is not None:
            connection = await asyncpg.connect(self._database)
            for act in ("VACUUM ANALYZE", "CHECKPOINT"):
                await connection.execute(act)
            await connection.close()
            await asyncio.sleep(PARTING)

    def kill(self) -> None:
        """End it without a word of warning."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _serves(self) -> bool:
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/ready", timeout=5):
                return True
        except (URLError, OSError):
            return False


@contextmanager
def prepared(kind: str) -> Iterator[Service]:
    """A service on an empty database of this kind, not yet started."""
    folder = Path(tempfile.mkdtemp(prefix="muster-bench-"))
    postgres = Postgres() if kind == "postgresql" else None
    service: Service | None = None
    try:
        if postgres is None:
            service = Service(folder, f"sqlite:///{folder}/muster.db", None)
        else:
            postgres.start()
            pid = int((postgres.folder / "data" / "postmaster.pid").read_text().split()[0])
            service = Service(folder, postgres.fresh(), pid)
        yield service
    finally:
        if service is not None:
            service.kill()
        if postgres is not None:
            postgres.remove()
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port

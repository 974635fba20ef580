"""A program is run with the words it is given, and lives no longer than whoever waits for it."""

import os
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from muster.adapters.machine.commands import run
from muster.domain.errors import Unavailable

PATIENCE = 10.0
WAIT = """
import asyncio, sys
from datetime import timedelta
from muster.adapters.machine.commands import run
asyncio.run(run(["/bin/sh", "-c", f"echo $$ > {sys.argv[1]}; exec sleep 3600"], env={}, patience=timedelta(hours=1)))
"""


async def test_what_a_program_writes_and_how_it_ends_is_told():
    ended = await run(["/bin/sh", "-c", "echo out; echo err >&2; exit 3"], env={}, patience=timedelta(seconds=10))
    assert (ended.code, ended.output, ended.complaint) == (3, "out\n", "err\n")


async def test_a_program_that_is_not_there_is_told():
    with pytest.raises(Unavailable, match=r"^/no/such/program cannot be run: No such file or directory$"):
        await run(["/no/such/program"], env={}, patience=timedelta(seconds=10))


def test_a_program_does_not_outlive_one_who_is_killed(tmp_path):
    mark = tmp_path / "pid"
    waiting = subprocess.Popen([sys.executable, "-c", WAIT, str(mark)])
    try:
        program = soon(lambda: mark.exists() and mark.read_text().strip())
        os.kill(waiting.pid, signal.SIGKILL)
    finally:
        waiting.kill()
        waiting.wait()
    soon(lambda: not Path(f"/proc/{program}").exists() or "\nState:\tZ" in Path(f"/proc/{program}/status").read_text())


def soon(look):
    """What is seen once there is something to see."""
    until = time.monotonic() + PATIENCE
    while not (seen := look()):
        assert time.monotonic() < until
        time.sleep(0.01)
    return seen

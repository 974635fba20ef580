"""Those who work in a folder know who of them was killed."""

import os
import signal
import subprocess
import sys

from muster.adapters.workers import Workers

WORK = """
import sys, time
from pathlib import Path
from muster.adapters.workers import Workers
Workers(Path(sys.argv[1])).enlist("theirs")
print("ready", flush=True)
time.sleep(3600)
"""


def test_one_who_was_killed_is_known_and_one_who_lives_is_not_taken_for_dead(tmp_path):
    mine = Workers(tmp_path / "workers")
    assert mine.dead() == ()
    mine.enlist("mine")
    theirs = subprocess.Popen([sys.executable, "-c", WORK, str(tmp_path / "workers")], stdout=subprocess.PIPE)
    try:
        assert theirs.stdout.readline() == b"ready\n"
        assert mine.dead() == ()
        os.kill(theirs.pid, signal.SIGKILL)
        theirs.wait()
        assert mine.dead() == ("theirs",)
        mine.bury("theirs")
        assert mine.dead() == ()
    finally:
        theirs.kill()
        theirs.wait()
        theirs.stdout.close()


def test_one_who_leaves_is_not_missed(tmp_path):
    mine = Workers(tmp_path)
    mine.leave()
    mine.enlist("mine")
    mine.leave()
    assert list(tmp_path.iterdir()) == []

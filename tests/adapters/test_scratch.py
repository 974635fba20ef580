"""A folder to work in is ours alone, and goes with us however we go."""

import os
import signal
import subprocess
import sys

import pytest

from muster.adapters.releases.scratch import scratch, tidy, write_private

HOLD = """
import sys, time
from pathlib import Path
from muster.adapters.releases.scratch import scratch
with scratch(Path(sys.argv[1]), "theirs") as folder:
    (folder / "secret").write_text("x")
    print("ready", flush=True)
    time.sleep(3600)
"""


def names(root):
    return [path.name.partition(".")[0] for path in root.iterdir()]


def test_a_folder_is_ours_alone_and_goes(tmp_path):
    with scratch(tmp_path / "work", "mine") as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        write_private(folder / "openshift/a.yaml", b"one")
        write_private(folder / "openshift/a.yaml", b"two")
        assert (folder / "openshift/a.yaml").read_bytes() == b"two"
        assert (folder / "openshift/a.yaml").stat().st_mode & 0o777 == 0o600
    assert names(tmp_path / "work") == []


def test_a_folder_goes_whatever_went_wrong_in_it(tmp_path):
    with pytest.raises(ZeroDivisionError), scratch(tmp_path, "mine"):
        raise ZeroDivisionError
    assert names(tmp_path) == []


def test_what_a_killed_process_has_left_behind_is_removed_and_what_is_in_use_stays(tmp_path):
    theirs = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE)
    try:
        assert theirs.stdout.readline() == b"ready\n"
        assert tidy(tmp_path) == ()
        with scratch(tmp_path, "mine"):
            assert tidy(tmp_path) == ()
            os.kill(theirs.pid, signal.SIGKILL)
            theirs.wait()
            (gone,) = tidy(tmp_path)
            assert gone.startswith("theirs.")
            assert names(tmp_path) == ["mine"]
    finally:
        theirs.kill()
        theirs.wait()
        theirs.stdout.close()


def test_there_may_be_nothing_to_tidy(tmp_path):
    assert tidy(tmp_path / "absent") == ()
    (tmp_path / "a file").write_text("x")
    assert tidy(tmp_path) == ()
    assert names(tmp_path) == ["a file"]

"""What an instance of Oracle Cloud was given to run is run: the real script, and a cloud of one page."""

import os
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from muster.domain.artifacts.discovery_texts import ORACLE_SCRIPT


class Cloud(ThreadingHTTPServer):
    """Hands out what an instance was given; without it, says so with a status."""

    user_data = b""
    status = 200

    class _Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Only who knows the word is answered."""
            cloud: Cloud = self.server
            self.send_response(cloud.status if self.headers["Authorization"] == "Bearer Oracle" else 401)
            self.end_headers()
            self.wfile.write(cloud.user_data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), self._Page)


@pytest.fixture
def cloud() -> Iterator[Cloud]:
    cloud = Cloud()
    thread = Thread(target=cloud.serve_forever, args=(0.01,))
    thread.start()
    yield cloud
    cloud.shutdown()
    thread.join()
    cloud.server_close()


def run(cloud, folder, tag="OracleCloud.com"):
    (folder / "tag").write_text(f"{tag}\n")
    environment = {
        **os.environ,
        "ASSET_TAG": str(folder / "tag"),
        "USER_DATA": f"http://127.0.0.1:{cloud.server_port}/",
        "DONE": str(folder / "done"),
    }
    return subprocess.run(["bash"], input=ORACLE_SCRIPT, env=environment, capture_output=True, text=True, check=False)


def test_what_the_instance_was_given_is_run(cloud, tmp_path):
    cloud.user_data = b64encode(b"#!/bin/bash\necho hello >$DONE\n")
    assert run(cloud, tmp_path).returncode == 0
    assert (tmp_path / "done").read_text() == "hello\n"


def test_an_instance_that_was_given_nothing_goes_on(cloud, tmp_path):
    cloud.status = 404
    ended = run(cloud, tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "this instance was given nothing to run\n")


def test_a_cloud_that_is_not_ready_is_asked_again_by_the_unit(cloud, tmp_path):
    cloud.status = 503
    ended = run(cloud, tmp_path)
    assert (ended.returncode, "answered 503" in ended.stdout) == (1, True)


def test_a_failure_of_what_is_run_is_one_of_the_unit(cloud, tmp_path):
    cloud.user_data = b64encode(b"exit 3\n")
    assert run(cloud, tmp_path).returncode == 3


@pytest.mark.parametrize("tag", ["", "Standard PC"])
def test_other_machines_are_left_alone(cloud, tmp_path, tag):
    cloud.user_data = b64encode(b"touch $DONE\n")
    assert run(cloud, tmp_path, tag).returncode == 0
    assert not (tmp_path / "done").exists()

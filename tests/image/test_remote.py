"""An image at the other end of a network is looked into without being downloaded."""

import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from muster.domain.errors import Broken, Invalid, NotFound, Unavailable
from muster.image.live import read_live
from muster.image.remote import PIECE, RemoteSource, shown
from parts.published import live, published

X86 = "2023-07.x86_64"


class Served(ThreadingHTTPServer):
    """A web server with one file."""

    daemon_threads = True
    content = published(X86)
    tag = '"one"'
    status = 206
    sent = 0
    missing = 0
    short = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/live.iso?token=secret"


class Answers(BaseHTTPRequestHandler):
    def do_GET(self):
        served = self.server
        first, last = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
        part = served.content[first : last + 1 - served.short]
        self.send_response(served.status)
        if served.status == 206:
            self.send_header("Content-Range", f"bytes {first}-{first + len(part) - 1}/{len(served.content)}")
        self.send_header("ETag", served.tag)
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part[: len(part) - served.missing])
        served.sent += len(part)

    def log_message(self, *said):
        pass


@contextmanager
def serving():
    with Served(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def server():
    with serving() as running:
        yield running


def test_only_parts_of_it_are_fetched(server):
    server.content = published(X86) + bytes(20 * 1024 * 1024)
    found = read_live(RemoteSource(server.url))
    assert found.but(size=0) == live(X86).but(size=0)
    assert server.sent < 10 * PIECE


def test_any_part_can_be_read(server):
    source = RemoteSource(server.url)
    for offset, length in ((0, 0), (0, 5), (PIECE - 3, 10), (1000, 3 * PIECE), (len(server.content) - 1, 1)):
        assert source.read(offset, length) == server.content[offset : offset + length]
    with pytest.raises(Broken, match="ends after 1048576 bytes, within the 2 from 1048575 on"):
        source.read(len(server.content) - 1, 2)
    source.close()


@pytest.mark.parametrize(
    ("status", "error", "sentence"),
    [
        (200, Broken, "cannot be read in parts; download it and look at the file"),
        (401, Broken, "answers 401 Unauthorized: it may not be read"),
        (404, NotFound, "answers 404 Not Found: there is no such file"),
        (503, Unavailable, "answers 503 Service Unavailable; try again later"),
    ],
)
def test_what_a_server_answers_is_told_without_what_is_secret(server, status, error, sentence):
    server.status = status
    with pytest.raises(error, match=sentence) as caught:
        RemoteSource(server.url)
    assert "secret" not in str(caught.value)


def test_an_image_that_changes_meanwhile_is_not_mixed(server):
    source = RemoteSource(server.url)
    server.tag = '"two"'
    with pytest.raises(Unavailable, match="has changed while it was read; try again"):
        source.read(PIECE * 3, 10)


def test_a_connection_that_is_cut_is_told(server):
    server.missing = 100
    with pytest.raises(Unavailable, match=r"cannot be read|was cut off"):
        RemoteSource(server.url)


def test_a_server_that_sends_less_than_asked_for_is_told(server):
    server.short = 100
    with pytest.raises(Unavailable, match=f"was cut off after {PIECE - 100} of {PIECE} bytes; try again"):
        RemoteSource(server.url)


def test_a_server_that_is_not_there_is_told():
    with serving() as gone:
        url = gone.url
    with pytest.raises(Unavailable, match=r"cannot be read: .*refused"):
        RemoteSource(url)


def test_other_kinds_of_urls_are_refused():
    with pytest.raises(Invalid, match="only URLs with http or https, and files, can"):
        RemoteSource("ftp://host/live.iso")


def test_passwords_and_tokens_are_not_shown():
    assert shown("https://me:pass@host:8/a/b.iso?token=x#y") == "https://host:8/a/b.iso"

"""Answers on their way out: in one piece, and to nobody if nobody is there any more."""

import socket
import threading
import time
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection

import pytest

from muster.api.app import App
from parts.service import PATIENCE, RunningService

QUESTION = b"GET /api/assisted-install/v2/supported-operators HTTP/1.1\r\nHost: here\r\n\r\n"


class Late(App):
    """Answers once the caller has gone, and keeps what came of it."""

    def __init__(self, service):
        super().__init__(service)
        self.answered = threading.Event()
        self.fault = None

    async def __call__(self, scope, receive, send):
        while (await receive())["type"] != "http.disconnect":
            pass
        try:
            await super().__call__(scope, receive, send)
        except Exception as error:
            self.fault = error
            raise
        finally:
            self.answered.set()


class LateService(RunningService):
    def face(self):
        self.late = Late(self.service)
        return self.late


@pytest.fixture
def late_service(tmp_path):
    service = LateService(tmp_path)
    service.start()
    yield service
    service.stop()


def test_an_answer_to_a_caller_who_has_gone_goes_nowhere_and_breaks_nothing(late_service):
    with socket.create_connection(("127.0.0.1", late_service.port)) as line:
        line.sendall(QUESTION)
    assert late_service.late.answered.wait(PATIENCE)
    assert late_service.late.fault is None


def test_head_and_body_arrive_together(service):
    with socket.create_connection(("127.0.0.1", service.port)) as line:
        line.sendall(QUESTION)
        head, _, body = line.recv(65536).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    assert body


def test_a_caller_who_wants_no_more_than_one_answer_gets_all_of_it(service):
    line = HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE)
    line.request("GET", "/api/assisted-install/v2/supported-operators", headers={"Connection": "close"})
    answer = line.getresponse()
    assert answer.getheader("connection") == "close"
    assert answer.read()
    line.close()


def test_every_answer_has_the_date_of_now(service):
    for question in (QUESTION, b"GARBAGE\r\n\r\n"):
        before = int(time.time())
        with socket.create_connection(("127.0.0.1", service.port)) as line:
            line.sendall(question)
            head = line.recv(65536).partition(b"\r\n\r\n")[0].decode()
        dates = [each.partition(": ")[2] for each in head.splitlines() if each.lower().startswith("date: ")]
        (told,) = (parsedate_to_datetime(each).timestamp() for each in dates)
        assert before - 1 <= told <= time.time()

"""What sending discovery images costs: how soon the first byte comes, how fast the rest, how much memory is held.

`budgets.py` prints the figures. Speed is compared with the least that could be done, a plain `sendfile` of the same
file to the same receiver, both taking turns in the same run: what counts is the ratio.
"""

import asyncio
import lzma
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
from caller import Caller, call
from fleet import new_infra_env
from service import Service, free_port, prepared

from muster.domain.record import Record

LARGE = 1 << 30
FIXTURE = Path(__file__).parent.parent / "tests" / "parts" / "isos" / "embed-areas-2023-07.x86_64.iso.xz"
RIVAL = Path(__file__).with_name("plain.py")
VERSION, ARCHITECTURE = "4.18", "x86_64"
MANY, OPEN = 50, 400
TURNS = 5
PIECE = 1 << 20
FIRSTS = 20


class Place(Record):
    """Where a file can be fetched."""

    port: int
    path: str


def image_figures() -> dict[str, float]:
    """Milliseconds to the first byte, percent of the speed of sendfile, and megabytes that open streams take."""
    with ExitStack() as stack:
        service = stack.enter_context(prepared("sqlite"))
        file = service.folder / "large.iso"
        _write_large(file)
        service.environment["OS_IMAGES"] = msgspec.json.encode([_entry(file)]).decode()
        service.start()
        ours = Place(port=service.port, path=asyncio.run(_path_of_image(service)))
        plain = Place(port=free_port(), path="/")
        rival = stack.enter_context(subprocess.Popen([sys.executable, RIVAL, file, str(plain.port)]))
        stack.callback(rival.kill)
        _await(plain, rival)
        _fetch(ours)
        _fetch(plain)
        return {
            "first byte": min(_first_byte(ours) for _ in range(FIRSTS)),
            "one stream": _ratio(ours, plain, 1),
            "many streams": _ratio(ours, plain, MANY),
            "open streams": _held(service, ours),
        }


def _write_large(path: Path) -> None:
    """A live image of a gigabyte: a small one, and then bytes that belong to no file."""
    with path.open("wb") as file:
        file.write(lzma.decompress(FIXTURE.read_bytes()))
        while file.tell() < LARGE:
            file.write(os.urandom(PIECE))
        file.truncate(LARGE)


def _entry(file: Path) -> dict[str, str]:
    return {
        "openshift_version": VERSION,
        "cpu_architecture": ARCHITECTURE,
        "url": str(file),
        "version": "38.20230718.dev.0",
    }


async def _path_of_image(service: Service) -> str:
    asked = new_infra_env(0, "") | {"openshift_version": VERSION, "image_type": "full-iso"}
    del asked["cluster_id"]
    caller = Caller(service.port)
    made: dict[str, Any] = await caller.ask(call("POST", "/infra-envs", asked))
    caller.close()
    return f"/byid/{made['id']}/{VERSION}/{ARCHITECTURE}/full.iso"


def _await(place: Place, rival: subprocess.Popen[bytes]) -> None:
    """Return once the other serves."""
    while rival.poll() is None:
        try:
            _connected(place).close()
        except ConnectionRefusedError:
            time.sleep(0.01)
        else:
            return
    raise AssertionError("the other has ended by itself; it says why above")


# Fetching


def _connected(place: Place) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", place.port))
    line.sendall(f"GET {place.path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n".encode())
    return line


def _fetch(place: Place) -> None:
    """Take a whole image and throw it away."""
    room = bytearray(PIECE)
    taken = 0
    with _connected(place) as line:
        while count := line.recv_into(room):
            taken += count
    assert taken > LARGE, f"only {taken} bytes came"


def _first_byte(place: Place) -> float:
    began = time.perf_counter()
    with _connected(place) as line:
        assert line.recv(1)
        return 1000 * (time.perf_counter() - began)


def _seconds(place: Place, streams: int) -> float:
    threads = [threading.Thread(target=_fetch, args=(place,)) for _ in range(streams)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - began


def _ratio(ours: Place, plain: Place, streams: int) -> float:
    """How fast ours is, in percent of the other; the better of each, since the machine has other things to do."""
    turns = [(_seconds(ours, streams), _seconds(plain, streams)) for _ in range(TURNS if streams == 1 else 2)]
    mine, theirs = (min(each) for each in zip(*turns, strict=True))
    return 100 * theirs / mine


def _held(service: Service, place: Place) -> float:
    """Megabytes that the service takes more while many streams stand open, each a little way into its image."""
    before = service.meter.memory_mb()
    lines = [_connected(place) for _ in range(OPEN)]
    for line in lines:
        assert line.recv(PIECE, socket.MSG_WAITALL)
    grown = service.meter.memory_mb() - before
    for line in lines:
        line.close()
    return grown

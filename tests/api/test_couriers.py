"""Parts of files on their way to sockets, and what becomes of them when somebody gives up."""

import asyncio
import gc
import socket

import pytest

from muster.api.couriers import Couriers

MORE_THAN_FITS = 64 << 20


@pytest.fixture
def file(tmp_path):
    """A file that is larger than what any socket takes at once."""
    path = tmp_path / "large"
    with path.open("wb+") as opened:
        opened.truncate(MORE_THAN_FITS)
        yield opened.fileno()


@pytest.fixture
def line():
    """Both ends of a connection."""
    here, there = socket.socketpair()
    here.setblocking(False)
    with here, there:
        yield here, there


@pytest.fixture
async def complaints():
    """What the loop has to complain of."""
    told = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context["message"]))
    yield told
    gc.collect()
    assert told == []


@pytest.mark.usefixtures("complaints")
async def test_an_errand_that_is_called_back_ends_without_a_word(file, line):
    here, there = line
    errand = asyncio.create_task(Couriers().carry(here.fileno(), file, 0, MORE_THAN_FITS))
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, there.recv, 1)
    errand.cancel()
    with pytest.raises(asyncio.CancelledError):
        await errand


@pytest.mark.usefixtures("complaints")
async def test_a_receiver_that_has_gone_is_told_of_once(file, line):
    here, there = line
    there.close()
    with pytest.raises(OSError, match="Broken pipe"):
        await Couriers().carry(here.fileno(), file, 0, MORE_THAN_FITS)

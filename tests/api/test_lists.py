"""Long lists are written down member by member, and nobody has to hold all of them."""

import json
from collections.abc import AsyncGenerator

import pytest

from muster.api import lists
from muster.api.lists import streamed_list

MEMBER = {"text": "x" * 10_000}


class Members:
    """Hands members out one by one, and knows how many it has handed out."""

    def __init__(self, count: int, fails_at: int = -1) -> None:
        self.count = count
        self.fails_at = fails_at
        self.taken = 0

    async def all(self) -> AsyncGenerator[dict[str, str]]:
        for number in range(self.count):
            if number == self.fails_at:
                raise ConnectionError
            self.taken += 1
            yield MEMBER


@pytest.mark.parametrize("count", [0, 1, 5])
async def test_a_short_list_is_sent_whole(count):
    answer = await streamed_list(Members(count).all())
    assert answer.stream is None
    assert json.loads(answer.body) == [MEMBER] * count
    assert answer.body.endswith(b"]\n")


async def test_a_long_list_is_written_as_it_is_sent():
    members = Members(100)
    answer = await streamed_list(members.all())
    assert answer.stream is not None
    taken = []
    pieces = []
    async for piece in answer.stream:
        pieces.append(piece)
        taken.append(members.taken)
    assert json.loads(b"".join(pieces)) == [MEMBER] * 100
    assert all(lists.PIECE <= len(piece) <= lists.PIECE + 11_000 for piece in pieces[:-1])
    assert taken[0] < 10 < taken[-1] == 100


async def test_what_goes_wrong_at_the_beginning_is_told_and_not_half_a_list():
    with pytest.raises(ConnectionError):
        await streamed_list(Members(100, fails_at=2).all())


async def test_what_goes_wrong_later_breaks_the_list_off():
    answer = await streamed_list(Members(100, fails_at=50).all())
    assert answer.stream is not None
    with pytest.raises(ConnectionError):
        async for _ in answer.stream:
            pass

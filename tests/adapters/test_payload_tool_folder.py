"""The folder of tools: shared by tasks and processes, bounded, and none the worse for those who are killed."""

import asyncio
import os
import subprocess
import sys
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from making_tools import LARGE, got, kept, kept_name, left_behind, making_tools

from muster.adapters.machine.commands import run
from muster.adapters.releases.tool_folder import WORTH_KEEPING, ToolFolder, _free, _linked
from muster.domain.errors import Invalid, Unavailable
from parts.release_image import push_release

TESTS = Path(__file__).parent.parent


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "tools"


@pytest.fixture
async def making(registry, tmp_path):
    async with making_tools(registry, tmp_path) as make:
        yield make


@pytest.fixture
def tools(making):
    return making()


# Many at once


async def test_however_many_want_it_it_is_fetched_once(registry, making):
    release = push_release(registry, program=LARGE)
    both, heard = [making(), making()], []
    for tools in both:
        tools.on_progress.append(lambda news: heard.append(news.come))
    programs = await asyncio.gather(*(got(both[number % 2], release) for number in range(6)))
    assert len(set(programs)) == 1
    assert heard == sorted(set(heard))


@contextmanager
def another_process(tmp_path: Path, url: str):
    """A process that gets the tool of the same folder, stopped in the middle."""
    running = subprocess.Popen(
        [sys.executable, "-m", "parts.tool_process", str(tmp_path), url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=TESTS,
    )
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


def go_on(running) -> str:
    running.stdin.write("\n")
    running.stdin.flush()
    return running.stdout.readline().strip()


async def test_what_another_process_is_about_to_bring_is_waited_for(registry, tools, tmp_path, folder):
    release = push_release(registry, program=LARGE)
    heard = []
    tools.on_progress.append(heard.append)
    with another_process(tmp_path, release.url) as other:
        assert await asyncio.to_thread(other.stdout.readline) == "begun\n"
        mine = asyncio.create_task(got(tools, release))
        theirs = (await asyncio.to_thread(go_on, other)).removeprefix("got ")
        assert (await mine)[-100:] == LARGE[-100:]
        assert await asyncio.to_thread(Path(theirs).read_bytes) == await got(tools, release)
        # The other one was not asked to let go: its link is there as long as it lives.
        assert left_behind(folder) == [Path(theirs).name]
    assert heard == []


async def test_after_a_kill_the_next_goes_on_where_it_was(registry, tools, tmp_path, folder):
    release = push_release(registry, program=LARGE)
    with another_process(tmp_path, release.url) as other:
        assert await asyncio.to_thread(other.stdout.readline) == "begun\n"
        other.kill()
        other.wait()
    assert kept(folder) == []
    (begun,) = folder.glob("*.work/*.part")
    come = begun.stat().st_size
    heard = []
    tools.on_progress.append(lambda news: heard.append(news.come))
    assert (await got(tools, release))[-100:] == LARGE[-100:]
    assert heard == sorted(set(heard))
    assert heard[0] > come > 0
    assert left_behind(folder) == []


async def test_what_a_killed_process_used_is_not_in_use(registry, making, tmp_path, folder):
    release, other_release = push_release(registry), push_release(registry, version="4.18.8")
    with another_process(tmp_path, release.url) as other:
        await asyncio.to_thread(other.stdout.readline)
        await asyncio.to_thread(go_on, other)
        assert len(left_behind(folder)) == 1
        other.kill()
        other.wait()
    await got(making(), other_release)
    assert left_behind(folder) == []


# What is kept


async def test_the_tool_goes_that_was_not_used_for_longest(registry, making, folder):
    releases = [push_release(registry, version=f"4.18.{number}", program=LARGE) for number in range(3)]
    tools = making(capacity=2 * len(LARGE) + 1000)
    for number, release in enumerate(releases[:2]):
        await got(tools, release)
        os.utime(folder / kept_name(release), (number + 1, number + 1))
    await got(tools, releases[0])
    await got(tools, releases[2])
    assert kept(folder) == sorted(map(kept_name, (releases[0], releases[2])))


async def test_what_is_in_use_does_not_go_and_the_next_waits_for_it(registry, making, folder):
    first, second = (push_release(registry, version=each, program=LARGE) for each in ("4.18.1", "4.18.2"))
    tools = making(capacity=len(LARGE) + 1000)
    heard = []
    async with tools.binary(first.url, "") as path:
        with pytest.raises(Unavailable, match="no place for another tool of 24 MB: INSTALLER_CACHE_CAPACITY is 24 MB"):
            await got(tools, second)
        assert path.read_bytes()[-100:] == LARGE[-100:]
    tools.on_progress.append(heard.append)
    await got(tools, second)
    # The layer had come whole, and was not fetched again.
    assert heard == []
    assert kept(folder) == [kept_name(second)]


async def test_a_tool_that_is_taken_away_by_hand_is_used_to_the_end_and_fetched_again(registry, tools, folder):
    release = push_release(registry)
    async with tools.binary(release.url, "") as path:
        (folder / kept_name(release)).unlink()
        assert not (await run([str(path)], env={}, patience=timedelta(seconds=10))).code
        assert await got(tools, release)


async def test_a_capacity_that_no_tool_fits_is_invalid(registry, making):
    with pytest.raises(Invalid, match=r"INSTALLER_CACHE_CAPACITY is 1.0 MB, and one tool alone has 24 MB; set it to 0"):
        await got(making(capacity=1_000_000), push_release(registry, program=LARGE))


async def test_where_the_disk_is_full_tools_that_nobody_uses_go(registry, making, folder, monkeypatch):
    first, second = (push_release(registry, version=each, program=LARGE) for each in ("4.18.1", "4.18.2"))
    await got(making(), first)
    monkeypatch.setattr(
        "muster.adapters.releases.tool_folder.free_room", lambda _: 0 if kept_name(first) in kept(folder) else 1 << 40
    )
    await got(making(), second)
    assert kept(folder) == [kept_name(second)]


async def test_what_was_begun_long_ago_and_never_ended_is_removed(registry, tools, folder):
    old, new = folder / "old.work", folder / "new.work"
    for work in (old, new):
        work.mkdir(parents=True)
        (work / "some.part").write_bytes(b"1")
    long_ago = old.stat().st_mtime - WORTH_KEEPING.total_seconds() - 1
    os.utime(old, (long_ago, long_ago))
    await got(tools, push_release(registry))
    assert left_behind(folder) == ["new.work"]


@pytest.mark.parametrize("meanwhile", ["gone", "another"])
def test_a_tool_that_goes_between_the_look_and_the_lock_is_not_used(folder, meanwhile):
    tools = ToolFolder(folder, 0)
    with tools.making("key") as work:
        (work / "one").write_bytes(b"1")
        tools.settle(work / "one", "key")
    held = os.open(folder / "key", os.O_RDONLY)
    (folder / "key").unlink()
    if meanwhile == "another":
        (folder / "key").write_bytes(b"2")
    link = folder / "link"
    assert not _linked(held, folder / "key", link)
    assert not link.exists()
    os.close(held)


def test_whoever_looks_for_what_is_not_there_finds_nothing(folder):
    tools = ToolFolder(folder, 1)
    tools.tidy()
    assert tools.use("key", "it") is None
    with _free(folder / "key") as free:
        assert not free

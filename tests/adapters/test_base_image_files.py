"""System images that are there already: in the folder, wherever somebody has put them, and made smaller."""

import asyncio
import hashlib
import os
from pathlib import Path

import pytest
from fetching_images import a_folder, an_image, brought, running, settled, until

from muster.domain.base_images import State
from muster.domain.errors import Invalid, NotFound, Unavailable
from parts.image_server import ImageServer, live_image

IMAGE = live_image()
OTHER = live_image("embed-areas-2021-12")
SUM = hashlib.sha256(IMAGE).hexdigest()
NAME = "rhcos-full-iso-418.1-x86_64.iso"
MINIMAL = "rhcos-minimal-iso-418.1-x86_64.iso"
NOWHERE = "http://127.0.0.1:1/live.iso"


def put(path: Path, content: bytes = IMAGE) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


# In the folder


async def test_a_folder_of_the_original_is_used_as_it_is(tmp_path):
    put(tmp_path / NAME)
    folder = a_folder(tmp_path, an_image(NOWHERE))
    file = await folder.full(an_image(NOWHERE))
    assert (file.path, file.live.size) == (tmp_path / NAME, len(IMAGE))
    assert file.modified.timestamp() == pytest.approx((tmp_path / NAME).stat().st_mtime)
    assert folder.states()[0].state is State.READY
    assert [each.name for each in tmp_path.iterdir()] == [NAME]


async def test_the_digest_of_a_file_is_its_own_and_stays(tmp_path):
    put(tmp_path / NAME)
    digests = {(await a_folder(tmp_path, an_image(NOWHERE)).full(an_image(NOWHERE))).digest for _ in range(2)}
    assert len(digests) == 1
    checked = await a_folder(tmp_path, an_image(NOWHERE, sha256=SUM)).full(an_image(NOWHERE))
    assert checked.digest == SUM


async def test_a_file_is_read_whole_for_its_sum_once(tmp_path):
    put(tmp_path / NAME)
    image = an_image(NOWHERE, sha256=SUM)
    await a_folder(tmp_path, image).full(image)
    times = (tmp_path / NAME).stat()
    # What is noted is believed as long as the file has the same size and time.
    put(tmp_path / NAME, IMAGE[:-1] + b"x")
    os.utime(tmp_path / NAME, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert (await a_folder(tmp_path, image).full(image)).digest == SUM


async def test_a_file_of_which_a_note_makes_no_sense_is_read_anew(tmp_path):
    put(tmp_path / NAME)
    put(tmp_path / f"{NAME}.json", b"{half a no")
    assert (await a_folder(tmp_path, an_image(NOWHERE, sha256=SUM)).full(an_image(NOWHERE))).digest == SUM


async def test_a_file_that_is_not_the_image_is_replaced_by_it(tmp_path):
    put(tmp_path / NAME, OTHER)
    async with ImageServer(IMAGE) as server:
        stands = await brought(tmp_path, an_image(server.url, sha256=SUM))
    assert (stands.state, len(server.asked)) == (State.READY, 1)
    assert (tmp_path / NAME).read_bytes() == IMAGE


async def test_a_file_that_vanishes_is_fetched(tmp_path):
    put(tmp_path / NAME)
    async with ImageServer(IMAGE) as server:
        image = an_image(server.url)
        async with running(a_folder(tmp_path, image)) as folder:
            await folder.full(image)
            (tmp_path / NAME).unlink()
            with pytest.raises(Unavailable, match="is about to be downloaded"):
                await folder.full(image)
            await until(folder, State.READY)
            assert (await folder.full(image)).digest == SUM


async def test_files_that_no_image_has_are_told_and_left_alone(tmp_path):
    for name in (NAME, MINIMAL, "rhcos-full-iso-9-x86_64.iso", "nmstatectl-9-x86_64", "letters.txt"):
        put(tmp_path / name)
    stray = ("nmstatectl-9-x86_64", "rhcos-full-iso-9-x86_64.iso")
    folder = a_folder(tmp_path, an_image(NOWHERE))
    async with running(folder):
        await settled(folder)
    assert folder.unused() == stray
    folder = a_folder(tmp_path, an_image(NOWHERE), tidy=True)
    async with running(folder):
        await settled(folder)
    assert folder.unused() == ()
    assert {each.name for each in tmp_path.iterdir()} == {NAME, MINIMAL, "letters.txt"}
    assert a_folder(tmp_path / "none").unused() == ()


# In place


@pytest.mark.parametrize("form", ["{}", "file://{}"])
async def test_a_file_is_used_from_where_somebody_has_put_it(tmp_path, form):
    path = put(tmp_path / "a b" / "live.iso")
    image = an_image(form.format(path).replace(" ", "%20" if "://" in form else " "), sha256=SUM)
    folder = a_folder(tmp_path / "images", image)
    async with running(folder):
        stands = await settled(folder)
    assert (stands.state, stands.source) == (State.READY, str(path))
    assert (await folder.full(image)).path == path
    assert [each.name for each in (tmp_path / "images").iterdir()] == [f"{NAME}.json"]


async def test_a_file_that_is_not_where_it_should_be_is_looked_for_again(tmp_path):
    path = tmp_path / "live.iso"
    folder = a_folder(tmp_path / "images", an_image(str(path)))
    with pytest.raises(Unavailable, match="about to be"):
        await folder.full(an_image(str(path)))
    async with running(folder):
        assert (await until(folder, State.FAILED)).reason == f"{path}: No such file or directory"
        put(path)
        assert (await folder.full(an_image(str(path)))).path == path


async def test_a_file_that_is_not_the_image_is_told_until_it_is_replaced(tmp_path):
    path = put(tmp_path / "live.iso", b"nothing of the kind" * 10_000)
    image = an_image(str(path))
    folder = a_folder(tmp_path / "images", image)
    async with running(folder):
        assert (await settled(folder)).retry_at is not None
        for _ in range(2):
            with pytest.raises(Unavailable, match="It is tried again in 60 minutes"):
                await folder.full(image)
        put(path)
        assert (await folder.full(image)).live.volume_id.startswith("fedora-coreos-38")


async def test_a_file_that_was_replaced_is_another_image_from_then_on(tmp_path):
    path = put(tmp_path / "live.iso")
    folder = a_folder(tmp_path / "images", an_image(str(path)))
    first = await folder.full(an_image(str(path)))
    assert await folder.full(an_image(str(path))) is first
    put(path, OTHER)
    second = await folder.full(an_image(str(path)))
    assert (second.live.size, second.digest == first.digest) == (len(OTHER), False)


async def test_a_minimal_image_is_none_to_begin_with(tmp_path):
    path = put(tmp_path / "live.iso")
    folder = a_folder(tmp_path, an_image(str(path)))
    small = await folder.minimal(an_image(str(path)))
    other = a_folder(tmp_path / "other", an_image(str(small.path)))
    async with running(other):
        assert "is a minimal image, without the system in it; take the full one" in (await settled(other)).reason


# Made smaller


async def test_a_minimal_image_is_made_when_it_is_first_wanted(tmp_path):
    put(tmp_path / NAME)
    folder = a_folder(tmp_path, an_image(NOWHERE))
    small, same = await asyncio.gather(folder.minimal(an_image(NOWHERE)), folder.minimal(an_image(NOWHERE)))
    full = await folder.full(an_image(NOWHERE))
    assert same is small
    assert small.live.minimal
    assert (small.path, small.modified) == (tmp_path / MINIMAL, full.modified)
    assert small.digest != full.digest
    assert not list(tmp_path.glob("*.part*"))


async def test_a_minimal_image_is_kept_across_restarts_and_made_anew_for_another_full_one(tmp_path):
    put(tmp_path / NAME)
    first = await a_folder(tmp_path, an_image(NOWHERE)).minimal(an_image(NOWHERE))
    was = (tmp_path / MINIMAL).stat()
    assert await a_folder(tmp_path, an_image(NOWHERE)).minimal(an_image(NOWHERE)) == first
    assert (tmp_path / MINIMAL).stat().st_mtime_ns == was.st_mtime_ns
    put(tmp_path / NAME, OTHER)
    folder = a_folder(tmp_path, an_image(NOWHERE))
    second = await folder.minimal(an_image(NOWHERE))
    assert second.live.volume_id != first.live.volume_id
    assert second.digest != first.digest


async def test_one_that_the_original_made_is_made_anew(tmp_path):
    put(tmp_path / NAME)
    put(tmp_path / MINIMAL, b"with an address in it that leads nowhere")
    small = await a_folder(tmp_path, an_image(NOWHERE)).minimal(an_image(NOWHERE))
    assert small.live.minimal


async def test_what_a_killed_process_left_is_cleared_away(tmp_path):
    put(tmp_path / NAME)
    put(tmp_path / f".{MINIMAL}.part.x1", b"half")
    put(tmp_path / f"{MINIMAL}.part", b"half")
    small = await a_folder(tmp_path, an_image(NOWHERE)).minimal(an_image(NOWHERE))
    assert small.live.minimal
    assert not [each for each in tmp_path.iterdir() if ".part" in each.name]


async def test_a_system_that_has_no_minimal_image_has_none(tmp_path):
    image = an_image(NOWHERE, cpu_architecture="s390x")
    put(tmp_path / NAME.replace("x86_64", "s390x"), live_image("embed-areas-2023-07.s390x"))
    with pytest.raises(Invalid, match="s390x"):
        await a_folder(tmp_path, image).minimal(image)


async def test_there_is_no_minimal_image_of_what_is_not_there(tmp_path):
    with pytest.raises(NotFound):
        await a_folder(tmp_path).minimal(an_image(""))


async def test_a_disk_that_takes_no_minimal_image_is_told(tmp_path):
    path = put(tmp_path / "live.iso")
    put(tmp_path / "images", b"a file, where a folder should be")
    folder = a_folder(tmp_path / "images", an_image(str(path)))
    with pytest.raises(Unavailable, match=f"The minimal image cannot be written: {tmp_path / 'images'}"):
        await folder.minimal(an_image(str(path)))

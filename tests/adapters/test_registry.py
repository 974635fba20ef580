"""Images of a real registry: read, checked, gone on with after a cut, and refused where nothing can be done."""

import asyncio
import io
import os

import pytest
from registry_clients import a_client, content_of, in_memory

from muster.domain.errors import Broken, NotFound, Unavailable
from parts.registry_gate import Gate
from parts.release_image import layer
from parts.service import free_port

LARGE = os.urandom(6_000_000)


# What is in an image


@pytest.mark.parametrize("oci", [False, True])
async def test_a_file_is_that_of_the_topmost_layer(registry, oci):
    layers = [layer({"a": b"old", "b": b"below"}), layer({"./a": b"new"}), layer({"other": b"x"})]
    registry.image("some/it", layers, tag="1", oci=oci)
    async with a_client(registry.host) as client:
        found = await content_of(client, f"{registry.host}/some/it:1", "a", "b", "c")
    assert found == {"a": b"new", "b": b"below", "c": None}


async def test_what_a_layer_hides_is_not_found_below(registry):
    low = layer({"etc/a": b"1", "etc/b": b"1", "opt/x/c": b"1", "var/d": b"1", "srv/e": b"1"})
    high = layer({"etc/.wh.a": b"", "opt/.wh.x": b"", "var/.wh..wh..opq": b"", "srv": b"is a file"})
    registry.image("some/it", [low, high], tag="1")
    async with a_client(registry.host) as client:
        found = await content_of(client, f"{registry.host}/some/it:1", "etc/a", "etc/b", "opt/x/c", "var/d", "srv/e")
    assert found == {"etc/a": None, "etc/b": b"1", "opt/x/c": None, "var/d": None, "srv/e": None}


async def test_what_a_layer_hides_and_brings_itself_is_found(registry):
    high = layer({"var/.wh..wh..opq": b"", "var/d": b"2"})
    registry.image("some/it", [layer({"var/d": b"1"}), high], tag="1")
    async with a_client(registry.host) as client:
        assert await content_of(client, f"{registry.host}/some/it:1", "var/d") == {"var/d": b"2"}


async def test_a_link_within_its_layer_is_followed_and_one_out_of_it_is_not(registry):
    inside = layer({"usr/bin/one": b"1"}, links={"usr/bin/two": "one", "usr/bin/three": "/opt/three"})
    registry.image("some/it", [inside], tag="1")
    async with a_client(registry.host) as client:
        name = f"{registry.host}/some/it:1"
        assert await content_of(client, name, "usr/bin/two") == {"usr/bin/two": b"1"}
        with pytest.raises(Broken, match="link to one in another layer"):
            await content_of(client, name, "usr/bin/three")


async def test_no_more_layers_are_fetched_than_needed(registry):
    registry.image("some/it", [layer({"large": LARGE}), layer({"a": b"1"})], tag="1")
    heard = []
    async with a_client(registry.host) as client:
        await content_of(client, f"{registry.host}/some/it:1", "a", tell=lambda blob, _: heard.append(blob.digest))
    assert len(set(heard)) == 1


@pytest.mark.parametrize("packed", [b"\x28\xb5\x2f\xfd and so on", b"nothing of the kind"])
async def test_a_layer_that_cannot_be_read_is_named_so(registry, packed):
    registry.image("some/it", [packed], tag="1")
    async with a_client(registry.host) as client:
        with pytest.raises(Broken, match="zstd, which Python" if packed[0] == 0x28 else "cannot be read"):
            await content_of(client, f"{registry.host}/some/it:1", "a")


async def test_a_layer_that_is_not_packed_is_read_too(registry):
    registry.image("some/it", [layer({"a": b"1"}, packed=False)], tag="1")
    async with a_client(registry.host) as client:
        assert await content_of(client, f"{registry.host}/some/it:1", "a") == {"a": b"1"}


# For which machines


@pytest.mark.parametrize("oci", [False, True])
async def test_of_a_list_the_image_for_the_machine_is_taken(registry, oci):
    images = {
        name: registry.image("some/it", [layer({"a": name.encode()})], architecture=name, oci=oci)
        for name in ("amd64", "arm64", "s390x")
    }
    pushed = registry.index("some/it", "1", images, oci=oci)
    async with a_client(registry.host) as client:
        name = f"{registry.host}/some/it:1"
        for machine, theirs in (("x86_64", b"amd64"), ("aarch64", b"arm64"), ("arm64", b"arm64"), ("s390x", b"s390x")):
            assert await content_of(client, name, "a", architecture=machine) == {"a": theirs}
        image = await client.image(name, "", "ppc64le")
    assert (image.reference.digest, image.architecture) == (pushed.digest, "x86_64")
    assert image.architectures == ("x86_64", "arm64", "s390x")


async def test_an_image_for_one_kind_of_machine_says_for_which(registry):
    pushed = registry.image("some/it", [layer({"a": b"1"})], tag="1", architecture="arm64")
    async with a_client(registry.host) as client:
        image = await client.image(f"{registry.host}/some/it:1", "", "x86_64")
        again = await client.image(f"{registry.host}/some/it@{pushed.digest}", "", "x86_64")
    assert (image.architectures, image.reference.digest) == (("arm64",), pushed.digest)
    assert again == image


# What is not there, or not what it should be


async def test_an_image_that_is_not_there_is_not_found(registry):
    async with a_client(registry.host) as client:
        with pytest.raises(NotFound, match=r"has no .*/some/it:2; correct the name"):
            await client.image(f"{registry.host}/some/it:2", "", "x86_64")


async def test_a_layer_that_is_damaged_where_it_is_kept_is_not_believed(registry):
    broken = layer({"a": LARGE})
    registry.image("some/it", [broken], tag="1")
    async with a_client(registry.host) as client:
        image = await client.image(f"{registry.host}/some/it:1", "", "x86_64")
        registry.damage(image.layers[0].digest)
        with pytest.raises(
            Broken,
            match=f"{registry.host}/some/it sends something else .* damaged where it is kept; push the image there",
        ):
            await client.take(image, ["a"], lambda *_: pytest.fail("it was believed"), in_memory)


async def test_a_manifest_that_is_another_than_its_digest_says_is_not_believed(registry):
    pushed = registry.image("some/it", [layer({"a": b"1"})], tag="1")
    async with Gate(registry.host) as gate, a_client(gate.host) as client:
        gate.faults.append(gate.saying(200, b'{"layers": []}'))
        with pytest.raises(Broken, match="is something else"):
            await client.image(f"{gate.host}/some/it@{pushed.digest}", "", "x86_64")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b'{"schemaVersion": 1, "fsLayers": []}', "of a kind that cannot be installed from"),
        (b"<html>", "cannot be read"),
        (b" " * 5_000_000, "no honest one has"),
    ],
)
async def test_a_manifest_that_makes_no_sense_is_broken(registry, body, sentence):
    async with Gate(registry.host) as gate, a_client(gate.host) as client:
        gate.faults.append(gate.saying(200, body))
        with pytest.raises(Broken, match=sentence):
            await client.image(f"{gate.host}/some/it:1", "", "x86_64")


# What may pass


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_what_a_registry_cannot_do_now_is_tried_again(registry, status):
    registry.image("some/it", [layer({"a": b"1"})], tag="1")
    async with Gate(registry.host) as gate, a_client(gate.host) as client:
        gate.faults.extend([gate.saying(status)] * 2)
        assert await content_of(client, f"{gate.host}/some/it:1", "a") == {"a": b"1"}
        gate.faults.extend([gate.saying(status)] * 3)
        with pytest.raises(Unavailable, match=f"answered with status {status}"):
            await client.image(f"{gate.host}/some/it:1", "", "x86_64")


async def test_a_layer_that_was_cut_off_goes_on_where_it_was_however_often(registry):
    registry.image("some/it", [layer({"a": LARGE})], tag="1")
    async with Gate(registry.host) as gate, a_client(gate.host, tries=6) as client:
        image = await client.image(f"{gate.host}/some/it:1", "", "x86_64")
        gate.asked.clear()
        gate.faults.extend([gate.cut(900_000)] * 5)
        file = io.BytesIO()
        await client.fetch(image, image.layers[0], file)
    begun = [int(each.range.removeprefix("bytes=").rstrip("-") or 0) for each in gate.asked]
    # What waits to be taken when the connection goes is lost with it, so now and then nothing is gained.
    assert begun == sorted(begun)
    assert len(begun) == 6
    assert len(file.getvalue()) == image.layers[0].size


@pytest.mark.parametrize("odd", ["from the start", "elsewhere", "beyond"])
async def test_a_registry_that_cannot_go_on_is_asked_for_all_of_it(registry, odd):
    registry.image("some/it", [layer({"a": LARGE})], tag="1")
    async with Gate(registry.host) as gate, a_client(gate.host) as client:
        image = await client.image(f"{gate.host}/some/it:1", "", "x86_64")
        whole = registry.file_of(image.layers[0].digest).read_bytes()
        said = {
            "from the start": gate.saying(200, whole),
            "elsewhere": gate.saying(206, whole[7:], Content_Range=f"bytes 7-{len(whole) - 1}/{len(whole)}"),
            "beyond": gate.saying(416),
        }
        gate.faults.extend([gate.cut(2_000_000), said[odd]])
        file = io.BytesIO()
        await client.fetch(image, image.layers[0], file)
    assert file.getvalue() == whole


async def test_a_beginning_that_does_not_fit_is_fetched_anew(registry):
    registry.image("some/it", [layer({"a": LARGE})], tag="1")
    async with a_client(registry.host) as client:
        image = await client.image(f"{registry.host}/some/it:1", "", "x86_64")
        whole = registry.file_of(image.layers[0].digest).read_bytes()
        for beginning in (b"something else", whole[:-1] + b"?", whole + b"and more"):
            file = io.BytesIO(beginning)
            await client.fetch(image, image.layers[0], file)
            assert file.read() == whole


async def test_more_than_the_image_says_is_not_taken(registry):
    registry.image("some/it", [layer({"a": b"1"})], tag="1")
    async with Gate(registry.host) as gate, a_client(gate.host) as client:
        image = await client.image(f"{gate.host}/some/it:1", "", "x86_64")
        gate.faults.append(gate.saying(200, LARGE))
        with pytest.raises(Broken, match="sends more than the"):
            await client.fetch(image, image.layers[0], io.BytesIO())


async def test_a_registry_that_is_killed_in_the_middle_and_comes_back_is_gone_on_with(registry):
    registry.image("some/it", [layer({"a": os.urandom(48_000_000)})], tag="1")
    heard, killed = [], []

    def tell(_blob, come):
        heard.append(come)
        if not killed:
            killed.append(come)
            registry.stop()

    def come_back(failures):
        registry.start()
        return 0.0

    async with a_client(registry.host, wait=come_back) as client:
        image = await client.image(f"{registry.host}/some/it:1", "", "x86_64")
        file = io.BytesIO()
        await client.fetch(image, image.layers[0], file, tell)
    assert heard == sorted(set(heard))
    assert heard[-1] == image.layers[0].size == len(file.getvalue())


async def test_a_registry_that_cannot_be_reached_is_unavailable():
    host = f"127.0.0.1:{free_port()}"
    async with a_client(host) as client:
        with pytest.raises(Unavailable, match=f"{host} could not be asked: it cannot be reached \\(Connection refused"):
            await client.image(f"{host}/some/it:1", "", "x86_64")


async def test_who_is_told_to_stop_leaves_no_half_written_piece(registry):
    registry.image("some/it", [layer({"a": LARGE})], tag="1")
    async with a_client(registry.host) as client:
        image = await client.image(f"{registry.host}/some/it:1", "", "x86_64")
        begun, file = asyncio.Event(), io.BytesIO()
        work = asyncio.create_task(client.fetch(image, image.layers[0], file, lambda *_: begun.set()))
        await begun.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        await client.fetch(image, image.layers[0], file)
    assert len(file.getvalue()) == image.layers[0].size

"""What was embedded into an image is found again, whoever packed it and however."""

import gzip
import lzma
import subprocess
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.domain.artifacts.cpio import archive, padded, regular, uncompressed
from muster.domain.errors import Broken
from muster.image.customise import Customisation, customised
from muster.image.embedded import embedded_files, unpacked_files
from muster.image.live import read_live
from parts.published import InMemory, laid_over, live, published
from parts.tools import tool

X86 = "2023-07.x86_64"
ONE, TWO = [regular("config.ign", "{}", 0o644)], [regular("/etc/two", "second", 0o600)]
PACKED = {
    "gzip": gzip.compress(uncompressed(ONE)),
    "xz": lzma.compress(uncompressed(ONE), check=lzma.CHECK_CRC32),
    "nothing": uncompressed(ONE),
}


def test_a_published_image_has_nothing_embedded():
    assert embedded_files(InMemory(published(X86)), live(X86)) == {}


def test_what_we_embedded_is_found():
    wanted = Customisation(ignition=b'{"a": 1}', extra=archive(TWO))
    source = InMemory(laid_over(published(X86), customised(live(X86), wanted)))
    found = embedded_files(source, read_live(source))
    assert (found["config.ign"], found["/etc/two"]) == (b'{"a": 1}', b"second")


def test_what_the_real_tool_embedded_is_found(tmp_path):
    image, config = tmp_path / "own.iso", tmp_path / "config.ign"
    config.write_text('{"ignition":{"version":"3.2.0"}}')
    image.write_bytes(published(X86))
    words = [tool("coreos-installer"), "iso", "ignition", "embed", "-i", config, image]
    subprocess.run(words, check=True, capture_output=True)
    source = InMemory(image.read_bytes())
    assert embedded_files(source, read_live(source)) == {"config.ign": config.read_bytes()}


@pytest.mark.parametrize("packing", PACKED)
def test_archives_follow_each_other(packing):
    found = unpacked_files(bytes(8) + padded(PACKED[packing]) + bytes(12) + archive(TWO) + bytes(100))
    assert (found["config.ign"], found["/etc/two"]) == (b"{}", b"second")


def test_the_last_of_two_with_the_same_name_counts():
    assert unpacked_files(archive(ONE) + archive([regular("config.ign", "other", 0o644)])) == {"config.ign": b"other"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\x28\xb5\x2f\xfd\x00\x00", "packed in a way that is not known: it begins with the bytes 28 b5 2f fd 00 00"),
        (archive(ONE)[:-9], "has no end"),
        (b"\x1f\x8bnot gzip at all", "cannot be unpacked"),
        (gzip.compress(b"no archive", mtime=0), "is no archive"),
        (b"070701" + b"zz" * 60, "is no archive"),
        (uncompressed(ONE)[:120], "is no archive"),
    ],
)
def test_what_cannot_be_read_is_told(content, sentence):
    with pytest.raises(Broken, match=sentence):
        unpacked_files(content)


def test_a_place_of_absurd_size_is_not_read():
    found = live(X86)
    with pytest.raises(Broken, match="far more than it should"):
        embedded_files(InMemory(published(X86)), found.but(ignition=found.ignition.but(length=10**9)))


@given(st.binary(max_size=300), st.integers(0, 200), st.sampled_from(sorted(PACKED)))
def test_damage_is_told_or_harmless(damage, at, packing):
    content = bytearray(PACKED[packing])
    content[at : at + len(damage)] = damage
    with suppress(Broken):
        unpacked_files(bytes(content))

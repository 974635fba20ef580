"""Minimal images by recipe: to the bit what coreos-installer makes, or none at all."""

import hashlib
import lzma
import subprocess
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.domain.errors import Broken, Invalid
from muster.image.customise import Customisation, customised
from muster.image.live import MINISO, read_live
from muster.image.minimal import write_minimal
from muster.image.miniso import read_recipe
from muster.image.source import FileSource
from parts.published import InMemory, laid_over, live, live_file, published
from parts.tools import tool

X86, S390X = "2023-07.x86_64", "2023-07.s390x"
WITH_RECIPE = ("2021-12", "2022-02", "2022-09", "2023-03.x86_64", X86)
URL = "https://images.example/rootfs.img"


def made(source, folder):
    """The minimal image of a full one."""
    target = folder / "minimal.iso"
    write_minimal(source, read_live(source), target)
    return target.read_bytes()


def extracted(image, folder, *words):
    """The minimal image as the real tool makes it."""
    target = folder / "extracted.iso"
    command = [tool("coreos-installer"), "iso", "extract", "minimal-iso", image, target, *words]
    subprocess.run(command, capture_output=True, check=True)
    return target.read_bytes()


@pytest.mark.parametrize("name", WITH_RECIPE)
def test_it_is_to_the_bit_what_the_real_tool_makes(name, tmp_path):
    (tmp_path / "full.iso").write_bytes(published(name))
    assert made(InMemory(published(name)), tmp_path) == extracted(tmp_path / "full.iso", tmp_path)


@pytest.mark.parametrize("name", WITH_RECIPE)
def test_with_a_url_it_is_to_the_bit_what_the_real_tool_makes(name, tmp_path):
    (tmp_path / "full.iso").write_bytes(published(name))
    minimal = made(InMemory(published(name)), tmp_path)
    patches = customised(read_live(InMemory(minimal)), Customisation(ignition=b"", rootfs_url=URL))
    assert laid_over(minimal, patches) == extracted(tmp_path / "full.iso", tmp_path, "--rootfs-url", URL)


@pytest.mark.parametrize("architecture", ["x86_64", "aarch64", "ppc64le"])
def test_every_architecture_but_one_has_minimal_images(live_isos, architecture, tmp_path):
    full = live_isos(architecture=architecture)
    with closing(FileSource(full)) as source:
        assert made(source, tmp_path) == extracted(full, tmp_path)
    found = live_file(tmp_path / "minimal.iso")
    assert (found.minimal, found.architecture) == (True, architecture)
    assert found.size < live_file(full).size


def test_the_recipe_says_what_it_makes():
    recipe = read_recipe(InMemory(published(X86)), live(X86).files[MINISO])
    assert recipe.digest.hex() == "b64f0261321433be7e437e95304481deb06736c19f052c3391b049d25d8f6411"
    assert (len(recipe.files), len(recipe.packed)) == (12, 2560)


def test_a_minimal_image_has_no_minimal_one(tmp_path):
    minimal = InMemory(made(InMemory(published(X86)), tmp_path))
    with pytest.raises(Invalid, match="is a minimal one already"):
        made(minimal, tmp_path)


def test_there_are_none_for_mainframes(tmp_path):
    with pytest.raises(Invalid, match="There are no minimal images for s390x"):
        made(InMemory(published(S390X)), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_full_image_that_was_customised_makes_none_and_leaves_nothing(tmp_path):
    patches = customised(live(X86), Customisation(ignition=b"{}"))
    with pytest.raises(Broken, match=r"the full image is\s+damaged, or was customised; take it as it was published"):
        made(InMemory(laid_over(published(X86), patches)), tmp_path)
    assert not list(tmp_path.iterdir())


def recipe(*parts: bytes) -> bytes:
    """A full image with another recipe in it."""
    place, content = live(X86).files[MINISO], bytearray(published(X86))
    content[place.offset : place.end] = b"".join(parts).ljust(place.length, b"\0")
    return bytes(content)


MAGIC, MADE_BY = b"MINISO\0\0", b"\x010"
NO_FILES, DIGEST = b"\0", bytes(32)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ((b"nothing",), "in the place of the recipe of the minimal image is none"),
        ((MAGIC, b"\x02", b"\x040.99"), "made by coreos-installer 0.99 in version 2 of the format"),
        ((MAGIC, b"\x01", b"\xfc\xff\xff\xff\xff"), "ends too early"),
        ((MAGIC, b"\x01", MADE_BY, NO_FILES, DIGEST, b"\x15", b"not packed in any way"), "cannot be unpacked"),
        ((MAGIC, b"\x01", MADE_BY, NO_FILES, DIGEST, b"\x06", b"\xfd7zXZ\0"), "ends too early"),
        ((MAGIC, b"\x01", MADE_BY, b"\1", b"\1\xfb\xff\xff\1", DIGEST, b"\0"), "takes what the full one does not have"),
        ((MAGIC, b"\x01", MADE_BY, b"\2", b"\0\0\1\0\0\1", DIGEST, b"\0"), "takes what the full one does not have"),
    ],
)
def test_a_recipe_that_cannot_be_followed_is_told(content, sentence, tmp_path):
    with pytest.raises(Broken, match=sentence):
        made(InMemory(recipe(*content)), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_recipe_that_lacks_bytes_between_the_files_is_told(tmp_path):
    packed = lzma.compress(b"four")
    file = b"\1" + b"\1\1\1"
    content = recipe(MAGIC, b"\x01", MADE_BY, file, DIGEST, bytes((len(packed),)), packed)
    with pytest.raises(Broken, match="lacks 2044 bytes"):
        made(InMemory(content), tmp_path)


def test_a_recipe_of_absurd_size_is_not_read():
    place = live(X86).files[MINISO]
    with pytest.raises(Broken, match="far more than one has"):
        read_recipe(InMemory(published(X86)), place.but(length=10**9))


@given(st.integers(0, 3000), st.binary(min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_damage_to_a_recipe_never_goes_unseen(tmp_path_factory, at, damage):
    place, content = live(X86).files[MINISO], bytearray(published(X86))
    content[place.offset + at : place.offset + at + len(damage)] = damage
    folder = tmp_path_factory.mktemp("damaged")
    try:
        whole = made(InMemory(bytes(content)), folder)
    except Broken:
        assert not list(folder.iterdir())
    else:
        assert hashlib.sha256(whole).digest() == hashlib.sha256(made(InMemory(published(X86)), folder)).digest()

"""A config as it lies in an image: an archive that the kernel unpacks, and another behind it."""

import gzip
import lzma
import random

from muster.domain.artifacts.cpio import archive, regular, uncompressed
from muster.domain.artifacts.embedding import ROOM, packed, surely_fits

CONFIG = b'{"ignition":{"version":"3.1.0"}}'
EXTRA = archive([regular("/etc/x", "y", 0o600)])


def noise(size, seed=7):
    """Bytes of a text that can be made shorter by a quarter and no more."""
    return random.Random(seed).randbytes(size // 2).hex().encode()


def test_the_config_is_unpacked_under_the_name_that_the_initrd_looks_for():
    content = gzip.decompress(packed(CONFIG))
    assert content == uncompressed([regular("config.ign", CONFIG.decode(), 0o644)])


def test_another_archive_begins_where_the_kernel_looks_for_it():
    both = packed(CONFIG, EXTRA)
    assert both.endswith(EXTRA)
    assert (len(both) - len(EXTRA)) % 4 == 0
    assert both[: -len(EXTRA)] == packed(CONFIG)


def test_the_same_bytes_are_made_each_time():
    assert packed(CONFIG, EXTRA) == packed(CONFIG, EXTRA)
    long = noise(300_000) * 2
    assert packed(long) == packed(long)


def test_what_does_not_fit_is_compressed_better():
    twice = noise(300_000) * 2
    content = packed(twice)
    assert len(content) <= ROOM
    assert content.startswith(b"\xfd7zXZ\0")
    assert twice in lzma.LZMADecompressor().decompress(content)


def test_what_does_not_fit_at_all_is_longer_than_the_room_there_is():
    assert len(packed(noise(800_000))) > ROOM
    assert len(packed(CONFIG, EXTRA, room=10)) > 10


def test_nobody_needs_to_try_what_is_small_enough_as_it_is():
    assert surely_fits(CONFIG, EXTRA)
    assert not surely_fits(noise(ROOM))
    assert not surely_fits(CONFIG, noise(ROOM))

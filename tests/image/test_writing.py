"""A file is there whole or not at all."""

import pytest

from muster.image.draft import Draft
from muster.image.writing import whole
from parts.published import InMemory, laid_over


def test_a_file_gets_its_name_when_it_is_written(tmp_path):
    target = tmp_path / "image.iso"
    with whole(target) as file:
        file.write(b"new")
        assert not target.exists()
    assert target.read_bytes() == b"new"
    assert [each.name for each in tmp_path.iterdir()] == ["image.iso"]
    assert target.stat().st_mode & 0o777 == 0o644


def test_what_fails_leaves_the_former_file(tmp_path):
    target = tmp_path / "image.iso"
    target.write_bytes(b"old")
    with pytest.raises(TypeError), whole(target) as file:
        file.writelines([b"new", "not bytes"])
    assert target.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["image.iso"]


def test_a_draft_reads_what_was_put_into_it():
    content = bytes(range(256)) * 30
    draft = Draft(InMemory(content))
    expected = bytearray(content)
    for offset, piece in ((0, b"a"), (2040, b"b" * 20), (4096, b"c" * 2048), (7000, b"d" * 680)):
        draft.put(offset, piece)
        expected[offset : offset + len(piece)] = piece
    assert draft.read(0, len(content)) == bytes(expected)
    assert draft.read(2045, 10) == bytes(expected[2045:2055])
    assert laid_over(content, tuple(draft.patches())) == bytes(expected)

"""Manifests as they are written: base64, JSON, YAML and patches, and everything that is wrong with them."""

from base64 import b64encode

import msgspec
import pytest

from muster.domain.errors import Invalid
from muster.domain.inputs.manifests import ManifestCreate, ManifestUpdate
from muster.domain.manifests import LARGEST, Folder, ManifestName, Source
from muster.wire.manifests import ManifestQuery, check_content, manifest_out, read_content, read_patch
from muster.wire.query import parse_query
from muster.wire.yaml_text import documents, pieces

POD = b"apiVersion: v1\nkind: Pod\n"


def named(file_name):
    return ManifestName(folder=Folder.OPENSHIFT, file_name=file_name)


def complaint(file_name, content):
    with pytest.raises(Invalid) as refused:
        check_content(named(file_name), content)
    return str(refused.value)


def test_a_manifest_shows_its_place_and_whose_it_is():
    assert manifest_out(named("a.yaml"), Source.SYSTEM) == {
        "file_name": "a.yaml",
        "folder": "openshift",
        "manifest_source": "system",
    }


def test_a_query_names_a_manifest():
    query = parse_query(ManifestQuery, {"file_name": "a.yaml"})
    assert query.name == ManifestName(folder=Folder.MANIFESTS, file_name="a.yaml")


@pytest.mark.parametrize(
    ("file_name", "fits"),
    [
        ("a.yaml", True),
        ("a.yml", True),
        ("a.json", True),
        ("a.yaml.patch", True),
        ("a.yml.patch_x1", True),
        (".yaml", True),
        ("a.txt", False),
        ("a.yaml.patch-x", False),
        ("a.json.patch", False),
        ("a/b.yaml", False),
        ("a.yaml\n", False),
        ("a", False),
    ],
)
def test_the_schema_knows_the_ends_of_names(file_name, fits):
    for kind, body in (
        (ManifestCreate, {"file_name": file_name, "content": ""}),
        (ManifestUpdate, {"file_name": file_name, "folder": "openshift"}),
        (ManifestUpdate, {"file_name": "a.yaml", "folder": "openshift", "updated_file_name": file_name}),
    ):
        if fits:
            assert msgspec.convert(body, kind)
        else:
            with pytest.raises(msgspec.ValidationError):
                msgspec.convert(body, kind)


# Content


def test_base64_is_read_with_and_without_line_ends():
    written = b64encode(POD).decode()
    assert read_content(named("a.yaml"), written) == POD
    assert read_content(named("a.yaml"), f"{written[:8]}\r\n{written[8:]}\n") == POD


@pytest.mark.parametrize("written", ["no base64!", "YQ", "ä", "YQ=="])
def test_what_is_no_base64_or_no_manifest_is_refused(written):
    with pytest.raises(Invalid, match=r"^updated_content: "):
        read_content(named("a.yaml"), written, "updated_content")


@pytest.mark.parametrize("content", [b"", b" \n\t"])
@pytest.mark.parametrize("file_name", ["a.yaml", "a.json", "a.yaml.patch"])
def test_an_empty_manifest_is_refused(file_name, content):
    assert "is empty" in complaint(file_name, content)


def test_a_manifest_may_be_one_mebibyte_large_and_no_larger():
    fits = POD + b"#" * (LARGEST - len(POD))
    check_content(named("a.yaml"), fits)
    assert str(LARGEST) in complaint("a.yaml", fits + b"#")


@pytest.mark.parametrize("content", [b"{", b"[]", b'"text"', b"\xff", b"{} {}", b"[" * 100_000])
def test_json_is_one_object(content):
    assert "JSON" in complaint("a.json", content)


def test_json_that_is_an_object_is_a_manifest():
    check_content(named("a.json"), b'{"kind": "Pod"}')


@pytest.mark.parametrize(
    "content",
    [
        POD,
        b"---\n" + POD + b"---\n# nothing\n---\n" + POD,
        b"\xef\xbb\xbfkind: Pod\n",
        b"# a comment only\n",
        b"a: &x {b: 1}\nc: *x\n",
        b"kind: !custom Pod\n",
        b"~\n---\nkind: Pod\n",
    ],
)
def test_yaml_of_any_number_of_objects_is_a_manifest(content):
    check_content(named("a.yaml"), content)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"kind: Pod\nspec:\n  a: b: c\n", "line 3, column 7"),
        (b"kind: Pod\n---\n\tx: 1\n", "line 3"),
        (b"just text\n", "document 1 is no object"),
        (POD + b"---\n- a\n- b\n", "document 2 is no object"),
        (b"'null'\n", "document 1 is no object"),
        (b"a: *nobody\n", "'nobody'"),
        (b"a: &x [*x]\n", "'x'"),
        (b"a: \x01\n", "control characters"),
        (b"\xff\xfe", "UTF-8"),
        (b"a: " + b"[" * 5000, "levels deep"),
        (b"[" * 500_000, "levels deep"),
        (b"a: [" + b"x," * 200_001 + b"]", "200000 values"),
    ],
)
def test_yaml_that_is_no_manifest_is_told_where_it_is_wrong(content, words):
    assert words in complaint("a.yaml", content)


def test_a_text_that_repeats_itself_without_end_is_refused():
    levels = [b"a0: &a0 [x,x,x,x,x,x,x,x,x]"]
    levels += [b"a%d: &a%d [%s]" % (n, n, b",".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 20)]
    assert "200000 values" in complaint("bomb.yaml", b"\n".join(levels))
    with pytest.raises(Invalid, match="200000 values"):
        documents(b"\n".join(levels), "content")


def test_a_complaint_does_not_quote_what_may_be_a_secret():
    assert "hunter2" not in complaint("a.yaml", b"password: hunter2: hunter2\n")


# YAML


def test_values_are_read_as_kubernetes_reads_them():
    text = b"""
time: 2020-01-01
clock: 12:30:45
mac: 52:54:00:12:34:56
mode: 0644
hex: 0x1F
many: 1_000
exponent: 1e3
half: .5
yes: on
nothing: ~
empty:
quoted: '007'
infinite: .inf
merged: {<<: {a: 1, b: 2}, b: 3}
"""
    (found,) = documents(text, "content")
    assert found == {
        "time": "2020-01-01",
        "clock": "12:30:45",
        "mac": "52:54:00:12:34:56",
        "mode": 0o644,
        "hex": 31,
        "many": "1_000",
        "exponent": 1000.0,
        "half": 0.5,
        True: True,
        "nothing": None,
        "empty": None,
        "quoted": "007",
        "infinite": ".inf",
        "merged": {"a": 1, "b": 3},
    }


@pytest.mark.parametrize("tag", ["!!python/object:os.system", "!!binary", "!!set", "!!timestamp", "!mine"])
def test_nothing_but_plain_values_is_ever_made(tag):
    with pytest.raises(Invalid, match="is not YAML: line 1"):
        documents(f"a: {tag} x".encode(), "content")


def test_documents_are_cut_apart_as_they_were_written():
    text = "# first\nkind: Ä\n...\n---\n---\n# second\nkind: B\n--- {kind: C}\n"
    assert pieces(text.encode(), "content") == (
        "# first\nkind: Ä\n...\n",
        "---\n# second\nkind: B\n",
        "--- {kind: C}\n",
    )
    assert pieces(b"# nothing\n", "content") == ()


# Patches


def test_a_patch_is_a_list_of_operations():
    (operation,) = read_patch(b"- {op: replace, path: /spec/size, value: {a: [1]}}")
    assert (operation.op, operation.path, operation.value) == ("replace", "/spec/size", {"a": [1]})
    check_content(named("a.yaml.patch_1"), b'[{"op": "remove", "path": "/a"}]')


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"op: add\npath: /a\n", "one list"),
        (b"- {op: remove, path: /a}\n---\n- {op: remove, path: /b}\n", "one list"),
        (b"- {op: destroy, path: /a}\n", "$[0].op"),
        (b"- {path: /a}\n", "op"),
        (b"- {op: remove, path: /a, extra: 1}\n", "extra"),
        (b"- {op: remove, path: /a}\n- {op: add, path: b}\n", "operation 2: add needs a value"),
        (b"- [", "is not YAML"),
    ],
)
def test_what_is_no_patch_is_told(content, words):
    assert words in complaint("a.yaml.patch", content)

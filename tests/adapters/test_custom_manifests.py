"""The user's manifests reach the first host: added, put in place of others, cut apart and patched."""

import json
import re

import pytest

from adapters.lab_orders import an_order, made, on_bootstrap, parsed
from muster.adapters.releases.custom_manifests import customised
from muster.domain.errors import Invalid
from muster.domain.manifests import Folder, Manifest, ManifestName

POD = b"# mine\nkind: Pod\nmetadata: {name: one}\n"
TWO = POD + b"---\n---\nkind: Pod\nmetadata: {name: two}\n"


def a_manifest(path, content=POD):
    folder, _, file_name = path.partition("/")
    return Manifest(name=ManifestName(folder=Folder(folder), file_name=file_name), content=content)


def test_a_manifest_is_added_as_it_was_written():
    own = {"manifests/ours.yaml": {"kind": "DNS"}}
    assert customised(own, [a_manifest("openshift/mine.yaml")]) == own | {"openshift/mine.yaml": POD}
    assert customised(own, [a_manifest("manifests/mine.json", b'{"kind": "Pod"}')])["manifests/mine.json"]


def test_a_manifest_takes_the_place_of_one_of_the_same_name():
    assert customised({"manifests/ours.yaml": {"kind": "DNS"}}, [a_manifest("manifests/ours.yaml")]) == {
        "manifests/ours.yaml": POD
    }


def test_a_manifest_of_several_documents_is_cut_apart_in_the_same_way_every_time():
    files = customised({}, [a_manifest("openshift/mine.yml", TWO)])
    assert [content.decode().count("kind: Pod") for content in files.values()] == [1, 1]
    assert all(re.fullmatch(rf"openshift/mine-[0-9a-f]{{7}}-0{n}\.yml", path) for n, path in enumerate(files))
    assert files == customised({}, [a_manifest("openshift/mine.yml", TWO)])


def test_a_manifest_without_anything_in_it_is_left_out():
    assert customised({}, [a_manifest("openshift/mine.yaml", b"# nothing yet\n")]) == {}


def test_patches_are_applied_in_the_order_of_their_folders_and_names_and_are_not_files_themselves():
    def adding(letter):
        return b"- {op: add, path: /order/-, value: %s}" % letter

    given = [
        a_manifest("manifests/thing.yaml.patch_1", adding(b"d")),
        a_manifest("openshift/thing.yaml.patch_2", adding(b"b")),
        a_manifest("openshift/thing.yaml.patch_1", adding(b"a")),
        a_manifest("openshift/thing.yaml.patch_3", adding(b"c")),
    ]
    assert customised({"manifests/thing.yaml": {"order": []}}, given) == {
        "manifests/thing.yaml": {"order": ["a", "b", "c", "d"]}
    }


def test_a_patch_looks_in_the_folder_openshift_first():
    own = {"manifests/a.yaml": {"kind": "M"}, "openshift/a.yaml": {"kind": "O"}}
    patch = a_manifest("manifests/a.yaml.patch", b"- {op: replace, path: /kind, value: Z}")
    assert customised(own, [patch]) == own | {"openshift/a.yaml": {"kind": "Z"}}


def test_a_patch_changes_what_the_user_has_written_too():
    patch = a_manifest("openshift/mine.yaml.patch", b"- {op: replace, path: /metadata/name, value: other}")
    files = customised({}, [a_manifest("openshift/mine.yaml"), patch])
    assert files == {"openshift/mine.yaml": {"kind": "Pod", "metadata": {"name": "other"}}}


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        (a_manifest("openshift/absent.yaml.patch", b"- {op: remove, path: /kind}"), "absent.yaml"),
        (a_manifest("openshift/two.yaml.patch", b"- {op: remove, path: /kind}"), "with one document"),
        (a_manifest("openshift/ours.yaml.patch", b"- {op: remove, path: /spec}"), "operation 1, remove /spec"),
        (a_manifest("openshift/ours.yaml.patch", b"- {op: remove, path: ''}"), "leaves no object"),
    ],
)
def test_a_patch_that_does_not_fit_is_named(patch, words):
    with pytest.raises(Invalid, match=r"^manifests: ") as refused:
        customised({"manifests/ours.yaml": {"kind": "DNS"}}, [a_manifest("openshift/two.yaml", TWO), patch])
    assert words in str(refused.value)
    assert patch.name.path in str(refused.value)


@pytest.mark.parametrize(("content", "count"), [(TWO, 2), (b"# nothing\n", 0)])
def test_a_patch_of_a_manifest_that_is_not_one_document_is_named(content, count):
    patch = a_manifest("openshift/ours.yaml.patch", b"- {op: remove, path: /kind}")
    with pytest.raises(Invalid, match=rf"^manifests: openshift/ours.yaml.patch .* which has {count} documents"):
        customised({"manifests/ours.yaml": content}, [patch])


async def test_the_lab_puts_them_on_the_first_host():
    order = an_order().but(
        manifests=(
            a_manifest("openshift/99-mine.yaml"),
            a_manifest(
                "manifests/cluster-scheduler-02-config.yml.patch_mine",
                b"- {op: replace, path: /spec/mastersSchedulable, value: maybe}",
            ),
        )
    )
    files = await made(order)
    found = on_bootstrap(files)
    assert found["/opt/openshift/openshift/99-mine.yaml"] == POD
    scheduler = json.loads(found["/opt/openshift/manifests/cluster-scheduler-02-config.yml"])
    assert scheduler["spec"] == {"mastersSchedulable": "maybe"}
    modes = {each["path"]: each["mode"] for each in parsed(files, "bootstrap.ign")["storage"]["files"]}
    assert modes["/opt/openshift/openshift/99-mine.yaml"] == 0o600
    assert not any("patch" in path for path in found)

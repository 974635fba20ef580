"""Two Ignition configs become one as Ignition itself would merge them."""

import pytest

from muster.domain.artifacts.ignition import OLDEST, SPEC, config, encoded, file, merged, unit
from parts.ignition import complaints, files_of, needs_ignition

EMPTY = {"ignition": {"version": SPEC}}


def with_storage(**lists):
    return EMPTY | {"storage": lists}


def storage_of(below, above):
    return merged(with_storage(**below), with_storage(**above))["storage"]


def test_an_empty_config_says_its_version_and_nothing_else():
    assert config() == EMPTY


@needs_ignition
def test_a_config_with_everything_is_one_that_ignition_accepts():
    service = unit("a.service", "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n")
    whole = config([file("/etc/x", "y")], [service, unit("chronyd.service")], [{"name": "core"}])
    assert complaints(encoded(whole)) == ""


def test_a_file_of_the_same_path_is_replaced_part_by_part_and_others_are_added():
    below = config([file("/a", "1", 0o600), file("/b", "2")])
    above = EMPTY | {"storage": {"files": [{"path": "/a", "contents": {"source": "data:;base64,eA=="}}]}}
    whole = merged(merged(below, above), config([file("/c", "3")]))
    assert files_of(encoded(whole)) == {"/a": "x", "/b": "2", "/c": "3"}
    assert whole["storage"]["files"][0]["mode"] == 0o600


def test_what_is_put_at_a_path_takes_the_place_of_something_of_another_kind():
    below = {"files": [{"path": "/a"}, {"path": "/b"}], "links": [{"path": "/c"}]}
    above = {"directories": [{"path": "/a"}, {"path": "/c"}]}
    assert storage_of(below, above) == {
        "files": [{"path": "/b"}],
        "links": [],
        "directories": [{"path": "/a"}, {"path": "/c"}],
    }


@pytest.mark.parametrize(
    ("name", "key"),
    [("disks", "device"), ("filesystems", "device"), ("raid", "name"), ("luks", "name")],
)
def test_what_is_made_of_disks_is_known_by_its_own_key(name, key):
    assert storage_of({name: [{key: "x", "a": 1}]}, {name: [{key: "x", "b": 2}, {key: "y"}]}) == {
        name: [{key: "x", "a": 1, "b": 2}, {key: "y"}]
    }


def test_partitions_are_known_by_their_number_and_else_by_their_label():
    below = {"disks": [{"device": "d", "partitions": [{"number": 1}, {"label": "root"}]}]}
    above = {"disks": [{"device": "d", "partitions": [{"number": 1, "sizeMiB": 5}, {"label": "root", "sizeMiB": 6}]}]}
    assert storage_of(below, above) == above


def test_texts_in_lists_are_not_repeated_and_fetched_parts_follow_each_other():
    below = EMPTY | {"passwd": {"users": [{"name": "core", "sshAuthorizedKeys": ["one", "two"]}]}}
    above = EMPTY | {"passwd": {"users": [{"name": "core", "sshAuthorizedKeys": ["two", "three"]}]}}
    (core,) = merged(below, above)["passwd"]["users"]
    assert core["sshAuthorizedKeys"] == ["one", "two", "three"]
    source = {"ignition": {"version": SPEC, "config": {"merge": [{"source": "http://a"}]}}}
    assert merged(source, source)["ignition"]["config"]["merge"] == [{"source": "http://a"}] * 2


def test_what_has_no_key_is_known_by_all_that_it_says():
    below, above = {"luks": [{"label": "a"}]}, {"luks": [{"label": "a"}, {"label": "b"}]}
    assert storage_of(below, above) == above


def test_null_leaves_things_as_they_are_and_a_value_of_another_kind_wins():
    below = with_storage(files=[{"path": "/a", "mode": 1}])
    assert merged(below, EMPTY | {"storage": {"files": None}}) == below
    assert merged({**EMPTY, "x": [1]}, {**EMPTY, "x": "y"})["x"] == "y"


@pytest.mark.parametrize(
    ("below", "above", "version"), [(OLDEST, OLDEST, OLDEST), (OLDEST, SPEC, SPEC), (SPEC, OLDEST, SPEC)]
)
def test_the_newer_version_counts(below, above, version):
    whole = merged({"ignition": {"version": below}}, {"ignition": {"version": above}})
    assert whole == {"ignition": {"version": version}}
    assert merged({"ignition": {"version": below}}, {}) == {"ignition": {"version": below}}

"""A tree and a list of operations make another tree, or a sentence on the operation that does not fit."""

import msgspec
import pytest

from muster.domain.artifacts.patches import Operation, patched
from muster.domain.errors import Invalid

TREE = {"spec": {"hosts": ["a", "b"], "a/b": {"~": 1}}, "kind": "Thing"}


def operations(*written):
    return msgspec.convert(written, tuple[Operation, ...])


APPLIED = [
    ({"op": "add", "path": "/spec/size", "value": 3}, {"hosts": ["a", "b"], "a/b": {"~": 1}, "size": 3}),
    ({"op": "add", "path": "/spec/hosts/0", "value": "z"}, {"hosts": ["z", "a", "b"], "a/b": {"~": 1}}),
    ({"op": "add", "path": "/spec/hosts/-", "value": "z"}, {"hosts": ["a", "b", "z"], "a/b": {"~": 1}}),
    ({"op": "add", "path": "/spec/hosts/2", "value": None}, {"hosts": ["a", "b", None], "a/b": {"~": 1}}),
    ({"op": "remove", "path": "/spec/hosts/1"}, {"hosts": ["a"], "a/b": {"~": 1}}),
    ({"op": "remove", "path": "/spec/a~1b/~0"}, {"hosts": ["a", "b"], "a/b": {}}),
    ({"op": "replace", "path": "/spec/hosts/1", "value": "z"}, {"hosts": ["a", "z"], "a/b": {"~": 1}}),
    ({"op": "replace", "path": "/spec/hosts", "value": []}, {"hosts": [], "a/b": {"~": 1}}),
    ({"op": "move", "path": "/spec/first", "from": "/spec/hosts/0"}, {"hosts": ["b"], "a/b": {"~": 1}, "first": "a"}),
    ({"op": "move", "path": "/spec/hosts", "from": "/spec/hosts"}, {"hosts": ["a", "b"], "a/b": {"~": 1}}),
    ({"op": "copy", "path": "/spec/hosts/0", "from": "/kind"}, {"hosts": ["Thing", "a", "b"], "a/b": {"~": 1}}),
    ({"op": "test", "path": "/spec/hosts/0", "value": "a"}, TREE["spec"]),
]


@pytest.mark.parametrize(("operation", "spec"), APPLIED)
def test_an_operation_changes_one_place(operation, spec):
    before = msgspec.json.encode(TREE)
    assert patched(TREE, operations(operation)) == TREE | {"spec": spec}
    assert msgspec.json.encode(TREE) == before


def test_a_place_deep_in_a_list_is_found():
    tree = {"spec": [{"name": "a"}, {"name": "b"}]}
    changed = patched(tree, operations({"op": "replace", "path": "/spec/1/name", "value": "z"}))
    assert changed == {"spec": [{"name": "a"}, {"name": "z"}]}


def test_the_whole_can_be_changed():
    assert patched(TREE, operations({"op": "replace", "path": "", "value": {"kind": "Other"}})) == {"kind": "Other"}
    assert patched(TREE, operations({"op": "remove", "path": ""})) is None


def test_operations_are_applied_one_after_the_other():
    both = operations(
        {"op": "add", "path": "/spec/new", "value": {}}, {"op": "add", "path": "/spec/new/name", "value": "x"}
    )
    assert patched(TREE, both)["spec"]["new"] == {"name": "x"}


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ({"op": "remove", "path": "/spec/nothing"}, "'nothing'"),
        ({"op": "replace", "path": "/spec/nothing", "value": 1}, "'nothing'"),
        ({"op": "add", "path": "/nothing/here", "value": 1}, "'nothing'"),
        ({"op": "add", "path": "/spec/hosts/3", "value": 1}, "list of 3"),
        ({"op": "remove", "path": "/spec/hosts/2"}, "list of 2"),
        ({"op": "remove", "path": "/spec/hosts/-"}, "list of 2"),
        ({"op": "remove", "path": "/spec/hosts/²"}, "list of 2"),
        ({"op": "add", "path": "/kind/x", "value": 1}, "neither an object nor a list"),
        ({"op": "remove", "path": "/kind/x"}, "neither an object nor a list"),
        ({"op": "move", "path": "/spec/hosts/x", "from": "/spec"}, "into itself"),
        ({"op": "test", "path": "/kind", "value": "Other"}, "something else is there"),
    ],
)
def test_an_operation_that_does_not_fit_is_named(operation, words):
    fine = {"op": "test", "path": "/kind", "value": "Thing"}
    with pytest.raises(Invalid, match="operation 2") as refused:
        patched(TREE, operations(fine, operation))
    assert words in str(refused.value)
    assert operation["path"] in str(refused.value)


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ({"op": "add", "path": "/a"}, "needs a value"),
        ({"op": "test", "path": "/a"}, "needs a value"),
        ({"op": "move", "path": "/a"}, "needs from"),
        ({"op": "remove", "path": "a/b"}, "'a/b' is no place"),
        ({"op": "copy", "path": "/a", "from": "b"}, "'b' is no place"),
        ({"op": "add", "path": "", "value": None}, ""),
    ],
)
def test_what_is_missing_in_an_operation_is_told(operation, words):
    trouble = operations(operation)[0].trouble
    assert words in trouble
    assert bool(trouble) == bool(words)

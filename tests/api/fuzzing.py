"""Values of any shape for bodies: of the right type and of no sense, or of no type at all."""

from typing import Any

from hypothesis import strategies as st
from msgspec import inspect

ODD_TEXTS = (
    "", " ", "x", "0", "-1", "null", "x" * 300, "\0", "\N{SNOWMAN}", "a,b", "a b", "../..", "%s{}", '"', "true",
    "192.168.1.10", "192.168.1.10/24", "192.168.1.0/24", "10.0.0.0/8", "0.0.0.0/0", "1.2.3.4/99", "999.1.1.1",
    "fd00::1", "fd00::1/64", "::/0", "fe80::1%eth0/64", "52:54:00:00:00:01", "eth0", "sda", "/dev/sda", "HDD", "iSCSI",
    "physical", "x86_64", "uefi", "synced", "succeeded", "success", "2.0", "quay.io/x/y:z", "api.lab.example.com",
    "http://[", "https://example.com:99999", "2026-01-01", "{}", "[]", "api",
)  # fmt: skip
texts = st.one_of(st.sampled_from(ODD_TEXTS), st.text(max_size=20))
numbers = st.one_of(st.integers(-5, 5), st.sampled_from([2**31, 2**63 - 1, -(2**63), 2**64, 10**30]), st.integers())
amounts = st.one_of(st.floats(allow_nan=False, allow_infinity=False), numbers)
anything = st.recursive(
    st.one_of(st.none(), st.booleans(), amounts, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """JSON that reads as a type, whatever it may mean."""
    return _of(inspect.type_info(kind))


def some_fields_of(kind: Any) -> st.SearchStrategy[dict[str, Any]]:
    """A few fields of a body, each with a value of its type or with anything else."""
    written = [
        st.tuples(st.just(field.encode_name), st.one_of(_of(field.type), anything))
        for field in inspect.type_info(kind).fields
    ]
    return st.lists(st.one_of(*written), min_size=1, max_size=3).map(dict)


def _of(kind: inspect.Type) -> st.SearchStrategy[Any]:
    if isinstance(kind, inspect.StructType):
        required = {field.encode_name: _of(field.type) for field in kind.fields if field.required}
        optional = {field.encode_name: _of(field.type) for field in kind.fields if not field.required}
        return st.fixed_dictionaries(required, optional=optional)
    if isinstance(kind, inspect.VarTupleType):
        return st.lists(_of(kind.item_type), max_size=3)
    if isinstance(kind, inspect.DictType):
        return st.dictionaries(texts, _of(kind.value_type), max_size=3)
    if isinstance(kind, inspect.UnionType):
        return st.one_of(*(_of(each) for each in kind.types))
    if isinstance(kind, (inspect.EnumType, inspect.LiteralType)):
        return st.sampled_from([*kind.cls] if isinstance(kind, inspect.EnumType) else kind.values)
    return next((values for types, values in PLAIN if isinstance(kind, types)), anything)


PLAIN: tuple[tuple[Any, st.SearchStrategy[Any]], ...] = (
    (inspect.BoolType, st.booleans()),
    (inspect.IntType, numbers),
    (inspect.FloatType, amounts),
    (inspect.StrType, texts),
    (inspect.NoneType, st.none()),
)

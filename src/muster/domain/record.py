"""The one kind of value in the core: frozen, keyword-only, compared by content."""

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import compress
from operator import is_not
from typing import Any, Self, TypeVar, dataclass_transform

import msgspec
from msgspec.structs import astuple, replace


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(msgspec.field,))
class _KeywordOnly(msgspec.StructMeta):
    """Makes every field of every record a keyword, which msgspec asks for class by class."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> Any:
        return super().__new__(mcls, name, bases, namespace, **{"kw_only": True, **options})


class Record(msgspec.Struct, metaclass=_KeywordOnly, frozen=True, omit_defaults=True):
    """A fact or a set of facts. Change is a new record."""

    def but(self, **changes: Any) -> Self:
        """This record with the given fields changed; itself when none of them differs.

        Keeping the identity of what is unchanged, the record and each of its fields, is what makes
        "nothing changed" cheap to see for everyone who comes later.
        """
        differing = {}
        for name, value in changes.items():
            mine = getattr(self, name)
            if mine is not value and mine != value:
                differing[name] = value
        return replace(self, **differing) if differing else self


R = TypeVar("R", bound=Record)


def differences(new: Record, old: Record) -> frozenset[str]:
    """The fields in which two versions of a record are not the very same."""
    if new is old:
        return NO_FIELDS
    return frozenset(_differing(new, old))


def _differing(new: Record, old: Record) -> Iterator[str]:
    return compress(new.__struct_fields__, map(is_not, astuple(new), astuple(old)))


NO_FIELDS: frozenset[str] = frozenset()


def alike(record: R, other: R, fields: Iterable[str]) -> R:
    """The record with all that it has in common with another, in some fields, so that the same is kept once."""
    if record is other:
        return record
    common: dict[str, Any] = {}
    for name in fields:
        mine, theirs = getattr(record, name), getattr(other, name)
        if mine == theirs:
            common[name] = theirs
        elif isinstance(mine, Record) and isinstance(theirs, Record):
            common[name] = alike(mine, theirs, mine.__struct_fields__)
        elif isinstance(mine, dict) and isinstance(theirs, dict):
            common[name] = {key: theirs[key] if theirs.get(key) == value else value for key, value in mine.items()}
    return replace(record, **common) if common else record


def all_alike(records: dict[str, R]) -> dict[str, R]:
    """Records of one kind, with all that they have in common with the first of them kept once."""
    if not records:
        return records
    first = next(iter(records.values()))
    return {key: alike(each, first, each.__struct_fields__) for key, each in records.items()}


MISSING = object()
"""No difference at all, which is not the same as a difference to null."""

SECRET = "(secret)"  # noqa: S105 - this is what is shown in place of one
"""What history shows in place of a secret."""


def merge_patch(old: Any, new: Any) -> Any:
    """The JSON merge patch (RFC 7396) that turns `old` into `new`; `MISSING` when they are equal."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return MISSING if old == new else new
    patch: dict[str, Any] = {key: None for key in old if key not in new}
    for key, value in new.items():
        change = merge_patch(old[key], value) if key in old else value
        if change is not MISSING:
            patch[key] = change
    return patch or MISSING


def apply_patch(old: Any, patch: Any) -> Any:
    """The value that `patch` makes of `old` (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(old) if isinstance(old, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = apply_patch(merged.get(key), value)
    return merged


def record_patch(old: Record | None, new: Record, *, hidden: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The merge patch between two versions of a record, looking only at fields that differ.

    Fields named in `hidden` hold secrets: their change is shown, their value is not.
    """
    if old is None:
        patch = {**_granted(type(new)), **msgspec.to_builtins(new)}
        return {name: SECRET if value and name in hidden else value for name, value in patch.items()}
    patch = {}
    for name in _differing(new, old):
        mine, theirs = getattr(old, name), getattr(new, name)
        if mine == theirs:
            continue
        if name in hidden:
            patch[name] = SECRET if theirs else msgspec.to_builtins(theirs)
        else:
            patch[name] = _change(mine, theirs)
    return patch


@cache
def _granted(kind: type[Record]) -> dict[str, Any]:
    """What fields are if nothing is said of them. What is empty then goes without saying."""
    defaults = {
        field.name: field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        for field in msgspec.structs.fields(kind)
    }
    said = {name: msgspec.to_builtins(value) for name, value in defaults.items() if value is not msgspec.NODEFAULT}
    return {name: value for name, value in said.items() if value}


def _change(old: Any, new: Any) -> Any:
    """The merge patch between two values of a field. In a dictionary, what is the very same is not even read."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return merge_patch(msgspec.to_builtins(old), msgspec.to_builtins(new))
    patch: dict[str, Any] = {str(key): None for key in old if key not in new}
    for key, value in new.items():
        was = old.get(key, MISSING)
        if was is value:
            continue
        between = _between_records if isinstance(value, Record) and isinstance(was, Record) else _between
        change = between(was, value)
        if change is not MISSING:
            patch[str(key)] = change
    return patch


def _between(old: Any, new: Any) -> Any:
    return msgspec.to_builtins(new) if old is MISSING else merge_patch(*map(msgspec.to_builtins, (old, new)))


_between_records = lru_cache(maxsize=4096)(_between)
"""Of many hosts the same is said, and then the same again: what lies between is worked out once."""

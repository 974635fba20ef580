"""The one kind of value in the core: frozen, keyword-only, compared by content."""

from typing import Any, Self, dataclass_transform

import msgspec


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(msgspec.field,))
class _KeywordOnly(msgspec.StructMeta):
    """Makes every field of every record a keyword, which msgspec asks for class by class."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> Any:
        return super().__new__(mcls, name, bases, namespace, **{"kw_only": True, **options})


class Record(msgspec.Struct, metaclass=_KeywordOnly, frozen=True, omit_defaults=True):
    """A fact or a set of facts. Change is a new record."""

    def but(self, **changes: Any) -> Self:
        """This record with the given fields changed; itself when none of them differs.

        Keeping the identity of an unchanged record is what makes "nothing changed"
        cheap to see for everyone who comes later.
        """
        for name, value in changes.items():
            mine = getattr(self, name)
            if mine is not value and mine != value:
                return msgspec.structs.replace(self, **changes)
        return self


MISSING = object()
"""No difference at all, which is not the same as a difference to null."""

SECRET = "(secret)"  # noqa: S105 - this is what is shown in place of one
"""What history shows in place of a secret."""


def merge_patch(old: Any, new: Any) -> Any:
    """The JSON merge patch (RFC 7396) that turns `old` into `new`; `MISSING` when they are equal."""
    if old == new:
        return MISSING
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    patch: dict[str, Any] = {key: None for key in old if key not in new}
    for key, value in new.items():
        change = merge_patch(old.get(key), value) if key in old else value
        if change is not MISSING:
            patch[key] = change
    return patch


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
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for name in new.__struct_fields__:
        theirs = getattr(new, name)
        if old is not None:
            mine = getattr(old, name)
            if mine is theirs or mine == theirs:
                continue
            before[name] = None if name in hidden else msgspec.to_builtins(mine)
        after[name] = SECRET if name in hidden and theirs else msgspec.to_builtins(theirs)
    if old is None:
        return {name: value for name, value in after.items() if value not in (None, "", [], {}, False)}
    patch = merge_patch(before, after)
    return {} if patch is MISSING else patch

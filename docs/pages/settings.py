"""The page of settings: their names, defaults and meanings."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import msgspec

from muster.domain.progress import FINALIZING_LIMITS, SOFT_FINALIZING_LIMITS, FinalizingStage
from muster.runtime.settings import FAMILIES, every_setting, form, members

from .writing import code, page, table


def written() -> str:
    """Every setting."""
    return page(
        "Settings",
        "Read from the environment when `muster serve` starts; its own options win. An empty value is no "
        "value. What is wrong is told at the start, by name. Preparing is never given less time than the two checks "
        "it waits for, and a minute (hosts) or two (clusters) more.",
        table(
            ("Environment", "Default", "Written as"),
            [row for field in every_setting() for row in setting_rows(field)],
        ),
        "Limits of stages that differ where `ENABLE_SOFT_TIMEOUTS` is on:",
        table(
            ("Environment", "Default"),
            [
                (code(name), shown(SOFT_FINALIZING_LIMITS[FinalizingStage(stage)]))
                for name, stage in members("FINALIZING_STAGE_<STAGE>_TIMEOUT").items()
                if SOFT_FINALIZING_LIMITS[FinalizingStage(stage)] != FINALIZING_LIMITS[FinalizingStage(stage)]
            ],
        ),
    )


def setting_rows(field: msgspec.structs.FieldInfo) -> Iterable[tuple[str, str, str]]:
    """A setting, or every setting of a family."""
    name = field.encode_name
    if name not in FAMILIES:
        default = "" if field.default is msgspec.NODEFAULT else field.default
        yield code(name), shown(default), form(field.type).words
    else:
        for member, stage in members(name).items():
            yield code(member), shown(FAMILIES[name][stage]), form(timedelta).words


def shown(default: Any) -> str:
    """A default as a user would write it."""
    if isinstance(default, bool):
        return code(str(default).lower())
    if isinstance(default, timedelta):
        return code(_time(int(default.total_seconds())))
    if isinstance(default, frozenset):
        return code(",".join(sorted(default))) if default else ""
    return code(default) if default not in ("", ()) else ""


def _time(seconds: int) -> str:
    """A time in the largest unit that leaves nothing over."""
    size, unit = next((size, unit) for size, unit in ((3600, "h"), (60, "m"), (1, "s")) if seconds % size == 0)
    return f"{seconds // size}{unit}"

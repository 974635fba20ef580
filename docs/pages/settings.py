"""The page of settings: their names, defaults, how they are written and what they mean."""

from collections.abc import Iterable
from datetime import timedelta

from muster.domain.progress import FINALIZING_LIMITS, SOFT_FINALIZING_LIMITS, FinalizingStage
from muster.domain.setting import Row, rows_of
from muster.runtime.settings import FAMILIES, IGNORED, LATER, Settings, form, members
from muster.runtime.settings import written as as_text

from .writing import code, page, sentence, table


def written() -> str:
    """Every setting."""
    return page(
        "Settings",
        "Read from the environment when `muster serve` starts; its own options win. An empty value is no "
        "value. What is wrong is told at the start, by name. `muster config` shows what counts and where it comes "
        "from. Preparing is never given less time than the two checks it waits for, and a minute (hosts) or two "
        "(clusters) more.",
        table(
            ("Environment", "Default", "Meaning", "Written as"),
            [line for row in rows_of(Settings) for line in setting_lines(row)],
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
        "## Of the Assisted Installer, and without effect here",
        "Whoever sets one of these is told so at the start.",
        table(("Environment", "Why"), [(code(*names), sentence(reason)) for reason, names in IGNORED.items()]),
        "Some belong to parts of muster that are not there yet:",
        table(("Environment", "Part"), [(code(*names), sentence(part)) for part, names in LATER.items()]),
    )


def setting_lines(row: Row) -> Iterable[tuple[str, str, str, str]]:
    """A setting, or every setting of a family."""
    setting = row.setting
    if setting.name not in FAMILIES:
        yield code(setting.name), shown(setting.default), setting.meaning, form(row.kind).words
    else:
        for member, stage in members(setting.name).items():
            yield code(member), shown(FAMILIES[setting.name][stage]), setting.meaning, form(timedelta).words


def shown(default: object) -> str:
    """A default as a user would write it."""
    text = as_text(default)
    return code(text) if text else ""

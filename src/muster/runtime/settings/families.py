"""Settings of which there is one for each stage: the name of the family, and those of its members."""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Any

from muster.domain.progress import FINALIZING_LIMITS, STAGE_LIMITS

FAMILIES: dict[str, Mapping[Any, timedelta]] = {
    "HOST_STAGE_<STAGE>_TIMEOUT": STAGE_LIMITS,
    "FINALIZING_STAGE_<STAGE>_TIMEOUT": FINALIZING_LIMITS,
}
"""Settings that stand for many, and the stages they are for with what counts where nothing is set."""


def members(family: str) -> dict[str, StrEnum]:
    """The settings that a family stands for, by name, and the stage each is for."""
    return {family.replace("<STAGE>", stage.upper().replace(" ", "_")): stage for stage in FAMILIES[family]}

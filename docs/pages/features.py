"""The page of features: where each is supported, and what it does not go with."""

from collections.abc import Callable, Iterable

from muster.domain.features import FEATURES
from muster.domain.features.architectures import ARCHITECTURES
from muster.domain.features.feature import Feature
from muster.domain.features.levels import Levels, Until

from .writing import code, page, table


def written() -> str:
    """Every feature: how far it is supported, where it cannot be had, and with what it cannot be combined."""
    return page(
        "Features",
        "What may be asked for. *Levels* are those of x86_64 and of every architecture that is not named apart; the "
        "first is the first version that has the feature. What is *not on* an architecture, *not for* a platform or "
        "*not with* another feature is refused together with it. `oci` is the external platform of that name.",
        table(
            ("Id", "Levels", "Not on", "Not for", "Not with", "Asked for by"),
            [feature_row(each) for each in sorted(FEATURES, key=lambda each: each.id)],
        ),
        "## Architectures",
        table(("Id", "Name", "Levels"), [(code(each.id), each.name, in_time(each.levels)) for each in ARCHITECTURES]),
    )


def feature_row(feature: Feature) -> tuple[str, ...]:
    """A feature in words."""
    apart = [f"{name}: {in_time(levels)}" for name, levels in feature.levels_on.items()]
    return (
        code(feature.id),
        "; ".join([in_time(feature.levels), *apart]),
        ", ".join(without(feature.not_on)),
        ", ".join(without(feature.not_for)),
        ", ".join(without(feature.excludes, code)),
        code(feature.choice.field) if feature.choice.field else "",
    )


def in_time(levels: Levels) -> str:
    """Levels with the versions they came with."""
    return ", ".join(f"{level} since {first}" if first not in ("", "0") else level for first, level in levels)


def without(until: Until, word: Callable[[str], str] = str) -> Iterable[str]:
    """Names of what something does not go with, and until when."""
    return (f"{word(name)} before {end}" if end else word(name) for name, end in until.items())

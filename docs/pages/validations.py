"""The page of checks: what each promises, what it needs and what it holds back."""

from collections.abc import Iterable
from typing import Any

from muster.domain.validations.catalogue import CLUSTER_VALIDATIONS, HOST_VALIDATIONS
from muster.domain.validations.registry import Validation

from .writing import code, page, table


def written() -> str:
    """Every check, what it promises, what it holds back and what it needs."""
    return page(
        "Validations",
        "A check passes, fails, or is pending while what it needs is not known. What does not pass closes the gates "
        "named under *Holds back*; one without a gate only informs. A check may be ignored by the user "
        "(`ignored_host_validations`, `ignored_cluster_validations`) unless it says otherwise, and switched off for "
        "the whole service (`DISABLED_HOST_VALIDATIONS`, `DISABLED_CLUSTER_VALIDATIONS`).",
        f"## Hosts\n\n{checks(HOST_VALIDATIONS)}",
        f"## Clusters\n\n{checks(CLUSTER_VALIDATIONS)}",
    )


def checks(found: Iterable[Validation[Any]]) -> str:
    """Checks in the order in which clients list them."""
    return table(
        ("Id", "Category", "Promises", "Holds back", "Needs", "In the pool", "May be ignored"),
        [
            (
                code(check.id),
                check.category,
                check.promise.partition("\n")[0],
                ", ".join(sorted(check.gates)),
                check.needs.name if check.needs else "",
                "yes" if check.in_pool else "",
                "yes" if check.ignorable else "no",
            )
            for check in found
        ],
    )

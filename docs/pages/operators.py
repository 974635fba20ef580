"""The page of operators: what each needs, waits for and brings along."""

from collections.abc import Callable
from typing import Any

from muster.domain.clusters import Cluster
from muster.domain.operators import OLM_OPERATORS
from muster.domain.operators.bundles import BUNDLES, Bundle
from muster.domain.operators.operator import NOTHING, Needs, Operator, settled
from muster.domain.operators.rules import in_words
from muster.domain.operators.settings import OperatorSettings

from .samples import SOMETHING
from .writing import code, page, table


def written() -> str:
    """Every operator that OLM can add, and the bundles they can be chosen with."""
    return page(
        "Operators",
        "What OLM can add to a cluster. Namespace, subscription, dependencies, figures and first version are those of "
        "the newest OpenShift and of settings as shipped. Where a single node differs, it is told after a slash. "
        "*Adds* is what every host of a role needs on top of what the role does, before its devices are counted.",
        table(
            (
                "Name", "Title", "Namespace", "Subscription", "Waits", "Depends on", "Adds to master", "Adds to worker",
                "First version", "Bundles", "Check of hosts and clusters",
            ),
            [operator_row(each) for each in OLM_OPERATORS.values()],
        ),
        "## Bundles",
        table(
            ("Id", "Title", "What for", "Operators", "Operators on a single node", "Optional"),
            [bundle_row(each) for each in BUNDLES.values()],
        ),
    )  # fmt: skip


def operator_row(operator: Operator) -> tuple[object, ...]:
    """An operator in words."""
    return (
        code(operator.name),
        operator.title,
        on_nodes(operator.namespace, code),
        on_nodes(operator.subscription, code),
        f"{operator.timeout_seconds} s",
        on_nodes(operator.dependencies, lambda names: code(*names)),
        on_nodes(operator.forecast, lambda forecast: needed(forecast.master)),
        on_nodes(operator.forecast, lambda forecast: needed(forecast.worker)),
        on_nodes(operator.first_version, str),
        code(*operator.bundle_ids),
        code(operator.check),
    )


def on_nodes(value: Any, word: Callable[[Any], str]) -> str:
    """Something that may vary, for more nodes and, if it is another then, for a single one."""
    newest = SOMETHING[Cluster].but(openshift_version="4.99")
    sizes = (newest, newest.but(control_plane_count=1))
    words = dict.fromkeys(word(settled(value, cluster, OperatorSettings())) for cluster in sizes)
    return " / ".join(each or "none" for each in words) if any(words) else ""


def needed(needs: Needs) -> str:
    """What a host needs, in figures."""
    return in_words(needs.addition) if needs.addition != NOTHING else ""


def bundle_row(bundle: Bundle) -> tuple[str, ...]:
    """A bundle in words."""
    one = bundle.operators(single_node=True)
    members = (bundle.operators(), one if one != bundle.operators() else (), bundle.optional())
    return (code(bundle.id.value), bundle.title, bundle.description, *(code(*names) for names in members))

"""The page of steps: which are asked for in which state, and how soon again."""

import inspect

from muster.domain import steps

from .writing import code, first_line, page, sentence, table

TABLES = {
    "Hosts of a new cluster": steps.DAY1,
    "Hosts that join a running cluster": steps.DAY2,
    "Hosts without a cluster": steps.UNBOUND,
}


def written() -> str:
    """Every step, and which are asked for in which state."""
    kinds = [
        (
            code(kind),
            sentence(first_line(inspect.getmodule(steps.STEPS[kind].ask)).partition(": ")[2]),
            "yes" if steps.STEPS[kind].reads else "",
        )
        for kind in sorted(steps.STEPS)
    ]
    schedules = [
        f"## {title}\n\n"
        + table(
            ("State", "Steps, in order", "Ask again after", "Then"),
            [
                (code(state.value), code(*plan.kinds) if plan.kinds else "", f"{plan.seconds} s", plan.action)
                for state, plan in schedule.items()
            ],
        )
        for title, schedule in TABLES.items()
    ]
    return page(
        "Steps",
        "What an agent is asked to do when it asks for instructions. A state that is not listed asks for nothing and "
        f"lets the agent ask again after {steps.OTHERWISE.seconds} seconds. A step is left out where there is nothing "
        "to do, and where `DISABLED_STEPS` names it. An agent that is not the one the service expects is asked for "
        f"{code(*steps.UPGRADE.kinds)} and nothing else, as long as the host is not being installed.",
        "## What each step is\n\n" + table(("Step", "What the host does", "Is learnt from"), kinds),
        *schedules,
    )

"""The page of calls: everything that can be called."""

from muster.api.app import SERVED
from muster.wire.endpoints import ENDPOINTS
from muster.wire.endpoints.endpoint import DROP_IN, OURS, Endpoint

from .writing import code, first_line, page, table


def written() -> str:
    """Every call."""
    promises = {served.endpoint.name: first_line(served.serve) for served in SERVED}
    sections = {f"Drop-in: `{DROP_IN}`": DROP_IN, f"Our own: `{OURS}`": OURS}
    return page(
        "API",
        "Every call the service answers, as declared in `wire/endpoints`. `/openapi.json` says what each takes.",
        *(
            f"## {title}\n\n{calls([each for each in ENDPOINTS if each.path.startswith(root)], promises)}"
            for title, root in sections.items()
        ),
    )


def calls(endpoints: list[Endpoint], promises: dict[str, str]) -> str:
    """Calls with what they are for."""
    return table(
        ("Method", "Path", "Operation", "Status", "What it does"),
        [
            (each.method, code(each.path), each.name, each.status, each.summary or promises.get(each.name, ""))
            for each in endpoints
        ],
    )

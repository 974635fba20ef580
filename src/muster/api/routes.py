"""Which function serves which path."""

from typing import Any
from uuid import UUID

from muster.api.call import Served
from muster.api.errors import Malformed

CANONICAL = 36
"""The length of an id as it is usually written."""


class Routes:
    """A tree of path segments; a fixed segment wins over a name."""

    def __init__(self, served: tuple[Served, ...]) -> None:
        self._root: dict[str, Any] = {}
        for each in served:
            node = self._root
            for segment in each.endpoint.path.strip("/").split("/"):
                node = node.setdefault("{}" if segment.startswith("{") else segment, {})
            node.setdefault("", {})[each.endpoint.method] = each

    def find(self, method: str, path: str) -> tuple[Served, dict[str, str]]:
        """The function for a call and the values of the names in its path."""
        node = self._root
        values = []
        for segment in path.split("/"):
            if not segment:
                continue
            after = node.get(segment)
            if after is None:
                after = node.get("{}")
                values.append(segment)
            if after is None:
                raise Malformed(404, f"path {path} was not found")
            node = after
        methods: dict[str, Served] | None = node.get("")
        if methods is None:
            raise Malformed(404, f"path {path} was not found")
        served = methods.get(method)
        if served is None:
            allowed = ",".join(sorted(methods))
            raise Malformed(405, f"method {method} is not allowed here, only {allowed}", {"allow": allowed})
        return served, self._named(served, values)

    @staticmethod
    def _named(served: Served, values: list[str]) -> dict[str, str]:
        parameters = dict(zip(served.endpoint.parameters, values, strict=True))
        for name, value in parameters.items():
            if name.endswith("_id") and not _is_id(value):
                raise Malformed(400, f"{name} in path must be of type uuid: {value!r}")
        return parameters


def _is_id(value: str) -> bool:
    try:
        UUID(value)
    except ValueError:
        return False
    return len(value) >= CANONICAL - 4

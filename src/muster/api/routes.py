"""Which function serves which path."""

from typing import Any

from muster.api.call import Served
from muster.api.errors import Malformed

_NAMED = object()
"""Where the tree goes on for whatever stands in the place of a name."""

_METHODS = object()
"""Where the tree holds what can be done with the path that ends here."""


class Routes:
    """A tree of path segments; a fixed segment wins over a name."""

    def __init__(self, served: tuple[Served, ...]) -> None:
        self._root: dict[Any, Any] = {}
        for each in served:
            node = self._root
            for segment in each.endpoint.path.strip("/").split("/"):
                node = node.setdefault(_NAMED if segment.startswith("{") else segment, {})
            for method in each.endpoint.methods:
                node.setdefault(_METHODS, {})[method] = each, each.endpoint.parameters

    def find(self, method: str, path: str) -> tuple[Served, dict[str, str]]:
        """The function for a call and the values of the names in its path."""
        node = self._root
        values = []
        for segment in path.split("/"):
            if not segment:
                continue
            after = node.get(segment)
            if after is None:
                after = node.get(_NAMED)
                values.append(segment)
            if after is None:
                raise Malformed(404, f"path {path} was not found")
            node = after
        methods: dict[str, tuple[Served, tuple[str, ...]]] | None = node.get(_METHODS)
        if methods is None:
            raise Malformed(404, f"path {path} was not found")
        if method not in methods:
            allowed = ",".join(sorted(methods))
            raise Malformed(405, f"method {method} is not allowed here, only {allowed}", {"allow": allowed})
        served, names = methods[method]
        return served, dict(zip(names, values, strict=True))

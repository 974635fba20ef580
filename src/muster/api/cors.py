"""Which web pages may call the service from a browser. `app.py` asks; ALLOWED_DOMAINS says which."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

from muster.api.call import Answer

METHODS = "DELETE, GET, PATCH, POST, PUT, HEAD, OPTIONS"
COUNTS = (
    "Severity-Count-Info",
    "Severity-Count-Warning",
    "Severity-Count-Error",
    "Severity-Count-Critical",
    "Event-Count",
)
HEADERS = ", ".join(("Authorization", "Content-Type", "Last-Event-ID", "get_unregistered_clusters", *COUNTS))
EXPOSED = ", ".join(COUNTS)
REMEMBERED = "600"
"""Seconds for which a browser need not ask again."""

ASKED = "access-control-request-method"


class Cors:
    """The origins that are allowed; a star stands for anything. Without any, browsers are told nothing."""

    def __init__(self, origins: frozenset[str]) -> None:
        self._origins = frozenset(each.lower().rstrip("/") for each in origins)

    def is_preflight(self, method: str, headers: Mapping[str, str]) -> bool:
        """Whether a browser asks if it may call."""
        return bool(self._origins) and method == "OPTIONS" and ASKED in headers

    def preflight(self, headers: Mapping[str, str]) -> Answer:
        """What a browser is told that asks: what is allowed, or nothing at all."""
        told = {"vary": "Access-Control-Request-Method, Access-Control-Request-Headers"}
        if self._allows(headers.get("origin", "")):
            told |= {
                "access-control-allow-methods": METHODS,
                "access-control-allow-headers": HEADERS,
                "access-control-max-age": REMEMBERED,
            }
        return Answer(status=204, headers=told)

    def add(self, answer: Answer, headers: Mapping[str, str]) -> None:
        """Tell a browser that the page it shows may read an answer."""
        if not self._origins:
            return
        varies = answer.headers.get("vary")
        answer.headers["vary"] = f"Origin, {varies}" if varies else "Origin"
        origin = headers.get("origin", "")
        if self._allows(origin):
            answer.headers["access-control-allow-origin"] = "*" if "*" in self._origins else origin
            answer.headers["access-control-expose-headers"] = EXPOSED

    def _allows(self, origin: str) -> bool:
        return bool(origin) and any(fnmatchcase(origin.lower(), each) for each in self._origins)

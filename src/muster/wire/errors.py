"""The two shapes of an error."""

from typing import Any


def refusal(status: int, reason: str) -> dict[str, Any]:
    """An error of an operation: what was asked is understood and not done."""
    return {"code": str(status), "href": "", "id": status, "kind": "Error", "reason": reason}


def malformed(status: int, message: str) -> dict[str, Any]:
    """An error before any operation: the call itself is not understood."""
    return {"code": status, "message": message}

"""The contract of the original as data: its Swagger 2.0 without the prose."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent.parent / "recordings" / "contract.json.gz"
BASE = "/api/assisted-install"


@cache
def contract() -> dict[str, Any]:
    """The whole contract."""
    with gzip.open(FILE, "rt") as text:
        read: dict[str, Any] = json.load(text)
        return read


def operations() -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Method, full path and description of every operation, by its id."""
    return {
        operation["operationId"]: (method.upper(), BASE + path, operation)
        for path, methods in contract()["paths"].items()
        for method, operation in methods.items()
    }

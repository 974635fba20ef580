"""Every call about something that is not there, and every call badly made, so that every kind of refusal is seen."""

import json
import re
import uuid
from typing import Any

from calling import JSON, Caller
from scenario_told import filled_in

from parts.contract import operations

NAMES = {"validation_id": "sufficient-installation-disk-speed", "operator_name": "nosuch", "id": "nosuch"}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def ask_for_what_is_not_there(caller: Caller) -> None:
    """Make every call with unknown ids, with ids that are none, without what it needs, and with another method."""
    known = {(method, path) for method, path, _ in operations().values()}
    for method, path, operation in operations().values():
        nowhere = re.sub(r"{(\w+)}", lambda name: NAMES.get(name[1]) or str(uuid.uuid4()), path)
        body = next((each["schema"] for each in operation.get("parameters", ()) if each["in"] == "body"), None)
        if "{" in path:
            ask(caller, method, f"{nowhere}?{_query(operation)}", body and filled_in(body))
            ask(caller, method, nowhere)
            ask(caller, method, re.sub(r"{\w+}", "x", path))
        if body:
            ask(caller, method, nowhere, {"no such field": 1})
        for other in METHODS:
            if (other, path) not in known:
                ask(caller, other, nowhere)


def ask(caller: Caller, method: str, path: str, body: Any = None) -> None:
    """Make a call that is bound to be refused or to find nothing."""
    sent = None if body is None else json.dumps(body).encode()
    reply = caller.raw(method, path, sent, {"Content-Type": JSON} if sent else {})
    assert reply.status < 500, (method, path, reply.body)


def _query(operation: dict[str, Any]) -> str:
    """All that may be asked in addition."""
    asked = [each for each in operation["parameters"] if each["in"] == "query"]
    return "&".join(f"{each['name']}={_said(filled_in(each))}" for each in asked)


def _said(value: Any) -> str:
    return ",".join(map(_said, value)) if isinstance(value, list) else str(value)

"""Answers held against the published contract: no status, field or shape that it does not tell of."""

import json
import re
from functools import cache
from typing import Any

import jsonschema_rs
from calling import Caller, Reply

from muster.wire.openapi import openapi

Schema = dict[str, Any]


def closed(part: Any) -> Any:
    """A part of the contract in which objects have no other fields than those that are told of."""
    if isinstance(part, dict):
        inner = {key: closed(each) for key, each in part.items()}
        return inner | ({"additionalProperties": False} if "properties" in part else {})
    return [closed(each) for each in part] if isinstance(part, list) else part


@cache
def contract() -> Schema:
    """What is published."""
    return openapi()


@cache
def components() -> Schema:
    return {"schemas": closed(contract()["components"]["schemas"])}


@cache
def routes() -> list[tuple[str, re.Pattern[str], Schema]]:
    """Every operation by its method and the form of its path; fixed paths come before those with names in them."""
    found = [
        (method.upper(), path, operation)
        for path, methods in contract()["paths"].items()
        for method, operation in methods.items()
    ]
    return [
        (method, re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path))), operation)
        for method, path, operation in sorted(found, key=lambda each: each[1].count("{"))
    ]


def operation_of(method: str, path: str) -> Schema | None:
    """The operation that a call belongs to, if there is one."""
    bare = path.partition("?")[0]
    return next((each for verb, form, each in routes() if verb == method and form.fullmatch(bare)), None)


def problems(operation: Schema, status: int, body: bytes) -> list[str]:
    """What the contract does not tell of in an answer."""
    name, answer = operation["operationId"], operation["responses"].get(str(status))
    if answer is None:
        return [f"{name}: answers with {status}"]
    content = answer.get("content", {})
    if "application/json" in content and body:
        return _misshapen(f"{name} {status}", content["application/json"]["schema"], json.loads(body))
    return [f"{name} {status}: has a body"] if body and not content else []


def _misshapen(place: str, schema: Schema, value: Any) -> list[str]:
    whole = {**closed(schema), "components": components()}
    return [
        f"{place}: {'.'.join(map(str, error.instance_path))}: {error.message:.200}"
        for error in jsonschema_rs.validator_for(whole).iter_errors(value)
    ]


class Attentive(Caller):
    """A caller that holds every answer against what is published."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.problems: set[str] = set()
        self.answered: set[str] = set()
        """The operations that have done what was asked."""

    def raw(self, method: str, path: str, *given: Any, **more: Any) -> Reply:
        """One call, and a look at its answer."""
        reply = super().raw(method, path, *given, **more)
        operation = operation_of(method, path)
        if operation is not None:
            self.problems |= set(problems(operation, reply.status, reply.body))
            if reply.status < 400:
                self.answered.add(operation["operationId"])
        return reply

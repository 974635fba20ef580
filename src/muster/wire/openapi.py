"""The rows of `endpoints.py` as OpenAPI 3.1."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import FieldInfo, fields

from muster import __version__

from .endpoints import ENDPOINTS
from .endpoints.endpoint import BYTES, FORM, JSON, STREAM, Endpoint

REF = "#/components/schemas/{name}"

REFUSAL = {
    "type": "object",
    "description": "An error of an operation: what was asked is understood and not done.",
    "required": ["code", "href", "id", "kind", "reason"],
    "properties": {
        "code": {"type": "string"},
        "href": {"type": "string"},
        "id": {"type": "integer"},
        "kind": {"const": "Error"},
        "reason": {"type": "string"},
    },
}
MALFORMED = {
    "type": "object",
    "description": "An error before any operation: the call itself is not understood.",
    "required": ["code", "message"],
    "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
}
ERROR = {"oneOf": [{"$ref": REF.format(name="Refusal")}, {"$ref": REF.format(name="Malformed")}]}
UPLOAD = {"type": "object", "properties": {"upfile": {"type": "string", "format": "binary"}}, "required": ["upfile"]}
CONTENTS: dict[str, dict[str, Any]] = {
    JSON: {},
    BYTES: {"type": "string", "format": "binary"},
    STREAM: {"type": "string"},
}
"""What answers look like, by their type."""

EMPTY = 204


def openapi() -> dict[str, Any]:
    """The whole API, with the schemas of everything it takes."""
    kinds = [kind for endpoint in ENDPOINTS for kind in _kinds(endpoint)]
    schemas, components = msgspec.json.schema_components(kinds, ref_template=REF)
    written = iter(schemas)
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, written)
    contract: dict[str, Any] = _published(
        {
            "openapi": "3.1.0",
            "info": {"title": "muster", "version": __version__},
            "paths": paths,
            "components": {"schemas": {**components, "Refusal": REFUSAL, "Malformed": MALFORMED}},
        }
    )
    return contract


def _fields(endpoint: Endpoint) -> tuple[FieldInfo, ...]:
    return fields(endpoint.query) if endpoint.query else ()


def _kinds(endpoint: Endpoint) -> Iterator[Any]:
    """The types that a call is made of, in the order in which `_operation` takes their schemas."""
    yield from (field.type for field in _fields(endpoint))
    if endpoint.body is not None:
        yield endpoint.body


def _operation(endpoint: Endpoint, schemas: Iterator[dict[str, Any]]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": endpoint.name,
        "parameters": _parameters(endpoint, schemas),
        "responses": {
            str(endpoint.status): _done(endpoint),
            "4XX": {"description": "Not done; the body says why", "content": {JSON: {"schema": ERROR}}},
            "5XX": {"description": "Not done, and not the caller's fault", "content": {JSON: {"schema": ERROR}}},
        },
    }
    if endpoint.summary:
        operation["summary"] = endpoint.summary
    if endpoint.body is not None:
        operation["requestBody"] = {"required": True, "content": {JSON: {"schema": next(schemas)}}}
    elif endpoint.takes == FORM:
        operation["requestBody"] = {"required": True, "content": {FORM: {"schema": UPLOAD}}}
    return operation


def _parameters(endpoint: Endpoint, schemas: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    named = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "format": "uuid"}}
        for name in endpoint.parameters
    ]
    asked = [
        {
            "name": field.encode_name,
            "in": "query",
            "required": field.required,
            "explode": False,
            "schema": next(schemas),
        }
        for field in _fields(endpoint)
    ]
    return named + asked


def _done(endpoint: Endpoint) -> dict[str, Any]:
    done: dict[str, Any] = {"description": "Done"}
    return (
        done if endpoint.status == EMPTY else done | {"content": {endpoint.gives: {"schema": CONTENTS[endpoint.gives]}}}
    )


def _published(part: Any) -> Any:
    """A part of the contract with its patterns as other languages than ours write them."""
    if isinstance(part, dict):
        return {
            key: each.replace(r"\Z", "$") if key == "pattern" and isinstance(each, str) else _published(each)
            for key, each in part.items()
        }
    return [_published(each) for each in part] if isinstance(part, list) else part

"""The rows of `wire/endpoints` as OpenAPI 3.1, with the schemas of everything that is taken and answered."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import msgspec
from msgspec.structs import FieldInfo, fields

from muster import __version__

from .endpoints import ENDPOINTS
from .endpoints.endpoint import BEFORE, BYTES, CARRIED_BY, FORM, IDS, IN_QUERY, JSON, PAGE, STREAM, Endpoint
from .query import is_repeated

Schema = dict[str, Any]

REF = "#/components/schemas/{name}"

REFUSAL: Schema = {
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
MALFORMED: Schema = {
    "type": "object",
    "description": "An error before any operation: the call itself is not understood, or not for this caller.",
    "required": ["code", "message"],
    "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
}
REFUSED: Schema = {"$ref": REF.format(name="Refusal")}
BEFORE_IT: Schema = {"$ref": REF.format(name="Malformed")}
EITHER: Schema = {"oneOf": [REFUSED, BEFORE_IT]}

ERRORS: dict[int, tuple[str, Schema]] = {
    400: ("What was sent cannot be right", EITHER),
    401: ("Nobody knows who is calling", BEFORE_IT),
    403: ("The caller may not do this", EITHER),
    404: ("There is no such thing, or not for this caller", EITHER),
    405: ("Nothing of this kind can be done here", BEFORE_IT),
    409: ("The present state does not allow it", REFUSED),
    413: ("Too much was sent", BEFORE_IT),
    422: ("The name cannot be the name of a file", REFUSED),
    500: ("Something went wrong that is not the caller's fault", REFUSED),
    503: ("Something that is needed does not answer; the same call may work later", REFUSED),
}
"""What each status means, and what the error looks like."""

EVERYWHERE = (400, 401, 403, 404, 405, 500, 503)
"""What every call may be answered with."""

CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})

SCHEMES: dict[str, Schema] = {
    scheme.value: {"type": "apiKey", "in": "query" if scheme in IN_QUERY else "header", "name": name}
    for scheme, name in CARRIED_BY.items()
}

UPLOAD: Schema = {
    "type": "object",
    "properties": {"upfile": {"type": "string", "format": "binary"}},
    "required": ["upfile"],
}
CONTENTS: dict[str, Schema] = {
    BYTES: {"type": "string", "format": "binary"},
    STREAM: {"type": "string"},
    PAGE: {"type": "string"},
}
"""What answers look like that are not JSON."""

ID: Schema = {"type": "string", "format": "uuid"}
TEXT: Schema = {"type": "string", "minLength": 1}
COUNT: Schema = {"schema": {"type": "integer"}}
PLACE: Schema = {"schema": {"type": "string", "format": "uri"}}


def openapi() -> Schema:
    """The whole API."""
    kinds = [kind for endpoint in ENDPOINTS for kind in _kinds(endpoint)]
    schemas, components = msgspec.json.schema_components(kinds, ref_template=REF)
    written = iter(schemas)
    paths: dict[str, Schema] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, written)
    contract: Schema = _published(
        {
            "openapi": "3.1.0",
            "info": {"title": "muster", "version": __version__},
            "paths": paths,
            "components": {
                "schemas": {**components, "Refusal": REFUSAL, "Malformed": MALFORMED},
                "securitySchemes": SCHEMES,
            },
        }
    )
    return contract


def _asked(endpoint: Endpoint) -> Iterator[tuple[str, FieldInfo]]:
    """Where each parameter outside the path stands, and what it is."""
    for place, kind in (("query", endpoint.query), ("header", endpoint.headers)):
        yield from ((place, field) for field in (fields(kind) if kind else ()))


def _kinds(endpoint: Endpoint) -> Iterator[Any]:
    """The types that a call is made of, in the order in which `_operation` takes their schemas."""
    yield from (field.type for _, field in _asked(endpoint))
    yield from (kind for kind in (endpoint.body, endpoint.answers) if kind is not None)


def _operation(endpoint: Endpoint, schemas: Iterator[Schema]) -> Schema:
    operation: Schema = {"operationId": endpoint.name, "parameters": _parameters(endpoint, schemas)}
    if endpoint.summary:
        operation["summary"] = endpoint.summary
    if endpoint.path.startswith(BEFORE):
        operation["deprecated"] = True
    if endpoint.body is not None:
        operation["requestBody"] = {"required": True, "content": {JSON: {"schema": next(schemas)}}}
    elif endpoint.takes == FORM:
        operation["requestBody"] = {"required": True, "content": {FORM: {"schema": UPLOAD}}}
    operation["responses"] = _responses(endpoint, schemas)
    operation["security"] = [{access.scheme.value: sorted(access.roles)} for access in endpoint.access]
    return operation


def _parameters(endpoint: Endpoint, schemas: Iterator[Schema]) -> list[Schema]:
    named = [
        {"name": name, "in": "path", "required": True, "schema": ID if name in IDS else TEXT}
        for name in endpoint.parameters
    ]
    asked = [
        {"name": field.encode_name, "in": place, "required": field.required, "schema": next(schemas)}
        | ({"explode": is_repeated(field.type)} if place == "query" else {})
        for place, field in _asked(endpoint)
    ]
    return named + asked


def _responses(endpoint: Endpoint, schemas: Iterator[Schema]) -> Schema:
    answers = {str(endpoint.status): _done(endpoint, schemas)}
    return answers | {str(status): _other(endpoint, status) for status in sorted({*EVERYWHERE, *_own(endpoint)})}


def _other(endpoint: Endpoint, status: int) -> Schema:
    """What else a call may be answered with. Whoever has asked for bytes gets the errors of operations as such."""
    words, error = ERRORS.get(status, (HTTPStatus(status).phrase, None))
    if error is None or status in endpoint.silent:
        return {"description": words}
    as_asked = {BYTES: {"schema": CONTENTS[BYTES]}} if endpoint.fails_in == BYTES else {}
    return {"description": words, "content": {JSON: {"schema": error}} | as_asked}


def _own(endpoint: Endpoint) -> Iterator[int]:
    """What a call may be answered with that others may not."""
    yield from endpoint.also
    if endpoint.method in CHANGING:
        yield HTTPStatus.CONFLICT
    if endpoint.body is not None:
        yield HTTPStatus.REQUEST_ENTITY_TOO_LARGE


def _done(endpoint: Endpoint, schemas: Iterator[Schema]) -> Schema:
    done: Schema = {"description": HTTPStatus(endpoint.status).phrase}
    if endpoint.status == HTTPStatus.TEMPORARY_REDIRECT:
        return done | {"headers": {"Location": PLACE}}
    if endpoint.counts:
        done["headers"] = dict.fromkeys(endpoint.counts, COUNT)
    if endpoint.answers is not None:
        done["content"] = {JSON: {"schema": next(schemas)}}
    elif endpoint.gives in CONTENTS:
        done["content"] = {endpoint.gives: {"schema": CONTENTS[endpoint.gives]}}
    return done


def _published(part: Any) -> Any:
    """A part of the contract with its patterns as other languages than ours write them."""
    if isinstance(part, dict):
        return {
            key: each.replace(r"\Z", "$") if key == "pattern" and isinstance(each, str) else _published(each)
            for key, each in part.items()
        }
    return [_published(each) for each in part] if isinstance(part, list) else part

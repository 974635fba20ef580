"""The rows of `endpoints.py` as OpenAPI 3.1."""

from typing import Any

import msgspec

from muster import __version__

from .endpoints import ENDPOINTS, FORM, Endpoint

REF = "#/components/schemas/{name}"


def openapi() -> dict[str, Any]:
    """The whole API, with the schemas of everything it takes."""
    bodies = [endpoint.body for endpoint in ENDPOINTS if endpoint.body is not None]
    schemas, components = msgspec.json.schema_components(bodies, ref_template=REF)
    by_body = dict(zip(map(repr, bodies), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        schema = by_body.get(repr(endpoint.body)) if endpoint.body is not None else None
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, schema)
    return {
        "openapi": "3.1.0",
        "info": {"title": "muster", "version": __version__},
        "paths": paths,
        "components": {"schemas": components},
    }


def _operation(endpoint: Endpoint, body: dict[str, Any] | None) -> dict[str, Any]:
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "format": "uuid"}}
        for name in endpoint.parameters
    ]
    for field in msgspec.structs.fields(endpoint.query) if endpoint.query else ():
        schema = msgspec.json.schema(field.type)
        required = field.required
        parameters.append({"name": field.encode_name, "in": "query", "required": required, "schema": schema})
    operation: dict[str, Any] = {
        "operationId": endpoint.name,
        "parameters": parameters,
        "responses": {
            str(endpoint.status): {"description": "Done", "content": {endpoint.gives: {"schema": {}}}},
            "4XX": {"description": "Not done; the body says why"},
        },
    }
    if endpoint.summary:
        operation["summary"] = endpoint.summary
    if body is not None:
        operation["requestBody"] = {"required": True, "content": {endpoint.takes: {"schema": body}}}
    elif endpoint.takes == FORM:
        upload = {"type": "object", "properties": {"upfile": {"type": "string", "format": "binary"}}}
        operation["requestBody"] = {"required": True, "content": {FORM: {"schema": upload}}}
    return operation

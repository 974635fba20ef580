"""A contract as a flat table of facts, so that two of them can be laid side by side.

The Swagger 2.0 of the original and our own OpenAPI 3.1 become the same kind of table: a place such as
`v2RegisterCluster body.api_vips[].ip`, and what is said there, such as `text of a form`.
"""

from collections.abc import Iterator
from typing import Any

from muster.wire.openapi import openapi
from parts.contract import contract, operations

Facts = dict[str, str]
Schema = dict[str, Any]

KINDS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "yes or no"}
FORMS = frozenset({"uuid", "date-time", "ipv4", "ipv6", "mac"})
UNBOUNDED = frozenset({None, -(2**63), 2**63 - 1})
"""Limits that every number has."""

SILENT: tuple[Any, ...] = (None, False, "", [], 0)
"""Defaults that say nothing: to leave them out means the same."""


def facts_of_theirs() -> Facts:
    """What the contract of the original says of its calls."""
    known = contract()["definitions"]
    facts: Facts = {}
    for name, (method, path, operation) in operations().items():
        facts[name] = f"{method} {path}"
        facts[f"{name} security"] = _security(operation.get("security", contract()["security"]))
        for each in operation.get("parameters", ()):
            place, schema = _place(each)
            facts |= _described(f"{name} {place}", schema, known, each.get("required", False))
        for status, answer in operation["responses"].items():
            facts[f"{name} {status}"] = _content(answer.get("schema"))
            facts |= {f"{name} {status} {header}": "header" for header in answer.get("headers", ())}
    return facts | {f"scheme {name}": _scheme(each) for name, each in contract()["securityDefinitions"].items()}


def facts_of_ours() -> Facts:
    """What our own contract says of the calls of the drop-in API."""
    whole = openapi()
    known = whole["components"]["schemas"]
    facts: Facts = {}
    for path, methods in whole["paths"].items():
        for method, operation in methods.items():
            if "/assisted-install/v2/" in path:
                facts |= _ours(operation["operationId"], f"{method.upper()} {path}", operation, known)
    return facts | {f"scheme {name}": _scheme(each) for name, each in whole["components"]["securitySchemes"].items()}


def _ours(name: str, call: str, operation: Schema, known: Schema) -> Facts:
    facts = {name: call, f"{name} security": _security(operation.get("security", []))}
    for each in operation["parameters"]:
        facts |= _described(f"{name} {each['in']} {each['name']}", each["schema"], known, each["required"])
    body = operation.get("requestBody")
    if body:
        (media,) = body["content"].values()
        facts |= _described(f"{name} body", media["schema"], known, body["required"])
    for status, answer in operation["responses"].items():
        media = next(iter(answer.get("content", {}).values()), None)
        facts[f"{name} {status}"] = _content(media and resolved(media["schema"], known))
        facts |= {f"{name} {status} {header}": "header" for header in answer.get("headers", ())}
    return facts


def _place(parameter: Schema) -> tuple[str, Schema]:
    """Where a parameter of Swagger 2.0 is, and what it looks like."""
    if parameter["in"] == "formData":
        file = {"type": "string", "format": "binary"}
        return "body", {"type": "object", "properties": {parameter["name"]: file}}
    if parameter["in"] == "body":
        return "body", parameter["schema"]
    return f"{parameter['in']} {parameter['name']}", parameter


def _security(ways: list[dict[str, list[str]]]) -> str:
    """The ways to be let in, in order."""
    named = (f"{name}({', '.join(sorted(roles))})" for way in ways for name, roles in way.items())
    return ", ".join(each.replace("()", "") for each in named)


def _scheme(scheme: Schema) -> str:
    return f"{scheme['type']} in {scheme['in']} {scheme['name']}"


def _content(schema: Schema | None) -> str:
    if schema is None:
        return "nothing"
    return "file" if schema.get("type") == "file" or schema.get("format") == "binary" else "JSON"


def resolved(schema: Schema, known: Schema) -> Schema:
    """A schema with what it refers to in its place, and without the null that stands for what is left out."""
    while "$ref" in schema:
        schema = known[schema["$ref"].rpartition("/")[2]]
    if "allOf" in schema:
        parts = [resolved(each, known) for each in schema["allOf"]]
        return {"type": "object", "properties": {name: each for part in parts for name, each in fields(part)}}
    several = [resolved(each, known) for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    if several and all("enum" in each for each in several):
        return {**_default(schema), "enum": [word for each in several for word in each["enum"]]}
    if len(several) == 1:
        return {**several[0], **_default(schema)}
    return schema


def _default(schema: Schema) -> Schema:
    return {"default": schema["default"]} if "default" in schema else {}


def fields(schema: Schema) -> Iterator[tuple[str, Schema]]:
    properties = schema.get("properties", {})
    yield from properties.items()


def _described(place: str, schema: Schema, known: Schema, required: bool) -> Iterator[tuple[str, str]]:
    """The facts of a schema and of all that is in it."""
    schema = resolved(schema, known)
    yield place, ", ".join([kind(schema, known), *_limits(schema), *(("required",) if required else ())])
    if schema.get("default") not in SILENT:
        yield f"{place} usually", str(schema["default"])
    if "" in schema.get("enum", ()):
        yield f"{place} empty", "accepted"
    for name, field in fields(schema):
        yield from _described(f"{place}.{name}", field, known, name in schema.get("required", ()))
    if resolved(schema.get("items") or {}, known).get("properties"):
        yield from _inside(f"{place}[]", schema["items"], known)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from _described(f"{place}.*", schema["additionalProperties"], known, required=False)


def _inside(place: str, schema: Schema, known: Schema) -> Iterator[tuple[str, str]]:
    schema = resolved(schema, known)
    for name, field in fields(schema):
        yield from _described(f"{place}.{name}", field, known, name in schema.get("required", ()))


def kind(schema: Schema, known: Schema) -> str:
    """What sort of value it is."""
    if "enum" in schema or "const" in schema:
        return f"one of {', '.join(sorted(map(str, filter(None, schema.get('enum', [schema.get('const')])))))}"
    if schema.get("format") == "binary":
        return "file"
    if "properties" in schema or schema.get("type") == "object":
        return "object"
    if "anyOf" in schema:
        return " or ".join(sorted(kind(resolved(each, known), known) for each in schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list, each {kind(resolved(schema['items'], known), known)}"
    return KINDS.get(schema.get("type", ""), "anything")


def _limits(schema: Schema) -> Iterator[str]:
    """What is asked of a value besides."""
    if schema.get("format") in FORMS or "pattern" in schema:
        yield "of a form"
    for least, most, unit in (("minimum", "maximum", ""), ("minLength", "maxLength", " long")):
        limits = [None if schema.get(name) in UNBOUNDED else schema[name] for name in (least, most)]
        if limits != [None, None]:
            yield f"{limits[0] or 0} to {'any' if limits[1] is None else limits[1]}{unit}"

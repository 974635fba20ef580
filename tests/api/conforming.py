"""Holds answers against the contract of the original: types, formats, words, what must be there and what must not.

A place in an answer is named after the definition it belongs to: `host.status` wherever a host is told of.
"""

import json
import re
from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, IPv6Address
from typing import Any, NamedTuple
from uuid import UUID

from parts.contract import contract, operations

Schema = dict[str, Any]

TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")
MAC = re.compile(r"([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}")
FORMATS: dict[str, Callable[[str], Any]] = {"uuid": UUID, "ipv4": IPv4Address, "ipv6": IPv6Address}
PATTERNS = {"date-time": MOMENT, "mac": MAC}
REFUSED = 400
NOT_TOLD = "not told"

FRAMEWORK = {
    "type": "object",
    "required": ["code", "message"],
    "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
}
"""What an error looks like that comes before any operation; the contract knows it as `infra_error` only."""


class Difference(NamedTuple):
    """A place where two say different things."""

    where: str
    theirs: str
    ours: str


class Witness:
    """Looks at answers, notes where they differ from the contract, and which of its places were ever filled in."""

    def __init__(self, *, reads_documents: bool = True) -> None:
        self._reads_documents = reads_documents
        """Whether texts that hold JSON are read too; they hold what agents have said, however odd."""
        self.differences: set[Difference] = set()
        self.seen: set[str] = set()
        self.answered: set[tuple[str, int]] = set()
        """Operations and the statuses that they were answered with."""
        self._routes = [
            (name, method, re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path))))
            for name, (method, path, _) in sorted(operations().items(), key=lambda each: "{" in each[1][1])
        ]

    def operation(self, method: str, path: str) -> str | None:
        """The operation that a call belongs to, if it belongs to any."""
        bare = path.partition("?")[0]
        return next((name for name, verb, form in self._routes if verb == method and form.fullmatch(bare)), None)

    def saw(self, method: str, path: str, status: int, body: bytes) -> None:
        """Take an answer in."""
        name = self.operation(method, path)
        if name is None:
            return
        self.answered.add((name, status))
        answer = operations()[name][2]["responses"].get(str(status))
        self.differences |= set(self._held(f"{name} {status}", status, answer, body))

    def _held(self, place: str, status: int, answer: Schema | None, body: bytes) -> Iterator[Difference]:
        if answer is None:
            yield Difference(place, NOT_TOLD, "JSON")
        schema = _framework_or_error(body) if status >= REFUSED else (answer or {}).get("schema")
        if schema is None and body:
            yield Difference(place, "nothing", "a body")
        elif schema is not None and not _is_file(schema):
            if body:
                yield from self.against(json.loads(body), schema, place)
            else:
                yield Difference(place, "JSON", "nothing")

    def against(self, value: Any, schema: Schema, place: str) -> Iterator[Difference]:
        """Where a value differs from its schema."""
        while "$ref" in schema:
            place = schema["$ref"].rpartition("/")[2]
            schema = contract()["definitions"][place]
        if "allOf" in schema:
            place, schema = _joined(schema)
        if value is None:
            if not schema.get("x-nullable"):
                yield Difference(place, "never null", "null")
            return
        self.seen.add(place)
        kind = schema.get("type") or ("object" if "properties" in schema else None)
        if kind and (not isinstance(value, TYPES[kind]) or (isinstance(value, bool) and kind != "boolean")):
            yield Difference(place, kind, f"{value!r:.40}")
        elif isinstance(value, dict):
            yield from self._object(value, schema, place)
        elif isinstance(value, list):
            for each in value:
                yield from self.against(each, schema["items"], f"{place}[]")
        else:
            yield from self._scalar(value, schema, place)

    def _object(self, value: dict[str, Any], schema: Schema, place: str) -> Iterator[Difference]:
        known, others = schema.get("properties", {}), schema.get("additionalProperties")
        for name in schema.get("required", ()):
            if name not in value:
                yield Difference(f"{place}.{name}", "always there", "missing")
        for name, each in value.items():
            if name in known:
                yield from self.against(each, known[name], f"{place}.{name}")
            elif isinstance(others, dict):
                yield from self.against(each, others, f"{place}.*")
            elif known:
                yield Difference(f"{place}.{name}", "unknown", "told")
        if place == "step" and value["step_type"] in ASKED:
            yield from self.against(json.loads(value["args"][0]), ASKED[value["step_type"]], value["step_type"])

    def _scalar(self, value: Any, schema: Schema, place: str) -> Iterator[Difference]:
        words = schema.get("enum")
        if words and value not in words:
            yield Difference(place, "one of its words", str(value))
        least, most = schema.get("minimum"), schema.get("maximum")
        if (least is not None and value < least) or (most is not None and value > most):
            yield Difference(place, f"{least} to {most}", str(value))
        if isinstance(value, str) and value:
            yield from self._text(value, schema, place)

    def _text(self, value: str, schema: Schema, place: str) -> Iterator[Difference]:
        form = schema.get("format", "")
        pattern = PATTERNS.get(form) or (re.compile(schema["pattern"]) if "pattern" in schema else None)
        if pattern and not pattern.search(value):
            yield Difference(place, form or pattern.pattern, value)
        try:
            FORMATS.get(form, str)(value)
        except ValueError:
            yield Difference(place, form, value)
        if place in INSIDE and self._reads_documents:
            yield from self._inside(value, place)

    def _inside(self, text: str, place: str) -> Iterator[Difference]:
        try:
            document = json.loads(text)
        except ValueError:
            yield Difference(f"{place}:", "a document", "a text")
        else:
            yield from self.against(document, INSIDE[place], f"{place}:")


def places() -> set[str]:
    """Every place in every answer that tells of success."""
    found: set[str] = set()
    for name, (_, _, operation) in operations().items():
        for status, answer in operation["responses"].items():
            if int(status) < REFUSED and "schema" in answer and not _is_file(answer["schema"]):
                _gather(answer["schema"], f"{name} {status}", found)
    return found


def _gather(schema: Schema, place: str, found: set[str]) -> None:
    while "$ref" in schema:
        place = schema["$ref"].rpartition("/")[2]
        schema = contract()["definitions"][place]
    if "allOf" in schema:
        place, schema = _joined(schema)
    elif place in found:
        return
    found.add(place)
    for name, each in schema.get("properties", {}).items():
        _gather(each, f"{place}.{name}", found)
    for key, sign in (("items", "[]"), ("additionalProperties", ".*")):
        if isinstance(schema.get(key), dict):
            _gather(schema[key], place + sign, found)
    if place in INSIDE:
        _gather(INSIDE[place], f"{place}:", found)


def _framework_or_error(body: bytes) -> Schema:
    """What an error is to look like, by what it is."""
    return contract()["definitions"]["error"] if b'"kind"' in body else FRAMEWORK


def _is_file(schema: Schema) -> bool:
    return schema.get("type") == "file" or schema.get("format") == "binary"


def _joined(schema: Schema) -> tuple[str, Schema]:
    """The parts of an `allOf` as one, in the place of the first: it is that, and some more."""
    first, *others = schema["allOf"]
    place = first["$ref"].rpartition("/")[2]
    fields = dict(contract()["definitions"][place]["properties"])
    for each in others:
        fields |= each["properties"]
    return place, {**contract()["definitions"][place], "properties": fields}


def _listed(definition: str) -> Schema:
    return {"type": "array", "items": {"$ref": f"#/definitions/{definition}"}}


def _by_name(definition: str) -> Schema:
    return {"type": "object", "additionalProperties": {"$ref": f"#/definitions/{definition}"}}


TEXTS: Schema = {"type": "array", "items": {"type": "string"}}
VERDICTS: Schema = {
    "type": "object",
    "additionalProperties": {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["id", "status", "message"],
            "properties": {
                "id": {"type": "string"},
                "status": {"enum": ["success", "failure", "pending", "error", "disabled"]},
                "message": {"type": "string"},
            },
        },
    },
}
USAGE: Schema = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "required": ["id", "name"],
        "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "data": {"type": "object"}},
    },
}
INSIDE: dict[str, Schema] = {
    "host.inventory": {"$ref": "#/definitions/inventory"},
    "host.connectivity": {"$ref": "#/definitions/connectivity-report"},
    "host.api_vip_connectivity": {"$ref": "#/definitions/api_vip_connectivity_response"},
    "host.tang_connectivity": {"$ref": "#/definitions/tang_connectivity_response"},
    "host.domain_name_resolutions": {"$ref": "#/definitions/domain_resolution_response"},
    "host.ntp_sources": _listed("ntp_source"),
    "host.images_status": _by_name("container_image_availability"),
    "host.disks_info": _by_name("disk_info"),
    "host.node_labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "host.installer_args": TEXTS,
    "host.validations_info": VERDICTS,
    "cluster.validations_info": VERDICTS,
    "cluster.feature_usage": USAGE,
}
"""Texts that hold JSON, and what the JSON looks like."""

ASKED = {
    "api-vip-connectivity-check": {"$ref": "#/definitions/api_vip_connectivity_request"},
    "connectivity-check": {"$ref": "#/definitions/connectivity-check-params"},
    "container-image-availability": {"$ref": "#/definitions/container_image_availability_request"},
    "dhcp-lease-allocate": {"$ref": "#/definitions/dhcp_allocation_request"},
    "domain-resolution": {"$ref": "#/definitions/domain_resolution_request"},
    "download-boot-artifacts": {"$ref": "#/definitions/download_boot_artifacts_request"},
    "free-network-addresses": {"$ref": "#/definitions/free_addresses_request"},
    "install": {"$ref": "#/definitions/install_cmd_request"},
    "installation-disk-speed-check": {"$ref": "#/definitions/disk_speed_check_request"},
    "logs-gather": {"$ref": "#/definitions/logs_gather_cmd_request"},
    "ntp-synchronizer": {"$ref": "#/definitions/ntp_synchronization_request"},
    "reboot-for-reclaim": {"$ref": "#/definitions/reboot_for_reclaim_request"},
    "tang-connectivity-check": {"$ref": "#/definitions/tang_connectivity_request"},
    "upgrade-agent": {"$ref": "#/definitions/upgrade_agent_request"},
    "verify-vips": {"$ref": "#/definitions/verify_vips_request"},
}
"""What the first argument of a step looks like, by the kind of step."""

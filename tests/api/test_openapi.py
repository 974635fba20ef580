"""The published contract is whole, says what is served, and nothing that follows it breaks the service."""

import re
from typing import Any

import jsonschema_rs
import pytest
from calling import Caller
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from making import made

from muster.api.app import SERVED
from muster.wire.endpoints import ENDPOINTS
from muster.wire.openapi import openapi


def parts_of(contract: Any) -> list[dict[str, Any]]:
    """Every object in the contract."""
    if isinstance(contract, dict):
        return [contract, *(inner for each in contract.values() for inner in parts_of(each))]
    return [inner for each in contract for inner in parts_of(each)] if isinstance(contract, list) else []


@pytest.mark.parametrize(
    "path",
    ["/openapi.json", "/api/assisted-install/openapi", "/api/assisted-install/v2/openapi", "/api/muster/v1/openapi"],
)
def test_the_contract_is_served(api, path):
    reply = api.call("GET", path)
    assert (reply.status, reply.headers["Content-Type"]) == (200, "application/json")
    assert reply.json["openapi"] == "3.1.0"


def test_every_row_is_in_the_contract_and_is_served():
    paths = openapi()["paths"]
    assert {(each.path, each.method.lower()) for each in ENDPOINTS} == {
        (path, method) for path, methods in paths.items() for method in methods
    }
    assert {each.endpoint for each in SERVED} == set(ENDPOINTS)


def test_every_operation_has_a_name_of_its_own():
    names = [each.name for each in ENDPOINTS]
    assert len(set(names)) == len(names)


def test_every_reference_leads_somewhere():
    contract = openapi()
    for part in parts_of(contract):
        if "$ref" in part:
            assert part["$ref"].removeprefix("#/components/schemas/") in contract["components"]["schemas"]


def test_every_schema_is_one():
    contract = openapi()
    for name, schema in contract["components"]["schemas"].items():
        assert jsonschema_rs.meta.is_valid(schema), name


def test_every_name_in_a_path_is_described():
    for path, methods in openapi()["paths"].items():
        for operation in methods.values():
            described = {each["name"] for each in operation["parameters"] if each["in"] == "path"}
            assert described == set(re.findall(r"{(\w+)}", path))
            assert all(each["description"] for each in operation["responses"].values())


def test_patterns_are_written_as_everyone_reads_them():
    patterns = [part["pattern"] for part in parts_of(openapi()) if isinstance(part.get("pattern"), str)]
    assert patterns
    assert not any(r"\Z" in each for each in patterns)


BRIEF = settings(
    max_examples=5,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
BY_HAND = frozenset({"stream"})
"""Calls whose answers have no end."""


def ids_of(api: Caller) -> dict[str, str]:
    return made(api)._asdict()


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["positive", "negative"], ids=["as it says", "against it"])
@pytest.mark.parametrize("known", [False, True], ids=["nothing there", "something there"])
def test_every_call_made_from_the_contract_is_answered_as_it_says(service, api, mode, known):
    import schemathesis
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    # What every answer is held to: no fault of ours, and nothing that the contract does not tell.
    held_to = (
        not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_headers_conformance,
        checks.response_schema_conformance,
    )
    schema = schemathesis.openapi.from_url(f"{service.url}/openapi.json").exclude(operation_id=list(BY_HAND))
    ids = ids_of(api)
    for found in schema.get_all_operations():
        operation = found.ok()
        if known and operation.method.upper() == "DELETE":
            continue

        @BRIEF
        @given(case=operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode)))
        def ask(case):
            if known:
                case.path_parameters = {
                    name: ids.get(name, value) for name, value in (case.path_parameters or {}).items()
                }
            case.call_and_validate(checks=held_to)

        try:
            ask()
        except Unsatisfiable:
            # Without parameters and body there is no way to go against the contract.
            assert mode == "negative"

"""The published contract tells of every call who may make it, what it takes and all it may answer."""

from typing import Any

import pytest

from muster.wire.endpoints import ENDPOINTS
from muster.wire.endpoints.endpoint import BEFORE, Endpoint, Scheme
from muster.wire.openapi import EVERYWHERE, openapi

CONTRACT = openapi()
OPERATIONS: dict[str, dict[str, Any]] = {
    operation["operationId"]: operation for methods in CONTRACT["paths"].values() for operation in methods.values()
}


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda each: each.name)
def test_every_call_tells_who_may_make_it_and_how_it_may_fail(endpoint: Endpoint):
    operation = OPERATIONS[endpoint.name]
    assert [next(iter(each)) for each in operation["security"]] == [each.scheme for each in endpoint.access]
    assert {str(status) for status in EVERYWHERE} < set(operation["responses"])
    assert operation.get("deprecated", False) is endpoint.path.startswith(BEFORE)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda each: each.name)
def test_every_answer_is_described_but_those_that_say_nothing(endpoint: Endpoint):
    done = OPERATIONS[endpoint.name]["responses"][str(endpoint.status)]
    says_something = endpoint.answers is not None or endpoint.gives != "application/json"
    assert ("content" in done) is (says_something and endpoint.status != 307)


def test_every_way_to_be_let_in_is_described():
    schemes = CONTRACT["components"]["securitySchemes"]
    assert set(schemes) == set(Scheme)
    assert schemes["urlAuth"] == {"type": "apiKey", "in": "query", "name": "api_key"}
    assert schemes["agentAuth"] == {"type": "apiKey", "in": "header", "name": "X-Secret-Key"}


def test_roles_are_told_where_not_everybody_may():
    assert OPERATIONS["V2GetCredentials"]["security"] == [{"userAuth": ["user"]}]
    assert OPERATIONS["v2GetCluster"]["security"] == [
        {"userAuth": ["admin", "read-only-admin", "user"]},
        {"agentAuth": []},
        {"watcherAuth": []},
    ]
    assert OPERATIONS["V2ListClusterManifests"]["security"] == [{"userAuth": []}]


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("v2InstallCluster", 409),
        ("V2GetCredentials", 409),
        ("V2CreateClusterManifest", 422),
        ("v2RegisterCluster", 413),
        ("DownloadMinimalInitrd", 204),
    ],
)
def test_what_only_some_calls_answer_is_told_of_those(name, status):
    assert str(status) in OPERATIONS[name]["responses"]
    assert str(status) not in OPERATIONS["v2ListComponentVersions"]["responses"]


def test_an_answer_without_a_word_is_told_as_such():
    assert "content" not in OPERATIONS["V2ListOperatorProperties"]["responses"]["404"]
    assert "content" not in OPERATIONS["DownloadMinimalInitrd"]["responses"]["204"]
    assert "content" not in OPERATIONS["DownloadClusterISO"]["responses"]["307"]


def test_headers_are_told_on_the_way_in_and_out():
    asked = {each["name"] for each in OPERATIONS["v2GetCluster"]["parameters"] if each["in"] == "header"}
    assert asked == {"get_unregistered_clusters", "discovery_agent_version"}
    assert set(OPERATIONS["v2ListEvents"]["responses"]["200"]["headers"]) == {
        "Event-Count",
        "Severity-Count-Critical",
        "Severity-Count-Error",
        "Severity-Count-Info",
        "Severity-Count-Warning",
    }
    assert "Location" in OPERATIONS["DownloadClusterISO"]["responses"]["307"]["headers"]


def test_only_what_is_meant_to_be_repeated_is():
    parameters = {each["name"]: each for each in OPERATIONS["V2ListBundles"]["parameters"]}
    assert parameters["feature_ids"]["explode"]
    assert not parameters["openshift_version"]["explode"]


def test_whoever_asks_for_bytes_gets_errors_as_bytes_too():
    assert set(OPERATIONS["V2DownloadClusterFiles"]["responses"]["404"]["content"]) == {
        "application/json",
        "application/octet-stream",
    }
    assert set(OPERATIONS["v2GetCluster"]["responses"]["404"]["content"]) == {"application/json"}


def test_what_is_sent_is_described_as_json_or_as_a_form():
    assert set(OPERATIONS["V2UploadLogs"]["requestBody"]["content"]) == {"multipart/form-data"}
    assert set(OPERATIONS["v2RegisterCluster"]["requestBody"]["content"]) == {"application/json"}
    assert "requestBody" not in OPERATIONS["v2GetCluster"]
    assert OPERATIONS["explainCluster"]["summary"]

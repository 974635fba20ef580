"""Bodies become records: what is written back is the same, whatever the case of its names and however many nulls."""

import json
import random
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muster.domain.inputs.clusters import ClusterCreate, ClusterUpdate
from muster.domain.inputs.hosts import HostUpdate
from muster.domain.inputs.infra_envs import InfraEnvCreate, InfraEnvUpdate
from muster.wire.bodies import decode_body, shape_of
from muster.wire.cluster_requests import Completion, FinalizingProgress, OperatorReport
from muster.wire.errors import malformed, problem, refusal
from muster.wire.hosts import HostCreate, HostProgressReport, LogsProgress
from muster.wire.steps import StepReply

ID = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"
BODIES: list[tuple[Any, dict[str, Any]]] = [
    (ClusterCreate, {"name": "lab", "openshift_version": "4.20", "pull_secret": "{}", "platform": {"type": "none"}}),
    (ClusterUpdate, {"api_vips": [{"ip": "192.168.1.5"}], "olm_operators": [{"name": "lso"}], "tags": "a"}),
    (InfraEnvCreate, {"name": "env", "pull_secret": "{}", "cluster_id": ID, "proxy": {"http_proxy": "http://a"}}),
    (InfraEnvUpdate, {"kernel_arguments": [{"operation": "append", "value": "a=b"}]}),
    (
        HostUpdate,
        {"node_labels": [{"key": "a", "value": "b"}], "disks_selected_config": [{"id": "x", "role": "install"}]},
    ),
    (HostCreate, {"host_id": ID}),
    (HostProgressReport, {"current_stage": "Done", "progress_info": "100%"}),
    (LogsProgress, {"logs_state": "requested"}),
    (StepReply, {"step_type": "inventory", "step_id": "inventory-1", "exit_code": 1, "output": "{}", "error": "x"}),
    (OperatorReport, {"name": "console", "status": "available"}),
    (FinalizingProgress, {"finalizing_stage": "Done"}),
    (Completion, {"is_success": True, "data": {"anything": [1, {"Else": 2}]}}),
    (str, "a text"),
]


def named(each: Any) -> str:
    return getattr(each, "__name__", "")


@pytest.mark.parametrize(("kind", "body"), BODIES, ids=named)
def test_what_is_read_is_written_the_same(kind, body):
    record = decode_body(kind, json.dumps(body).encode())
    assert json.loads(msgspec.json.encode(record)) == body
    assert decode_body(kind, msgspec.json.encode(record)) == record


def loosely(value: Any, chance: random.Random) -> Any:
    """The same value as a careless client writes it: names in any case, nulls where nothing is."""
    if isinstance(value, dict):
        names = ("".join(chance.choice((letter.upper(), letter)) for letter in name) for name in value)
        loose = {name: loosely(each, chance) for name, each in zip(names, value.values(), strict=True)}
        return loose | {"nothing_at_all": None}
    return [loosely(each, chance) for each in value] if isinstance(value, list) else value


@settings(deadline=None, derandomize=True, max_examples=100, suppress_health_check=list(HealthCheck))
@given(pair=st.sampled_from(BODIES[:-2]), seed=st.integers(0, 1000))
def test_case_and_nulls_change_nothing(pair, seed):
    kind, body = pair
    loose = loosely(body, random.Random(seed))
    assert decode_body(kind, json.dumps(loose).encode()) == decode_body(kind, json.dumps(body).encode())


def test_names_inside_what_is_free_in_form_are_left_alone():
    body = {"IS_SUCCESS": True, "data": {"Some": {"THING": None, "else": 1}}}
    assert decode_body(Completion, json.dumps(body).encode()).data == {"Some": {"else": 1}}


def test_the_shape_of_a_body_goes_as_deep_as_the_body():
    shape = shape_of(ClusterUpdate)
    assert isinstance(shape, dict)
    assert shape["api_vips"] == ("api_vips", [{"ip": ("ip", None), **_rest(shape["api_vips"][1][0], "ip")}])
    assert shape["platform"][1]["external"][1]["platform_name"] == ("platform_name", None)
    assert shape_of(str) is None
    assert shape_of(str | int | None) is None


def _rest(shape: dict[str, Any], *without: str) -> dict[str, Any]:
    return {name: each for name, each in shape.items() if name not in without}


WRONG = [
    (ClusterCreate, b"{}", "body.name: is required"),
    (ClusterCreate, b'{"name": "a", "pull_secret": "{}"}', "body.openshift_version: is required"),
    (ClusterUpdate, b'{"nosuch": 1}', "body.nosuch: is not a field that is known here"),
    (ClusterUpdate, b'{"platform": {"nosuch": 1}}', "body.platform.nosuch: is not a field that is known here"),
    (ClusterUpdate, b'{"api_vips": [{"ip": "1.2.3.4"}, 5]}', "body.api_vips[1]: Expected `object`, got `int`"),
    (ClusterUpdate, b'{"tags": 5}', "body.tags: Expected `str`, got `int`"),
    (HostCreate, b'{"host_id": "x"}', "body.host_id: is not a UUID, such as 6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"),
    (HostProgressReport, b'{"current_stage": "x"}', "Starting installation, Waiting for control plane"),
    (HostUpdate, b'{"host_role": "x"}', "it can be one of arbiter, auto-assign, master, worker"),
    (HostUpdate, b'{"disks_selected_config": [{"id": "a", "role": "x"}]}', "it can be one of install, none"),
    (LogsProgress, b'{"logs_state": "x"}', "it can be one of collecting, completed, requested, timeout"),
    (StepReply, b'{"exit_code": 1e400}', "body.exit_code: Number out of range"),
    (Completion, b'{"is_success": true, "data": 5}', "body.data: Expected `object`, got `int`"),
    (str, b"5", "body: Expected `str`, got `int`"),
]


@pytest.mark.parametrize(("kind", "raw", "words"), WRONG)
def test_what_is_wrong_is_said_in_a_sentence_that_begins_with_the_field(kind, raw, words):
    with pytest.raises(msgspec.ValidationError) as caught:
        decode_body(kind, raw)
    said = problem("body", kind, caught.value)
    assert said.startswith("body")
    assert words in said


def test_a_path_that_leads_nowhere_is_no_harm():
    for path in ("$.nosuch.deeper", "$.name.deeper", "$[...].x"):
        assert problem("body", ClusterCreate, msgspec.ValidationError(f"Odd - at `{path}`")) == f"body{path[1:]}: Odd"


def test_errors_have_two_shapes():
    assert refusal(409, "Not now") == {"code": "409", "href": "", "id": 409, "kind": "Error", "reason": "Not now"}
    assert malformed(400, "body: is required") == {"code": 400, "message": "body: is required"}


def test_what_failed_is_found_in_any_report():
    reports = [{"name": "a", "status": "failed"}, {"name": "b", "status": "available"}, {"status": "failed"}, 5]
    assert Completion(is_success=False, data={"CLUSTER_OPERATORS_REPORT": reports}).failed_operators == ("a", "")
    for odd in (None, 5, "failed", {"name": "a"}):
        assert Completion(is_success=False, data={"CLUSTER_OPERATORS_REPORT": odd}).failed_operators == ()
    assert Completion(is_success=True).failed_operators == ()


def test_fields_that_nobody_knows_are_passed_over_where_that_is_wanted():
    raw = b'{"Name": "lab", "colour": "red", "platform": {"type": "none", "taste": ["sweet"]}, "tags": null}'
    body = decode_body(ClusterUpdate, raw, strict=False)
    assert (body.name, body.platform.type) == ("lab", "none")
    with pytest.raises(msgspec.ValidationError, match="colour"):
        decode_body(ClusterUpdate, raw)


def test_what_may_hold_anything_is_kept_whole_even_so():
    assert decode_body(dict[str, int], b'{"a": 1, "b": null}', strict=False) == {"a": 1}
    assert decode_body(tuple[ClusterUpdate, ...], b'[{"nosuch": 1}]', strict=False) == (ClusterUpdate(),)

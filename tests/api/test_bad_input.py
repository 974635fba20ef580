"""Whatever is malformed gets a 4xx that names the field, and never a 500."""

import json

import pytest
from calling import JSON, V2
from fuzzing import anything, some_fields_of, values_of
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from making import CLUSTER, SECRET, Made
from refusing import is_malformed, is_refused, placed

from muster.domain.inputs.clusters import ClusterCreate
from muster.domain.steps import STEPS
from muster.wire.bodies import LARGEST
from muster.wire.endpoints import ENDPOINTS
from muster.wire.endpoints.endpoint import BEFORE, IDS, Endpoint
from muster.wire.endpoints.endpoint import JSON as TAKES_JSON

WITH_BODY = [each for each in ENDPOINTS if each.body is not None and each.takes == TAKES_JSON]
WITH_OBJECT = [each for each in WITH_BODY if each.body is not str]
LENIENT = [each for each in WITH_OBJECT if not each.body.__struct_config__.forbid_unknown_fields]
"""Those that old clients call: what nobody knows in their bodies is not even looked at."""
STRICT = [each for each in WITH_BODY if each not in LENIENT]
WITH_ID = [(each, name) for each in ENDPOINTS for name in each.parameters if name in IDS and each.method != "HEAD"]
ID = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"


def named(endpoint: Endpoint) -> str:
    return endpoint.name


def path_of(endpoint: Endpoint, it: Made) -> str:
    return endpoint.url(**ids_in(endpoint, it))


def ids_in(endpoint: Endpoint, it: Made) -> dict[str, str]:
    return {name: getattr(it, name, "nosuch") for name in endpoint.parameters}


# Every call that takes a body

NOT_JSON = {
    "no JSON": b"{not json",
    "half of it": b'{"name": ',
    "two values": b"{} {}",
    "not a number": b'{"name": NaN}',
    "infinity": b'{"name": Infinity}',
    "invalid UTF-8": b'{"name": "\xff\xfe"}',
    "half a pair": b'{"name": "\\ud800"}',
    "a number beyond floats": b'{"name": 1e999}',
    "a number of five thousand digits": b'{"name": ' + b"9" * 5000 + b"}",
    "a hundred thousand brackets": b"[" * 100_000,
    "a thousand objects in each other": b'{"platform":' * 1000 + b"1" + b"}" * 1000,
}


@pytest.mark.parametrize("endpoint", STRICT, ids=named)
def test_a_body_that_is_no_json_is_malformed(api, it, endpoint):
    for what, body in NOT_JSON.items():
        reply = api.raw(endpoint.method, path_of(endpoint, it), body, {"Content-Type": JSON})
        assert is_malformed(reply, "body"), what


@pytest.mark.parametrize("endpoint", LENIENT, ids=named)
def test_only_old_calls_pass_over_what_nobody_knows(api, it, endpoint):
    assert endpoint.path.startswith(BEFORE)
    assert is_malformed(api.raw(endpoint.method, path_of(endpoint, it), b'{"name": ', {"Content-Type": JSON}), "body")
    assert b"nosuch" not in api.call(endpoint.method, path_of(endpoint, it), {"nosuch": 1}).body


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=named)
def test_a_body_without_its_content_type_is_malformed(api, it, endpoint):
    for headers in ({}, {"Content-Type": "text/plain"}, {"Content-Type": ""}, {"Content-Type": "multipart/form-data"}):
        reply = api.raw(endpoint.method, path_of(endpoint, it), b"{}", headers)
        assert is_malformed(reply, "content-type"), headers


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=named)
def test_a_body_is_required(api, it, endpoint):
    assert is_malformed(
        api.raw(endpoint.method, path_of(endpoint, it), b"", {"Content-Type": JSON}), "body: is required"
    )


@pytest.mark.parametrize("endpoint", WITH_OBJECT, ids=named)
def test_a_body_that_is_no_object_is_malformed(api, it, endpoint):
    for body in (b"[]", b'"text"', b"5", b"true", b"null", b"1.5"):
        assert is_malformed(api.raw(endpoint.method, path_of(endpoint, it), body, {"Content-Type": JSON}), "body")


@pytest.mark.parametrize("endpoint", [each for each in STRICT if each in WITH_OBJECT], ids=named)
def test_an_unknown_field_is_malformed_and_named(api, it, endpoint):
    reply = api.call(endpoint.method, path_of(endpoint, it), {"nosuch": 1})
    assert is_malformed(reply, "body.nosuch: is not a field that is known here")


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=named)
def test_a_body_of_ten_megabytes_is_refused(api, it, endpoint):
    body = json.dumps({"name": "x" * 10_000_000}).encode()
    reply = api.raw(endpoint.method, path_of(endpoint, it), body, {"Content-Type": JSON})
    assert is_malformed(reply, "body", str(LARGEST), status=413)


def test_a_body_that_is_just_not_too_large_is_read(api):
    reply = api.v2("POST /clusters", {"name": "x" * (LARGEST - 1000)})
    assert is_malformed(reply, "body.name")


def test_a_body_without_its_length_is_read_all_the_same(api):
    pieces = json.dumps(CLUSTER).encode()
    reply = api.raw("POST", f"{V2}/clusters", iter([pieces[:20], pieces[20:]]), {"Content-Type": JSON})
    assert reply.status == 201


def test_a_body_of_ten_megabytes_without_its_length_is_refused(api):
    reply = api.raw("POST", f"{V2}/clusters", iter([b" " * 1_000_000] * 10), {"Content-Type": JSON})
    assert is_malformed(reply, "body", status=413)


def test_a_body_may_name_its_charset(api):
    body = json.dumps(CLUSTER).encode()
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert api.raw("POST", f"{V2}/clusters", body, headers).status == 201


# Every id in a path


@pytest.mark.parametrize(("endpoint", "name"), WITH_ID, ids=lambda each: getattr(each, "name", each))
def test_what_is_no_id_in_a_path_is_malformed(api, it, endpoint, name):
    for wrong in ("x", "{}", "%7B%7D", "1" * 33, f"{ID}0", "%00", "%ff", "..%2f..", f"{ID}%0a"):
        ids = ids_in(endpoint, it) | {name: wrong}
        reply = api.call(endpoint.method, endpoint.path.format(**ids))
        assert reply.status in {400, 404}, reply.body
        assert set(reply.json) == {"code", "message"}
        if wrong.isalnum():
            assert is_malformed(reply, f"path.{name}", wrong)


@pytest.mark.parametrize("spelt", [ID.upper(), ID.replace("-", ""), f"%7B{ID}%7D", f"urn:uuid:{ID}"])
def test_an_id_in_another_spelling_is_an_id_that_nobody_has(api, spelt):
    assert is_refused(api.v2(f"GET /clusters/{spelt}"), status=404)


# Fields

VIPS = {"api_vips": [{"ip": "192.168.1.5"}], "ingress_vips": [{"ip": "192.168.1.6"}]}

WRONG_CLUSTERS = [
    ({"name": None}, "body.name: is required"),
    ({"name": 5}, "body.name: Expected `str`, got `int`"),
    ({"name": ""}, "body.name"),
    ({"name": "x" * 55}, "body.name"),
    ({"openshift_version": None}, "body.openshift_version: is required"),
    ({"openshift_version": 4.2}, "body.openshift_version"),
    ({"pull_secret": {}}, "body.pull_secret"),
    ({"high_availability_mode": "Some"}, "body.high_availability_mode", "Full, None"),
    ({"cpu_architecture": "z80"}, "body.cpu_architecture", "arm64"),
    ({"network_type": "Telepathy"}, "body.network_type", "OVNKubernetes"),
    ({"hyperthreading": "some"}, "body.hyperthreading"),
    ({"vip_dhcp_allocation": "no"}, "body.vip_dhcp_allocation"),
    ({"control_plane_count": "3"}, "body.control_plane_count"),
    ({"control_plane_count": 3.5}, "body.control_plane_count"),
    ({"api_vips": "192.168.1.5"}, "body.api_vips"),
    ({"api_vips": [None]}, "body.api_vips[0]"),
    ({"api_vips": [{"ip": 5}]}, "body.api_vips[0].ip"),
    ({"api_vips": [{"ip": "192.168.1.5"}, {"ip": "x"}]}, "body.api_vips[1].ip"),
    ({"api_vips": [{"ip": "192.168.1.5", "nosuch": 1}]}, "body.api_vips[0].nosuch: is not a field"),
    ({"api_vips": [{"cluster_id": "x"}]}, "body.api_vips[0].cluster_id", "UUID"),
    ({"cluster_networks": [{"cidr": "x"}]}, "body.cluster_networks[0].cidr"),
    ({"cluster_networks": [{"cidr": "10.0.0.0/8", "host_prefix": -1}]}, "body.cluster_networks[0].host_prefix"),
    ({"cluster_networks": [{"cidr": "10.0.0.0/8", "host_prefix": 10**30}]}, "body.cluster_networks[0].host_prefix"),
    ({"platform": {"type": "moon"}}, "body.platform.type", "baremetal"),
    ({"platform": {"type": "baremetal", "nosuch": 1}}, "body.platform.nosuch"),
    ({"platform": {"type": "external", "external": {"nosuch": 1}}}, "body.platform.external.nosuch"),
    ({"load_balancer": {"type": "none"}}, "body.load_balancer.type", "user-managed"),
    ({"disk_encryption": {"mode": "rot13"}}, "body.disk_encryption.mode"),
    ({"olm_operators": [{"name": 5}]}, "body.olm_operators[0].name"),
    ({"olm_operators": {}}, "body.olm_operators"),
]
REFUSED_CLUSTERS = [
    ({"name": "Bad_Name"}, "name"),
    ({"openshift_version": "3.11"}, "openshift_version"),
    ({"pull_secret": "nojson"}, "pull_secret"),
    ({"control_plane_count": -1}, "control_plane_count"),
    ({"control_plane_count": 10**18}, "control_plane_count"),
    ({"base_dns_domain": "not a domain"}, "base_dns_domain"),
    ({"http_proxy": "ftp://proxy"}, "http_proxy"),
    ({"additional_ntp_source": "a b"}, "additional_ntp_source"),
    ({"tags": "#"}, "tags"),
    ({"ssh_public_key": "nokey"}, "ssh_public_key"),
]


@pytest.mark.parametrize(("written", "words"), [(each[0], each[1:]) for each in WRONG_CLUSTERS], ids=str)
def test_a_field_of_a_new_cluster_that_cannot_be_read_is_named(api, written, words):
    assert is_malformed(api.v2("POST /clusters", CLUSTER | written), *words)


@pytest.mark.parametrize(("written", "words"), [(each[0], each[1:]) for each in REFUSED_CLUSTERS], ids=str)
def test_a_field_of_a_new_cluster_that_makes_no_sense_is_named(api, written, words):
    assert is_refused(api.v2("POST /clusters", CLUSTER | written), *words)


def test_every_field_that_makes_no_sense_is_named_at_once(api):
    reply = api.v2("POST /clusters", CLUSTER | {"tags": "#", "http_proxy": "ftp://proxy", "ssh_public_key": "nokey"})
    assert is_refused(reply, "tags", "http_proxy", "ssh_public_key")


WRONG_FIELDS = [
    ("PATCH {cluster}", {"name": 5}, "body.name"),
    ("PATCH {cluster}", {"openshift_version": "4.20"}, "body.openshift_version: is not a field"),
    ("PATCH {cluster}", {"machine_network_cidr": "x"}, "body.machine_network_cidr"),
    ("POST /infra-envs", {"name": "x"}, "body.pull_secret: is required"),
    ("POST /infra-envs", {"name": "x", "pull_secret": SECRET, "cluster_id": "x"}, "body.cluster_id", "UUID"),
    ("POST /infra-envs", {"name": "x", "pull_secret": SECRET, "image_type": "floppy"}, "body.image_type", "full-iso"),
    (
        "PATCH {infra_env}",
        {"kernel_arguments": [{"operation": "burn"}]},
        "body.kernel_arguments[0].operation",
        "append",
    ),
    ("PATCH {infra_env}", {"network_discovery_delay_seconds": -1}, "body.network_discovery_delay_seconds"),
    ("PATCH {infra_env}", {"network_discovery_delay_seconds": 10**30}, "body.network_discovery_delay_seconds"),
    ("PATCH {infra_env}", {"proxy": {"nosuch": 1}}, "body.proxy.nosuch"),
    ("PATCH {infra_env}", {"additional_trust_bundle": "x" * 65536}, "body.additional_trust_bundle"),
    ("PATCH {infra_env}", {"static_network_config": [{"mac_interface_map": 1}]}, "body.static_network_config[0]"),
    ("POST {infra_env}/hosts", {}, "body.host_id: is required"),
    ("POST {infra_env}/hosts", {"host_id": "x"}, "body.host_id", "UUID"),
    ("POST {infra_env}/hosts", {"host_id": 5}, "body.host_id"),
    ("POST {infra_env}/hosts", {"host_id": ID, "discovery_agent_version": 5}, "body.discovery_agent_version"),
    ("PATCH {host}", {"host_role": "king"}, "body.host_role", "arbiter, auto-assign, master, worker"),
    ("PATCH {host}", {"disks_selected_config": [{"id": 5}]}, "body.disks_selected_config[0].id"),
    ("PATCH {host}", {"disks_selected_config": [{"id": "x", "role": "eat"}]}, "body.disks_selected_config[0].role"),
    ("PATCH {host}", {"disks_skip_formatting": [{"disk_id": "x"}]}, "body.disks_skip_formatting[0].skip_formatting"),
    ("PATCH {host}", {"node_labels": [{"key": "x"}]}, "body.node_labels[0].value: is required"),
    ("PATCH {host}", {"node_labels": {"key": "x"}}, "body.node_labels"),
    ("POST {host}/instructions", {"step_type": "dance"}, "body.step_type", "inventory"),
    ("POST {host}/instructions", {"exit_code": "0"}, "body.exit_code"),
    ("POST {host}/instructions", {"exit_code": 10**30}, "body.exit_code"),
    ("POST {host}/instructions", {"output": {}}, "body.output"),
    ("PUT {host}/progress", {}, "body.current_stage: is required"),
    ("PUT {host}/progress", {"current_stage": "Thinking"}, "body.current_stage", "Writing image to disk"),
    ("PUT {host}/progress", {"current_stage": ""}, "body.current_stage"),
    ("PUT {host}/progress", {"current_stage": "Done", "progress_info": 5}, "body.progress_info"),
    ("PUT {host}/logs-progress", {}, "body.logs_state: is required"),
    (
        "PUT {host}/logs-progress",
        {"logs_state": "lost"},
        "body.logs_state",
        "collecting, completed, requested, timeout",
    ),
    ("PUT {cluster}/logs-progress", {"logs_state": 5}, "body.logs_state"),
    ("PUT {cluster}/progress", {"finalizing_stage": "Dancing"}, "body.finalizing_stage", "Adding router ca"),
    ("PUT {cluster}/monitored-operators", {"name": "console", "status": "sad"}, "body.status", "progressing"),
    ("PUT {cluster}/monitored-operators", {"name": 5}, "body.name"),
    ("POST {cluster}/actions/complete-installation", {}, "body.is_success: is required"),
    ("POST {cluster}/actions/complete-installation", {"is_success": "yes"}, "body.is_success"),
    ("POST {cluster}/actions/complete-installation", {"is_success": True, "data": []}, "body.data"),
    ("POST {cluster}/uploads/ingress-cert", {}, "body"),
]


@pytest.mark.parametrize(("call", "body", "words"), [(each[0], each[1], each[2:]) for each in WRONG_FIELDS], ids=str)
def test_a_field_that_cannot_be_read_is_named(api, it, call, body, words):
    assert is_malformed(api.v2(placed(call, it), body), *words)


REFUSED_FIELDS = [
    ("PATCH {cluster}", {"tags": "#"}, "tags"),
    ("PATCH {infra_env}", {"additional_ntp_sources": "a b"}, "additional_ntp_sources"),
    ("PATCH {infra_env}", {"proxy": {"http_proxy": "x"}}, "proxy.http_proxy"),
    ("PATCH {infra_env}", {"ignition_config_override": "x"}, "ignition_config_override"),
    ("PATCH {host}", {"host_name": "-"}, "host_name"),
    ("PATCH {host}", {"host_name": "localhost"}, "host_name"),
    ("PATCH {host}", {"node_labels": [{"key": "a b", "value": ""}]}, "node_labels[0].key"),
    ("POST {host}/instructions", {"step_type": "inventory", "output": "x"}, "output", "inventory"),
    ("POST {host}/instructions", {"step_type": "inventory", "output": '{"cpu": 5}'}, "output", "$.cpu"),
    ("PUT {cluster}/progress", {"finalizing_stage": ""}, "finalizing_stage"),
    ("PUT {cluster}/monitored-operators", {}, "name"),
    ("POST {cluster}/uploads/ingress-cert", "no certificate", "body", "PEM"),
]


@pytest.mark.parametrize(("call", "body", "words"), [(each[0], each[1], each[2:]) for each in REFUSED_FIELDS], ids=str)
def test_a_field_that_makes_no_sense_is_named(api, it, call, body, words):
    assert is_refused(api.v2(placed(call, it), body), *words)


# What is forgiven


def test_the_case_of_field_names_does_not_matter_at_any_depth(api):
    body = {"NAME": "lab", "OpenShift_Version": "4.20", "Pull_Secret": SECRET, "Platform": {"TYPE": "none"}}
    reply = api.v2("POST /clusters", body | {"Machine_Networks": [{"CIDR": "192.168.1.0/24"}]})
    assert (reply.status, reply.json["platform"]["type"]) == (201, "none")
    assert reply.json["machine_networks"][0]["cidr"] == "192.168.1.0/24"


def test_null_is_absent_at_any_depth(api):
    body = CLUSTER | {"tags": None, "platform": {"type": "none", "external": None}, "api_vips": None}
    reply = api.v2("POST /clusters", body)
    assert (reply.status, "tags" in reply.json) == (201, False)


def test_of_two_fields_of_one_name_the_last_counts(api):
    body = json.dumps(CLUSTER)[:-1] + ', "name": "last", "Tags": "a", "tags": "b"}'
    reply = api.raw("POST", f"{V2}/clusters", body.encode(), {"Content-Type": JSON})
    assert (reply.json["name"], reply.json["tags"]) == ("last", "b")


def test_a_report_on_operators_may_have_any_shape(api, it):
    for report in ([], {}, 5, "x", [5, None, {"name": 5}], [{"name": ["x"], "status": "failed"}]):
        body = {"is_success": False, "data": {"CLUSTER_OPERATORS_REPORT": report}}
        assert api.v2(f"POST {it.cluster}/actions/complete-installation", body).status == 202


# Whatever comes to mind

THOROUGH = settings(
    max_examples=150,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@THOROUGH
@given(written=some_fields_of(ClusterCreate))
def test_no_cluster_however_odd_breaks_the_service(api, written):
    reply = api.v2("POST /clusters", CLUSTER | written)
    assert reply.status in {201, 400}, reply.body


REPLIES = st.sampled_from(sorted(kind for kind, step in STEPS.items() if step.reads is not None)).flatmap(
    lambda kind: st.tuples(st.just(kind), st.one_of(values_of(STEPS[kind].reads), anything))
)


@THOROUGH
@given(said=REPLIES, exit_code=st.sampled_from([0, 0, 0, 1, 256, -1]))
def test_no_reply_of_an_agent_however_odd_breaks_the_service(api, it, said, exit_code):
    step, output = said
    body = {"step_type": step, "exit_code": exit_code, "output": json.dumps(output), "error": "x"}
    assert api.v2(f"POST {it.host}/instructions", body).status in {204, 400, 409}
    assert api.v2(f"GET {it.host}/instructions").status == 200
    assert api.v2(f"GET {it.cluster}").status == 200


@THOROUGH
@given(endpoint=st.sampled_from(WITH_BODY), body=anything)
def test_no_body_however_odd_breaks_the_service(api, it, endpoint, body):
    assert api.call(endpoint.method, path_of(endpoint, it), body).status < 500

"""Every answer is as the published contract says: ours, and those that were recorded of the original."""

import json
from typing import Any

import pytest
from adding import added_later, given, in_a_pool, registers_again
from making import (
    Made,
    a_cluster,
    a_host,
    a_ready_single_node,
    an_infra_env,
    finalizing,
    installed,
    installing,
    made,
)
from publishing import Attentive, operation_of, problems
from replaying import BASE, recorded
from uploading import a_form, of_host, upload

from muster.wire.endpoints import ENDPOINTS
from muster.wire.endpoints.endpoint import BEFORE

V1 = BEFORE


def told_by_both(answer: Any) -> Any:
    """A recorded answer without what we never tell, and with what we always do (documented)."""
    if isinstance(answer, dict):
        known = {"status": "discovering", "status_info": ""} if answer.get("status", "") is None else {}
        return {key: told_by_both(each) for key, each in (answer | known).items() if key != "free_addresses"}
    return [told_by_both(each) for each in answer] if isinstance(answer, list) else answer


@pytest.mark.parametrize(
    "name", ["service", "errors", "unbound-host", "single-node-cancel-reset", "multi-node-install"]
)
def test_what_was_recorded_of_the_original_is_as_published(name):
    found = set()
    for exchange in recorded(name):
        method, _, path = exchange.call.partition(" ")
        operation = operation_of(method, BASE + path)
        octets = exchange.content_type == "application/octet-stream" and exchange.status < 400
        if operation is None or exchange.response is None or octets:
            continue
        found |= set(problems(operation, exchange.status, json.dumps(told_by_both(exchange.response)).encode()))
    assert found == set()


def a_cluster_on_its_way_to_being_installed(api: Attentive) -> None:
    it = installing(api, a_ready_single_node(api))
    api.v2("GET /clusters?with_hosts=true")
    api.v1("GET /clusters?with_hosts=true")
    ask_all(api, it)
    assert upload(api, it).status == 204
    assert upload(api, it, query=of_host(it)).status == 204
    installed(api, finalizing(api, it))
    ask_all(api, it)
    api.v2(f"PUT {it.cluster}/progress", {"finalizing_stage": "Done"})
    api.v2(f"POST {it.cluster}/actions/complete-installation", {"is_success": True})
    api.v1(f"POST {it.cluster}/actions/complete_installation", {"is_success": True})


READ = (
    "/clusters/{c}", "/clusters/{c}?exclude-hosts=true", "/clusters/{c}/hosts?with-inventory=true",
    "/clusters/{c}/supported-platforms", "/clusters/{c}/install-config", "/clusters/{c}/preflight-requirements",
    "/clusters/{c}/ignored-validations", "/clusters/{c}/ui-settings", "/clusters/{c}/credentials",
    "/clusters/{c}/monitored-operators", "/clusters/{c}/manifests?include_system_generated=true",
    "/clusters/{c}/downloads/files?file_name=master.ign", "/clusters/{c}/logs",
    "/clusters/{c}/downloads/credentials?file_name=kubeconfig", "/clusters/default-config",
    "/infra-envs", "/infra-envs/{e}", "/infra-envs/{e}/downloads/image-url",
    "/infra-envs/{e}/downloads/files?file_name=discovery.ign",
    "/infra-envs/{e}/downloads/files-presigned?file_name=ipxe-script", "/infra-envs/{e}/downloads/minimal-initrd",
    "/infra-envs/{e}/hosts", "/infra-envs/{e}/hosts/{h}", "/infra-envs/{e}/hosts/{h}/instructions",
    "/infra-envs/{e}/hosts/{h}/ignition", "/infra-env/{e}/hosts/{h}/downloads/ignition", "/events?cluster_id={c}",
    "/component-versions", "/openshift-versions", "/release-sources", "/domains", "/supported-operators",
    "/supported-operators/lso", "/operators/bundles", "/operators/bundles/virtualization",
    "/support-levels/features?openshift_version=4.20", "/support-levels/features/detailed?openshift_version=4.20",
    "/support-levels/architectures?openshift_version=4.20",
)  # fmt: skip
READ_BEFORE = (
    "/clusters/{c}", "/clusters/{c}/hosts", "/clusters/{c}/hosts/{h}", "/clusters/{c}/hosts/{h}/instructions",
    "/clusters/{c}/hosts/{h}/ignition", "/clusters/{c}/hosts/{h}/downloads/ignition", "/clusters/{c}/hosts/{h}/logs",
    "/clusters/{c}/events", "/clusters/{c}/host-requirements", "/clusters/{c}/preflight-requirements",
    "/clusters/{c}/monitored_operators", "/clusters/{c}/install-config", "/clusters/{c}/credentials",
    "/clusters/{c}/downloads/kubeconfig", "/clusters/{c}/downloads/files?file_name=master.ign",
    "/clusters/{c}/free_addresses?network=192.168.2.0/24", "/clusters/{c}/logs", "/clusters/{c}/manifests",
    "/clusters/default-config", "/openshift_versions", "/component_versions", "/domains", "/supported-operators",
    "/supported-operators/lso",
)  # fmt: skip
READ_OF_OURS = (
    "/clusters/{c}/explain", "/clusters/{c}/history", "/infra-envs/{e}/hosts/{h}/explain",
    "/infra-envs/{e}/hosts/{h}/history", "/base-images",
    "/clusters/{c}/timeline", "/clusters/{c}/recording",
)  # fmt: skip


def ask_all(api: Attentive, it: Made) -> None:
    """Everything that can be read of a cluster, its image and its host."""
    names = {"c": it.cluster_id, "e": it.infra_env_id, "h": it.host_id}
    for paths, ask in ((READ, api.v2), (READ_BEFORE, api.v1), (READ_OF_OURS, api.ours)):
        for path in paths:
            ask(f"GET {path.format(**names)}")


def a_cluster_that_is_changed_in_every_way(api: Attentive) -> None:
    it, bare = made(api), a_cluster(api)
    for call, body in (
        (f"PATCH {it.cluster}", {"tags": "x", "olm_operators": [{"name": "lso"}], "ssh_public_key": ""}),
        (f"PUT {it.cluster}/ignored-validations", {"host-validation-ids": '["ntp-synced"]'}),
        (f"PUT {it.cluster}/ui-settings", "mine"),
        (f"PATCH /clusters/{bare}/install-config", '{"fips": true}'),
        (f"POST {it.cluster}/manifests", {"file_name": "one.json", "content": "e30="}),
        (f"PATCH {it.cluster}/manifests", {"folder": "manifests", "file_name": "one.json", "updated_content": "e30="}),
        (f"PATCH /infra-envs/{it.infra_env_id}", {"additional_ntp_sources": "clock.example.com"}),
        (f"PATCH {it.host}", {"host_name": "one", "node_labels": [{"key": "a", "value": "b"}]}),
        (f"PATCH {it.host}/installer-args", {"args": ["--append-karg", "a=b"]}),
        (f"PATCH {it.host}/ignition", {"config": '{"ignition":{"version":"3.1.0"}}'}),
        (f"PUT {it.host}/logs-progress", {"logs_state": "requested"}),
        (f"PUT {it.cluster}/logs-progress", {"logs_state": "requested"}),
        (f"POST /infra-envs/{it.infra_env_id}/regenerate-signing-key", None),
    ):
        reply = api.v2(call, body)
        assert reply.status < 300, (call, reply.body)
    event = {"severity": "info", "message": "so", "event_time": "2026-01-01T10:00:00.000Z", "cluster_id": bare}
    assert api.v2("POST /events", event).status == 201
    assert api.ours(f"POST {it.cluster}/what-if", {"cluster": {"tags": "y"}, "remove": [it.host_id]}).status == 200
    ask_all(api, it)
    assert api.v2(f"GET {it.cluster}/manifests/files?file_name=one.json").status == 200
    assert api.v2(f"DELETE {it.cluster}/manifests?file_name=one.json").status == 200
    assert api.v2(f"DELETE {it.host}").status == 204
    assert api.v2(f"DELETE /infra-envs/{it.infra_env_id}").status == 204
    assert api.v2(f"DELETE {it.cluster}").status == 204


def an_installation_that_is_stopped(api: Attentive) -> None:
    it = a_ready_single_node(api)
    validation = "sufficient-installation-disk-speed"
    assert api.v2(f"PATCH {it.host}/actions/reset-validation/{validation}").status == 200
    installing(api, it)
    assert api.v2(f"POST {it.cluster}/actions/cancel").status == 202
    assert api.v2(f"POST {it.cluster}/actions/reset").status == 202


def hosts_that_come_and_go(api: Attentive) -> None:
    it = given(api, in_a_pool(api))
    registers_again(api, it)
    assert api.v2(f"POST {it.host}/actions/unbind").status == 200
    later = added_later(api)
    assert api.v2(f"POST {later.host}/actions/install").status == 202
    ask_all(api, later)
    assert api.v2(f"POST {later.host}/actions/reset").status == 200
    done = installed(api, finalizing(api, installing(api, a_ready_single_node(api))))
    assert api.v2(f"POST {done.cluster}/actions/allow-add-workers").status == 202
    other = {"name": "far", "api_vip_dnsname": "api.far.example.com", "openshift_cluster_id": later.cluster_id}
    assert api.v2("POST /clusters/import", other).status == 201
    assert api.v2("POST /clusters/disconnected", {"name": "far", "openshift_version": "4.20"}).status == 201


def a_cluster_of_before(api: Attentive) -> None:
    cluster_id = api.v1("POST /clusters", {**CREATE, "ingress_vip": "192.168.1.8"}).json["id"]
    assert api.v1(f"POST /clusters/{cluster_id}/downloads/image", {}).status == 201
    it = Made(cluster_id, cluster_id, a_host(api, cluster_id))
    assert api.v1(f"PATCH {it.cluster}", {"hosts_names": [{"id": it.host_id, "hostname": "one"}]}).status == 201
    assert api.v1(f"GET {it.cluster}/downloads/image").status == 307
    assert api.v1(f"HEAD {it.cluster}/downloads/image").status == 307
    assert api.v1(f"GET {it.cluster}/discovery-ignition").status == 200
    ask_all(api, it)
    body, headers = a_form(b"logs")
    assert api.raw("POST", f"{V1}{it.cluster}/hosts/{it.host_id}/logs", body, headers).status == 204
    assert api.v1(f"POST {it.cluster}/actions/install").status == 409
    assert api.v1(f"DELETE {it.cluster}/hosts/{it.host_id}").status == 204
    assert api.v1(f"DELETE {it.cluster}").status == 204


CREATE = {
    "name": "lab",
    "openshift_version": "4.20",
    "pull_secret": '{"auths":{"a.b":{"auth":"dXNlcjpwYXNzd29yZAo="}}}',
}


def what_is_refused(api: Attentive) -> None:
    cluster_id = a_cluster(api)
    an_infra_env(api, cluster_id)
    for call, body, status in (
        ("POST /clusters", {}, 400),
        ("POST /clusters", CREATE | {"name": "Bad_Name"}, 400),
        (f"PATCH /clusters/{cluster_id}", {"name": 1}, 400),
        (f"POST /clusters/{cluster_id}/actions/install", None, 409),
        (f"POST /clusters/{cluster_id}/manifests", {"file_name": ".yaml", "content": "e30="}, 422),
        ("GET /clusters/x", None, 400),
        ("POST /clusters", {**CREATE, "tags": "x" * 5_000_000}, 413),
        ("GET /supported-operators/nosuch", None, 404),
        ("GET /operators/bundles/nosuch", None, 404),
    ):
        assert api.v2(call, body).status == status


UNSEEN = {
    "stream": "it does not end",
    "V2GetPresignedForClusterCredentials": "there are links to S3 only",
    "V2GetPresignedForClusterFiles": "there are links to S3 only",
    "GetPresignedForClusterFiles": "there are links to S3 only",
    "hostPage": "it is for people",
    "describeImage": "there is no system image here; test_images.py has some",
    **{each.name: "the same" for each in ENDPOINTS if each.file},
}
"""Operations whose answers are not looked at here, and why."""


STORIES = (
    a_cluster_on_its_way_to_being_installed,
    a_cluster_that_is_changed_in_every_way,
    an_installation_that_is_stopped,
    hosts_that_come_and_go,
    a_cluster_of_before,
    what_is_refused,
)


def test_every_answer_is_as_published(service):
    api = Attentive(service.url)
    for story in STORIES:
        story(api)
    api.close()
    assert api.problems == set()
    of_today = {each.name for each in ENDPOINTS if not each.path.startswith(BEFORE)}
    assert of_today - api.answered - UNSEEN.keys() == set()

"""The API as it was before: old clients and old agents find what they know, made of what is there today."""

import json
import uuid
from typing import Any

import pytest
from adding import added_later
from calling import Caller
from making import (
    AGENT,
    BEFORE_WRITING,
    CLUSTER,
    SECRET,
    Made,
    a_cluster,
    a_host,
    an_infra_env,
    finalizing,
    installed,
    installing,
    now,
    replies,
    said_by_the_recorded_host,
    until,
)
from uploading import a_form

NOBODY = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"
IGNITION = '{"ignition":{"version":"3.1.0"}}'


def an_old_cluster(api: Caller, **written: Any) -> str:
    """The id of a cluster that an old client has described."""
    reply = api.v1("POST /clusters", CLUSTER | written)
    assert reply.status == 201, reply.body
    return str(reply.json["id"])


def with_image(api: Caller, **written: Any) -> str:
    """The id of such a cluster, once it has a discovery image."""
    cluster_id = an_old_cluster(api, **written)
    assert api.v1(f"POST /clusters/{cluster_id}/downloads/image", {}).status == 201
    return cluster_id


def an_old_host(api: Caller, cluster_id: str) -> str:
    """The id of a host whose old agent has registered it."""
    host_id = str(uuid.uuid4())
    body = {"host_id": host_id, "discovery_agent_version": AGENT}
    reply = api.v1(f"POST /clusters/{cluster_id}/hosts", body)
    assert (reply.status, reply.json["infra_env_id"]) == (201, cluster_id), reply.body
    return host_id


# Clusters


def test_an_old_client_writes_and_reads_one_address_and_one_network_of_each_kind(api):
    reply = api.v1(
        "POST /clusters",
        CLUSTER
        | {
            "kind": "Cluster",
            "ingress_vip": "192.168.1.8",
            "cluster_network_cidr": "10.0.0.0/14",
            "service_network_cidr": "172.31.0.0/16",
        },
    )
    assert reply.status == 201
    told = reply.json
    assert told["ingress_vips"][0]["ip"] == told["ingress_vip"] == "192.168.1.8"
    assert told["cluster_networks"][0]["cidr"] == told["cluster_network_cidr"] == "10.0.0.0/14"
    assert (told["cluster_network_host_prefix"], told["service_network_cidr"]) == (23, "172.31.0.0/16")
    assert "api_vip" not in told
    assert api.v1(f"GET /clusters/{told['id']}").json["ingress_vip"] == "192.168.1.8"
    listed = api.v1("GET /clusters").json
    assert next(each for each in listed if each["id"] == told["id"])["ingress_vip"] == "192.168.1.8"


def test_what_is_there_today_is_as_strict_as_ever(api):
    vip = {"ingress_vips": [{"ip": "192.168.1.8"}]}
    assert api.v2("POST /clusters", CLUSTER | vip).status == 400
    assert api.v2("POST /clusters", CLUSTER | {"ingress_vip": "192.168.1.8"}).status == 400
    two = {"api_vips": [{"ip": "192.168.1.7"}, {"ip": "fd00::7"}], "ingress_vip": "192.168.1.8"}
    assert api.v1("POST /clusters", CLUSTER | two).status == 400


@pytest.mark.parametrize(
    "body", [{}, {"name": "Bad_Name"}, {"openshift_version": "3.11"}, {"ingress_vip": "nowhere"}, {"pull_secret": "{}"}]
)
def test_a_description_that_cannot_be_right_is_refused(api, body):
    assert api.v1("POST /clusters", (CLUSTER | body) if body else {}).status == 400


def test_a_cluster_is_given_up_with_its_image(api):
    cluster_id = with_image(api)
    an_old_host(api, cluster_id)
    assert api.v1(f"DELETE /clusters/{cluster_id}").status == 204
    for path in (f"/clusters/{cluster_id}", f"/infra-envs/{cluster_id}"):
        assert api.v2(f"GET {path}").status == 404
    bare = an_old_cluster(api)
    assert api.v1(f"DELETE /clusters/{bare}").status == 204
    assert api.v1(f"DELETE /clusters/{bare}").status == 404


def test_a_cluster_is_changed_along_with_its_hosts(api):
    cluster_id = with_image(api)
    one, two = an_old_host(api, cluster_id), an_old_host(api, cluster_id)
    changes = {
        "tags": "new",
        "hosts_roles": [{"id": one, "role": "master"}, {"id": two, "role": "worker"}],
        "hosts_names": [{"id": one, "hostname": "first"}, {"id": two, "hostname": "second"}],
        "hosts_machine_config_pool_names": [{"id": two, "machine_config_pool_name": "gpu"}],
    }
    reply = api.v1(f"PATCH /clusters/{cluster_id}", changes)
    assert (reply.status, reply.json["tags"]) == (201, "new")
    hosts = {each["id"]: each for each in reply.json["hosts"]}
    assert (hosts[one]["role"], hosts[one]["requested_hostname"]) == ("master", "first")
    assert (hosts[two]["role"], hosts[two]["machine_config_pool_name"]) == ("worker", "gpu")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"hosts_roles": [{"id": NOBODY, "role": "master"}]}, 404),
        ({"hosts_names": [{"id": "HOST", "hostname": "Not A Name"}]}, 400),
        ({"hosts_roles": [{"id": "HOST", "role": "arbiter"}]}, 400),
        ({"machine_network_cidr": "192.168.1.0/24"}, 400),
        (
            {
                "disks_selected_config": [
                    {"id": "HOST", "disks_config": [{"id": "a", "role": "install"}, {"id": "b", "role": "install"}]}
                ]
            },
            409,
        ),
    ],
)
def test_of_a_change_that_is_refused_nothing_is_kept(api, changes, status):
    cluster_id = with_image(api)
    host_id = an_old_host(api, cluster_id)
    body = json.loads(json.dumps({"tags": "new", **changes}).replace("HOST", host_id))
    assert api.v1(f"PATCH /clusters/{cluster_id}", body).status == status
    assert "tags" not in api.v1(f"GET /clusters/{cluster_id}").json


def test_a_network_is_changed_by_half(api):
    cluster_id = an_old_cluster(api)
    reply = api.v1(f"PATCH /clusters/{cluster_id}", {"cluster_network_host_prefix": 24})
    assert (reply.json["cluster_network_cidr"], reply.json["cluster_network_host_prefix"]) == ("10.128.0.0/14", 24)
    assert api.v1(f"PATCH /clusters/{NOBODY}", {}).status == 404


# Discovery images


def test_the_first_image_of_a_cluster_is_made_and_further_ones_change_it(api, service):
    cluster_id = an_old_cluster(api, http_proxy="http://proxy.example.com:3128")
    assert api.v1(f"GET /clusters/{cluster_id}").json["image_info"]["created_at"].startswith("0001")
    first = api.v1(f"POST /clusters/{cluster_id}/downloads/image", {"image_type": "minimal-iso"})
    assert (first.status, first.json["image_info"]["type"]) == (201, "minimal-iso")
    image = api.v2(f"GET /infra-envs/{cluster_id}").json
    assert (image["cluster_id"], image["proxy"]["http_proxy"]) == (cluster_id, "http://proxy.example.com:3128")
    told = api.v2(f"GET /clusters/{cluster_id}").json["image_info"]
    assert told["download_url"] == f"{service.url}/api/assisted-install/v1/clusters/{cluster_id}/downloads/image"
    second = api.v1(f"POST /clusters/{cluster_id}/downloads/image", {})
    assert second.json["image_info"]["type"] == "full-iso"


def test_an_image_that_was_given_up_can_be_made_again(api):
    cluster_id = with_image(api)
    assert api.v2(f"DELETE /infra-envs/{cluster_id}").status == 204
    assert api.v1(f"GET /clusters/{cluster_id}/downloads/image").status == 404
    assert api.v1(f"POST /clusters/{cluster_id}/downloads/image", {}).status == 201
    an_old_host(api, cluster_id)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_image_is_had_where_images_are_made(api, method):
    cluster_id = with_image(api)
    reply = api.v1(f"{method} /clusters/{cluster_id}/downloads/image")
    assert (reply.status, reply.body) == (307, b"")
    assert reply.headers["Location"] == api.v2(f"GET /infra-envs/{cluster_id}/downloads/image-url").json["url"]


@pytest.mark.parametrize(
    "call",
    [
        "GET /clusters/{0}/downloads/image",
        "GET /clusters/{0}/discovery-ignition",
        "GET /clusters/{0}/downloads/files?file_name=discovery.ign",
    ],
)
def test_before_there_is_an_image_it_is_told_how_to_make_one(api, call):
    reply = api.v1(call.format(an_old_cluster(api)), Accept="*/*")
    assert reply.status == 404
    assert "downloads/image" in reply.said
    assert api.v1(call.format(NOBODY), Accept="*/*").status == 404


@pytest.mark.parametrize(
    "body",
    [
        {"ssh_public_key": "no key"},
        {"image_type": "disconnected-iso"},
        {"static_network_config": [{"network_yaml": "", "mac_interface_map": []}]},
    ],
)
def test_an_image_that_cannot_be_right_is_refused(api, body):
    assert api.v1(f"POST /clusters/{an_old_cluster(api)}/downloads/image", body).status == 400


def test_an_image_needs_a_pull_secret_from_somewhere(api):
    cluster_id = an_old_cluster(api)
    assert api.v2(f"PATCH /clusters/{cluster_id}", {"pull_secret": ""}).status == 201
    refused = api.v1(f"POST /clusters/{cluster_id}/downloads/image", {})
    assert refused.status == 400
    assert refused.said.startswith("pull_secret")
    assert api.v1(f"POST /clusters/{cluster_id}/downloads/image", {"pull_secret": SECRET}).status == 201
    assert api.v1(f"POST /clusters/{NOBODY}/downloads/image", {}).status == 404


def test_what_hosts_find_in_the_image_can_be_read_and_laid_over(api):
    cluster_id = an_old_cluster(api)
    assert api.v1(f"PATCH /clusters/{cluster_id}/discovery-ignition", {"config": IGNITION}).status == 201
    assert api.v2(f"GET /infra-envs/{cluster_id}").json["ignition_config_override"] == IGNITION
    config = json.loads(api.v1(f"GET /clusters/{cluster_id}/discovery-ignition").json["config"])
    assert config["ignition"]["version"].startswith("3.")
    file = api.v1(f"GET /clusters/{cluster_id}/downloads/files?file_name=discovery.ign")
    assert json.loads(file.body) == config
    assert api.v1(f"PATCH /clusters/{cluster_id}/discovery-ignition", {"config": "{"}).status == 400
    assert api.v1(f"PATCH /clusters/{NOBODY}/discovery-ignition", {"config": IGNITION}).status == 404


# Hosts


def test_without_an_image_no_host_can_come(api):
    body = {"host_id": NOBODY, "discovery_agent_version": AGENT}
    assert api.v1(f"POST /clusters/{an_old_cluster(api)}/hosts", body).status == 404


def test_a_host_is_listed_read_asked_and_given_up(api):
    cluster_id = with_image(api)
    host_id = an_old_host(api, cluster_id)
    host = f"/clusters/{cluster_id}/hosts/{host_id}"
    assert [each["id"] for each in api.v1(f"GET /clusters/{cluster_id}/hosts").json] == [host_id]
    assert [each["step_type"] for each in api.v1(f"GET {host}/instructions").json["instructions"]] == ["inventory"]
    reply = {"step_type": "inventory", "step_id": "1", "exit_code": 0, "output": '{"hostname": "one"}'}
    assert api.v1(f"POST {host}/instructions", reply).status == 204
    assert api.v1(f"GET {host}").json["requested_hostname"] == "one"
    assert api.v1(f"PUT {host}/logs_progress", {"logs_state": "requested"}).status == 204
    assert api.v1(f"PATCH {host}/installer-args", {"args": ["--append-karg", "a=b"]}).json["installer_args"]
    assert api.v1(f"PATCH {host}/ignition", {"config": IGNITION}).status == 201
    assert api.v1(f"GET {host}/ignition").status == 409
    assert api.v1(f"PATCH {host}/actions/reset-validation/nosuch").status == 400
    assert api.v1(f"POST {host}/actions/install").status == 409
    assert api.v1(f"POST {host}/actions/reset").status == 409
    assert api.v1(f"DELETE {host}").status == 204
    assert api.v1(f"GET {host}").status == 404


def test_a_host_from_another_image_is_found_in_its_cluster_all_the_same(api):
    cluster_id = a_cluster(api)
    infra_env_id = an_infra_env(api, cluster_id)
    host_id = a_host(api, infra_env_id)
    assert api.v1(f"GET /clusters/{cluster_id}/hosts/{host_id}").json["infra_env_id"] == infra_env_id
    assert api.v1(f"GET /clusters/{NOBODY}/hosts/{host_id}").status == 404
    assert api.v1(f"GET /clusters/{NOBODY}/hosts").status == 404


# An installation


def a_ready_cluster(api: Caller) -> Made:
    """A cluster of one host that can be installed, as an old client and an old agent have made it."""
    alone = {"name": "sno", "base_dns_domain": "lab.local", "high_availability_mode": "None"}
    cluster_id = with_image(api, **alone)
    it = Made(cluster_id, cluster_id, an_old_host(api, cluster_id))
    api.v2(f"GET {it.host}/instructions?timestamp={now()}")
    for step, output in said_by_the_recorded_host().items():
        if step not in BEFORE_WRITING:
            replies(api, it.host, step, output)
    return until(api, it, "ready")


def test_a_cluster_is_installed_and_hands_out_its_files(api):
    it = installed(api, finalizing(api, installing(api, a_ready_cluster(api))))
    cluster = it.cluster
    for name in ("kubeconfig", "kubeadmin-password", "metadata.json", "master.ign"):
        reply = api.v1(f"GET {cluster}/downloads/files?file_name={name}")
        assert (reply.status, name in reply.headers["Content-Disposition"]) == (200, True)
    kubeconfig = api.v1(f"GET {cluster}/downloads/kubeconfig", Accept="application/octet-stream")
    assert kubeconfig.body == api.v1(f"GET {cluster}/downloads/files?file_name=kubeconfig").body
    assert api.v1(f"GET {cluster}/credentials").json["username"] == "kubeadmin"
    ignition = api.v1(f"GET {cluster}/hosts/{it.host_id}/downloads/ignition")
    assert ignition.status == 200
    assert api.v1(f"GET {cluster}/hosts/{it.host_id}/ignition").json["config"] == ignition.body.decode()
    for name in ("kubeconfig", "master.ign"):
        linked = api.v1(f"GET {cluster}/downloads/files-presigned?file_name={name}")
        assert linked.status == 400


def test_an_installation_is_started_stopped_and_forgotten(api):
    it = a_ready_cluster(api)
    started = api.v1(f"POST {it.cluster}/actions/install")
    assert (started.status, started.json["status"]) == (202, "preparing-for-installation")
    stopped = api.v1(f"POST {it.cluster}/actions/cancel")
    assert (stopped.status, stopped.json["hosts"][0]["infra_env_id"]) == (202, it.cluster_id)
    assert api.v1(f"POST {it.cluster}/actions/cancel").status == 409
    assert api.v1(f"POST {it.cluster}/actions/reset").status == 409


def test_the_controller_of_before_reports_as_that_of_today(api):
    it = finalizing(api, installing(api, a_ready_cluster(api)))
    host = f"{it.cluster}/hosts/{it.host_id}"
    assert api.v1(f"PUT {host}/progress", {"current_stage": "Done"}).status == 200
    assert [each["name"] for each in api.v1(f"GET {it.cluster}/monitored_operators").json] == ["console"]
    report = {"name": "console", "status": "available", "status_info": "well"}
    assert api.v1(f"PUT {it.cluster}/monitored_operators", report).status == 200
    assert api.v1(f"POST {it.cluster}/uploads/ingress-cert", "no certificate").status == 400
    assert api.v1(f"PUT {it.cluster}/logs_progress", {"logs_state": "requested"}).status == 204
    done = api.v1(f"POST {it.cluster}/actions/complete_installation", {"is_success": True})
    assert (done.status, done.json["id"]) == (202, it.cluster_id)


def test_logs_are_sent_and_fetched_by_host_and_by_kind(api):
    it = a_ready_cluster(api)
    host = f"/api/assisted-install/v1{it.cluster}/hosts/{it.host_id}"
    assert api.call("GET", f"{host}/logs").status == 409
    assert api.raw("POST", f"{host}/logs", *a_form(b"said by the host")).status == 204
    assert api.call("GET", f"{host}/logs").body == b"said by the host"
    query = f"/api/assisted-install/v1{it.cluster}/logs?logs_type=controller"
    assert api.raw("POST", query, *a_form(b"said by the controller")).status == 204
    assert api.call("GET", query).body == b"said by the controller"


# Hosts that are added later


def test_a_cluster_that_runs_keeps_the_id_that_its_client_gives_it(api):
    cluster_id = str(uuid.uuid4())
    body = {
        "id": cluster_id,
        "name": "old",
        "api_vip_dnsname": "api.old.example.com",
        "openshift_version": "4.20",
    }
    told = api.v1("POST /add_hosts_clusters", body)
    assert (told.status, told.json["id"], told.json["kind"]) == (201, cluster_id, "AddHostsCluster")
    assert api.v1(f"POST /clusters/{cluster_id}/downloads/image", {"pull_secret": SECRET}).status == 201
    an_old_host(api, cluster_id)
    again = api.v1("POST /add_hosts_clusters", body)
    assert (again.status, again.said.startswith("id:")) == (400, True)
    other = body | {"id": str(uuid.uuid4())}
    assert api.v1("POST /add_hosts_clusters", other | {"openshift_version": "3.11"}).status == 400
    assert api.v1("POST /add_hosts_clusters", {"id": cluster_id}).status == 400


def test_all_hosts_that_can_join_a_running_cluster_are_told_to(api):
    it = added_later(api)
    other = a_host(api, it.infra_env_id)
    told = api.v1(f"POST {it.cluster}/actions/install_hosts")
    assert told.status == 202
    states = {each["id"]: each["status"] for each in told.json["hosts"]}
    assert (states[it.host_id], states[other]) == ("installing", "discovering")


# What is known of a cluster


def test_events_are_told_all_at_once_and_without_names(api):
    cluster_id = with_image(api)
    host_id = an_old_host(api, cluster_id)
    reply = api.v1(f"GET /clusters/{cluster_id}/events")
    assert "Event-Count" not in reply.headers
    assert all(set(each) <= {"cluster_id", "host_id", "event_time", "message", "severity"} for each in reply.json)
    moments = [each["event_time"] for each in reply.json]
    assert moments == sorted(moments)
    of_host = api.v1(f"GET /clusters/{cluster_id}/events?host_id={host_id}").json
    assert of_host
    assert {each["host_id"] for each in of_host} == {host_id}


def test_addresses_that_all_hosts_found_free_are_told(api):
    it = a_ready_cluster(api)
    assert api.v1(f"GET {it.cluster}/free_addresses?network=192.168.3.0/24").status == 404
    found = [{"network": "192.168.2.0/24", "free_addresses": ["192.168.2.30", "192.168.2.4"]}]
    replies(api, it.host, "free-network-addresses", found)
    assert api.v1(f"GET {it.cluster}/free_addresses?network=192.168.2.0/24").json == ["192.168.2.4", "192.168.2.30"]
    assert api.v1(f"GET {it.cluster}/free_addresses?network=192.168.2.0/24&limit=1").json == ["192.168.2.4"]
    for wrong in ("", "network=fd00::/64", "network=192.168.2.0/24&limit=0"):
        assert api.v1(f"GET {it.cluster}/free_addresses?{wrong}").status == 400


def test_what_is_needed_of_hosts_is_told(api):
    it = a_ready_cluster(api)
    (needed,) = api.v1(f"GET {it.cluster}/host-requirements").json
    assert (needed["host_id"], needed["ocp"]) == (it.host_id, needed["total"])
    assert api.v1(f"GET {it.cluster}/preflight-requirements").json["ocp"]["master"]


def test_what_is_laid_over_a_cluster_is_found_where_it_was(api):
    cluster_id = an_old_cluster(api)
    cluster = f"/clusters/{cluster_id}"
    assert api.v1("GET /clusters/default-config").json["cluster_network_cidr"] == "10.128.0.0/14"
    assert api.v1(f"PATCH {cluster}/install-config", '{"fips": true}').status == 201
    assert json.loads(api.v1(f"GET {cluster}/install-config").json)["fips"] is True
    manifest = {"file_name": "one.json", "folder": "openshift", "content": "e30="}
    assert api.v1(f"POST {cluster}/manifests", manifest).status == 201
    assert [each["file_name"] for each in api.v1(f"GET {cluster}/manifests").json] == ["one.json"]
    named = "folder=openshift&file_name=one.json"
    assert api.v1(f"GET {cluster}/manifests/files?{named}").body == b"{}"
    assert api.v1(f"DELETE {cluster}/manifests?{named}").status == 200
    assert api.v1(f"PATCH {cluster}/manifests", manifest).status == 405


# What is on offer


def test_versions_are_told_by_minor_with_their_images(api):
    told = api.v1("GET /openshift_versions").json
    assert set(told) == {"4.18", "4.19", "4.20"}
    assert told["4.20"]["release_image"] == "lab.muster.local/ocp-release:4.20.1-x86_64"
    assert (told["4.20"]["display_name"], told["4.20"]["default"]) == ("4.20.1", True)
    assert told["4.20"]["rhcos_image"].endswith(".iso")


def test_what_has_only_moved_is_the_same(api):
    for old, new in (
        ("/component_versions", "/component-versions"),
        ("/supported-operators", "/supported-operators"),
        ("/supported-operators/lso", "/supported-operators/lso"),
        ("/domains", "/domains"),
    ):
        assert api.v1(f"GET {old}").body == api.v2(f"GET {new}").body


@pytest.mark.parametrize(
    "call",
    [
        "POST /assisted-service-iso",
        "GET /assisted-service-iso/data",
        "GET /assisted-service-iso/presigned",
        f"POST /clusters/{NOBODY}/hosts/{NOBODY}/actions/enable",
        f"DELETE /clusters/{NOBODY}/hosts/{NOBODY}/actions/enable",
    ],
)
def test_what_is_not_served_any_more_is_not_found(api, call):
    reply = api.v1(call)
    assert (reply.status, set(reply.json)) == (404, {"code", "message"})

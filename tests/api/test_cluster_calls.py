"""Clusters that are imported, described for elsewhere, listed, remembered, and what users lay over them."""

import gzip
import json
from typing import Any

import pytest
from calling import Caller, Reply
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
    now,
    replies,
    said_by_the_recorded_host,
)
from refusing import is_malformed, is_refused

from parts.keys import Locksmith
from parts.service import RunningService

NOBODY = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"
RUNNING = "0a4f2b1c-5d6e-4f70-8192-a3b4c5d6e7f8"
GONE = {"get_unregistered_clusters": "true"}


@pytest.fixture
def own(tmp_path):
    """A service that nobody else talks to."""
    running = RunningService(tmp_path)
    running.start()
    yield running
    running.stop()


def names_of_events(api: Caller, cluster_id: str) -> list[str]:
    return [each["name"] for each in api.v2(f"GET /events?cluster_id={cluster_id}&limit=-1").json]


# What is usual


def test_the_usual_networks_and_limits_are_told(api):
    assert api.v2("GET /clusters/default-config").json == {
        "cluster_network_cidr": "10.128.0.0/14",
        "cluster_network_host_prefix": 23,
        "cluster_networks_dualstack": [
            {"cidr": "10.128.0.0/14", "host_prefix": 23},
            {"cidr": "fd01::/48", "host_prefix": 64},
        ],
        "cluster_networks_ipv4": [{"cidr": "10.128.0.0/14", "host_prefix": 23}],
        "forbidden_hostnames": [
            "localhost",
            "localhost.localdomain",
            "localhost4",
            "localhost4.localdomain4",
            "localhost6",
            "localhost6.localdomain6",
        ],
        "inactive_deletion_hours": 480,
        "ntp_source": "",
        "service_network_cidr": "172.30.0.0/16",
        "service_networks_dualstack": [{"cidr": "172.30.0.0/16"}, {"cidr": "fd02::/112"}],
        "service_networks_ipv4": [{"cidr": "172.30.0.0/16"}],
    }


def test_what_is_usual_is_the_house_s_to_say(tmp_path, calling):
    house = {
        "CLUSTER_NETWORK_CIDR": "10.64.0.0/14",
        "CLUSTER_NETWORK_HOST_PREFIX": "24",
        "SERVICE_NETWORK_CIDR": "172.16.0.0/16",
        "NTP_DEFAULT_SERVER": "clock.example.com",
        "DELETED_INACTIVE_AFTER": "24h",
    }
    running = RunningService(tmp_path, house)
    running.start()
    try:
        api = calling(running)
        usual = api.v2("GET /clusters/default-config").json
        cluster = api.v2(f"GET /clusters/{a_cluster(api)}").json
    finally:
        running.stop()
    assert (usual["cluster_network_cidr"], usual["inactive_deletion_hours"]) == ("10.64.0.0/14", 24)
    assert (usual["ntp_source"], cluster["additional_ntp_source"]) == ("clock.example.com", "clock.example.com")
    assert [(each["cidr"], each["host_prefix"]) for each in cluster["cluster_networks"]] == [("10.64.0.0/14", 24)]
    assert [each["cidr"] for each in cluster["service_networks"]] == ["172.16.0.0/16"]


# Clusters that run, and clusters that are installed elsewhere


def an_import(api: Caller, **written: Any) -> Reply:
    body = {"name": "there", "api_vip_dnsname": "api.there.example.com", "openshift_cluster_id": RUNNING}
    return api.v2("POST /clusters/import", body | written)


def test_a_cluster_that_runs_is_imported_and_shows_only_what_was_told(api):
    reply = an_import(api, name="another", openshift_version="4.20")
    cluster = reply.json
    assert reply.status == 201
    assert (cluster["kind"], cluster["status"], cluster["imported"]) == ("AddHostsCluster", "adding-hosts", True)
    assert (cluster["name"], cluster["base_dns_domain"]) == ("there", "example.com")
    assert cluster["api_vip_dns_name"] == "api.there.example.com"
    assert (cluster["openshift_cluster_id"], cluster["openshift_version"]) == (RUNNING, "4.20")
    assert cluster["platform"]["type"] == "baremetal"
    assert [cluster[name] for name in ("cluster_networks", "service_networks", "machine_networks")] == [[], [], []]
    assert (cluster["monitored_operators"], cluster["hosts"]) == ([], [])
    unknown = {"pull_secret_set", "cpu_architecture", "high_availability_mode", "control_plane_count", "hyperthreading"}
    assert not unknown & cluster.keys()
    assert cluster == api.v2(f"GET /clusters/{cluster['id']}").json
    assert cluster["id"] in [each["id"] for each in api.v2(f"GET /clusters?openshift_cluster_id={RUNNING}").json]
    assert names_of_events(api, cluster["id"]) == ["cluster_registration_succeeded"]


def test_an_import_that_cannot_be_is_refused(api):
    assert is_refused(an_import(api, name="Bad_Name", api_vip_dnsname="10.0.0.5"), "name: 'Bad_Name'")
    assert is_malformed(an_import(api, openshift_cluster_id="five"), "body.openshift_cluster_id")
    assert is_malformed(an_import(api, name=None), "body.name: is required")
    assert is_malformed(an_import(api, base_dns_domain="example.com"), "body.base_dns_domain: is not a field")


def test_a_host_joins_an_imported_cluster(api):
    cluster_id = an_import(api).json["id"]
    it = Made(cluster_id, infra_env := an_infra_env(api, cluster_id), a_host(api, infra_env))
    host = api.v2(f"GET {it.host}").json
    assert (host["kind"], host["role"], host["cluster_id"]) == ("AddToExistingClusterHost", "worker", cluster_id)
    assert is_refused(api.v2(f"POST {it.host}/actions/install"), "discovering", status=409)
    api.v2(f"GET {it.host}/instructions?timestamp={now()}")
    said = said_by_the_recorded_host()
    for step in ("inventory", "ntp-synchronizer", "domain-resolution"):
        replies(api, it.host, step, said[step])
    replies(api, it.host, "api-vip-connectivity-check", {"is_success": True})
    host = api.v2(f"GET {it.host}").json
    assert (host["status"], host["role"]) == ("known", "worker"), host["status_info"]
    joining = api.v2(f"POST {it.host}/actions/install")
    assert (joining.status, joining.json["status"]) == (202, "installing")
    assert api.v2(f"GET {it.cluster}").json["status"] == "adding-hosts"


def test_a_cluster_that_takes_in_hosts_is_not_installed_reset_or_cancelled(api):
    path = f"/clusters/{an_import(api).json['id']}"
    for action in ("install", "cancel", "reset"):
        assert is_refused(api.v2(f"POST {path}/actions/{action}"), "adding-hosts", status=409)
    assert is_refused(api.v2(f"POST {path}/actions/allow-add-hosts"), "takes in hosts already")
    assert is_refused(api.v2(f"GET {path}/install-config"), "runs already")
    assert api.v2(f"PATCH {path}", {"name": "renamed", "api_vip_dns_name": "api.new.example.com"}).status == 201
    assert api.v2(f"GET {path}/preflight-requirements").json["operators"] == []
    assert api.v2(f"DELETE {path}").status == 204


def test_a_cluster_that_is_installed_elsewhere_is_a_name_and_a_version(api):
    reply = api.v2("POST /clusters/disconnected", {"name": "apart", "openshift_version": "4.20"})
    cluster = reply.json
    assert (reply.status, cluster["kind"], cluster["status"]) == (201, "DisconnectedCluster", "unmonitored")
    assert (cluster["name"], cluster["openshift_version"]) == ("apart", "4.20")
    assert not {"pull_secret_set", "cpu_architecture", "imported"} & cluster.keys()
    path = f"/clusters/{cluster['id']}"
    assert is_refused(api.v2(f"PATCH {path}", {"name": "other"}), "unmonitored", status=409)
    assert is_refused(api.v2(f"POST {path}/actions/install"), status=409)
    assert an_infra_env(api, cluster["id"], image_type="disconnected-iso")
    assert api.v2(f"GET {path}").json["status"] == "unmonitored"
    assert api.v2(f"DELETE {path}").status == 204


@pytest.mark.parametrize("body", [{"name": "", "openshift_version": "4.20"}, {"name": "apart"}, {"name": "x" * 55}])
def test_a_cluster_that_is_installed_elsewhere_needs_both(api, body):
    assert is_malformed(api.v2("POST /clusters/disconnected", body), "body")


@pytest.mark.parametrize("action", ["allow-add-hosts", "allow-add-workers"])
def test_a_cluster_takes_in_more_hosts_once_it_is_installed_and_only_once(api, action):
    it = a_ready_single_node(api)
    path = f"POST {it.cluster}/actions/{action}"
    assert is_refused(api.v2(path), "ready; hosts can be added once it is installed")
    for grow in (installing, finalizing, installed):
        grow(api, it)
    reply = api.v2(path)
    assert (reply.status, reply.json["kind"], reply.json["status"]) == (202, "AddHostsCluster", "adding-hosts")
    assert reply.json["api_vip_dns_name"] == "api.sno.lab.local"
    assert (reply.json["operator_bundles"], reply.json["hosts"][0]["progress_stages"] is None) == (None, False)
    assert is_refused(api.v2(path), "adding-hosts; it takes in hosts already")
    newcomer = a_host(api, it.infra_env_id)
    hosts = {each["id"]: each["kind"] for each in api.v2(f"GET {it.cluster}/hosts").json}
    assert hosts == {it.host_id: "Host", newcomer: "AddToExistingClusterHost"}
    assert api.v2(f"GET {it.cluster}/downloads/credentials?file_name=kubeconfig").status == 200


@pytest.mark.parametrize(
    "call",
    [
        "GET {}/supported-platforms",
        "GET {}/install-config",
        "GET {}/preflight-requirements",
        "GET {}/ignored-validations",
        "GET {}/ui-settings",
        "GET {}/downloads/files-presigned?file_name=logs",
        "GET {}/downloads/credentials-presigned?file_name=kubeconfig",
        "POST {}/actions/allow-add-hosts",
        "POST {}/actions/allow-add-workers",
    ],
)
def test_nothing_can_be_had_of_a_cluster_that_is_not_there(api, call):
    assert is_refused(api.v2(call.format(f"/clusters/{NOBODY}")), f"no cluster {NOBODY}", status=404)


@pytest.mark.parametrize(
    ("call", "body"),
    [("PATCH {}/install-config", "{}"), ("PUT {}/ignored-validations", {}), ("PUT {}/ui-settings", "")],
)
def test_nothing_can_be_laid_over_a_cluster_that_is_not_there(api, call, body):
    assert is_refused(api.v2(call.format(f"/clusters/{NOBODY}"), body), f"no cluster {NOBODY}", status=404)


# Lists, and what is remembered


def test_a_long_list_comes_whole_and_compressed_for_those_who_can_read_that(own, calling):
    api = calling(own)
    ids = [a_cluster(api, name=f"many{number}") for number in range(60)]
    plain = api.v2("GET /clusters")
    assert (plain.status, plain.headers["Content-Type"]) == (200, "application/json")
    assert plain.headers["Content-Length"] is None
    assert plain.body.endswith(b"]\n")
    assert [each["id"] for each in plain.json] == ids
    packed = api.v2("GET /clusters", **{"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 4


def test_a_short_list_comes_with_its_length(own, calling):
    api = calling(own)
    assert api.v2("GET /clusters").body == b"[]\n"
    a_cluster(api)
    reply = api.v2("GET /clusters")
    assert reply.headers["Content-Length"] == str(len(reply.body))


def test_nothing_here_has_a_subscription_and_everybody_owns_everything(api):
    cluster_id = a_cluster(api)
    assert api.v2(f"GET /clusters?ams_subscription_ids={NOBODY}").json == []
    assert cluster_id in [each["id"] for each in api.v2("GET /clusters?owner=anyone&ams_subscription_ids=").json]


def test_what_was_given_up_is_remembered_with_its_hosts(api):
    it = made(api)
    other = a_host(api, it.infra_env_id)
    assert api.v2(f"DELETE /infra-envs/{it.infra_env_id}/hosts/{other}").status == 204
    alive = api.v2(f"GET {it.cluster}", **GONE).json
    assert {each["id"]: each["deleted_at"] is None for each in alive["hosts"]} == {it.host_id: True, other: False}
    assert alive["total_host_count"] == 2
    assert api.v2(f"DELETE {it.cluster}").status == 204
    assert api.v2(f"GET {it.cluster}").status == 404
    for call, headers in ((f"GET {it.cluster}", {}), (f"GET {it.cluster}", {"get_unregistered_clusters": "no"})):
        assert is_refused(api.v2(call, **headers), status=404)
    gone = api.v2(f"GET {it.cluster}", **GONE).json
    assert gone["deleted_at"] > "2020"
    assert {each["id"] for each in gone["hosts"]} == {it.host_id, other}
    assert all(each["deleted_at"] > "2020" for each in gone["hosts"])
    without = api.v2(f"GET {it.cluster}?exclude-hosts=true", **GONE).json
    assert (without["hosts"], "total_host_count" in without) == (None, False)


def test_what_was_given_up_is_listed_for_those_who_ask_even_after_a_restart(own, calling):
    api = calling(own)
    it, kept = made(api), a_cluster(api)
    assert api.v2(f"DELETE {it.cluster}").status == 204
    own.stop()
    api.close()
    own.start()
    api = calling(own)
    assert [each["id"] for each in api.v2("GET /clusters").json] == [kept]
    gone, alive = api.v2("GET /clusters?with_hosts=true", **GONE).json
    assert (gone["id"], gone["deleted_at"] is None, [each["id"] for each in gone["hosts"]]) == (
        it.cluster_id,
        False,
        [it.host_id],
    )
    assert (alive["id"], alive["deleted_at"]) == (kept, None)
    assert [each["hosts"] for each in api.v2("GET /clusters", **GONE).json] == [[], []]
    assert api.v2(f"GET {it.cluster}", **GONE).json["hosts"][0]["id"] == it.host_id


def test_what_never_was_is_not_remembered(api):
    assert is_refused(api.v2(f"GET /clusters/{NOBODY}", **GONE), "there has been none", status=404)


def test_only_an_admin_sees_what_was_given_up(tmp_path, calling):
    smith = Locksmith()
    running = RunningService(tmp_path, smith.environment)
    running.start()
    try:
        api = calling(running)
        admin, user = ({"Authorization": f"Bearer {smith.user(role=role)}"} for role in ("admin", "user"))
        assert api.v2("GET /clusters", **admin, **GONE).json == []
        assert is_refused(api.v2("GET /clusters", **user, **GONE), "only an admin", status=403)
        assert is_malformed(api.v2(f"GET /clusters/{NOBODY}", **user, **GONE), "only an admin", status=403)
        assert api.v2("GET /clusters", **user).json == []
    finally:
        running.stop()


def test_headers_that_are_read_are_told(api):
    contract = api.call("GET", "/openapi.json").json["paths"]
    for path, names in (
        ("/clusters", {"get_unregistered_clusters"}),
        ("/clusters/{cluster_id}", {"get_unregistered_clusters", "discovery_agent_version"}),
    ):
        parameters = contract[f"/api/assisted-install/v2{path}"]["get"]["parameters"]
        assert {each["name"] for each in parameters if each["in"] == "header"} == names


# Platforms and requirements


def test_the_platforms_that_the_machines_fit_are_told(api):
    it = made(api)
    assert api.v2(f"GET {it.cluster}/supported-platforms").json == ["baremetal", "none", "external"]
    inventory = json.loads(said_by_the_recorded_host()["inventory"])
    inventory["system_vendor"]["manufacturer"] = "VMware, Inc."
    replies(api, it.host, "inventory", inventory)
    assert api.v2(f"GET {it.cluster}/supported-platforms").json == ["vsphere", "baremetal", "none", "external"]
    assert api.v2(f"GET /clusters/{a_cluster(api)}/supported-platforms").json == ["none"]


def test_what_will_be_needed_is_told_before_there_are_hosts(api):
    needs = api.v2(f"GET /clusters/{a_cluster(api)}/preflight-requirements").json
    assert needs["ocp"]["master"] == {
        "quantitative": {
            "cpu_cores": 4,
            "ram_mib": 16384,
            "disk_size_gb": 100,
            "installation_disk_speed_threshold_ms": 10,
            "network_latency_threshold_ms": 100.0,
            "packet_loss_percentage": 0.0,
        },
        "qualitative": None,
    }
    odf = next(each for each in needs["operators"] if each["operator_name"] == "odf")
    assert odf["dependencies"] == ["lso"]
    assert odf["requirements"]["worker"]["quantitative"] == {"cpu_cores": 8, "ram_mib": 19456}


# The install-config


def config_of(api: Caller, cluster: str) -> dict[str, Any]:
    text = api.v2(f"GET {cluster}/install-config").json
    assert isinstance(text, str)
    config: dict[str, Any] = json.loads(text)
    return config


def test_the_install_config_is_shown_and_what_is_laid_over_it_too(api):
    it = a_ready_single_node(api)
    before = config_of(api, it.cluster)
    assert (before["fips"], before["metadata"]["name"]) == (False, "sno")
    wish = {"fips": True, "networking": {"networkType": "OVNKubernetes"}, "cpuPartitioningMode": "AllNodes"}
    reply = api.v2(f"PATCH {it.cluster}/install-config", json.dumps(wish))
    assert (reply.status, reply.body) == (201, b"")
    assert config_of(api, it.cluster) == before | {"fips": True, "cpuPartitioningMode": "AllNodes"}
    cluster = api.v2(f"GET {it.cluster}").json
    assert json.loads(cluster["install_config_overrides"]) == wish
    usage = json.loads(cluster["feature_usage"])
    assert {"FIPS", "Install Config Overrides"} <= usage.keys()
    assert usage["Install Config Overrides"]["data"]["networking.networkType"] is True
    assert "install_config_applied" in names_of_events(api, it.cluster_id)
    assert api.v2(f"PATCH {it.cluster}/install-config", "{}").status == 201
    assert config_of(api, it.cluster) == before


def test_what_does_not_fit_into_an_install_config_is_refused_with_its_path(api):
    cluster = f"/clusters/{a_cluster(api)}"
    for wish, said in (
        ("nojson", "install_config_overrides: must be the text of a JSON object"),
        ('{"fipz": true}', "install_config_overrides.fipz: is not known to the installer"),
        ('{"fips": "hunter2"}', "install_config_overrides.fips: must be true or false"),
        ('{"additionalTrustBundle": "hunter2"}', "additionalTrustBundle: must consist of certificates"),
    ):
        reply = api.v2(f"PATCH {cluster}/install-config", wish)
        assert is_refused(reply, said)
        assert "hunter2" not in reply.said
    assert is_malformed(api.v2(f"PATCH {cluster}/install-config", {"fips": True}), "body")
    assert "install_config_overrides" not in api.v2(f"GET {cluster}").json


def test_hosts_for_which_no_install_config_can_be_made_are_named(api):
    it = made(api)
    replies(api, it.host, "inventory", said_by_the_recorded_host()["inventory"])
    for reply in (api.v2(f"PATCH {it.cluster}/install-config", "{}"), api.v2(f"GET {it.cluster}/install-config")):
        assert is_refused(reply, "has no interface with an address in a machine network")


def test_a_cluster_without_a_console_does_not_wait_for_one_and_can_be_signed_in_to(api):
    it = a_ready_single_node(api)
    bare = {"capabilities": {"baselineCapabilitySet": "None"}}
    assert api.v2(f"PATCH {it.cluster}/install-config", json.dumps(bare)).status == 201
    assert api.v2(f"GET {it.cluster}/monitored-operators").json == []
    assert is_refused(api.v2(f"GET {it.cluster}/credentials"), "ready; there is nothing to sign in to", status=409)
    installing(api, it)
    credentials = api.v2(f"GET {it.cluster}/credentials").json
    assert (credentials["username"], "console_url" in credentials) == ("kubeadmin", False)
    assert credentials["password"]


def test_nobody_signs_in_to_a_cluster_whose_password_was_made_elsewhere(api):
    path = f"/clusters/{an_import(api).json['id']}"
    assert is_refused(api.v2(f"GET {path}/credentials"), status=409)


# Checks that are ignored


def test_checks_are_ignored_and_the_list_can_be_read(api):
    path = f"/clusters/{a_cluster(api)}/ignored-validations"
    assert api.v2(f"GET {path}").json == {}
    body = {"host-validation-ids": '["all"]', "cluster-validation-ids": '["ntp-server-configured"]'}
    reply = api.v2(f"PUT {path}", body)
    assert (reply.status, reply.json) == (201, body)
    assert api.v2(f"GET {path}").json == body
    assert api.v2(f"PUT {path}", {"host-validation-ids": '["has-min-memory"]'}).json == {
        "host-validation-ids": '["has-min-memory"]'
    }
    assert api.v2(f"PUT {path}", {}).json == {}


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ("none", "must be a list of checks as JSON text"),
        ('["nosuch"]', "there is no check 'nosuch'"),
        ('["connected"]', "'connected' cannot be ignored"),
    ],
)
def test_what_cannot_be_ignored_is_refused(api, ids, said):
    path = f"/clusters/{a_cluster(api)}/ignored-validations"
    assert is_refused(api.v2(f"PUT {path}", {"host-validation-ids": ids}), said)


def test_nothing_is_ignored_any_more_once_the_cluster_installs(api):
    it = a_ready_single_node(api)
    installing(api, it)
    assert is_refused(api.v2(f"PUT {it.cluster}/ignored-validations", {}), "installing; checks can be ignored only")


# What user interfaces keep


def test_a_user_interface_keeps_what_it_likes_and_nobody_else_sees_it(api):
    path = f"/clusters/{a_cluster(api)}"
    assert api.v2(f"GET {path}/ui-settings").json == ""
    for kept in ('{"addToExisting": true, "any": "hunter2"}', "no JSON at all", ""):
        reply = api.v2(f"PUT {path}/ui-settings", kept)
        assert (reply.status, reply.json) == (200, kept)
        assert api.v2(f"GET {path}/ui-settings").json == kept
        assert "hunter2" not in api.v2(f"GET {path}").body.decode()
    assert b"hunter2" not in api.ours(f"GET {path}/history").body
    assert is_malformed(api.v2(f"PUT {path}/ui-settings", {"any": "thing"}), "body")

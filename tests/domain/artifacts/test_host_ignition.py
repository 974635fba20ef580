"""A host that joins a running cluster is led to what the cluster itself hands out."""

import json
from base64 import b64encode

import pytest

from builders import a_day2_host, a_machine, a_running_cluster
from muster.domain.artifacts.host_ignition import host_ignition, host_overrides, ignition_name
from muster.domain.clusters import IgnitionEndpoint
from muster.domain.errors import Invalid, Refused
from muster.domain.inventory import Boot
from muster.domain.roles import Role
from parts.ignition import complaints, files_of, needs_ignition, units_of

CERTIFICATE = """-----BEGIN CERTIFICATE-----
MIIBYDCCAQagAwIBAgIUVIXP8nOnM6oeCPp76Rd+Hn/gxj8wCgYIKoZIzj0EAwIw
DTELMAkGA1UEAwwCY2EwHhcNMjUwMTAxMDAwMDAwWhcNMzUwMTAxMDAwMDAwWjAN
-----END CERTIFICATE-----
"""
TRUSTED = IgnitionEndpoint(ca_certificate=b64encode(CERTIFICATE.encode()).decode())
FROM_DISK = a_machine(boot=Boot(device_type="persistent"))
MOTD = {"path": "/etc/motd", "contents": {"source": "data:;base64,aGVsbG8="}}


def made(cluster=None, **changes):
    running = a_running_cluster(api_vip_dns_name="api.lab.example.com").but(**(cluster or {}))
    return host_ignition(running, a_day2_host(**changes))


def head(content):
    return json.loads(content)["ignition"]


def test_a_host_is_led_to_the_cluster_and_knows_its_name():
    content = made()
    assert head(content) == {
        "version": "3.2.0",
        "config": {"merge": [{"source": "http://api.lab.example.com:22624/config/worker"}]},
    }
    assert files_of(content) == {"/etc/hostname": "h9"}


def test_a_host_trusts_the_endpoint_as_the_user_said_and_shows_who_it_is():
    content = made(
        {"ignition_endpoint": TRUSTED}, ignition_endpoint_token="secret", ignition_endpoint_http_headers={"X-Pool": "a"}
    )
    (source,) = head(content)["config"]["merge"]
    assert source == {
        "source": "https://api-int.lab.example.com:22623/config/worker",
        "httpHeaders": [
            {"name": "Authorization", "value": "Bearer secret"},
            {"name": "X-Pool", "value": "a"},
        ],
    }
    (authority,) = head(content)["security"]["tls"]["certificateAuthorities"]
    assert authority["source"].startswith("data:text/plain;charset=utf-8;base64,")


def test_what_the_user_wants_is_laid_over_it():
    content = made(
        ignition_config_overrides=json.dumps({"ignition": {"version": "3.1.0"}, "storage": {"files": [MOTD]}})
    )
    assert files_of(content) == {"/etc/hostname": "h9", "/etc/motd": "hello"}
    assert head(content)["version"] == "3.2.0"


def test_a_host_without_a_name_is_given_none():
    content = made(requested_hostname="", inventory=a_machine(hostname=""))
    assert files_of(content) == {}


def test_a_host_that_runs_from_its_disk_cleans_up_after_itself():
    content = made(inventory=FROM_DISK)
    assert "ostree admin undeploy" in files_of(content)["/usr/local/bin/cleanup-assisted-discovery-stateroot.sh"]
    assert "cleanup-assisted-discovery-stateroot.service" in units_of(content)
    assert "systemd" not in json.loads(made(inventory=None))


@needs_ignition
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"inventory": FROM_DISK, "ignition_endpoint_token": "secret"},
        {"ignition_config_overrides": json.dumps({"ignition": {"version": "3.2.0"}, "storage": {"files": [MOTD]}})},
    ],
)
def test_ignition_accepts_what_is_made(changes):
    assert complaints(made(**changes)) == ""


def test_nothing_can_be_made_while_nobody_knows_where_the_cluster_is():
    with pytest.raises(Refused, match="api_vip_dns_name"):
        made({"api_vip_dns_name": ""})


@pytest.mark.parametrize("text", ["hunter2", '["hunter2"]'])
def test_a_config_that_cannot_be_read_is_not_quoted(text):
    with pytest.raises(Invalid, match="ignition_config_overrides of host h9") as refusal:
        host_overrides(a_day2_host(ignition_config_overrides=text))
    assert "hunter2" not in str(refusal.value)


def test_the_file_is_named_for_the_role_and_the_host():
    assert ignition_name(a_day2_host(role=Role.AUTO, suggested_role=Role.MASTER)) == "master-h9.ign"

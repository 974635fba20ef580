"""Clusters, discovery images and hosts of which everything is said that can be said.

What an answer leaves out when there is nothing to tell is told here; so a witness gets to see every field.
"""

import time
from base64 import b64encode
from collections.abc import Callable
from typing import Any

from assisted_service_client import models
from making import AGENT, made, now, replies
from replaying import recorded
from scenario_stage import Bound, Stage

from parts.contract import contract

KEY = "ssh-ed25519 " + b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + bytes(32)).decode() + " someone@example.com"
CERTIFICATE = next(each for each in recorded("multi-node-install") if each.call.endswith("ingress-cert")).request
PROXIES = {
    "http_proxy": "http://proxy.example.com:3128",
    "https_proxy": "http://proxy.example.com:3129",
    "no_proxy": ".example.com",
}
TANG = '[{"url": "http://tang.example.com:7500", "thumbprint": "PLjNyRdGw03zlRoGjQYMahSZGu9"}]'
WIRED = {
    "network_yaml": "interfaces:\n- name: eth0\n  type: ethernet\n  state: up\n",
    "mac_interface_map": [{"mac_address": "52:54:00:00:00:01", "logical_nic_name": "eth0"}],
}
PATIENCE = 10.0
"""Seconds within which what is bound to come has come."""

SAMPLES = {"uuid": "0a7c1b52-3f0c-4f0e-9a3e-0c8d5cf1a001", "date-time": "2026-01-01T10:00:00.000Z"}


def filled(definition: str, **values: Any) -> Any:
    """A value with every field of a definition filled in; those that are named are what is given, wherever they are."""
    return filled_in(contract()["definitions"][definition], **values)


def filled_in(schema: dict[str, Any], **values: Any) -> Any:
    """The same for a schema that has no name."""
    if "$ref" in schema:
        return filled(schema["$ref"].rpartition("/")[2], **values)
    if "properties" in schema or schema["type"] == "object":
        fields = schema.get("properties", {})
        return {name: values[name] if name in values else filled_in(each, **values) for name, each in fields.items()}
    if schema["type"] == "array":
        return [filled_in(schema["items"], **values)]
    if "enum" in schema:
        return next(word for word in schema["enum"] if word)
    plain = {"boolean": True, "integer": 1, "number": 1.5, "string": SAMPLES.get(schema.get("format", ""), "text")}
    return plain[schema["type"]]


def tell_everything(at: Stage) -> None:
    """Say all there is to say about clusters, images and hosts."""
    tell_of_clusters(at)
    tell_of_images(at)
    tell_of_a_host(at)
    tell_of_what_is_gone(at)


CLUSTERS: tuple[dict[str, Any], ...] = (
    {**PROXIES, "ssh_public_key": KEY, "additional_ntp_source": "clock.example.com", "tags": "one,two"},
    {"ntp_sources": "clock.example.com", "load_balancer": {"type": "user-managed"}},
    {
        "platform": {"type": "external", "external": {"platform_name": "oci", "cloud_controller_manager": "External"}},
        "user_managed_networking": True,
    },
    {"disk_encryption": {"enable_on": "all", "mode": "tang", "tang_servers": TANG}},
    {"disk_encryption": {"enable_on": "all", "mode": "tpmv2"}},
    {"ignition_endpoint": {"url": "https://a.example.com", "ca_certificate": b64encode(CERTIFICATE.encode()).decode()}},
    {"olm_operators": [{"name": "odf"}, {"name": "mtv", "properties": "{}"}]},
    {"operator_bundles": [{"id": "openshift-ai", "optional_operators": ["nvidia-gpu"]}]},
    {
        "cluster_network_cidr": "10.132.0.0/14",
        "cluster_network_host_prefix": 24,
        "service_network_cidr": "172.31.0.0/16",
    },
)
"""What may be said of clusters; each of these of one of its own."""


def tell_of_clusters(at: Stage) -> None:
    """Clusters with every field in use."""
    for said in CLUSTERS:
        cluster_id = at.cluster(**said)
        assert at.hand.v2(f"GET /clusters/{cluster_id}").status == 200
        assert at.hand.v2(f"GET /clusters/{cluster_id}/preflight-requirements").status == 200
    ignored = {"cluster-validation-ids": '["all"]', "host-validation-ids": '["all"]'}
    assert at.hand.v2(f"PUT /clusters/{cluster_id}/ignored-validations", ignored).status == 201
    assert at.hand.v2(f"GET /clusters/{cluster_id}").json["ignored_host_validations"]
    image = {"ssh_public_key": KEY, "static_network_config": [WIRED]}
    old = at.hand.call("POST", f"/api/assisted-install/v1/clusters/{cluster_id}/downloads/image", image)
    assert old.status == 201, old.body
    assert at.hand.v2(f"GET /clusters/{cluster_id}").json["image_info"]["download_url"]


IMAGES: tuple[dict[str, Any], ...] = (
    {
        "proxy": PROXIES,
        "ssh_authorized_key": KEY,
        "additional_ntp_sources": "clock.example.com",
        "additional_trust_bundle": CERTIFICATE,
        "ignition_config_override": '{"ignition": {"version": "3.1.0"}}',
        "kernel_arguments": [{"operation": "append", "value": "console=ttyS0"}],
        "static_network_config": [WIRED],
        "network_discovery_delay_seconds": 5,
        "image_type": "minimal-iso",
    },
    {"ntp_sources": "clock.example.com"},
)
"""What may be said of discovery images; each of these of one of its own."""


def tell_of_images(at: Stage) -> None:
    """Discovery images with every field in use."""
    for said in IMAGES:
        infra_env_id = at.infra_env(**said)
        assert at.hand.v2(f"GET /infra-envs/{infra_env_id}").status == 200
    cluster = at.installer.v2_register_disconnected_cluster(
        models.DisconnectedClusterCreateParams(name="apart", openshift_version="4.20")
    )
    at.infra_env(cluster.id, image_type="disconnected-iso", rendezvous_ip="192.168.2.10")


CHOSEN = {
    "disks_skip_formatting": [{"disk_id": "text", "skip_formatting": True}],
    "machine_config_pool_name": "infra",
    "ignition_endpoint_token": "token",
    "ignition_endpoint_http_headers": [{"key": "X-One", "value": "1"}],
    "node_labels": [{"key": "one", "value": "1"}],
}
"""What may be said of a host."""

UNREACHED = {"step_type": "tang-connectivity-check", "step_id": "tang-1", "exit_code": 1, "error": "no route to host"}


def tell_of_a_host(at: Stage) -> None:
    """A host that has measured everything there is to measure, and of which everything is chosen."""
    cluster_id = at.cluster(disk_encryption={"enable_on": "all", "mode": "tang", "tang_servers": TANG})
    host = at.host(at.infra_env(cluster_id))
    for step, output in measured(at.host(host.infra_env_id)).items():
        at.says(host, step, output)
    place = f"/infra-envs/{host.infra_env_id}/hosts/{host.host_id}"
    assert at.hand.v2(f"PATCH {place}", CHOSEN).status == 201
    assert at.hand.v2(f"GET {place}").status == 200
    replies(at.hand, place, "installation-disk-speed-check", "", exit_code=1)
    assert at.hand.v2(f"POST {place}/instructions", UNREACHED).status == 204
    replies(at.hand, place, "inventory", "", exit_code=256)
    assert at.hand.v2(f"GET {place}").json["media_status"] == "disconnected"
    register = {"host_id": host.host_id, "discovery_agent_version": AGENT}
    assert at.hand.v2(f"POST /infra-envs/{host.infra_env_id}/hosts", register).status == 201


def measured(other: Bound) -> dict[str, Any]:
    """What a host has to say that has found everything that can be found, another host included."""
    inventory = filled(
        "inventory",
        hostname="one.example.com",
        drive_type="SSD",
        ipv4_addresses=["192.168.2.10/24"],
        ipv6_addresses=["fd00::10/64"],
        mac_address="52:54:00:00:02:01",
        size_bytes=200 * 10**9,
        timestamp=now(),
    )
    inventory["interfaces"][0]["type"] = "physical"
    addresses = {"ipv4_addresses": ["192.168.2.5"], "ipv6_addresses": ["fd00::5"]}
    return {
        "inventory": inventory,
        "connectivity-check": filled("connectivity-report", host_id=other.host_id),
        "api-vip-connectivity-check": filled("api_vip_connectivity_response"),
        "tang-connectivity-check": filled("tang_connectivity_response"),
        "domain-resolution": filled("domain_resolution_response", **addresses),
        "ntp-synchronizer": filled("ntp_synchronization_response"),
        "installation-disk-speed-check": filled("disk_speed_check_response"),
        "container-image-availability": filled("container_image_availability_response"),
    }


def tell_of_what_takes_long(at: Stage) -> None:
    """A host and a cluster that stay in a stage for longer than they may, and say nothing for as long."""
    it = at.finalizing()
    stage = {"finalizing_stage": "Waiting for cluster operators"}
    assert at.hand.v2(f"PUT {it.cluster}/progress", stage).status == 200
    host = at.added_later()
    late = f"/infra-envs/{host.infra_env_id}/hosts/{host.host_id}"
    assert at.hand.v2(f"POST {late}/actions/install").status == 202
    assert at.hand.v2(f"PUT {late}/progress", {"current_stage": "Starting installation"}).status == 200
    _until(lambda: at.hand.v2(f"GET {it.cluster}").json["progress"].get("finalizing_stage_timed_out"))
    _until(lambda: at.hand.v2(f"GET {late}").json["progress"].get("stage_timed_out"))
    _until(lambda: at.hand.v2(f"GET {late}").json.get("connection_timed_out"))


def _until(holds: Callable[[], object]) -> None:
    given_up = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < given_up


def tell_of_what_is_gone(at: Stage) -> None:
    """A cluster that was deleted with its host, and all that has ever happened."""
    it = made(at.hand)
    assert at.hand.v2(f"DELETE {it.cluster}").status == 204
    gone = at.hand.v2(f"GET {it.cluster}", get_unregistered_clusters="true").json
    assert gone["hosts"][0]["deleted_at"]
    event = filled("event", cluster_id=at.cluster(), props='{"reboots": 2}')
    assert at.hand.v2("POST /events", event).status == 201
    assert at.hand.v2("GET /events?limit=-1").json


def tell_of_links(at: Stage) -> None:
    """Links to the files of a cluster, where files are kept that can be linked to."""
    it = at.installed()
    for call in ("credentials-presigned?file_name=kubeconfig", "files-presigned?file_name=metadata.json"):
        assert at.hand.v2(f"GET {it.cluster}/downloads/{call}").status == 200

"""What agents are answered when they report a step: that it was heard, unless it makes no sense or comes too late."""

import json

import pytest
from making import AGENT, a_host, a_ready_single_node, an_infra_env, made, replies, said_by_the_recorded_host


def replied(api, host, step, output="", **failure):
    body = {"step_type": step, "step_id": f"{step}-1", "output": output, **failure}
    return api.v2(f"POST {host}/instructions", body)


UNREACHABLE = {"exit_code": -1, "error": "no route to tang"}


def test_an_inventory_that_comes_too_late_is_refused(api):
    it = a_ready_single_node(api)
    assert api.v2(f"POST {it.cluster}/actions/install").status == 202
    inventory = json.loads(said_by_the_recorded_host()["inventory"]) | {"hostname": "other"}
    reply = replied(api, it.host, "inventory", json.dumps(inventory))
    assert reply.status == 409
    assert "no longer taken in" in reply.said


@pytest.mark.parametrize(
    ("step", "output", "status"),
    [
        ("free-network-addresses", "[]", 409),
        ("free-network-addresses", "", 400),
        ("dhcp-lease-allocate", '{"api_vip_address": "10.0.0.1", "ingress_vip_address": "10.0.0.2"}', 409),
        ("dhcp-lease-allocate", "{}", 409),
        ("inventory", "{", 400),
        ("installation-disk-speed-check", "", 204),
        ("container-image-availability", "", 204),
        ("container-image-availability", "{", 400),
        ("upgrade-agent", '{"agent_image": "a", "unheard-of": 1}', 204),
        ("install", "anything at all", 204),
        ("execute", "anything at all", 204),
        ("next-step-runner", "", 204),
    ],
)
def test_a_good_reply_is_answered_by_what_it_says(api, it, step, output, status):
    assert replied(api, it.host, step, output).status == status


@pytest.mark.parametrize("step", ["inventory", "container-image-availability", "tang-connectivity-check", "install"])
@pytest.mark.parametrize("code", [-1, 1, 125, 256])
def test_a_bad_reply_is_always_taken_in(api, step, code):
    it = made(api)
    assert replied(api, it.host, step, "{ no JSON", exit_code=code, error="it was not to be").status == 204


def test_a_host_that_nobody_knows_is_not_found(api, it):
    elsewhere = f"/infra-envs/{it.infra_env_id}/hosts/00000000-0000-4000-8000-000000000000"
    assert replied(api, elsewhere, "inventory", "{}").status == 404


def test_what_a_host_says_of_disk_keys_and_of_the_running_cluster_is_shown(api):
    it = made(api)
    replies(api, it.host, "api-vip-connectivity-check", {"is_success": True, "url": "http://a", "nosuch": 1})
    assert replied(api, it.host, "tang-connectivity-check", **UNREACHABLE).status == 204
    host = api.v2(f"GET {it.host}").json
    assert json.loads(host["api_vip_connectivity"]) == {"is_success": True, "url": "http://a"}
    assert host["tang_connectivity"] == "no route to tang"
    answer = {"is_success": True, "tang_server_response": [{"tang_url": "http://t", "payload": "p", "signatures": []}]}
    for _ in ("well", "and well again after a failure"):
        replies(api, it.host, "tang-connectivity-check", answer)
        assert json.loads(api.v2(f"GET {it.host}").json["tang_connectivity"])["is_success"]
        replied(api, it.host, "tang-connectivity-check", **UNREACHABLE)


def test_an_agent_that_is_not_expected_is_told_to_start_anew_and_the_user_hears_of_it_once(api):
    infra_env_id = an_infra_env(api)
    host = f"/infra-envs/{infra_env_id}/hosts/{a_host(api, infra_env_id)}"
    old = {"discovery_agent_version": "quay.io/agent:old"}
    for _ in range(3):
        asked = api.v2(f"GET {host}/instructions", **old).json
        assert [each["step_type"] for each in asked["instructions"]] == ["upgrade-agent"]
        assert json.loads(asked["instructions"][0]["args"][0]) == {"agent_image": AGENT}
    replies(api, host, "upgrade-agent", {"agent_image": AGENT, "result": "success"})
    told = [each["name"] for each in api.v2(f"GET /events?infra_env_id={infra_env_id}").json]
    assert [name for name in told if name.startswith("upgrade")] == ["upgrade_agent_started", "upgrade_agent_finished"]
    asked = api.v2(f"GET {host}/instructions", discovery_agent_version=AGENT).json
    assert [each["step_type"] for each in asked["instructions"]] == ["inventory", "ntp-synchronizer"]

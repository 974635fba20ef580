"""Whatever an agent, an installer or a controller says twice, because it did not hear the answer, counts once."""

import json

import pytest
from adding import added_later, given, in_a_pool
from calling import Caller, Reply
from making import (
    AGENT,
    Made,
    a_ready_single_node,
    finalizing,
    installing,
    made,
    said_by_the_recorded_host,
)
from replaying import recorded
from uploading import of_host, upload

from muster.domain.steps import STEPS
from muster.wire.endpoints import ENDPOINTS
from muster.wire.endpoints import endpoint as rows

MOMENTS = frozenset({"checked_in_at", "registered_at", "updated_at", "status_updated_at", "timestamp"})
"""What may be later the second time."""

TOLD_EACH_TIME = frozenset({"host_logs_uploaded"})
"""What users are told as often as it happens."""


def known(api: Caller, it: Made) -> tuple[object, object, list[str]]:
    """All that is known of a host, of its cluster, and what was told."""
    told = sorted(each["name"] for each in api.v2(f"GET /events?infra_env_id={it.infra_env_id}&limit=-1").json)
    if it.cluster_id:
        told += sorted(each["name"] for each in api.v2(f"GET /events?cluster_id={it.cluster_id}&limit=-1").json)
    host, cluster = api.v2(f"GET {it.host}").json, api.v2(f"GET {it.cluster}").json
    return _timeless(host), _timeless(cluster), [name for name in told if name not in TOLD_EACH_TIME]


def _timeless(value: object) -> object:
    if isinstance(value, dict):
        return {key: _timeless(each) for key, each in value.items() if key not in MOMENTS and not key.endswith("_at")}
    return [_timeless(each) for each in value] if isinstance(value, list) else value


def counts_once(api: Caller, it: Made, say, second: int | None = None) -> None:
    """Saying it again is answered as the first time, or with another status, and changes nothing."""
    first: Reply = say()
    assert first.status in range(200, 300), first.body
    before = known(api, it)
    again: Reply = say()
    assert again.status == (second or first.status), again.body
    assert known(api, it) == before


def replying(api: Caller, it: Made, step: str, output: str = "", exit_code: int = 0):
    body = {"step_type": step, "step_id": f"{step}-1", "exit_code": exit_code, "output": output, "error": "no"}
    return lambda: api.v2(f"POST {it.host}/instructions", body)


# Hosts


@pytest.mark.parametrize("prepare", [made, in_a_pool, lambda api: given(api, in_a_pool(api)), a_ready_single_node])
def test_registering(api, prepare):
    it = prepare(api)
    body = {"host_id": it.host_id, "discovery_agent_version": AGENT}
    counts_once(api, it, lambda: api.v2(f"POST /infra-envs/{it.infra_env_id}/hosts", body))


@pytest.mark.parametrize("step", said_by_the_recorded_host())
def test_replying_well(api, step):
    it = made(api)
    counts_once(api, it, replying(api, it, step, said_by_the_recorded_host()[step]))


@pytest.mark.parametrize("step", sorted(STEPS))
def test_replying_that_it_did_not_work(api, step):
    it = made(api)
    counts_once(api, it, replying(api, it, step, exit_code=1))
    counts_once(api, it, replying(api, it, step, exit_code=256))


def test_replying_that_a_running_cluster_answers(api):
    it = added_later(api)
    counts_once(api, it, replying(api, it, "api-vip-connectivity-check", json.dumps({"is_success": True})))


def test_replying_that_a_newer_agent_is_there(api):
    it = made(api)
    counts_once(api, it, replying(api, it, "upgrade-agent", json.dumps({"agent_image": AGENT, "result": "success"})))


def test_replying_that_the_installer_could_not_start(api):
    it = installing(api, a_ready_single_node(api))
    counts_once(api, it, replying(api, it, "install", exit_code=1))


def test_telling_how_far_an_installation_has_come(api):
    it = installing(api, a_ready_single_node(api))
    for stage in ("Starting installation", "Installing", "Writing image to disk", "Rebooting", "Done"):
        body = {"current_stage": stage, "progress_info": "50%"}
        counts_once(api, it, lambda body=body: api.v2(f"PUT {it.host}/progress", body))


def test_telling_that_an_installation_has_failed(api):
    it = installing(api, a_ready_single_node(api))
    body = {"current_stage": "Failed", "progress_info": "the disk is broken"}
    counts_once(api, it, lambda: api.v2(f"PUT {it.host}/progress", body), second=409)


def test_telling_that_a_host_has_joined(api):
    it = added_later(api)
    api.v2(f"POST {it.host}/actions/install")
    counts_once(api, it, lambda: api.v2(f"PUT {it.host}/progress", {"current_stage": "Rebooting"}))


@pytest.mark.parametrize("state", ["requested", "collecting", "completed", "timeout"])
def test_telling_how_far_logs_have_come(api, state):
    it = made(api)
    for path in (it.host, it.cluster):
        counts_once(api, it, lambda path=path: api.v2(f"PUT {path}/logs-progress", {"logs_state": state}))


def test_sending_logs(api):
    it = made(api)
    counts_once(api, it, lambda: upload(api, it, b"of the host", of_host(it)))
    counts_once(api, it, lambda: upload(api, it, b"of the controller"))


# Controllers


@pytest.fixture(scope="module")
def coming_up(service):
    """A cluster whose nodes are there."""
    caller = Caller(service.url)
    yield finalizing(caller, installing(caller, a_ready_single_node(caller)))
    caller.close()


def test_telling_how_an_operator_is_doing(api, coming_up):
    body = {"name": "console", "status": "progressing", "status_info": "80%", "version": "4.20.1"}
    counts_once(api, coming_up, lambda: api.v2(f"PUT {coming_up.cluster}/monitored-operators", body))


def test_telling_the_stage_of_a_cluster(api, coming_up):
    body = {"finalizing_stage": "Waiting for cluster operators"}
    counts_once(api, coming_up, lambda: api.v2(f"PUT {coming_up.cluster}/progress", body))


def test_handing_over_the_certificate_of_the_ingress(api, coming_up):
    certificate = next(each for each in recorded("multi-node-install") if each.call.endswith("ingress-cert")).request
    counts_once(api, coming_up, lambda: api.v2(f"POST {coming_up.cluster}/uploads/ingress-cert", certificate))


def test_saying_that_all_is_done(api, coming_up):
    body = {"is_success": True}
    counts_once(api, coming_up, lambda: api.v2(f"POST {coming_up.cluster}/actions/complete-installation", body))


TRIED_ABOVE = {
    "v2RegisterHost",
    "v2PostStepReply",
    "v2UpdateHostInstallProgress",
    "v2UpdateHostLogsProgress",
    "V2UploadLogs",
    "v2UpdateClusterLogsProgress",
    "v2ReportMonitoredOperatorStatus",
    "v2UpdateClusterFinalizingProgress",
    "v2UploadClusterIngressCert",
    "v2CompleteInstallation",
}
REPEATED = {"v2TriggerEvent"}
"""What is told through us is told as often as it is said: nobody else can know whether it happened twice."""


def test_every_call_by_which_a_machine_changes_something_is_tried_twice():
    changing = {
        each.name
        for each in ENDPOINTS
        if rows.AGENT in each.access and each.method != "GET" and each.path.startswith(f"{rows.DROP_IN}/v2/")
    }
    assert changing == TRIED_ABOVE | REPEATED

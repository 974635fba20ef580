"""Clusters, discovery images and hosts made over the API, for tests that need some."""

import json
import uuid
from typing import Any, NamedTuple

from calling import Caller
from replaying import recorded

SECRET = '{"auths":{"cloud.openshift.com":{"auth":"dXNlcjpwYXNzd29yZAo="}}}'
CLUSTER = {"name": "lab", "openshift_version": "4.20", "pull_secret": SECRET, "base_dns_domain": "example.com"}
INFRA_ENV = {"name": "lab-env", "pull_secret": SECRET}
AGENT = "quay.io/edge-infrastructure/assisted-installer-agent:latest"
IMAGES = "container-image-availability"


class Made(NamedTuple):
    """A cluster with its discovery image and a host, by their ids."""

    cluster_id: str
    infra_env_id: str
    host_id: str

    @property
    def host(self) -> str:
        """The path of the host."""
        return f"/infra-envs/{self.infra_env_id}/hosts/{self.host_id}"

    @property
    def cluster(self) -> str:
        """The path of the cluster."""
        return f"/clusters/{self.cluster_id}"


def a_cluster(api: Caller, **written: Any) -> str:
    """The id of a new cluster."""
    reply = api.v2("POST /clusters", CLUSTER | written)
    assert reply.status == 201, reply.body
    return str(reply.json["id"])


def an_infra_env(api: Caller, cluster_id: str | None = None, **written: Any) -> str:
    """The id of a new discovery image."""
    reply = api.v2("POST /infra-envs", INFRA_ENV | {"cluster_id": cluster_id} | written)
    assert reply.status == 201, reply.body
    return str(reply.json["id"])


def a_host(api: Caller, infra_env_id: str) -> str:
    """The id of a host that has just registered."""
    host_id = str(uuid.uuid4())
    body = {"host_id": host_id, "discovery_agent_version": AGENT}
    assert api.v2(f"POST /infra-envs/{infra_env_id}/hosts", body).status == 201
    return host_id


def made(api: Caller, **written: Any) -> Made:
    """A new cluster with a discovery image and a host that has just registered."""
    cluster_id = a_cluster(api, **written)
    infra_env_id = an_infra_env(api, cluster_id)
    return Made(cluster_id, infra_env_id, a_host(api, infra_env_id))


def replies(api: Caller, host: str, step: str, output: Any, exit_code: int = 0) -> None:
    """The host at this path has done a step."""
    said = output if isinstance(output, str) else json.dumps(output)
    body = {"step_type": step, "step_id": f"{step}-1", "exit_code": exit_code, "output": said}
    reply = api.v2(f"POST {host}/instructions", body)
    assert reply.status == 204, reply.body


def said_by_the_recorded_host() -> dict[str, str]:
    """What the host of the single node said to each step, in order."""
    exchanges = [*recorded("single-node-cancel-reset")[:10], *recorded("multi-node-install")[39:41]]
    return {
        each.request["step_type"]: each.request["output"]
        for each in exchanges
        if "/instructions" in each.call and each.request
    }


def a_ready_single_node(api: Caller, **written: Any) -> Made:
    """A cluster of one host that can be installed."""
    it = made(api, name="sno", base_dns_domain="lab.local", high_availability_mode="None", **written)
    steps = said_by_the_recorded_host()
    api.v2(f"GET {it.host}/instructions?timestamp={now()}")
    for step, output in steps.items():
        if step not in BEFORE_WRITING:
            replies(api, it.host, step, output)
    state = api.v2(f"GET {it.cluster}").json
    assert state["status"] == "ready", (state["status_info"], state["hosts"][0]["status_info"])
    return it


BEFORE_WRITING = ("installation-disk-speed-check", IMAGES)
"""Steps of a host whose cluster prepares."""


def now() -> int:
    """Seconds since 1970, as a host with a good clock says."""
    import time

    return int(time.time())


def installing(api: Caller, it: Made) -> Made:
    """The same cluster, once its hosts have been told to install."""
    assert api.v2(f"POST {it.cluster}/actions/install").status == 202
    steps = said_by_the_recorded_host()
    replies(api, it.host, BEFORE_WRITING[0], steps[BEFORE_WRITING[0]])
    asked = api.v2(f"GET {it.host}/instructions").json["instructions"]
    wanted = next(json.loads(each["args"][0])["images"] for each in asked if each["step_type"] == IMAGES)
    replies(api, it.host, IMAGES, {"images": [{"name": name, "result": "success"} for name in wanted]})
    return until(api, it, "installing")


def until(api: Caller, it: Made, status: str) -> Made:
    """The same cluster, once it is in this state, to which it is on its way."""
    for _ in range(5000):
        cluster = api.v2(f"GET {it.cluster}").json
        if cluster["status"] == status:
            return it
    raise AssertionError(f"the cluster is {cluster['status']}, not {status}: {cluster['status_info']}")


STAGES = ("Starting installation", "Installing", "Waiting for bootkube", "Writing image to disk", "Rebooting", "Done")


def finalizing(api: Caller, it: Made) -> Made:
    """The same cluster, once its host is a node."""
    for stage in STAGES:
        assert api.v2(f"PUT {it.host}/progress", {"current_stage": stage}).status == 200
    return until(api, it, "finalizing")


def installed(api: Caller, it: Made) -> Made:
    """The same cluster, once nothing is missing."""
    certificate = next(each for each in recorded("multi-node-install") if each.call.endswith("ingress-cert")).request
    assert api.v2(f"POST {it.cluster}/uploads/ingress-cert", certificate).status == 201
    report = {"name": "console", "status": "available", "status_info": "it is there"}
    assert api.v2(f"PUT {it.cluster}/monitored-operators", report).status == 200
    return until(api, it, "installed")

"""Hosts that can be given to a cluster, and hosts that can join one that runs, made over the API."""

import json

from calling import Caller
from making import (
    Made,
    a_cluster,
    a_host,
    a_ready_single_node,
    an_infra_env,
    finalizing,
    installed,
    installing,
    now,
    replies,
    said_by_the_recorded_host,
)


def in_a_pool(api: Caller, **written: object) -> Made:
    """A cluster, and a host of no cluster that can be given to it."""
    infra_env_id = an_infra_env(api, **written)
    it = Made(a_cluster(api), infra_env_id, a_host(api, infra_env_id))
    said = said_by_the_recorded_host()
    for step in ("inventory", "ntp-synchronizer"):
        says(api, it, step, said[step])
    assert state(api, it) == "known-unbound"
    return it


def given(api: Caller, it: Made) -> Made:
    """The same host, given to its cluster."""
    reply = api.v2(f"POST {it.host}/actions/bind", {"cluster_id": it.cluster_id})
    assert (reply.status, reply.json["status"]) == (200, "binding"), reply.body
    return it


def registers_again(api: Caller, it: Made) -> None:
    """The agent of a host has started anew."""
    assert api.v2(f"POST /infra-envs/{it.infra_env_id}/hosts", {"host_id": it.host_id}).status == 201


def running(api: Caller) -> Made:
    """A cluster that is installed and takes in more hosts, with its first host."""
    it = installed(api, finalizing(api, installing(api, a_ready_single_node(api))))
    assert api.v2(f"POST {it.cluster}/actions/allow-add-hosts").status == 202
    return it


def added_later(api: Caller, first: Made | None = None) -> Made:
    """A host that can join a cluster that runs."""
    it = first or running(api)
    it = it._replace(host_id=a_host(api, it.infra_env_id))
    said = said_by_the_recorded_host()
    other = said["inventory"].replace("52:54:00:00:02:00", "52:54:00:00:02:09").replace("host-2-0", "host-2-9")
    says(api, it, "inventory", other.replace("192.168.2.10/", "192.168.2.19/"))
    says(api, it, "api-vip-connectivity-check", {"is_success": True})
    says(api, it, "ntp-synchronizer", said["ntp-synchronizer"])
    says(api, it, "domain-resolution", _resolved(said["domain-resolution"]))
    assert state(api, it) == "known", api.v2(f"GET {it.host}").json["status_info"]
    return it


def says(api: Caller, it: Made, step: str, output: object) -> None:
    """A host has asked for a step and done it."""
    api.v2(f"GET {it.host}/instructions?timestamp={now()}")
    replies(api, it.host, step, output)


def state(api: Caller, it: Made) -> str:
    """Where a host stands."""
    return str(api.v2(f"GET {it.host}").json["status"])


def steps(api: Caller, it: Made) -> list[str]:
    """What a host is asked to do."""
    asked = api.v2(f"GET {it.host}/instructions?timestamp={now()}").json["instructions"]
    return [each["step_type"] for each in asked or ()]


def until_asked(api: Caller, it: Made, step: str) -> None:
    """Return once a host is asked to do something that it is about to be asked."""
    for _ in range(5000):
        if step in steps(api, it):
            return
    raise AssertionError(f"{step} is not asked of the host, only {steps(api, it)}")


def _resolved(output: str) -> object:
    """What a host says of names once those of the cluster lead somewhere."""
    said = json.loads(output)
    for each in said["resolutions"]:
        if each["domain_name"].startswith(("api.", "api-int.", "console-")):
            each["ipv4_addresses"] = ["192.168.2.10"]
    return said

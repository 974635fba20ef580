"""Recorded requests: each ends in the same kind of answer as it did at the original."""

import json
from typing import Any

import msgspec
import pytest

from builders import NOW, a_cluster, a_host, a_machine, a_policy, a_view
from muster.domain.errors import Invalid, NotFound, Refused
from muster.domain.inputs.clusters import ClusterCreate, ClusterUpdate, changed_cluster, new_cluster
from muster.domain.inputs.hosts import HostUpdate, changed_host
from muster.domain.inputs.infra_envs import InfraEnvCreate, InfraEnvUpdate, changed_infra_env, new_infra_env
from muster.domain.inventory import Disk, Eligibility
from parts.recordings import recorded

DISK = Disk(by_path="/dev/disk/by-path/pci-0000:00:05.0", installation_eligibility=Eligibility(eligible=True))
HOST = a_host("h1", inventory=a_machine(disks=(DISK,)))

ANSWERS = {NotFound: "404 E", Invalid: "400 E", Refused: "409 E"}


def kind_of(exchange: dict[str, Any]) -> str:
    """The kind of the recorded answer: a status, and who made the error."""
    if exchange["status"] < 300:
        return "accepted"
    return f"{exchange['status']} {'E' if 'kind' in exchange['response'] else 'SE'}"


def our_kind(call: str, body: bytes) -> str:
    """The kind of our answer to a body."""
    try:
        answer(call, body)
    except msgspec.DecodeError:
        return "400 SE"
    except tuple(ANSWERS) as error:
        return ANSWERS[type(error)]
    return "accepted"


def a_new_cluster(body: bytes) -> None:
    inputs = msgspec.json.decode(body, type=ClusterCreate)
    new_cluster(inputs, cluster_id="c1", owner="admin", now=NOW, policy=a_policy())


def a_new_infra_env(body: bytes) -> Any:
    inputs = msgspec.json.decode(body, type=InfraEnvCreate)
    unknown = inputs.cluster_id == "b76f113f-0896-4d31-804f-51dd2fdaab87"
    cluster = None if unknown else a_cluster()
    return new_infra_env(inputs, infra_env_id="e1", owner="admin", now=NOW, policy=a_policy(), cluster=cluster)


def answer(call: str, body: bytes) -> None:
    """Take a body as the accepting side would."""
    method, _, path = call.partition(" ")
    if call == "POST /v2/clusters":
        a_new_cluster(body)
    elif call == "POST /v2/infra-envs":
        a_new_infra_env(body)
    elif method == "PATCH" and path.startswith("/v2/clusters/"):
        changes = msgspec.json.decode(body, type=ClusterUpdate)
        changed_cluster(a_cluster(), changes, a_view(hosts=(HOST,), policy=a_policy()))
    elif "/hosts/" in path:
        changed_host(HOST, msgspec.json.decode(body, type=HostUpdate), cluster=a_cluster(), policy=a_policy())
    else:
        infra_env = a_new_infra_env(b'{"name":"x","pull_secret":"{\\"auths\\":{\\"a\\":{}}}"}')
        changed_infra_env(infra_env, msgspec.json.decode(body, type=InfraEnvUpdate), a_policy())


def is_ours(exchange: dict[str, Any]) -> bool:
    """Whether the body was what the answer was about: not the path, nor the content type."""
    call, request = exchange["call"], exchange["request"]
    if exchange["status"] == 404 and call.startswith("PATCH"):
        return False
    by_content_type = isinstance(request, str) and request.startswith('{"name"')
    return (call in ("POST /v2/clusters", "POST /v2/infra-envs") or call.startswith("PATCH")) and not by_content_type


@pytest.mark.parametrize("name", ["errors", "multi-node-install", "single-node-cancel-reset", "unbound-host"])
def test_recorded_bodies_end_in_the_same_kind_of_answer(name):
    exchanges = [each for each in recorded(name) if is_ours(each)]
    assert exchanges
    for each in exchanges:
        request = each["request"]
        body = request.encode() if isinstance(request, str) else json.dumps(request).encode()
        assert (request, our_kind(each["call"], body)) == (request, kind_of(each))

"""Recordings: a cluster with all its past in one file, and the same calls answered from it."""

import base64
import io
import json
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pytest
from calling import V2, Caller
from listening import Listener
from making import (
    Made,
    a_host,
    a_ready_single_node,
    an_infra_env,
    finalizing,
    installed,
    installing,
    replies,
    said_by_the_recorded_host,
)

from muster.wire.endpoints import ENDPOINTS
from muster.wire.endpoints.ours import WHAT_IF
from muster.wire.recorder import as_of, masked, read_recording
from parts.replayed import ReplayedService

MARKER = "ThisIsVerySecret"
HIDDEN = base64.b64encode(f"user:{MARKER}".encode()).decode()
PULL_SECRET = json.dumps({"auths": {"cloud.openshift.com": {"auth": HIDDEN}}})
OVERRIDES = json.dumps({"ignition": {"version": "3.2.0"}, "storage": {"files": [{"path": f"/{MARKER}"}]}})


class Recorded(NamedTuple):
    """A recording, and what it was taken of."""

    it: Made
    file: Path
    before: dict
    """What the service said of the cluster when it was taken."""


@pytest.fixture(scope="module")
def recorded(service, tmp_path_factory) -> Recorded:
    api = Caller(service.url)
    it = a_ready_single_node(api, pull_secret=PULL_SECRET, http_proxy=f"http://user:{MARKER}@proxy.local:3128")
    assert api.v2(f"PATCH /infra-envs/{it.infra_env_id}", {"pull_secret": PULL_SECRET}).status == 201
    secrets = {
        "ignition_endpoint_token": f"token-{MARKER}",
        "ignition_endpoint_http_headers": [{"key": "A", "value": MARKER}],
    }
    assert api.v2(f"PATCH {it.host}", secrets).status == 201
    assert api.v2(f"PATCH {it.host}/ignition", {"config": OVERRIDES}).status == 201
    installed(api, finalizing(api, installing(api, it)))
    before = api.v2(f"GET {it.cluster}").json
    reply = api.ours(f"GET {it.cluster}/recording")
    assert (reply.status, reply.headers["Content-Type"]) == (200, "application/octet-stream")
    assert reply.headers["Content-Disposition"].startswith('attachment; filename="sno-')
    file = tmp_path_factory.mktemp("recording") / "sno.zip"
    file.write_bytes(reply.body)
    api.close()
    return Recorded(it, file, before)


@pytest.fixture(scope="module")
def replay(recorded) -> Iterator[Caller]:
    running = ReplayedService(recorded.file)
    running.start()
    caller = Caller(running.url)
    yield caller
    caller.close()
    running.stop()


def test_no_secret_is_in_the_file(recorded):
    with zipfile.ZipFile(io.BytesIO(recorded.file.read_bytes())) as archive:
        said = b"".join(archive.read(name) for name in archive.namelist())
    assert len(said) > 50_000
    assert MARKER.encode() not in said
    assert HIDDEN.encode() not in said
    assert said.count(b"(secret)") > 5


def test_the_history_in_the_file_makes_the_records_in_it(recorded):
    recording = read_recording(recorded.file)
    remade = as_of(recording, recording.head.taken_at)
    for mine, theirs in (
        (remade.cluster, recording.cluster),
        *zip(remade.hosts, recording.hosts, strict=True),
        *zip(remade.infra_envs, recording.infra_envs, strict=True),
    ):
        assert masked(mine) == masked(theirs)


def test_a_recording_answers_as_the_service_did(recorded, replay):
    cluster = replay.v2(f"GET {recorded.it.cluster}").json
    known = {"proxy", "http_proxy", "feature_usage", "ignition_config_overrides"}
    for name, value in recorded.before.items():
        if name not in known | {"hosts"}:
            assert cluster[name] == value, name
    (host,), (theirs,) = cluster["hosts"], recorded.before["hosts"]
    assert {name for name in theirs if host.get(name) != theirs[name]} <= known
    assert [each["id"] for each in replay.v2("GET /clusters").json] == [recorded.it.cluster_id]
    assert replay.v2(f"GET {recorded.it.host}").json["status"] == "installed"
    assert replay.v2(f"GET /infra-envs/{recorded.it.infra_env_id}").status == 200
    assert replay.v2(f"GET /events?cluster_id={recorded.it.cluster_id}").json


def test_our_own_calls_are_answered_from_the_recording_too(recorded, replay):
    it = recorded.it
    assert replay.ours(f"GET {it.cluster}/explain").json["status"] == "installed"
    assert replay.ours(f"GET {it.host}/history").json["record"]["status"] == "installed"
    assert replay.ours(f"GET {it.cluster}/timeline").json["attempt"]["result"] == "done"
    assert replay.ours(f"POST {it.cluster}/what-if", {}).status == 200


def test_the_past_can_be_listened_to(recorded):
    running = ReplayedService(recorded.file)
    running.start()
    with Listener(running.url, after="0.0") as listener:
        told = listener.take(len(read_recording(recorded.file).history))
    running.stop()
    assert [each.id for each in told] == [f"0.{number}" for number in range(1, len(told) + 1)]
    assert told[0].data["triggers"] == ["RegisterCluster"]


def test_nothing_can_be_changed_in_a_recording(recorded, replay):
    ids = recorded.it._asdict() | {"operator_name": "lso", "id": "virtualization", "file_name": "x", "folder": "y"}
    changing = [each for each in ENDPOINTS if each.method != "GET" and each is not WHAT_IF]
    assert len(changing) > 30
    for each in changing:
        reply = replay.call(each.method, each.path.format(**{name: ids.get(name, "x") for name in each.parameters}), {})
        assert reply.status == 403, each.name
        assert each.method == "HEAD" or "this is a recording" in reply.said


def test_machines_have_nothing_to_ask_of_a_recording(recorded, replay):
    reply = replay.v2(f"GET {recorded.it.host}/instructions")
    assert (reply.status, "this is a recording" in reply.said) == (403, True)


def test_files_stay_where_they_were(recorded, replay):
    reply = replay.v2(f"GET {recorded.it.cluster}/downloads/credentials?file_name=kubeconfig")
    assert (reply.status, "not part of a recording" in reply.said) == (403, True)


def test_a_recording_can_be_recorded(recorded, replay):
    reply = replay.ours(f"GET {recorded.it.cluster}/recording")
    again = recorded.file.with_name("again.zip")
    again.write_bytes(reply.body)
    one, other = read_recording(recorded.file), read_recording(again)
    assert (other.cluster, other.hosts, other.events) == (one.cluster, one.hosts, one.events)
    assert [each.patch for each in other.history] == [each.patch for each in one.history]


def test_an_earlier_moment_shows_the_cluster_as_it_was_then(recorded):
    moments = {
        row.patch["status"]: row.at for row in read_recording(recorded.file).history
        if row.kind == "cluster" and "status" in row.patch
    }  # fmt: skip
    for status in ("ready", "installing", "finalizing"):
        running = ReplayedService(recorded.file, moments[status])
        running.start()
        caller = Caller(running.url)
        assert caller.v2(f"GET {recorded.it.cluster}").json["status"] == status
        told = caller.ours(f"GET {recorded.it.cluster}/timeline").json
        assert datetime.fromisoformat(told["at"]) == moments[status]
        assert caller.ours(f"GET {recorded.it.cluster}/explain?failing=true").status == 200
        caller.close()
        running.stop()


def test_hosts_bring_the_past_along_that_they_had_in_the_pool(api, tmp_path):
    it = a_ready_single_node(api)
    infra_env_id = an_infra_env(api)
    host_id = a_host(api, infra_env_id)
    path = f"/infra-envs/{infra_env_id}/hosts/{host_id}"
    replies(api, path, "inventory", said_by_the_recorded_host()["inventory"])
    assert api.v2(f"POST {path}/actions/bind", {"cluster_id": it.cluster_id}).status == 200
    assert api.v2(f"POST /infra-envs/{infra_env_id}/hosts", {"host_id": host_id}).status == 201
    file = tmp_path / "it.zip"
    file.write_bytes(api.ours(f"GET {it.cluster}/recording").body)
    recording = read_recording(file)
    first = next(row for row in recording.history if row.key.endswith(host_id))
    assert (first.scope.partition(":")[0], first.triggers) == ("host", ("Registered",))
    assert {host.id for host in as_of(recording, recording.head.taken_at).hosts} == {it.host_id, host_id}
    assert host_id not in {host.id for host in as_of(recording, first.at).hosts}


def test_the_address_of_the_api_is_that_of_the_original(replay, recorded):
    assert replay.call("GET", f"{V2}{recorded.it.cluster}").json["href"].endswith(recorded.it.cluster)

"""Recordings: what is written is read again, except for secrets, and can be looked at as of any moment."""

import io
import zipfile
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from builders import CLUSTER_ID, INFRA_ENV_ID, NOW, a_cluster, a_host, a_machine, a_policy
from muster.domain.clusters import ClusterState
from muster.domain.errors import Invalid
from muster.domain.events import Event, Severity
from muster.domain.history import HistoryRow
from muster.domain.hosts import FencingCredentials, HostState
from muster.domain.infra_envs import InfraEnv
from muster.domain.networks import Proxy
from muster.domain.record import SECRET, record_patch
from muster.domain.views import scope_of
from muster.wire.recorder import (
    EVENTS,
    HEAD,
    HISTORY,
    RECORDS,
    SECRETS,
    Head,
    Pack,
    Recording,
    as_of,
    line_of,
    masked,
    read_recording,
    unmasked,
)

LATER = NOW + timedelta(minutes=10)
HEADING = Head(cluster_id=CLUSTER_ID, name="lab", taken_at=LATER, version=9, policy=a_policy(), heard_at={"h1": NOW})
IMAGE = InfraEnv(
    id=INFRA_ENV_ID, name="image", created_at=NOW, updated_at=NOW, cluster_id=CLUSTER_ID, image_token_key="hush"
)
CLUSTER = a_cluster(
    pull_secret="hush", proxy=Proxy(http_proxy="http://user:hush@proxy"), org_soft_timeouts_enabled=False
)
HOST = a_host(
    "h1", ignition_endpoint_token="hush", fencing_credentials=FencingCredentials(username="root", password="hush")
)
EVENT = Event(name="e", severity=Severity.INFO, message="It is so", cluster_id=CLUSTER_ID, at=NOW)


def row(number: int, old, new, at=NOW) -> HistoryRow:
    kind = {"Cluster": "cluster", "Host": "host", "InfraEnv": "infra_env"}[type(new).__name__]
    return HistoryRow(
        cursor=f"0.{number}",
        scope=scope_of(new),
        version=number,
        at=at,
        actor="admin",
        triggers=("Ticked",),
        kind=kind,
        key=f"{INFRA_ENV_ID}/{new.id}" if kind == "host" else new.id,
        patch=record_patch(old, new, hidden=SECRETS[type(new)]),
    )


def written(*records, history=(), events=(), head=HEADING) -> bytes:
    pack = Pack(head)
    pieces = [pack.ready()]
    for name, lines in ((RECORDS, map(line_of, records)), (HISTORY, history), (EVENTS, events)):
        with pack.part(name) as write:
            for line in lines:
                write(line)
                pieces.append(pack.ready())
    assert len(pack) >= 0
    return b"".join([*pieces, pack.end()])


def saved(folder: Path, content: bytes) -> Path:
    path = folder / "it.zip"
    path.write_bytes(content)
    return path


def test_what_was_recorded_is_read_again(tmp_path):
    history = (row(2, None, HOST), row(1, None, CLUSTER))
    content = written(CLUSTER, HOST, IMAGE, history=history, events=(EVENT,))
    read = read_recording(saved(tmp_path, content))
    assert read.head == HEADING
    assert [each.cursor for each in read.history] == ["0.1", "0.2"]
    assert read.events == (EVENT,)
    assert read.cluster == CLUSTER.but(pull_secret=SECRET, proxy=Proxy())
    assert read.hosts == (HOST.but(ignition_endpoint_token=SECRET, fencing_credentials=None),)
    assert read.infra_envs == (IMAGE.but(image_token_key=SECRET),)


def test_no_secret_is_in_a_recording():
    history = (row(1, None, CLUSTER), row(2, None, HOST), row(3, None, IMAGE))
    content = written(CLUSTER, HOST, IMAGE, history=history)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        said = b"".join(archive.read(name) for name in archive.namelist())
    assert b"hush" not in said
    assert SECRET.encode() in said


def test_every_field_that_holds_a_secret_is_masked_if_there_is_something_in_it():
    for record in (CLUSTER, HOST, IMAGE):
        shown = masked(record)
        for name in SECRETS[type(record)]:
            assert shown.get(name, SECRET) == SECRET
    assert "install_config_overrides" not in masked(CLUSTER)


def test_a_record_without_secrets_is_the_same_again():
    host = a_host("h1", media_connected=False, clock_skew=0, inventory=a_machine(cores=3))
    assert unmasked(type(host), masked(host)) == host


def test_a_recording_can_be_opened_by_any_program(tmp_path):
    with zipfile.ZipFile(saved(tmp_path, written(CLUSTER))) as archive:
        assert archive.namelist() == [HEAD, RECORDS, HISTORY, EVENTS]
        assert archive.testzip() is None
        head = msgspec.json.decode(archive.read(HEAD))
        assert (head["format"], head["name"]) == (1, "lab")
        assert "muster replay" in head["about"]
        assert archive.infolist()[0].date_time == (2026, 1, 2, 3, 14, 4)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no zip at all", "cannot be opened as a recording"),
        (
            written(CLUSTER, head=HEADING.but(format=7, muster="9.9")),
            r"muster 9\.9 in format 7; muster .* reads format 1",
        ),
        (written(HOST), "of 0 clusters"),
    ],
)
def test_what_is_no_recording_is_refused_with_the_reason(tmp_path, content, reason):
    with pytest.raises(Invalid, match=reason):
        read_recording(saved(tmp_path, content))


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(Invalid, match=r"none\.zip cannot be opened"):
        read_recording(tmp_path / "none.zip")


def test_an_archive_with_other_files_is_no_recording(tmp_path):
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.txt", "dear diary")
    with pytest.raises(Invalid, match=r"recording\.json"):
        read_recording(path)


# Another moment


def minutes(many: float):
    return NOW + timedelta(minutes=many)


def told() -> Recording:
    """A cluster that becomes installed, a host that is lost, and one that was in the pool at first."""
    cluster, installed = CLUSTER, CLUSTER.but(status=ClusterState.INSTALLED)
    host, lost = HOST, HOST.but(status=HostState.DISCONNECTED)
    unbound = a_host("h2", cluster_id=None)
    bound = unbound.but(cluster_id=CLUSTER_ID)
    stranger = a_host("h3")
    history = (
        row(1, None, cluster),
        row(2, None, IMAGE),
        row(3, None, host),
        row(4, None, unbound),
        row(5, stranger.but(status=HostState.DISCOVERING), stranger, minutes(1)),
        row(6, unbound, bound, minutes(2)),
        row(7, host, lost, minutes(3)),
        row(8, cluster, installed, minutes(5)),
    )
    events = (EVENT, EVENT.but(name="later", at=minutes(4)))
    return Recording(
        head=HEADING, cluster=installed, hosts=(lost, bound), infra_envs=(IMAGE,), history=history, events=events
    )


def test_a_recording_can_be_looked_at_as_of_an_earlier_moment():
    it = as_of(told(), minutes(1))
    assert (it.head.taken_at, it.head.version, it.cluster.status) == (minutes(1), 5, ClusterState.READY)
    assert [(host.id, host.status) for host in it.hosts] == [("h1", HostState.KNOWN)]
    assert it.head.heard_at == {"h1": minutes(1)}
    assert it.infra_envs == (IMAGE.but(image_token_key=SECRET),)
    assert [event.name for event in it.events] == ["e"]
    assert len(it.history) == 5


def test_hosts_that_were_lost_by_then_are_not_heard_of_and_those_given_to_the_cluster_are_there():
    it = as_of(told(), minutes(4))
    assert [(host.id, host.status) for host in it.hosts] == [("h1", HostState.DISCONNECTED), ("h2", HostState.KNOWN)]
    assert it.head.heard_at == {"h2": minutes(4)}


def test_the_last_moment_is_what_was_recorded():
    it = as_of(told(), LATER)
    assert it.cluster == CLUSTER.but(status=ClusterState.INSTALLED, pull_secret=SECRET, proxy=Proxy())


@pytest.mark.parametrize("moment", [NOW - timedelta(seconds=1), LATER + timedelta(seconds=1)])
def test_a_moment_that_is_not_in_the_recording_is_refused(moment):
    with pytest.raises(Invalid, match="it reaches from 2026-01-02T03:04:05"):
        as_of(told(), moment)


def test_a_recording_without_history_reaches_nowhere():
    with pytest.raises(Invalid, match="is not in the recording"):
        as_of(told().but(history=()), NOW)

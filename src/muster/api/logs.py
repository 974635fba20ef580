"""Logs over REST: they come from hosts and from the controller, and are handed out one by one or all together."""

import tarfile
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import aclosing
from datetime import datetime

from multipart import MultipartError, PushMultipartParser, parse_options_header

from muster.api.call import Answer, Call, json_answer, plain, saved_as, serves
from muster.api.clusters import remembered_of, view_of
from muster.api.errors import Malformed
from muster.domain.clusters import Cluster
from muster.domain.errors import Broken, Invalid, NotFound, Refused
from muster.domain.events import EventQuery
from muster.domain.hosts import Host
from muster.domain.record import Record
from muster.domain.triggers import ClusterLogsReported, HostLogsReported
from muster.domain.views import View
from muster.runtime.manifests import StoredManifests
from muster.wire.archived import archived_manifest, archived_view
from muster.wire.clusters import cluster_out
from muster.wire.endpoints import clusters as clusters_rows
from muster.wire.endpoints import endpoint as endpoint_rows
from muster.wire.events import page_out

LARGEST = 262_144_000
"""Bytes of one upload."""

MOST_PARTS = 16
"""Parts of the form in which an upload comes; one is looked for."""

CONTROLLER = "controller"


def _key(cluster_id: str, owner: str) -> str:
    return f"{cluster_id}/logs/{owner}/logs.tar.gz"


def _host(hosts: Iterable[Host], host_id: str | None) -> Host:
    if not host_id:
        raise Invalid("host_id: say whose logs are meant")
    host = next((each for each in hosts if each.id == host_id), None)
    if host is None:
        raise NotFound(f"host_id: there is no host {host_id} in this cluster")
    return host


# In


@serves(clusters_rows.UPLOAD_LOGS)
async def upload_logs(call: Call) -> None:
    """Logs of a host or of the controller."""
    view = await view_of(call)
    of_host = call.query.logs_type == "host"
    owner = _host(view.living, call.query.host_id).id if of_host else CONTROLLER
    await call.service.blobs.put_stream(_key(call.parameters["cluster_id"], owner), _upfile(call))
    trigger = HostLogsReported(host_id=owner, uploaded=True) if of_host else ClusterLogsReported(uploaded=True)
    await call.service.engine.submit(view.scope, trigger, call.sender)


async def _upfile(call: Call) -> AsyncIterator[bytes]:
    """The content of the form's file, as it comes."""
    kind, options = parse_options_header(call.headers.get("content-type", ""))
    if kind != endpoint_rows.FORM or not options.get("boundary"):
        raise Malformed(400, f"content-type: the logs are expected as {endpoint_rows.FORM} with a file named upfile")
    assert call.chunks is not None
    wanted = found = False
    try:
        with PushMultipartParser(options["boundary"], max_segment_size=LARGEST, max_segment_count=MOST_PARTS) as parser:
            async for chunk in call.chunks:
                for part in parser.parse(chunk):
                    if part is None or isinstance(part, (bytes, bytearray)):
                        if part and wanted:
                            yield bytes(part)
                        continue
                    wanted = part.name == "upfile" and not found
                    found = found or wanted
    except MultipartError as error:
        raise Malformed(400, f"upfile: the form cannot be read, or a part of it is too large: {error}") from error
    if not found:
        raise Malformed(400, "upfile: is missing in the form")


# Out


@serves(clusters_rows.DOWNLOAD_LOGS)
async def download_logs(call: Call) -> Answer:
    """Logs of a host or of the controller, or all of them with what else is known of the cluster.

    Those of a cluster that was given up, too, for as long as they are kept.
    """
    view = await remembered_of(call)
    cluster = view.cluster
    assert cluster is not None, "the scope of a cluster has one"
    kind, host_id = call.query.logs_type, call.query.host_id
    if kind == "all":
        return Answer(stream=_archive(call, view, cluster), headers=saved_as(f"{cluster.name}_{cluster.id}.tar"))
    _require_logs(view, cluster, kind, host_id)
    name = f"{cluster.name}_{cluster.id}_{CONTROLLER}.tar.gz"
    if kind != CONTROLLER:
        name = _name_of(cluster, _host(view.hosts.values(), host_id))
    opened = await call.service.blobs.open(key_of_logs(view, kind, host_id))
    return Answer(stream=opened.pieces, headers={**saved_as(name), "content-length": str(opened.size)})


def _require_logs(view: View, cluster: Cluster, kind: str, host_id: str | None) -> None:
    if kind == CONTROLLER:
        if cluster.controller_logs_collected_at is None:
            raise Refused(f"No logs of the controller of cluster {cluster.name} have been collected yet")
        return
    host = _host(view.hosts.values(), host_id)
    if host.logs_collected_at is None:
        raise Refused(f"No logs of host {host.name} have been collected yet")


def key_of_logs(view: View, kind: str, host_id: str | None) -> str:
    """Where logs are kept: those of a host, of the controller, or all of them together."""
    assert view.cluster is not None
    if kind == "all":
        return f"{view.cluster.id}/logs/cluster_logs.tar"
    return _key(view.cluster.id, _host(view.hosts.values(), host_id).id if kind == "host" else kind)


async def have_logs(call: Call, view: View, kind: str, host_id: str | None) -> None:
    """See to it that logs are where they are kept; those that were never collected cannot be."""
    assert view.cluster is not None
    if kind == "all":
        await call.service.blobs.put_stream(key_of_logs(view, kind, None), _archive(call, view, view.cluster))
    else:
        _require_logs(view, view.cluster, kind, host_id)


def _name_of(cluster: Cluster, host: Host) -> str:
    """The name of the file with the logs of a host."""
    role = "bootstrap" if host.bootstrap else host.role
    return f"{cluster.name}_{role}_{host.name}.tar.gz".lower()


# All together


class _Entry(Record):
    """One file of an archive, of which nothing but its size has to be known beforehand."""

    name: str
    size: int
    pieces: AsyncGenerator[bytes]


async def _archive(call: Call, view: View, cluster: Cluster) -> AsyncGenerator[bytes]:
    """A tar with everything there is, one file at a time, and of large ones a piece at a time."""
    now = call.service.clock.now()
    async for entry in _entries(call, view, cluster):
        yield _header(entry, now)
        left = entry.size
        async with aclosing(entry.pieces) as pieces:
            async for piece in pieces:
                left -= len(piece)
                yield piece
        if left:
            raise Broken(f"{entry.name} of cluster {cluster.name} has been cut short in storage; {left} bytes miss")
        yield bytes(-entry.size % tarfile.BLOCKSIZE)
    yield bytes(2 * tarfile.BLOCKSIZE)


def _header(entry: _Entry, now: datetime) -> bytes:
    header = tarfile.TarInfo(plain(entry.name))
    header.size, header.mtime, header.mode = entry.size, now.timestamp(), 0o600
    return header.tobuf()


async def _entries(call: Call, view: View, cluster: Cluster) -> AsyncIterator[_Entry]:
    """What is known of the cluster, its manifests, and its logs; secrets are not for those who read logs."""
    known = cluster_out(archived_view(view), gone=cluster.deleted_at is not None)
    yield _whole("cluster_metadata.json", json_answer(known))
    told = await call.service.store.events(EventQuery(cluster_id=cluster.id, limit=-1))
    yield _whole("cluster_events.json", page_out(told)[0])
    async for entry in _manifests(StoredManifests(call.service.blobs, cluster.id)):
        yield entry
    used: set[str] = set()
    for key in await call.service.blobs.keys(f"{cluster.id}/logs"):
        if name := _name_in_archive(view, cluster, key, used):
            used.add(name)
            opened = await call.service.blobs.open(key)
            yield _Entry(name=name, size=opened.size, pieces=opened.pieces)


async def _manifests(manifests: StoredManifests) -> AsyncIterator[_Entry]:
    for each, source in (await manifests.names()).items():
        try:
            content = await manifests.read(each)
        except NotFound:
            # It was taken away after it was listed, as all that was generated is when a cluster starts over.
            continue
        shown = archived_manifest(content, each.path)
        yield _whole(f"cluster_manifest_{source}_{each.folder}_{each.file_name}", shown)


def _whole(name: str, content: bytes) -> _Entry:
    async def pieces() -> AsyncGenerator[bytes]:
        yield content

    return _Entry(name=name, size=len(content), pieces=pieces())


def _name_in_archive(view: View, cluster: Cluster, key: str, used: set[str]) -> str:
    """What logs are called in an archive, two hosts of one name told apart; "" if a file is no logs of anybody."""
    _, _, *place = key.split("/")
    if len(place) != len(("owner", "file")):
        return ""
    owner, file_name = place
    if owner not in view.hosts:
        return f"{owner}_{file_name}"
    name = _name_of(cluster, view.hosts[owner])
    return name if name not in used else f"{owner}_{name}"

"""Logs over REST: they come from hosts and from the controller, and are handed out one by one or all together."""

import tarfile
from collections.abc import AsyncGenerator, AsyncIterator, Iterator

from multipart import MultipartError, PushMultipartParser, parse_options_header

from muster.api.call import Answer, Call, json_answer, saved_as, serves
from muster.api.clusters import view_of
from muster.api.errors import Malformed
from muster.domain.clusters import Cluster
from muster.domain.errors import Invalid, NotFound, Refused
from muster.domain.events import EventQuery
from muster.domain.hosts import Host
from muster.domain.triggers import ClusterLogsReported, HostLogsReported
from muster.domain.views import View
from muster.wire.clusters import cluster_out
from muster.wire.endpoints import clusters as clusters_rows
from muster.wire.endpoints import endpoint as endpoint_rows
from muster.wire.events import page_out

LARGEST = 262_144_000
"""Bytes of one upload."""

MOST_PARTS = 16
"""Parts of the form in which an upload comes; one is looked for."""


def _key(cluster_id: str, owner: str) -> str:
    return f"{cluster_id}/logs/{owner}/logs.tar.gz"


def _host(view: View, host_id: str | None) -> Host:
    if not host_id:
        raise Invalid("host_id: say whose logs are meant")
    host = view.hosts.get(host_id)
    if host is None:
        raise NotFound(f"host_id: there is no host {host_id} in this cluster")
    return host


@serves(clusters_rows.UPLOAD_LOGS)
async def upload_logs(call: Call) -> None:
    """Logs of a host or of the controller."""
    view = await view_of(call)
    of_host = call.query.logs_type == "host"
    owner = _host(view, call.query.host_id).id if of_host else "controller"
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


@serves(clusters_rows.DOWNLOAD_LOGS)
async def download_logs(call: Call) -> Answer:
    """Logs of a host or of the controller, or all of them with what else is known of the cluster."""
    view = await view_of(call)
    cluster = view.cluster
    assert cluster is not None
    if call.query.logs_type == "all":
        return Answer(stream=_archive(call, view, cluster), headers=saved_as(f"{cluster.name}_{cluster.id}.tar"))
    if call.query.logs_type == "controller":
        if cluster.controller_logs_collected_at is None:
            raise Refused(f"No logs of the controller of cluster {cluster.name} have been collected yet")
        return await _streamed(call, _key(cluster.id, "controller"), f"{cluster.name}_{cluster.id}_controller.tar.gz")
    host = _host(view, call.query.host_id)
    if host.logs_collected_at is None:
        raise Refused(f"No logs of host {host.name} have been collected yet")
    return await _streamed(call, _key(cluster.id, host.id), _name_of(cluster, host))


def _name_of(cluster: Cluster, host: Host) -> str:
    """The name of the file with the logs of a host."""
    role = "bootstrap" if host.bootstrap else host.role
    return f"{cluster.name}_{role}_{host.name}.tar.gz".lower()


async def _streamed(call: Call, key: str, name: str) -> Answer:
    """A file as it comes from storage. Its beginning is awaited, since a missing one has to be told at once."""
    pieces = aiter(call.service.blobs.stream(key))
    first = await anext(pieces, b"")

    async def stream() -> AsyncGenerator[bytes]:
        yield first
        async for piece in pieces:
            yield piece

    return Answer(stream=stream(), headers=saved_as(name))


async def _archive(call: Call, view: View, cluster: Cluster) -> AsyncGenerator[bytes]:
    """A tar with everything there is, one file at a time."""
    told = await call.service.store.events(EventQuery(cluster_id=cluster.id, limit=-1))
    for piece in _entry("cluster_metadata.json", json_answer(cluster_out(view))):
        yield piece
    for piece in _entry("cluster_events.json", page_out(told)[0]):
        yield piece
    logs = [("controller_logs.tar.gz", "controller")] if cluster.controller_logs_collected_at else []
    logs += [(_name_of(cluster, host), host.id) for host in view.living if host.logs_collected_at]
    for name, owner in logs:
        for piece in _entry(name, await call.service.blobs.get(_key(cluster.id, owner))):
            yield piece
    yield bytes(2 * tarfile.BLOCKSIZE)


def _entry(name: str, content: bytes) -> Iterator[bytes]:
    """One file of a tar: its header, its content, and what fills up the last block."""
    header = tarfile.TarInfo(name.replace("/", "_"))
    header.size = len(content)
    yield header.tobuf()
    yield content
    yield bytes(-len(content) % tarfile.BLOCKSIZE)

"""Calls of our own API."""

from muster.domain.what_if import Supposition
from muster.wire.answers.ours import ClusterExplained, HistoryOut, HostExplained, SupposedOut
from muster.wire.muster import ExplainQuery, HistoryQuery, StreamQuery
from muster.wire.timeline import TimelineOut, TimelineQuery

from .endpoint import BYTES, PAGE, READER, STREAM, Endpoint, ours

STREAM_CHANGES = ours(
    "stream", "GET /stream", READER, query=StreamQuery, gives=STREAM, summary="Every change, as it happens"
)
EXPLAIN_CLUSTER = ours(
    "explainCluster",
    "GET /clusters/{cluster_id}/explain",
    READER,
    query=ExplainQuery,
    summary="Every verdict on a cluster and its hosts, with evidence and what would put it right",
    answers=ClusterExplained,
)
EXPLAIN_HOST = ours(
    "explainHost",
    "GET /infra-envs/{infra_env_id}/hosts/{host_id}/explain",
    READER,
    query=ExplainQuery,
    summary="Every verdict on a host, with evidence and what would put it right",
    answers=HostExplained,
)
WHAT_IF = ours(
    "whatIf",
    "POST /clusters/{cluster_id}/what-if",
    READER,
    body=Supposition,
    summary="What would become of a cluster and its hosts if something were changed; nothing is saved",
    answers=SupposedOut,
)
HISTORY_OF_CLUSTER = ours(
    "clusterHistory",
    "GET /clusters/{cluster_id}/history",
    READER,
    query=HistoryQuery,
    summary="What changed about a cluster and when, and what it was at a moment",
    answers=HistoryOut,
)
HISTORY_OF_HOST = ours(
    "hostHistory",
    "GET /infra-envs/{infra_env_id}/hosts/{host_id}/history",
    READER,
    query=HistoryQuery,
    summary="What changed about a host and when, and what it was at a moment",
    answers=HistoryOut,
)
TIMELINE = ours(
    "clusterTimeline",
    "GET /clusters/{cluster_id}/timeline",
    READER,
    query=TimelineQuery,
    summary="What the time of an installation was spent on: spans, the critical path and what took longest",
    answers=TimelineOut,
)
RECORDING = ours(
    "clusterRecording",
    "GET /clusters/{cluster_id}/recording",
    READER,
    gives=BYTES,
    summary="All that is known of a cluster and how it came to be so, without secrets, as a file for `muster replay`",
)
HOST_PAGE = Endpoint(
    name="hostPage",
    method="GET",
    path="/h/{code}",
    access=(READER,),
    gives=PAGE,
    also=(409,),
    summary="The page of a host, by the first characters of its id, as its console shows them",
)

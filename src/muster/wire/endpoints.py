"""Everything that can be called, declared once. Server, client and OpenAPI are bound to these rows."""

import re
from typing import Any

from muster.domain.inputs.clusters import ClusterCreate, ClusterUpdate
from muster.domain.inputs.hosts import HostUpdate
from muster.domain.inputs.infra_envs import InfraEnvCreate, InfraEnvUpdate
from muster.domain.record import Record
from muster.domain.what_if import Supposition

from .clusters import (
    ClusterHostsQuery,
    ClusterQuery,
    ClustersQuery,
    Completion,
    CredentialsQuery,
    FileQuery,
    FinalizingProgress,
    LogsQuery,
    OperatorReport,
    OperatorsQuery,
    UploadQuery,
)
from .events import EventsQuery
from .hosts import HostCreate, HostProgressReport, InstructionsQuery, LogsProgress
from .infra_envs import InfraEnvsQuery
from .muster import ExplainQuery, HistoryQuery, StreamQuery
from .steps import StepReply
from .versions import VersionsQuery

DROP_IN = "/api/assisted-install"
OURS = "/api/muster/v1"

JSON = "application/json"
BYTES = "application/octet-stream"
STREAM = "text/event-stream"
FORM = "multipart/form-data"


class Endpoint(Record):
    """One call: where it goes, what it takes, what it answers."""

    name: str
    method: str
    path: str
    status: int = 200
    query: type[Record] | None = None
    body: Any = None
    takes: str = JSON
    gives: str = JSON
    summary: str = ""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names in the path."""
        return tuple(re.findall(r"{(\w+)}", self.path))

    def url(self, **parameters: str) -> str:
        """The path with its names filled in."""
        return self.path.format(**parameters)


def _v2(name: str, call: str, status: int = 200, **traits: Any) -> Endpoint:
    method, path = call.split(" ")
    return Endpoint(name=name, method=method, path=f"{DROP_IN}/v2{path}", status=status, **traits)


def _ours(name: str, call: str, status: int = 200, **traits: Any) -> Endpoint:
    method, path = call.split(" ")
    return Endpoint(name=name, method=method, path=f"{OURS}{path}", status=status, **traits)


CLUSTER = "/clusters/{cluster_id}"
INFRA_ENV = "/infra-envs/{infra_env_id}"
HOST = f"{INFRA_ENV}/hosts/{{host_id}}"

REGISTER_CLUSTER = _v2("v2RegisterCluster", "POST /clusters", 201, body=ClusterCreate)
LIST_CLUSTERS = _v2("v2ListClusters", "GET /clusters", query=ClustersQuery)
GET_CLUSTER = _v2("v2GetCluster", f"GET {CLUSTER}", query=ClusterQuery)
UPDATE_CLUSTER = _v2("V2UpdateCluster", f"PATCH {CLUSTER}", 201, body=ClusterUpdate)
DELETE_CLUSTER = _v2("v2DeregisterCluster", f"DELETE {CLUSTER}", 204)
LIST_CLUSTER_HOSTS = _v2("ListClusterHosts", f"GET {CLUSTER}/hosts", query=ClusterHostsQuery)
INSTALL_CLUSTER = _v2("v2InstallCluster", f"POST {CLUSTER}/actions/install", 202)
CANCEL_INSTALLATION = _v2("V2CancelInstallation", f"POST {CLUSTER}/actions/cancel", 202)
RESET_CLUSTER = _v2("v2ResetCluster", f"POST {CLUSTER}/actions/reset", 202)
COMPLETE_INSTALLATION = _v2(
    "v2CompleteInstallation", f"POST {CLUSTER}/actions/complete-installation", 202, body=Completion
)
FINALIZING_PROGRESS = _v2("v2UpdateClusterFinalizingProgress", f"PUT {CLUSTER}/progress", body=FinalizingProgress)
LIST_OPERATORS = _v2("V2ListOfClusterOperators", f"GET {CLUSTER}/monitored-operators", query=OperatorsQuery)
REPORT_OPERATOR = _v2("v2ReportMonitoredOperatorStatus", f"PUT {CLUSTER}/monitored-operators", body=OperatorReport)
UPLOAD_INGRESS_CERT = _v2("v2UploadClusterIngressCert", f"POST {CLUSTER}/uploads/ingress-cert", 201, body=str)
GET_CREDENTIALS = _v2("V2GetCredentials", f"GET {CLUSTER}/credentials")
DOWNLOAD_CREDENTIALS = _v2(
    "V2DownloadClusterCredentials", f"GET {CLUSTER}/downloads/credentials", query=CredentialsQuery, gives=BYTES
)
DOWNLOAD_FILES = _v2("V2DownloadClusterFiles", f"GET {CLUSTER}/downloads/files", query=FileQuery, gives=BYTES)
UPLOAD_LOGS = _v2("V2UploadLogs", f"POST {CLUSTER}/logs", 204, query=UploadQuery, takes=FORM)
DOWNLOAD_LOGS = _v2("V2DownloadClusterLogs", f"GET {CLUSTER}/logs", query=LogsQuery, gives=BYTES)
CLUSTER_LOGS_PROGRESS = _v2("v2UpdateClusterLogsProgress", f"PUT {CLUSTER}/logs-progress", 204, body=LogsProgress)

REGISTER_INFRA_ENV = _v2("RegisterInfraEnv", "POST /infra-envs", 201, body=InfraEnvCreate)
LIST_INFRA_ENVS = _v2("ListInfraEnvs", "GET /infra-envs", query=InfraEnvsQuery)
GET_INFRA_ENV = _v2("GetInfraEnv", f"GET {INFRA_ENV}")
UPDATE_INFRA_ENV = _v2("UpdateInfraEnv", f"PATCH {INFRA_ENV}", 201, body=InfraEnvUpdate)
DELETE_INFRA_ENV = _v2("DeregisterInfraEnv", f"DELETE {INFRA_ENV}", 204)
INFRA_ENV_IMAGE_URL = _v2("GetInfraEnvDownloadURL", f"GET {INFRA_ENV}/downloads/image-url")

REGISTER_HOST = _v2("v2RegisterHost", f"POST {INFRA_ENV}/hosts", 201, body=HostCreate)
LIST_HOSTS = _v2("v2ListHosts", f"GET {INFRA_ENV}/hosts")
GET_HOST = _v2("v2GetHost", f"GET {HOST}")
UPDATE_HOST = _v2("v2UpdateHost", f"PATCH {HOST}", 201, body=HostUpdate)
DELETE_HOST = _v2("v2DeregisterHost", f"DELETE {HOST}", 204)
GET_NEXT_STEPS = _v2("v2GetNextSteps", f"GET {HOST}/instructions", query=InstructionsQuery)
POST_STEP_REPLY = _v2("v2PostStepReply", f"POST {HOST}/instructions", 204, body=StepReply)
HOST_PROGRESS = _v2("v2UpdateHostInstallProgress", f"PUT {HOST}/progress", body=HostProgressReport)
HOST_LOGS_PROGRESS = _v2("v2UpdateHostLogsProgress", f"PUT {HOST}/logs-progress", 204, body=LogsProgress)
DOWNLOAD_HOST_IGNITION = _v2(
    "v2DownloadHostIgnition", "GET /infra-env/{infra_env_id}/hosts/{host_id}/downloads/ignition", gives=BYTES
)

LIST_EVENTS = _v2("v2ListEvents", "GET /events", query=EventsQuery)
COMPONENT_VERSIONS = _v2("v2ListComponentVersions", "GET /component-versions")
OPENSHIFT_VERSIONS = _v2("v2ListSupportedOpenshiftVersions", "GET /openshift-versions", query=VersionsQuery)

STREAM_CHANGES = _ours("stream", "GET /stream", query=StreamQuery, gives=STREAM, summary="Every change, as it happens")
EXPLAIN_CLUSTER = _ours(
    "explainCluster",
    "GET /clusters/{cluster_id}/explain",
    query=ExplainQuery,
    summary="Every verdict on a cluster and its hosts, with evidence and what would put it right",
)
EXPLAIN_HOST = _ours(
    "explainHost",
    "GET /infra-envs/{infra_env_id}/hosts/{host_id}/explain",
    query=ExplainQuery,
    summary="Every verdict on a host, with evidence and what would put it right",
)
WHAT_IF = _ours(
    "whatIf",
    "POST /clusters/{cluster_id}/what-if",
    body=Supposition,
    summary="What would become of a cluster and its hosts if something were changed; nothing is saved",
)
HISTORY_OF_CLUSTER = _ours(
    "clusterHistory",
    "GET /clusters/{cluster_id}/history",
    query=HistoryQuery,
    summary="What changed about a cluster and when, and what it was at a moment",
)
HISTORY_OF_HOST = _ours(
    "hostHistory",
    "GET /infra-envs/{infra_env_id}/hosts/{host_id}/history",
    query=HistoryQuery,
    summary="What changed about a host and when, and what it was at a moment",
)

ENDPOINTS: tuple[Endpoint, ...] = tuple(each for each in list(globals().values()) if isinstance(each, Endpoint))

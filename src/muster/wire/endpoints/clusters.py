"""Calls about clusters."""

from muster.domain.clusters import PlatformType
from muster.domain.inputs.clusters import ClusterCreate, ClusterUpdate
from muster.domain.inputs.clusters_elsewhere import ClusterImport, DisconnectedClusterCreate
from muster.domain.inputs.ignored import IgnoredValidations
from muster.domain.preflight import Preflight
from muster.wire.answers.clusters import ClusterOut, CredentialsOut, MonitoredOperatorOut
from muster.wire.answers.hosts import HostOut
from muster.wire.answers.infra_envs import LinkOut
from muster.wire.cluster_requests import (
    AgentHeaders,
    ClusterHeaders,
    ClusterHostsQuery,
    ClusterQuery,
    ClustersHeaders,
    ClustersQuery,
    Completion,
    CredentialsQuery,
    FileQuery,
    FinalizingProgress,
    LinkedFileQuery,
    LogsQuery,
    OperatorReport,
    OperatorsQuery,
    UploadQuery,
)
from muster.wire.defaults import DefaultConfig
from muster.wire.hosts import LogsProgress

from .endpoint import AGENT, BYTES, CLUSTER, FORM, LINK, OWNER, READER, USER, WATCHER, v2

REGISTER_CLUSTER = v2("v2RegisterCluster", "POST /clusters", USER, status=201, body=ClusterCreate, answers=ClusterOut)
IMPORT_CLUSTER = v2(
    "v2ImportCluster", "POST /clusters/import", USER, status=201, body=ClusterImport, answers=ClusterOut
)
REGISTER_DISCONNECTED_CLUSTER = v2(
    "v2RegisterDisconnectedCluster",
    "POST /clusters/disconnected",
    USER,
    status=201,
    body=DisconnectedClusterCreate,
    answers=ClusterOut,
)
DEFAULT_CONFIG = v2("V2GetClusterDefaultConfig", "GET /clusters/default-config", READER, answers=DefaultConfig)
LIST_CLUSTERS = v2(
    "v2ListClusters",
    "GET /clusters",
    READER,
    WATCHER,
    query=ClustersQuery,
    headers=ClustersHeaders,
    answers=tuple[ClusterOut, ...],
)
GET_CLUSTER = v2(
    "v2GetCluster",
    f"GET {CLUSTER}",
    READER,
    AGENT,
    WATCHER,
    query=ClusterQuery,
    headers=ClusterHeaders,
    answers=ClusterOut,
)
UPDATE_CLUSTER = v2("V2UpdateCluster", f"PATCH {CLUSTER}", USER, status=201, body=ClusterUpdate, answers=ClusterOut)
DELETE_CLUSTER = v2("v2DeregisterCluster", f"DELETE {CLUSTER}", USER, status=204)
LIST_CLUSTER_HOSTS = v2(
    "ListClusterHosts", f"GET {CLUSTER}/hosts", READER, AGENT, query=ClusterHostsQuery, answers=tuple[HostOut, ...]
)
SUPPORTED_PLATFORMS = v2(
    "GetClusterSupportedPlatforms",
    f"GET {CLUSTER}/supported-platforms",
    READER,
    answers=tuple[PlatformType, ...],
)
PREFLIGHT_REQUIREMENTS = v2(
    "v2GetPreflightRequirements", f"GET {CLUSTER}/preflight-requirements", READER, answers=Preflight
)
GET_INSTALL_CONFIG = v2("v2GetClusterInstallConfig", f"GET {CLUSTER}/install-config", READER, answers=str)
UPDATE_INSTALL_CONFIG = v2(
    "v2UpdateClusterInstallConfig", f"PATCH {CLUSTER}/install-config", USER, status=201, body=str
)
GET_IGNORED_VALIDATIONS = v2(
    "v2GetIgnoredValidations", f"GET {CLUSTER}/ignored-validations", USER, answers=IgnoredValidations
)
SET_IGNORED_VALIDATIONS = v2(
    "v2SetIgnoredValidations",
    f"PUT {CLUSTER}/ignored-validations",
    USER,
    status=201,
    body=IgnoredValidations,
    answers=IgnoredValidations,
)
GET_UI_SETTINGS = v2("V2GetClusterUISettings", f"GET {CLUSTER}/ui-settings", USER, answers=str)
UPDATE_UI_SETTINGS = v2("V2UpdateClusterUISettings", f"PUT {CLUSTER}/ui-settings", USER, body=str, answers=str)
INSTALL_CLUSTER = v2("v2InstallCluster", f"POST {CLUSTER}/actions/install", USER, status=202, answers=ClusterOut)
CANCEL_INSTALLATION = v2("V2CancelInstallation", f"POST {CLUSTER}/actions/cancel", USER, status=202, answers=ClusterOut)
RESET_CLUSTER = v2("v2ResetCluster", f"POST {CLUSTER}/actions/reset", USER, status=202, answers=ClusterOut)
ALLOW_ADD_HOSTS = v2(
    "TransformClusterToAddingHosts", f"POST {CLUSTER}/actions/allow-add-hosts", USER, status=202, answers=ClusterOut
)
ALLOW_ADD_WORKERS = v2(
    "TransformClusterToDay2", f"POST {CLUSTER}/actions/allow-add-workers", USER, status=202, answers=ClusterOut
)
COMPLETE_INSTALLATION = v2(
    "v2CompleteInstallation",
    f"POST {CLUSTER}/actions/complete-installation",
    AGENT,
    status=202,
    headers=AgentHeaders,
    body=Completion,
    answers=ClusterOut,
)
FINALIZING_PROGRESS = v2("v2UpdateClusterFinalizingProgress", f"PUT {CLUSTER}/progress", AGENT, body=FinalizingProgress)
LIST_OPERATORS = v2(
    "V2ListOfClusterOperators",
    f"GET {CLUSTER}/monitored-operators",
    AGENT,
    query=OperatorsQuery,
    answers=tuple[MonitoredOperatorOut, ...],
)
REPORT_OPERATOR = v2(
    "v2ReportMonitoredOperatorStatus", f"PUT {CLUSTER}/monitored-operators", AGENT, body=OperatorReport
)
UPLOAD_INGRESS_CERT = v2(
    "v2UploadClusterIngressCert",
    f"POST {CLUSTER}/uploads/ingress-cert",
    AGENT,
    status=201,
    headers=AgentHeaders,
    body=str,
)
GET_CREDENTIALS = v2("V2GetCredentials", f"GET {CLUSTER}/credentials", OWNER, answers=CredentialsOut, also=(409,))
DOWNLOAD_CREDENTIALS = v2(
    "V2DownloadClusterCredentials",
    f"GET {CLUSTER}/downloads/credentials",
    OWNER,
    AGENT,
    query=CredentialsQuery,
    gives=BYTES,
    also=(409,),
)
LINK_TO_CREDENTIALS = v2(
    "V2GetPresignedForClusterCredentials",
    f"GET {CLUSTER}/downloads/credentials-presigned",
    OWNER,
    query=CredentialsQuery,
    answers=LinkOut,
)
DOWNLOAD_FILES = v2(
    "V2DownloadClusterFiles",
    f"GET {CLUSTER}/downloads/files",
    READER,
    AGENT,
    LINK,
    query=FileQuery,
    headers=AgentHeaders,
    gives=BYTES,
    also=(409,),
)
LINK_TO_FILES = v2(
    "V2GetPresignedForClusterFiles",
    f"GET {CLUSTER}/downloads/files-presigned",
    READER,
    query=LinkedFileQuery,
    answers=LinkOut,
    also=(409,),
)
UPLOAD_LOGS = v2("V2UploadLogs", f"POST {CLUSTER}/logs", AGENT, status=204, query=UploadQuery, takes=FORM)
DOWNLOAD_LOGS = v2(
    "V2DownloadClusterLogs", f"GET {CLUSTER}/logs", READER, LINK, query=LogsQuery, gives=BYTES, also=(409,)
)
CLUSTER_LOGS_PROGRESS = v2(
    "v2UpdateClusterLogsProgress", f"PUT {CLUSTER}/logs-progress", AGENT, status=204, body=LogsProgress
)

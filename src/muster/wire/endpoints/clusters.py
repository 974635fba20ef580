"""Calls about clusters."""

from muster.domain.inputs.clusters import ClusterCreate, ClusterUpdate
from muster.wire.clusters import (
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
from muster.wire.hosts import LogsProgress

from .endpoint import AGENT, BYTES, CLUSTER, FORM, LINK, OWNER, READER, USER, WATCHER, v2

REGISTER_CLUSTER = v2("v2RegisterCluster", "POST /clusters", USER, status=201, body=ClusterCreate)
LIST_CLUSTERS = v2("v2ListClusters", "GET /clusters", READER, WATCHER, query=ClustersQuery)
GET_CLUSTER = v2("v2GetCluster", f"GET {CLUSTER}", READER, AGENT, WATCHER, query=ClusterQuery)
UPDATE_CLUSTER = v2("V2UpdateCluster", f"PATCH {CLUSTER}", USER, status=201, body=ClusterUpdate)
DELETE_CLUSTER = v2("v2DeregisterCluster", f"DELETE {CLUSTER}", USER, status=204)
LIST_CLUSTER_HOSTS = v2("ListClusterHosts", f"GET {CLUSTER}/hosts", READER, AGENT, query=ClusterHostsQuery)
INSTALL_CLUSTER = v2("v2InstallCluster", f"POST {CLUSTER}/actions/install", USER, status=202)
CANCEL_INSTALLATION = v2("V2CancelInstallation", f"POST {CLUSTER}/actions/cancel", USER, status=202)
RESET_CLUSTER = v2("v2ResetCluster", f"POST {CLUSTER}/actions/reset", USER, status=202)
COMPLETE_INSTALLATION = v2(
    "v2CompleteInstallation", f"POST {CLUSTER}/actions/complete-installation", AGENT, status=202, body=Completion
)
FINALIZING_PROGRESS = v2("v2UpdateClusterFinalizingProgress", f"PUT {CLUSTER}/progress", AGENT, body=FinalizingProgress)
LIST_OPERATORS = v2("V2ListOfClusterOperators", f"GET {CLUSTER}/monitored-operators", AGENT, query=OperatorsQuery)
REPORT_OPERATOR = v2(
    "v2ReportMonitoredOperatorStatus", f"PUT {CLUSTER}/monitored-operators", AGENT, body=OperatorReport
)
UPLOAD_INGRESS_CERT = v2(
    "v2UploadClusterIngressCert", f"POST {CLUSTER}/uploads/ingress-cert", AGENT, status=201, body=str
)
GET_CREDENTIALS = v2("V2GetCredentials", f"GET {CLUSTER}/credentials", OWNER)
DOWNLOAD_CREDENTIALS = v2(
    "V2DownloadClusterCredentials",
    f"GET {CLUSTER}/downloads/credentials",
    OWNER,
    AGENT,
    query=CredentialsQuery,
    gives=BYTES,
)
DOWNLOAD_FILES = v2(
    "V2DownloadClusterFiles", f"GET {CLUSTER}/downloads/files", READER, AGENT, LINK, query=FileQuery, gives=BYTES
)
UPLOAD_LOGS = v2("V2UploadLogs", f"POST {CLUSTER}/logs", AGENT, status=204, query=UploadQuery, takes=FORM)
DOWNLOAD_LOGS = v2("V2DownloadClusterLogs", f"GET {CLUSTER}/logs", READER, LINK, query=LogsQuery, gives=BYTES)
CLUSTER_LOGS_PROGRESS = v2(
    "v2UpdateClusterLogsProgress", f"PUT {CLUSTER}/logs-progress", AGENT, status=204, body=LogsProgress
)

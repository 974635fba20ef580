"""The calls as they were before: those that are still the same follow from the rows of today."""

from muster.wire.answers.clusters import ClusterOutV1
from muster.wire.answers.events import EventOutV1
from muster.wire.v1 import (
    AddHostsClusterV1,
    ClusterCreateV1,
    ClusterUpdateV1,
    DiscoveryIgnition,
    EventsQueryV1,
    FileQueryV1,
    FreeAddressesQuery,
    HostRequirementsV1,
    ImageCreateV1,
    LinkedFileQueryV1,
    OpenshiftVersionV1,
)

from . import clusters, domains, events, hosts, manifests, operators, versions
from .endpoint import AGENT, ANYONE, BEFORE, BYTES, CLUSTER, LINK, READER, USER, Access, Endpoint, v1

HOST = f"{CLUSTER}/hosts/{{host_id}}"
IMAGE = f"{CLUSTER}/downloads/image"


def as_before(row: Endpoint, name: str, call: str, *access: Access) -> Endpoint:
    """A call of today where it was before, under the name and with the ways in that it had then."""
    method, path = call.split(" ")
    return row.but(name=name, method=method, path=f"{BEFORE}{path}", access=access)


# Clusters

REGISTER_CLUSTER = as_before(clusters.REGISTER_CLUSTER, "RegisterCluster", "POST /clusters", USER).but(
    body=ClusterCreateV1, answers=ClusterOutV1
)
LIST_CLUSTERS = as_before(clusters.LIST_CLUSTERS, "ListClusters", "GET /clusters", READER).but(
    answers=tuple[ClusterOutV1, ...]
)
GET_CLUSTER = as_before(clusters.GET_CLUSTER, "GetCluster", f"GET {CLUSTER}", READER, AGENT).but(
    query=None, answers=ClusterOutV1
)
UPDATE_CLUSTER = as_before(clusters.UPDATE_CLUSTER, "UpdateCluster", f"PATCH {CLUSTER}", USER).but(
    body=ClusterUpdateV1, answers=ClusterOutV1
)
DELETE_CLUSTER = as_before(clusters.DELETE_CLUSTER, "DeregisterCluster", f"DELETE {CLUSTER}", USER)
INSTALL_CLUSTER = as_before(clusters.INSTALL_CLUSTER, "InstallCluster", f"POST {CLUSTER}/actions/install", USER).but(
    answers=ClusterOutV1
)
CANCEL_INSTALLATION = as_before(
    clusters.CANCEL_INSTALLATION, "CancelInstallation", f"POST {CLUSTER}/actions/cancel", USER
).but(answers=ClusterOutV1)
RESET_CLUSTER = as_before(clusters.RESET_CLUSTER, "ResetCluster", f"POST {CLUSTER}/actions/reset", USER).but(
    answers=ClusterOutV1
)
INSTALL_HOSTS = v1("InstallHosts", f"POST {CLUSTER}/actions/install_hosts", USER, status=202, answers=ClusterOutV1)
COMPLETE_INSTALLATION = as_before(
    clusters.COMPLETE_INSTALLATION, "CompleteInstallation", f"POST {CLUSTER}/actions/complete_installation", AGENT
).but(answers=ClusterOutV1)
LIST_OPERATORS = as_before(
    clusters.LIST_OPERATORS, "ListOfClusterOperators", f"GET {CLUSTER}/monitored_operators", AGENT
)
REPORT_OPERATOR = as_before(
    clusters.REPORT_OPERATOR, "ReportMonitoredOperatorStatus", f"PUT {CLUSTER}/monitored_operators", AGENT
)
UPLOAD_INGRESS_CERT = as_before(
    clusters.UPLOAD_INGRESS_CERT, "UploadClusterIngressCert", f"POST {CLUSTER}/uploads/ingress-cert", AGENT
)
DEFAULT_CONFIG = as_before(clusters.DEFAULT_CONFIG, "GetClusterDefaultConfig", "GET /clusters/default-config", READER)
GET_INSTALL_CONFIG = as_before(
    clusters.GET_INSTALL_CONFIG, "GetClusterInstallConfig", f"GET {CLUSTER}/install-config", READER
)
UPDATE_INSTALL_CONFIG = as_before(
    clusters.UPDATE_INSTALL_CONFIG, "UpdateClusterInstallConfig", f"PATCH {CLUSTER}/install-config", USER
)
PREFLIGHT_REQUIREMENTS = as_before(
    clusters.PREFLIGHT_REQUIREMENTS, "GetPreflightRequirements", f"GET {CLUSTER}/preflight-requirements", READER
)
ADD_HOSTS_CLUSTER = as_before(clusters.IMPORT_CLUSTER, "RegisterAddHostsCluster", "POST /add_hosts_clusters", USER).but(
    body=AddHostsClusterV1, answers=ClusterOutV1
)
FREE_ADDRESSES = v1(
    "GetFreeAddresses", f"GET {CLUSTER}/free_addresses", READER, query=FreeAddressesQuery, answers=tuple[str, ...]
)
HOST_REQUIREMENTS = v1(
    "GetClusterHostRequirements", f"GET {CLUSTER}/host-requirements", READER, answers=tuple[HostRequirementsV1, ...]
)
LIST_EVENTS = as_before(events.LIST_EVENTS, "ListEvents", f"GET {CLUSTER}/events", READER, LINK).but(
    query=EventsQueryV1, answers=tuple[EventOutV1, ...], counts=()
)

# Discovery images

GENERATE_IMAGE = v1("GenerateClusterISO", f"POST {IMAGE}", USER, status=201, body=ImageCreateV1, answers=ClusterOutV1)
DOWNLOAD_IMAGE = v1("DownloadClusterISO", f"GET {IMAGE}", READER, LINK, status=307, gives=BYTES)
IMAGE_HEADERS = v1("DownloadClusterISOHeaders", f"HEAD {IMAGE}", READER, LINK, status=307, gives=BYTES)
GET_DISCOVERY_IGNITION = v1(
    "GetDiscoveryIgnition", f"GET {CLUSTER}/discovery-ignition", READER, answers=DiscoveryIgnition
)
CHANGE_DISCOVERY_IGNITION = v1(
    "UpdateDiscoveryIgnition", f"PATCH {CLUSTER}/discovery-ignition", USER, status=201, body=DiscoveryIgnition
)

# Files and logs

DOWNLOAD_FILES = as_before(
    clusters.DOWNLOAD_FILES, "DownloadClusterFiles", f"GET {CLUSTER}/downloads/files", READER, AGENT, LINK
).but(query=FileQueryV1)
LINK_TO_FILES = as_before(
    clusters.LINK_TO_FILES, "GetPresignedForClusterFiles", f"GET {CLUSTER}/downloads/files-presigned", READER
).but(query=LinkedFileQueryV1)
DOWNLOAD_KUBECONFIG = as_before(
    clusters.DOWNLOAD_CREDENTIALS, "DownloadClusterKubeconfig", f"GET {CLUSTER}/downloads/kubeconfig", READER, LINK
).but(query=None)
GET_CREDENTIALS = as_before(clusters.GET_CREDENTIALS, "GetCredentials", f"GET {CLUSTER}/credentials", READER)
UPLOAD_LOGS = as_before(clusters.UPLOAD_LOGS, "UploadLogs", f"POST {CLUSTER}/logs", AGENT)
DOWNLOAD_LOGS = as_before(clusters.DOWNLOAD_LOGS, "DownloadClusterLogs", f"GET {CLUSTER}/logs", READER, LINK)
CLUSTER_LOGS_PROGRESS = as_before(
    clusters.CLUSTER_LOGS_PROGRESS, "UpdateClusterLogsProgress", f"PUT {CLUSTER}/logs_progress", AGENT
)
UPLOAD_HOST_LOGS = as_before(clusters.UPLOAD_LOGS, "UploadHostLogs", f"POST {HOST}/logs", AGENT).but(query=None)
DOWNLOAD_HOST_LOGS = as_before(clusters.DOWNLOAD_LOGS, "DownloadHostLogs", f"GET {HOST}/logs", READER, LINK).but(
    query=None
)
HOST_LOGS_PROGRESS = as_before(hosts.HOST_LOGS_PROGRESS, "UpdateHostLogsProgress", f"PUT {HOST}/logs_progress", AGENT)

# Manifests

LIST_MANIFESTS = as_before(manifests.LIST_MANIFESTS, "ListClusterManifests", f"GET {CLUSTER}/manifests", ANYONE)
CREATE_MANIFEST = as_before(manifests.CREATE_MANIFEST, "CreateClusterManifest", f"POST {CLUSTER}/manifests", ANYONE)
DELETE_MANIFEST = as_before(manifests.DELETE_MANIFEST, "DeleteClusterManifest", f"DELETE {CLUSTER}/manifests", USER)
DOWNLOAD_MANIFEST = as_before(
    manifests.DOWNLOAD_MANIFEST, "DownloadClusterManifest", f"GET {CLUSTER}/manifests/files", ANYONE
)

# Hosts

REGISTER_HOST = as_before(hosts.REGISTER_HOST, "RegisterHost", f"POST {CLUSTER}/hosts", AGENT)
LIST_HOSTS = as_before(hosts.LIST_HOSTS, "ListHosts", f"GET {CLUSTER}/hosts", READER, AGENT)
GET_HOST = as_before(hosts.GET_HOST, "GetHost", f"GET {HOST}", READER)
DELETE_HOST = as_before(hosts.DELETE_HOST, "DeregisterHost", f"DELETE {HOST}", USER)
GET_NEXT_STEPS = as_before(hosts.GET_NEXT_STEPS, "GetNextSteps", f"GET {HOST}/instructions", AGENT)
POST_STEP_REPLY = as_before(hosts.POST_STEP_REPLY, "PostStepReply", f"POST {HOST}/instructions", AGENT)
HOST_PROGRESS = as_before(hosts.HOST_PROGRESS, "UpdateHostInstallProgress", f"PUT {HOST}/progress", AGENT)
INSTALL_HOST = as_before(hosts.INSTALL_HOST, "InstallHost", f"POST {HOST}/actions/install", USER)
RESET_HOST = as_before(hosts.RESET_HOST, "ResetHost", f"POST {HOST}/actions/reset", USER)
RESET_HOST_VALIDATION = as_before(
    hosts.RESET_HOST_VALIDATION,
    "ResetHostValidation",
    f"PATCH {HOST}/actions/reset-validation/{{validation_id}}",
    USER,
)
UPDATE_INSTALLER_ARGS = as_before(
    hosts.UPDATE_INSTALLER_ARGS, "UpdateHostInstallerArgs", f"PATCH {HOST}/installer-args", USER
)
GET_HOST_IGNITION = as_before(hosts.GET_HOST_IGNITION, "GetHostIgnition", f"GET {HOST}/ignition", USER)
UPDATE_HOST_IGNITION = as_before(hosts.UPDATE_HOST_IGNITION, "UpdateHostIgnition", f"PATCH {HOST}/ignition", USER)
DOWNLOAD_HOST_IGNITION = as_before(
    hosts.DOWNLOAD_HOST_IGNITION, "DownloadHostIgnition", f"GET {HOST}/downloads/ignition", READER, AGENT
)

# What is on offer

LIST_DOMAINS = as_before(domains.LIST_DOMAINS, "ListManagedDomains", "GET /domains", READER)
COMPONENT_VERSIONS = as_before(versions.COMPONENT_VERSIONS, "ListComponentVersions", "GET /component_versions", READER)
OPENSHIFT_VERSIONS = v1(
    "ListSupportedOpenshiftVersions", "GET /openshift_versions", READER, answers=dict[str, OpenshiftVersionV1]
)
SUPPORTED_OPERATORS = as_before(
    operators.SUPPORTED_OPERATORS, "ListSupportedOperators", "GET /supported-operators", USER
)
OPERATOR_PROPERTIES = as_before(
    operators.OPERATOR_PROPERTIES, "ListOperatorProperties", "GET /supported-operators/{operator_name}", READER
)

"""What callers say about clusters: which ones they mean, how much of them, and small reports.

The rows of `endpoints/clusters.py` name these; descriptions of clusters are in `domain/inputs`.
"""

from typing import Any, Literal

import msgspec

from muster.domain.inputs.fields import Uuid
from muster.domain.record import Record


class ClustersQuery(Record):
    """Which clusters a client wants, and how much of them."""

    openshift_cluster_id: Uuid | None = None
    ams_subscription_ids: tuple[str, ...] = ()
    with_hosts: bool = False
    owner: str = ""


class ClustersHeaders(Record):
    """Whether a client wants to see what was given up, too."""

    get_unregistered_clusters: bool = False


class AgentHeaders(Record):
    """What an agent says of itself."""

    discovery_agent_version: str = ""


class ClusterHeaders(ClustersHeaders):
    """The same for one cluster, which agents look at too."""

    discovery_agent_version: str = ""


class ClusterQuery(Record):
    """How much of a cluster a client wants."""

    exclude_hosts: bool = msgspec.field(name="exclude-hosts", default=False)


class ClusterHostsQuery(Record):
    """Which hosts of a cluster a client wants, and how much of them."""

    role: Literal["", "master", "arbiter", "worker", "auto-assign"] = ""
    status: str = ""
    with_inventory: bool = msgspec.field(name="with-inventory", default=False)
    with_connectivity: bool = msgspec.field(name="with-connectivity", default=False)


class CredentialsQuery(Record):
    """Which credentials a client wants."""

    file_name: Literal["kubeadmin-password", "kubeconfig", "kubeconfig-noingress"]


class FileQuery(Record):
    """Which generated file a client wants."""

    file_name: Literal[
        "bootstrap.ign", "master.ign", "arbiter.ign", "worker.ign", "metadata.json", "install-config.yaml",
        "custom_manifests.json", "custom_manifests.yaml",
    ]  # fmt: skip


LogsType = Literal["host", "controller", "all"]


class LinkedFileQuery(Record):
    """To which file of a cluster a link is wanted; logs and manifests are many, and more has to be said of them."""

    file_name: Literal[
        "bootstrap.ign", "master.ign", "worker.ign", "metadata.json", "install-config.yaml", "logs", "manifests",
    ]  # fmt: skip
    logs_type: LogsType | None = None
    host_id: Uuid | None = None
    additional_name: str = ""


class UploadQuery(Record):
    """Whose logs are coming."""

    logs_type: Literal["host", "controller"]
    host_id: Uuid | None = None
    infra_env_id: Uuid | None = None


class LogsQuery(Record):
    """Whose logs are wanted."""

    logs_type: LogsType = "all"
    host_id: Uuid | None = None


class OperatorsQuery(Record):
    """Which operator is meant; all of them if none is named."""

    operator_name: str = ""


class OperatorReport(Record, forbid_unknown_fields=True):
    """How an operator is doing."""

    name: str = ""
    status: Literal["", "failed", "progressing", "available"] = ""
    status_info: str = ""
    version: str = ""


class FinalizingProgress(Record, forbid_unknown_fields=True):
    """The stage a new cluster has come to."""

    finalizing_stage: Literal[
        "", "Waiting for cluster operators", "Adding router ca", "Applying olm manifests",
        "Waiting for olm operators csv initialization", "Waiting for olm operators csv",
        "Waiting for OLM operator setup jobs", "Done",
    ] = ""  # fmt: skip


class Completion(Record, forbid_unknown_fields=True):
    """The controller's last word."""

    is_success: bool
    error_info: str = ""
    data: dict[str, Any] = {}

    @property
    def failed_operators(self) -> tuple[str, ...]:
        """The operators that kept the cluster from coming up, as far as the controller tells."""
        reports = self.data.get("CLUSTER_OPERATORS_REPORT")
        listed = [each for each in reports if isinstance(each, dict)] if isinstance(reports, list) else []
        return tuple(str(each.get("name", "")) for each in listed if each.get("status") == "failed")

"""What is told to the user. One function per event; nothing else depends on them."""

from datetime import datetime
from enum import StrEnum

from .clusters import Cluster
from .infra_envs import InfraEnv
from .networks import Proxy
from .record import Record


class Severity(StrEnum):
    """How much an event matters."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"


class Event(Record):
    """A sentence for the user, about a cluster, a host or an infra-env."""

    name: str
    severity: Severity
    message: str
    cluster_id: str | None = None
    host_id: str | None = None
    infra_env_id: str | None = None
    category: str = "user"
    at: datetime | None = None
    props: str = ""
    """What whoever reported it has told besides, as a JSON object."""

    @property
    def alike(self) -> tuple[str | None, ...]:
        """What two events have in common that tell the same of the same."""
        return self.name, self.cluster_id, self.host_id, self.infra_env_id


class EventQuery(Record):
    """Which events are wanted."""

    cluster_id: str | None = None
    infra_env_id: str | None = None
    host_ids: tuple[str, ...] = ()
    categories: tuple[str, ...] = ("user",)
    severities: tuple[str, ...] = ()
    message: str = ""
    cluster_level: bool = False
    deleted_hosts: bool = False
    descending: bool = False
    limit: int = 5000
    offset: int = 0


class EventPage(Record):
    """The events found and how many there are of each kind."""

    events: tuple[Event, ...]
    count: int
    severities: dict[str, int]


def _of_cluster(name: str, cluster: Cluster, message: str, severity: Severity = Severity.INFO) -> Event:
    return Event(name=name, severity=severity, message=message, cluster_id=cluster.id)


def _of_infra_env(name: str, infra_env: InfraEnv, message: str, severity: Severity = Severity.INFO) -> Event:
    return Event(
        name=name,
        severity=severity,
        message=message,
        cluster_id=infra_env.cluster_id,
        infra_env_id=infra_env.id,
    )


# Clusters


def cluster_registration_succeeded(cluster: Cluster) -> Event:
    """A cluster was described for the first time."""
    return _of_cluster("cluster_registration_succeeded", cluster, f"Cluster {cluster.name} was registered")


def cluster_deregistered(cluster: Cluster) -> Event:
    """A cluster was given up."""
    return _of_cluster("cluster_deregistered", cluster, f"Cluster {cluster.name} was deleted")


def install_config_applied(cluster: Cluster) -> Event:
    """The user has laid changes over the install-config, or taken them back. They may be secret."""
    words = "was changed" if cluster.install_config_overrides else "is as generated again"
    return _of_cluster("install_config_applied", cluster, f"The install-config of cluster {cluster.name} {words}")


def after_inactivity_cluster_deregistered(cluster: Cluster, span: str) -> Event:
    """A cluster is given up because nobody has touched it for long."""
    return _of_cluster(
        "after_inactivity_cluster_deregistered",
        cluster,
        f"Cluster {cluster.name} has not changed, nor has any host of it been heard of, for {span}; it is deleted",
    )


def cluster_status_updated(cluster: Cluster) -> Event:
    """A cluster came to another state."""
    return _of_cluster(
        "cluster_status_updated", cluster, f"Cluster {cluster.name} is now {cluster.status}: {cluster.status_info}"
    )


def cluster_validation_failed(cluster: Cluster, validation: str, message: str) -> Event:
    """Something about the cluster is not, or no longer, as it should be."""
    return _of_cluster("cluster_validation_failed", cluster, f"Check {validation} fails: {message}", Severity.WARNING)


def cluster_validation_fixed(cluster: Cluster, validation: str, message: str) -> Event:
    """Something about the cluster is as it should be again."""
    return _of_cluster("cluster_validation_fixed", cluster, f"Check {validation} passes now: {message}")


def cluster_prepare_installation_started(cluster: Cluster) -> Event:
    """The files of the installation are there."""
    return _of_cluster(
        "cluster_prepare_installation_started", cluster, "The files for the installation have been generated"
    )


def prepare_installation_failed(cluster: Cluster, reason: str) -> Event:
    """The files of the installation could not be generated."""
    return _of_cluster(
        "prepare_installation_failed",
        cluster,
        f"The files for the installation could not be generated: {reason}",
        Severity.WARNING,
    )


def installation_preparing_timed_out(cluster: Cluster) -> Event:
    """Preparing took too long."""
    return _of_cluster("installation_preparing_timed_out", cluster, cluster.status_info, Severity.WARNING)


def api_ingress_vip_timed_out(cluster: Cluster) -> Event:
    """No DHCP server has leased the virtual addresses in time."""
    return _of_cluster(
        "api_ingress_vip_timed_out",
        cluster,
        f"No DHCP server of {', '.join(cluster.machine_networks)} has leased the API and ingress addresses in time",
        Severity.WARNING,
    )


def api_ingress_vip_updated(cluster: Cluster) -> Event:
    """A DHCP server has leased the virtual addresses, or leased others than before."""
    api, ingress = (", ".join(vip.ip for vip in vips) or "none" for vips in (cluster.api_vips, cluster.ingress_vips))
    return _of_cluster(
        "api_ingress_vip_updated",
        cluster,
        f"The virtual addresses were leased from DHCP: {api} for the API, {ingress} for ingress",
    )


def cluster_installation_completed(cluster: Cluster) -> Event:
    """The cluster is there."""
    return _of_cluster("cluster_installation_completed", cluster, f"Cluster {cluster.name} is installed")


def cluster_degraded_olm_operators_failed(cluster: Cluster) -> Event:
    """The cluster is there, without some of the operators that were to be added."""
    return _of_cluster("cluster_degraded_OLM_operators_failed", cluster, cluster.status_info, Severity.WARNING)


def cluster_installation_failed(cluster: Cluster) -> Event:
    """The cluster will not come up."""
    return _of_cluster(
        "cluster_installation_failed",
        cluster,
        f"The installation of cluster {cluster.name} has failed: {cluster.status_info}",
        Severity.CRITICAL,
    )


def cluster_installation_canceled(cluster: Cluster) -> Event:
    """The user stopped the installation."""
    return _of_cluster("cluster_installation_canceled", cluster, "The installation was cancelled")


def cluster_installation_reset(cluster: Cluster) -> Event:
    """The user starts over."""
    return _of_cluster("cluster_installation_reset", cluster, "The installation was reset")


def cluster_operator_status(cluster: Cluster, name: str, status: str, info: str) -> Event:
    """An operator told how it is doing."""
    said = f": {info}" if info else ""
    return _of_cluster("cluster_operator_status", cluster, f"Operator {name} is {status or 'unknown'}{said}")


def cluster_operator_report(cluster: Cluster, names: tuple[str, ...], said: str) -> Event:
    """What kept the cluster from coming up, as its controller sees it, and the operators that did."""
    operators = f"operators that failed: {', '.join(names)}" if names else ""
    words = "; ".join(filter(None, (said, operators)))
    return _of_cluster(
        "cluster_operator_report", cluster, f"The new cluster did not come up; its controller says: {words}"
    )


def cluster_finalizing_stage_updated(cluster: Cluster) -> Event:
    """The new cluster came to the next stage."""
    return _of_cluster(
        "cluster_finalizing_stage_updated", cluster, f"The cluster is at stage: {cluster.progress.finalizing_stage}"
    )


def finalizing_stage_timed_out(cluster: Cluster) -> Event:
    """A stage of the new cluster takes longer than it should."""
    return _of_cluster("finalizing_stage_timed_out", cluster, cluster.status_info, Severity.WARNING)


def kubeconfig_delayed(cluster: Cluster, reason: str) -> Event:
    """The kubeconfig cannot be published just now."""
    words = f"The kubeconfig cannot be published yet: {reason}; it is tried again"
    return _of_cluster("kubeconfig_delayed", cluster, words, Severity.WARNING)


def cluster_logs_uploaded(cluster: Cluster) -> Event:
    """The controller's logs have come."""
    return _of_cluster("cluster_logs_uploaded", cluster, "The logs of the controller have been uploaded")


def proxy_settings_changed(cluster: Cluster) -> Event:
    """The way to the outside was changed."""
    return _of_cluster("proxy_settings_changed", cluster, "The proxy settings were changed")


def cluster_deregister_failed(cluster: Cluster, reason: str) -> Event:
    """A cluster could not be given up."""
    return _of_cluster("cluster_deregister_failed", cluster, f"Deleting was refused: {reason}", Severity.ERROR)


def cancel_installation_failed(cluster: Cluster, reason: str) -> Event:
    """The installation could not be stopped."""
    return _of_cluster("cancel_installation_failed", cluster, f"Cancelling was refused: {reason}", Severity.ERROR)


def reset_installation_failed(cluster: Cluster, reason: str) -> Event:
    """The installation could not be started over."""
    return _of_cluster("reset_installation_failed", cluster, f"Resetting was refused: {reason}", Severity.ERROR)


def validations_ignored(cluster: Cluster) -> Event:
    """The installation was started in spite of what checks say, as the user wants it."""
    ignored = ", ".join((*cluster.ignored_cluster_validations, *cluster.ignored_host_validations))
    return _of_cluster("validations_ignored", cluster, f"The installation starts with ignored checks: {ignored}")


# Infra-envs


def infra_env_registered(infra_env: InfraEnv) -> Event:
    """A discovery image was described for the first time."""
    return _of_infra_env("infra_env_registered", infra_env, f"Infra-env {infra_env.name} was registered")


def infra_env_deregistered(infra_env: InfraEnv) -> Event:
    """A discovery image was given up."""
    return _of_infra_env("infra_env_deregistered", infra_env, f"Infra-env {infra_env.name} was deleted")


def infra_env_deregister_failed(infra_env: InfraEnv, reason: str) -> Event:
    """A discovery image could not be given up."""
    return _of_infra_env("infra_env_deregister_failed", infra_env, f"Deleting was refused: {reason}", Severity.ERROR)


def image_info_updated(infra_env: InfraEnv) -> Event:
    """The discovery image has a new address or content."""
    key = "with an SSH key" if infra_env.ssh_authorized_key else "without an SSH key"
    proxy = ", behind a proxy" if infra_env.proxy != Proxy() else ""
    return _of_infra_env(
        "image_info_updated",
        infra_env,
        f"The discovery image of {infra_env.name} has changed: it is a {infra_env.type} of OpenShift"
        f" {infra_env.openshift_version} for {infra_env.cpu_architecture}, {key}{proxy}",
    )

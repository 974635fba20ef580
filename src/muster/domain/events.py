"""What is told to the user. One function per event; nothing else depends on them."""

from datetime import datetime
from enum import StrEnum

from .clusters import Cluster
from .hosts import Host
from .infra_envs import InfraEnv
from .record import Record
from .states.hosts import HostState
from .triggers import Registered


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


def _of_host(name: str, host: Host, message: str, severity: Severity = Severity.INFO) -> Event:
    return Event(
        name=name,
        severity=severity,
        message=f"Host {host.name}: {message}",
        cluster_id=host.cluster_id,
        host_id=host.id,
        infra_env_id=host.infra_env_id,
    )


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
    return _of_cluster(
        "installation_preparing_timed_out", cluster, "Preparing the installation took too long", Severity.WARNING
    )


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
    return _of_cluster("cluster_operator_status", cluster, f"Operator {name} is {status or 'unknown'}: {info}")


def cluster_operator_report(cluster: Cluster, names: tuple[str, ...]) -> Event:
    """Operators that kept the cluster from coming up."""
    return _of_cluster("cluster_operator_report", cluster, f"Operators that failed: {', '.join(names)}")


def cluster_finalizing_stage_updated(cluster: Cluster) -> Event:
    """The new cluster came to the next stage."""
    return _of_cluster(
        "cluster_finalizing_stage_updated", cluster, f"The cluster is at stage: {cluster.progress.finalizing_stage}"
    )


def finalizing_stage_timed_out(cluster: Cluster) -> Event:
    """A stage of the new cluster takes longer than it should."""
    return _of_cluster("finalizing_stage_timed_out", cluster, cluster.status_info, Severity.WARNING)


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
    return _of_infra_env("image_info_updated", infra_env, f"The discovery image of {infra_env.name} has changed")


# Hosts

STATUS_SEVERITIES = {
    HostState.ERROR: Severity.ERROR,
    HostState.DISCONNECTED: Severity.WARNING,
    HostState.INSUFFICIENT: Severity.WARNING,
    HostState.PENDING_USER_ACTION: Severity.WARNING,
}


def host_registration_succeeded(host: Host) -> Event:
    """A machine reported in for the first time."""
    return _of_host("host_registration_succeeded", host, "registered")


def host_registration_failed(asked: Registered, cluster_id: str | None, reason: str) -> Event:
    """A machine was not taken in."""
    return Event(
        name="host_registration_failed",
        severity=Severity.ERROR,
        message=f"Host {asked.host_id}: registration was refused: {reason}",
        cluster_id=cluster_id,
        host_id=asked.host_id,
        infra_env_id=asked.infra_env_id,
    )


def host_bind_succeeded(host: Host, cluster: Cluster) -> Event:
    """A host of the pool was given to a cluster."""
    return _of_host("host_bind_succeeded", host, f"given to cluster {cluster.name}")


def host_bind_failed(host: Host, reason: str) -> Event:
    """A host of the pool could not be given to a cluster."""
    return _of_host("host_bind_failed", host, f"could not be given to a cluster: {reason}", Severity.ERROR)


def host_unbind_succeeded(host: Host) -> Event:
    """A host was taken from its cluster."""
    return _of_host("host_unbind_succeeded", host, "taken from its cluster")


def host_unbind_failed(host: Host, reason: str) -> Event:
    """A host could not be taken from its cluster."""
    return _of_host("host_unbind_failed", host, f"could not be taken from its cluster: {reason}", Severity.ERROR)


def host_deregistered(host: Host) -> Event:
    """A host was given up."""
    return _of_host("host_deregistered", host, "deleted")


def host_status_updated(host: Host, was: HostState) -> Event:
    """A host came to another state."""
    return _of_host(
        "host_status_updated",
        host,
        f"was {was}, is now {host.status}: {host.status_info}",
        STATUS_SEVERITIES.get(host.status, Severity.INFO),
    )


def host_validation_failed(host: Host, validation: str, message: str) -> Event:
    """Something about the host is not, or no longer, as it should be."""
    return _of_host("host_validation_failed", host, f"check {validation} fails: {message}", Severity.WARNING)


def host_validation_fixed(host: Host, validation: str, message: str) -> Event:
    """Something about the host is as it should be again."""
    return _of_host("host_validation_fixed", host, f"check {validation} passes now: {message}")


def host_role_updated(host: Host) -> Event:
    """The service thinks of another role for the host."""
    return _of_host("host_role_updated", host, f"suggested role is {host.suggested_role}")


def host_bootstrap_set(host: Host) -> Event:
    """The host that carries the first, temporary control plane was chosen."""
    return _of_host("host_bootstrap_set", host, "chosen to carry the temporary control plane")


def host_install_progress_updated(host: Host) -> Event:
    """The host's installation went on."""
    info = f" ({host.progress.progress_info})" if host.progress.progress_info else ""
    return _of_host("host_install_progress_updated", host, f"reached stage {host.progress.current_stage}{info}")


def host_stage_timed_out(host: Host) -> Event:
    """A stage of the host's installation takes longer than it should."""
    return _of_host("host_stage_timed_out", host, host.status_info, Severity.WARNING)


def image_status_updated(host: Host, image: str, result: str) -> Event:
    """A container image could or could not be had."""
    return _of_host("image_status_updated", host, f"image {image}: {result}")


def disk_speed_slower_than_supported(host: Host, disk: str, milliseconds: int) -> Event:
    """The installation disk is slower than it should be."""
    return _of_host(
        "disk_speed_slower_than_supported",
        host,
        f"disk {disk} takes {milliseconds} ms to write safely, which is slower than supported",
        Severity.WARNING,
    )


def host_media_disconnected(host: Host) -> Event:
    """The host can no longer read what it was started from."""
    return _of_host("host_media_disconnected", host, "the boot media cannot be read any more", Severity.ERROR)


def upgrade_agent_started(host: Host, image: str) -> Event:
    """The host's agent is not the one the service expects, and is told to start anew from that."""
    return _of_host("upgrade_agent_started", host, f"the agent is being replaced by {image}")


def upgrade_agent_finished(host: Host, image: str) -> Event:
    """The host has fetched the agent the service expects."""
    return _of_host("upgrade_agent_finished", host, f"the agent has been replaced by {image}")


def upgrade_agent_failed(host: Host, image: str) -> Event:
    """The host cannot fetch the agent the service expects."""
    return _of_host(
        "upgrade_agent_failed",
        host,
        f"the agent cannot be replaced by {image}: the image cannot be fetched; look at the host's way to its registry",
        Severity.ERROR,
    )


def host_installation_cancelled(host: Host) -> Event:
    """The host's installation was stopped."""
    return _of_host("host_installation_cancelled", host, "installation cancelled")


def host_cancel_installation_failed(host: Host, reason: str) -> Event:
    """The host's installation could not be stopped."""
    return _of_host("host_cancel_installation_failed", host, f"could not be cancelled: {reason}", Severity.ERROR)


def host_installation_started(host: Host) -> Event:
    """The host is installed by itself, to join a running cluster."""
    return _of_host("host_installation_started", host, "installation started")


def host_installation_reset_failed(host: Host, reason: str) -> Event:
    """The host cannot start over."""
    return _of_host("host_installation_reset_failed", host, f"could not be reset: {reason}", Severity.ERROR)


def host_installation_reset(host: Host) -> Event:
    """The host is to start over."""
    return _of_host("host_installation_reset", host, "installation reset")


def user_required_complete_installation_reset(host: Host) -> Event:
    """Only the user can start the discovery image on the host."""
    return _of_host("user_required_complete_installation_reset", host, "start the discovery image on the host to go on")


def host_logs_uploaded(host: Host) -> Event:
    """The host's logs have come."""
    return _of_host("host_logs_uploaded", host, "logs uploaded")


def quick_disk_format_performed(host: Host, disk: str) -> Event:
    """A disk that could be booted from will be wiped."""
    return _of_host("quick_disk_format_performed", host, f"disk {disk} will be wiped so that it cannot be booted")


def quick_disk_format_skipped(host: Host, disk: str) -> Event:
    """A disk is left as it is because the user said so."""
    return _of_host("quick_disk_format_skipped", host, f"disk {disk} is left as it is, as asked")


def host_installer_args_applied(host: Host) -> Event:
    """The user has changed the arguments of the program that writes the host's disk."""
    return _of_host("host_installer_args_applied", host, "the arguments of the installer were changed")


def host_discovery_ignition_config_applied(host: Host) -> Event:
    """The user has laid a configuration over the host's own."""
    return _of_host("host_discovery_ignition_config_applied", host, "its Ignition configuration was changed")


def host_identity_clash(host: Host) -> Event:
    """More than one machine reports as this host."""
    machines = " and ".join(machine.words for machine in host.sightings) or "others"
    return _of_host(
        "host_identity_clash", host, f"more than one machine reports as this host: {machines}", Severity.ERROR
    )


def host_identity_settled(host: Host) -> Event:
    """One machine is left that reports as this host."""
    return _of_host("host_identity_settled", host, "one machine is left that reports as this host")

"""What is told to the user about hosts. One function per event; nothing else depends on them."""

from .clusters import Cluster
from .events import Event, Severity
from .hosts import Host
from .states.hosts import HostState
from .triggers import Registered


def _of_host(name: str, host: Host, message: str, severity: Severity = Severity.INFO) -> Event:
    return Event(
        name=name,
        severity=severity,
        message=f"Host {host.name}: {message}",
        cluster_id=host.cluster_id,
        host_id=host.id,
        infra_env_id=host.infra_env_id,
    )


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

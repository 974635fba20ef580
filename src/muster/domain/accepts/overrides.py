"""What users add to how a host is installed."""

from muster.domain import host_events
from muster.domain.draft import Accepts, Draft
from muster.domain.inputs.host_overrides import changed_ignition, changed_installer_args
from muster.domain.triggers import ChangeIgnition, ChangeInstallerArgs


def installer_args(draft: Draft, asked: ChangeInstallerArgs) -> None:
    """Arguments of the program that writes the disk."""
    host = changed_installer_args(draft.host(asked.host_id), asked.changes)
    draft.put(host)
    draft.tell(host_events.host_installer_args_applied(host))


def ignition(draft: Draft, asked: ChangeIgnition) -> None:
    """An Ignition configuration that is laid over the host's own."""
    host = changed_ignition(draft.host(asked.host_id), asked.changes)
    draft.put(host)
    draft.tell(host_events.host_discovery_ignition_config_applied(host))


ACCEPTS: Accepts = {ChangeInstallerArgs: installer_args, ChangeIgnition: ignition}

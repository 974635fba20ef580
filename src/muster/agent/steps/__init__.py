"""Every step an agent can do, by the kind it is asked for under. The service's side of each is in `domain/steps`."""

from collections.abc import Awaitable, Callable, Sequence

from muster.client import Client
from muster.domain.errors import Invalid, MusterError
from muster.machine import Machine

from . import (
    api_vip_connectivity_check,
    connectivity_check,
    container_image_availability,
    dhcp_lease_allocate,
    domain_resolution,
    download_boot_artifacts,
    free_network_addresses,
    install,
    installation_disk_speed_check,
    inventory,
    logs_gather,
    ntp_synchronizer,
    reboot_for_reclaim,
    stop_installation,
    tang_connectivity_check,
    upgrade_agent,
    verify_vips,
)
from .step import BAD_ARGUMENTS, Reply

__all__ = ["ALONE", "STEPS", "Reply", "perform"]

Do = Callable[[Machine, Sequence[str], Client], Awaitable[Reply]]

STEPS: dict[str, Do] = {
    "api-vip-connectivity-check": api_vip_connectivity_check.do,
    "connectivity-check": connectivity_check.do,
    "container-image-availability": container_image_availability.do,
    "dhcp-lease-allocate": dhcp_lease_allocate.do,
    "domain-resolution": domain_resolution.do,
    "download-boot-artifacts": download_boot_artifacts.do,
    "free-network-addresses": free_network_addresses.do,
    "install": install.do,
    "installation-disk-speed-check": installation_disk_speed_check.do,
    "inventory": inventory.do,
    "logs-gather": logs_gather.do,
    "ntp-synchronizer": ntp_synchronizer.do,
    "reboot-for-reclaim": reboot_for_reclaim.do,
    "stop-installation": stop_installation.do,
    "tang-connectivity-check": tang_connectivity_check.do,
    "upgrade-agent": upgrade_agent.do,
    "verify-vips": verify_vips.do,
}

ALONE = frozenset({
    "container-image-availability", "dhcp-lease-allocate", "download-boot-artifacts", "free-network-addresses",
    "installation-disk-speed-check", "logs-gather", "upgrade-agent",
})  # fmt: skip
"""Steps that are not begun again while they are being done; asked for again, they are answered with nothing."""


EXIT_CODES = {"logs-gather": 255}
"""What a step that failed ends with; every other one ends as if it had not been tried."""


async def perform(kind: str, machine: Machine, args: Sequence[str], client: Client) -> Reply:
    """Do a step. What can be foreseen to go wrong becomes a reply."""
    do = STEPS.get(kind)
    if do is None:
        return Reply(exit_code=BAD_ARGUMENTS, error=f"This agent does not know the step {kind}")
    try:
        return await do(machine, args, client)
    except Invalid as error:
        return Reply(exit_code=BAD_ARGUMENTS, error=f"{kind}: {error}")
    except MusterError as error:
        return Reply(exit_code=EXIT_CODES.get(kind, BAD_ARGUMENTS), error=f"{kind}: {error}")

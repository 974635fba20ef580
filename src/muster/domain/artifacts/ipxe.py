"""Turns an infra-env into the scripts that start a machine over the network with iPXE. The API hands them out."""

from collections.abc import Callable, Iterable

from muster.domain.errors import NotFound, Refused
from muster.domain.hosts import Host, HostState
from muster.domain.infra_envs import InfraEnv
from muster.domain.policy import Policy
from muster.domain.progress import AFTER_REBOOT
from muster.domain.steps.download_boot_artifacts import boot_artifacts

from .kernel_arguments import kernel_arguments

SYSTEM = "random.trust_cpu=on rd.luks.options=discard ignition.firstboot ignition.platform.id=metal"
"""What the kernel is told of every system that is started like that."""

ITS_OWN = frozenset({HostState.INSTALLED, HostState.ADDED})
"""States of hosts that run the system on their disk."""


def boot_script(infra_env: InfraEnv, policy: Policy, signed: Callable[[str], str] = str) -> str:
    """Starts the discovery image. `signed` makes a link to a part of it one that lets in whoever follows it."""
    parts = boot_artifacts(infra_env, policy)
    told = [f"initrd=initrd coreos.live.rootfs_url={parts.rootfs_url}", SYSTEM, *_consoles(policy.discovery.consoles)]
    line = " ".join([*told, *kernel_arguments(infra_env)])
    return f"#!ipxe\ninitrd --name initrd {signed(parts.initrd_url)}\nkernel {parts.kernel_url} {line}\nboot\n"


def _consoles(names: str) -> list[str]:
    """The consoles of the system that is started, and of that which it installs; none if none is named."""
    words = " ".join(f"console={name}" for name in names.split())
    return [words, f'coreos.inst.persistent-kargs="{words}"'] if words else []


def redirect_script(link: str) -> str:
    """Asks for the script again, at `link`, saying which machine asks."""
    return f"#!ipxe\nchain {link}&mac=${{net0/mac}}\n"


def require_image(hosts: Iterable[Host], mac: str) -> None:
    """Return if the machine with a MAC address is to start the discovery image.

    `NotFound` if it is to go on to its disk, which is what firmware does then; `Refused` if several hosts have it.
    """
    found = [host for host in hosts if _has(host, _plain(mac))]
    if len(found) > 1:
        names = ", ".join(sorted(host.name for host in found))
        raise Refused(f"mac: {mac} is an address of several hosts ({names}); delete those that are no more")
    for host in found:
        installs = host.status is HostState.IN_PROGRESS and host.progress.current_stage in AFTER_REBOOT
        if host.status in ITS_OWN or installs:
            raise NotFound(f"Host {host.name} is {host.status} and starts from its disk, not from the discovery image")


def _has(host: Host, mac: str) -> bool:
    interfaces = host.inventory.interfaces if host.inventory else ()
    return any(_plain(each.mac_address) == mac for each in interfaces or ())


def _plain(mac: str) -> str:
    """A MAC address without what may stand between its digits."""
    return "".join(each for each in mac.lower() if each.isalnum())

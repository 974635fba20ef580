"""Turns an infra-env into what a minimal image needs before it can fetch its system: network settings and proxy.

The API hands it out, and puts it beside the config in images that begin without their system. There is no nmstate that
early, so network settings are always keyfiles here.
"""

from collections.abc import Iterator

from muster.domain.infra_envs import InfraEnv
from muster.domain.networks import Proxy

from .cpio import Member, archive, link, regular
from .ignition import EXECUTABLE, PRIVATE, READABLE
from .network_scripts import COMMON, COMMON_PATH, SCRIPT, SCRIPT_PATH, UNIT, in_initrd
from .static_network import keyfile_files
from .units import environment

SYSTEMD = "/etc/systemd/system"


def minimal_initrd(infra_env: InfraEnv) -> bytes | None:
    """The archive; None if the image needs nothing besides. `Refused` if the network of a host makes no keyfiles."""
    members = [*_network(infra_env), *_proxy(infra_env.proxy)]
    return archive(members) if members else None


def _network(infra_env: InfraEnv) -> Iterator[Member]:
    files = keyfile_files(infra_env)
    if not files:
        return
    yield from (regular(path, text, PRIVATE) for path, text in files.items())
    yield regular(SCRIPT_PATH, SCRIPT, EXECUTABLE)
    yield regular(COMMON_PATH, COMMON, EXECUTABLE)
    yield regular(f"{SYSTEMD}/{UNIT}", in_initrd(infra_env.network_discovery_delay_seconds or 0), READABLE)
    yield link(f"{SYSTEMD}/initrd.target.wants/{UNIT}", f"{SYSTEMD}/{UNIT}")


def _proxy(proxy: Proxy) -> Iterator[Member]:
    if proxy != Proxy():
        drop_in = "[Service]\n" + environment(proxy)
        yield regular(f"{SYSTEMD}/coreos-livepxe-rootfs.service.d/10-proxy.conf", drop_in, READABLE)

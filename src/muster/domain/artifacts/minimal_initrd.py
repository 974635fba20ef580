"""Turns an infra-env into what a minimal image needs before it can fetch its system: network settings and proxy.

The API hands it to the image service, which lays it over the beginning of the image.
"""

from collections.abc import Iterator

from muster.domain.infra_envs import InfraEnv
from muster.domain.networks import Proxy

from .cpio import Member, archive, link, regular
from .ignition import EXECUTABLE, PRIVATE, READABLE
from .network_scripts import COMMON, COMMON_PATH, SCRIPT, SCRIPT_PATH, UNIT, in_initrd
from .static_network import network_files
from .units import environment

LARGEST = 1024 * 1024
"""Bytes that a minimal image has room for."""

SYSTEMD = "/etc/systemd/system"


def minimal_initrd(infra_env: InfraEnv) -> bytes | None:
    """The archive; None if the image needs nothing besides."""
    members = [*_network(infra_env), *_proxy(infra_env.proxy)]
    return archive(members) if members else None


def _network(infra_env: InfraEnv) -> Iterator[Member]:
    files = network_files(infra_env)
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

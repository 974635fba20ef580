"""Machines start from what the running service hands out: a whole one, a minimal one, and over the network."""

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from parts.qemu import HOST, Console, boot, boot_kernel
from parts.service import RunningService

pytestmark = pytest.mark.slow

SECRET = '{"auths":{"cloud.openshift.com":{"auth":"dXNlcjpwYXNzd29yZAo="}}}'
NETWORK = {
    "network_yaml": "interfaces:\n- {name: eth0, type: ethernet, state: up, ipv4: {enabled: true, dhcp: true}}\n",
    "mac_interface_map": [{"mac_address": "52:54:00:12:34:56", "logical_nic_name": "eth0"}],
}
BUILD = "41.20260101.0"


class Reachable:
    """A service that machines can reach, and one discovery image of it."""

    def __init__(self, running: RunningService, folder: Path) -> None:
        self.folder = folder
        self.url = running.url
        self.outside = running.settings.image_service_base_url
        self.image: dict[str, Any] = {}

    def fetch(self, url: str) -> bytes:
        """What is there for a machine; seen from here the service has another address."""
        with urlopen(url.replace(self.outside, self.url)) as answer:
            content: bytes = answer.read()
            return content

    def saved(self, url: str, name: str) -> Path:
        """The same, in a file."""
        path = self.folder / name
        path.write_bytes(self.fetch(url))
        return path

    def asks_for(self, **written: object) -> None:
        """Make the discovery image."""
        body = {"name": "room", "pull_secret": SECRET, "openshift_version": "4.18", **written}
        request = Request(
            f"{self.url}/api/assisted-install/v2/infra-envs",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urlopen(request) as answer:
            self.image = json.load(answer)

    def file(self, name: str, **query: str) -> bytes:
        """A file of the discovery image."""
        words = "&".join(f"{key}={value}" for key, value in {"file_name": name, **query}.items())
        return self.fetch(f"{self.url}/api/assisted-install/v2/infra-envs/{self.image['id']}/downloads/files?{words}")

    def rootfs(self) -> bytes:
        """The system that its machines run."""
        return self.fetch(f"{self.url}/boot-artifacts/rootfs?arch=x86_64&version={BUILD}")


@pytest.fixture
def service(live_isos: Callable[..., Path], tmp_path: Path) -> Iterator[Reachable]:
    image = {"openshift_version": "4.18", "cpu_architecture": "x86_64", "url": str(live_isos()), "version": BUILD}
    running = RunningService(tmp_path / "data", {"OS_IMAGES": json.dumps([image])})
    running.settings = running.settings.but(image_service_base_url=f"http://{HOST}:{running.port}")
    running.start()
    yield Reachable(running, tmp_path)
    running.stop()


def assert_it_got(console: Console, ignition: bytes, rootfs: bytes) -> None:
    assert console.told("END") == ["well"], console.text[-3000:]
    assert console.told("IGNITION") == [sha256(ignition).hexdigest()]
    assert console.told("ROOTFS") == [sha256(rootfs).hexdigest()]


def files_of(console: Console) -> list[str]:
    """What came beside the config."""
    return sorted(each.partition(" ")[2] for each in console.told("EXTRA"))


def test_a_machine_starts_from_the_full_image_of_the_service(service: Reachable) -> None:
    service.asks_for(image_type="full-iso", kernel_arguments=[{"operation": "append", "value": "muster.who=night"}])
    console = boot(service.saved(service.image["download_url"], "full.iso"), medium="disk", firmware="uefi")
    assert_it_got(console, service.file("discovery.ign"), service.rootfs())
    assert console.told("KARGS")[0].endswith(" muster.who=night")


@pytest.mark.parametrize(("medium", "firmware"), [("cd", "bios"), ("usb", "uefi")])
def test_a_machine_starts_from_the_minimal_image_of_the_service(service: Reachable, medium: str, firmware: str) -> None:
    service.asks_for(image_type="minimal-iso", static_network_config=[NETWORK])
    image = service.saved(service.image["download_url"], "minimal.iso")
    console = boot(image, medium=medium, firmware=firmware)
    ignition = service.file("discovery.ign", discovery_iso_type="minimal-iso")
    assert_it_got(console, ignition, service.rootfs())
    assert "/etc/assisted/network/host0/mac_interface.ini" in files_of(console)


def test_a_machine_starts_as_the_script_for_ipxe_says(service: Reachable) -> None:
    service.asks_for(image_type="minimal-iso", static_network_config=[NETWORK])
    _, initrd, kernel, _ = service.file("ipxe-script").decode().splitlines()
    _, url, arguments = kernel.split(" ", 2)
    console = boot_kernel(
        service.saved(url, "vmlinuz"), service.saved(initrd.rpartition(" ")[2], "initrd.img"), arguments
    )
    assert_it_got(console, service.file("discovery.ign"), service.rootfs())
    assert console.told("KARGS") == [arguments]
    assert "/etc/assisted/network/host0/mac_interface.ini" in files_of(console)

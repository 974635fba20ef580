"""Machines start from what the library makes: every kind of image, on BIOS and UEFI, from every kind of medium."""

import shlex
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from muster.domain.artifacts.cpio import archive, regular
from muster.image.customise import Customisation, customised, pxe_initrd
from muster.image.live import Live, read_live
from muster.image.minimal import write_minimal
from muster.image.regions import Composed, Extent, composed
from muster.image.source import FileSource
from muster.image.writing import copied
from parts.qemu import HOST, Console, boot, boot_kernel

pytestmark = pytest.mark.slow

IGNITION = b'{"ignition": {"version": "3.1.0"}}'
LARGE_IGNITION = (
    b'{"ignition": {"version": "3.1.0"}, "storage": {"files": ['
    + b", ".join(b'{"path": "/etc/%s"}' % sha256(b"%d" % (each % 6000)).hexdigest().encode() for each in range(12000))
    + b"]}}"
)
"""It fits into its place only if it is packed in the slow way."""

NETWORK_FILE = "/etc/assisted/network/host0/mac_interface.ini"
NETWORK = "52:54:00:12:34:56=eth0"
EXTRA = archive([regular(NETWORK_FILE, NETWORK, 0o600)])
ARGUMENTS = ("console=ttyS0", "muster.quoted=a&b;c", 'muster.words="two words"')
TOLD_ARGUMENTS = ["console=ttyS0", "muster.quoted=a&b;c", "muster.words=two words"]
ROOTFS_PATH = "/boot-artifacts/rootfs?arch=x86_64&version=41.20260101.0"
BUILDS: dict[str, dict[str, Any]] = {
    "one with a recipe": {},
    "one without a recipe": {"miniso": False},
    "an old one": {"miniso": False, "areas": False},
}
GENISOIMAGE = {"miniso": False, "areas": False, "author": "genisoimage"}
Isos = Callable[..., Path]


@contextmanager
def served(rootfs: bytes) -> Iterator[str]:
    """The URL under which a machine gets the system that a minimal image has not in it."""

    class Rootfs(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == ROOTFS_PATH else 404)
            self.send_header("Content-Length", str(len(rootfs) if self.path == ROOTFS_PATH else 0))
            self.end_headers()
            self.wfile.write(rootfs if self.path == ROOTFS_PATH else b"")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Rootfs) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{HOST}:{server.server_port}{ROOTFS_PATH}"
        server.shutdown()


def opened(image: Path) -> tuple[FileSource, Live]:
    source = FileSource(image)
    return source, read_live(source)


def part_of(image: Path, name: str) -> bytes:
    source, live = opened(image)
    with closing(source):
        extent = live.files[f"/images/pxeboot/{name}"]
        return source.read(extent.offset, extent.length)


def write(image: Path, wanted: Callable[[Live], Composed], target: Path) -> Path:
    source, live = opened(image)
    with closing(source), target.open("wb") as file:
        copied(source, wanted(live).regions, file.write)
    return target


def customise(image: Path, wanted: Customisation, target: Path) -> Path:
    return write(image, lambda live: composed(Extent(offset=0, length=live.size), customised(live, wanted)), target)


def minimal_of(image: Path, target: Path) -> Path:
    source, live = opened(image)
    with closing(source):
        write_minimal(source, live, target)
    return target


def started_minimal(full: Path, folder: Path, medium: str, firmware: str) -> tuple[Console, str]:
    """What a machine tells that starts from the minimal image of a full one, and where it was to fetch the system."""
    minimal = minimal_of(full, folder / "minimal.iso")
    with served(part_of(full, "rootfs.img")) as url:
        wanted = Customisation(ignition=IGNITION, extra=EXTRA, kernel_arguments=ARGUMENTS, rootfs_url=url)
        own = customise(minimal, wanted, folder / "own.iso")
        return boot(own, medium=medium, firmware=firmware), url


def hash_of(content: bytes) -> str:
    return sha256(content).hexdigest()


def arguments_of(console: Console) -> list[str]:
    """What the kernel was told. A boot loader may put the quotes elsewhere; to the kernel that is the same."""
    (told,) = console.told("KARGS")
    return shlex.split(told)


def assert_it_got(console: Console, ignition: bytes, rootfs: bytes) -> None:
    assert console.told("END") == ["well"], console.text[-3000:]
    assert console.told("IGNITION") == [hash_of(ignition)]
    assert console.told("ROOTFS") == [hash_of(rootfs)]
    assert console.told("TROUBLE") == []


@pytest.mark.parametrize("firmware", ["bios", "uefi"])
@pytest.mark.parametrize("medium", ["cd", "disk"])
def test_a_full_image_starts_with_its_config_and_arguments(
    live_isos: Isos, tmp_path: Path, medium: str, firmware: str
) -> None:
    full = live_isos()
    wanted = Customisation(ignition=LARGE_IGNITION, kernel_arguments=ARGUMENTS)
    console = boot(customise(full, wanted, tmp_path / "full.iso"), medium=medium, firmware=firmware)
    assert_it_got(console, LARGE_IGNITION, part_of(full, "rootfs.img"))
    assert arguments_of(console)[-5:] == ["ignition.firstboot", "ignition.platform.id=metal", *TOLD_ARGUMENTS]


@pytest.mark.parametrize("firmware", ["bios", "uefi"])
@pytest.mark.parametrize("medium", ["cd", "usb"])
@pytest.mark.parametrize("build", BUILDS)
def test_a_minimal_image_starts_with_what_it_fetches(
    live_isos: Isos, tmp_path: Path, build: str, medium: str, firmware: str
) -> None:
    full = live_isos(**BUILDS[build])
    console, url = started_minimal(full, tmp_path, medium, firmware)
    assert_it_got(console, IGNITION, part_of(full, "rootfs.img"))
    assert console.told("EXTRA") == [f"{hash_of(NETWORK.encode())} {NETWORK_FILE}"]
    assert arguments_of(console)[-4:] == [f"coreos.live.rootfs_url={url}", *TOLD_ARGUMENTS]
    assert "coreos.liveiso=" not in " ".join(arguments_of(console))


@pytest.mark.parametrize("firmware", ["bios", "uefi"])
def test_a_minimal_image_starts_from_a_cd_whichever_tool_made_the_full_one(
    live_isos: Isos, tmp_path: Path, firmware: str
) -> None:
    full = live_isos(**GENISOIMAGE)
    console, _ = started_minimal(full, tmp_path, "cd", firmware)
    assert_it_got(console, IGNITION, part_of(full, "rootfs.img"))


def test_a_machine_starts_over_the_network(live_isos: Isos, tmp_path: Path) -> None:
    full = live_isos()
    kernel = tmp_path / "vmlinuz"
    kernel.write_bytes(part_of(full, "vmlinuz"))
    wanted = Customisation(ignition=IGNITION, extra=EXTRA)
    initrd = write(full, lambda live: pxe_initrd(live, wanted), tmp_path / "initrd")
    with served(part_of(full, "rootfs.img")) as url:
        arguments = f"initrd=initrd coreos.live.rootfs_url={url} ignition.firstboot ignition.platform.id=metal"
        console = boot_kernel(kernel, initrd, arguments)
    assert_it_got(console, IGNITION, part_of(full, "rootfs.img"))
    assert console.told("EXTRA") == [f"{hash_of(NETWORK.encode())} {NETWORK_FILE}"]
    assert console.told("KARGS") == [arguments]

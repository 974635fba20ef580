"""The `download-boot-artifacts` step: an installed machine is made to start the discovery image next time."""

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from muster.client import Client
from muster.domain.errors import Broken, MusterError
from muster.domain.steps.download_boot_artifacts import BootArtifactsRequest
from muster.machine import Machine

from .step import Reply, first

T = TypeVar("T")

KERNEL = "discovery/vmlinuz"
INITRD = "discovery/initrd"
ENTRY = "loader/entries/00-assisted-discovery.conf"
"""What is placed in the boot folder. The entry comes before those of the installed system."""

TRIES = 5
PAUSE = 60.0
"""Seconds between two tries."""

MAINFRAME = "s390x"
OPTIONS = "random.trust_cpu=on ignition.firstboot ignition.platform.id=metal"


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """Fetch kernel and initrd and place them in the boot folder; the rest of the image comes when they start."""
    request = first(args, BootArtifactsRequest)
    try:
        return Reply(output=await _fetch(machine, request))
    except OSError as error:
        raise Broken(f"placing the discovery image in the boot folder: {error}") from error


async def _fetch(machine: Machine, request: BootArtifactsRequest) -> str:
    root = request.host_fs_mount_dir
    folder = await _tried(machine, lambda: machine.boot_folder(root))
    if await asyncio.to_thread(_is_there, folder):
        return "The discovery image is in place already"
    with TemporaryDirectory(prefix="muster-artifacts-") as name:
        fetched = Path(name)
        await asyncio.to_thread(_make_folders, fetched)
        await _tried(machine, lambda: machine.download(request.kernel_url, fetched / KERNEL))
        await _tried(machine, lambda: machine.download(request.initrd_url, fetched / INITRD))
        entry = boot_entry(request.rootfs_url, await _architecture(machine))
        await asyncio.to_thread((fetched / ENTRY).write_text, entry)
        await _make_room(machine, root, await asyncio.to_thread(_size_of, fetched))
        await asyncio.to_thread(_place, fetched, folder)
    return "The discovery image is in place"


async def _tried(machine: Machine, act: Callable[[], Awaitable[T]]) -> T:
    """What an act gives, after as many tries as it may take; the last failure is the one that counts."""
    for _ in range(TRIES - 1):
        try:
            return await act()
        except MusterError as error:
            machine.journal(f"trying again later: {error}")
            await machine.sleep(PAUSE)
    return await act()


async def _architecture(machine: Machine) -> str:
    cpu = (await machine.inventory()).cpu
    return cpu.architecture if cpu else ""


def boot_entry(rootfs_url: str, architecture: str) -> str:
    """What the boot loader is to do: start the discovery image, before anything else that could be started."""
    rootfs = f"coreos.live.rootfs_url={rootfs_url}"
    options = f"{OPTIONS} ai.ip_cfg_override=1 {rootfs}" if architecture == MAINFRAME else f"{OPTIONS} '{rootfs}'"
    lines = (
        "title Discovery image, for a new installation",
        "version 999",
        f"options {options}",
        f"linux /boot/{KERNEL}",
        f"initrd /boot/{INITRD}",
    )
    return "".join(f"{line}\n" for line in lines)


async def _make_room(machine: Machine, root: str, needed: int) -> None:
    """Make sure that there is room for all files before the first is placed."""
    if await machine.boot_room(root) < needed:
        await machine.make_boot_room(root)
    free = await machine.boot_room(root)
    if free < needed:
        raise Broken(f"the boot folder has room for {free} bytes; the discovery image needs {needed}")


def _size_of(fetched: Path) -> int:
    return sum((fetched / name).stat().st_size for name in (KERNEL, INITRD, ENTRY))


def _is_there(folder: Path) -> bool:
    return all((folder / name).exists() for name in (KERNEL, INITRD, ENTRY))


def _make_folders(folder: Path) -> None:
    for name in (KERNEL, ENTRY):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)


def _place(fetched: Path, folder: Path) -> None:
    """Copy all files to where they are started from, the entry last, and see them through to the disk."""
    _make_folders(folder)
    for name in (KERNEL, INITRD, ENTRY):
        shutil.copy(fetched / name, folder / name)
        with (folder / name).open("rb") as file:
            os.fsync(file.fileno())

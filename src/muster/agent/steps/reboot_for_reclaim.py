"""The `reboot-for-reclaim` step: an installed machine starts the discovery image that it has fetched."""

import asyncio
from collections.abc import Sequence

from muster.client import Client
from muster.domain.errors import Broken
from muster.domain.steps.reboot_for_reclaim import ReclaimRequest
from muster.machine import Machine

from .download_boot_artifacts import ENTRY, MAINFRAME
from .step import Reply, first

CARRIED_OVER = ("ip", "nameserver", "rd.znet", "zfcp.allow_lun_scan", "rd.zfcp", "rd.dasd")
"""Kernel arguments that a mainframe needs to find its network and its disks, in the order they are written."""


async def do(machine: Machine, args: Sequence[str], _: Client) -> Reply:
    """Start again. Where all goes well, nobody is left to read the reply."""
    root = first(args, ReclaimRequest).host_fs_mount_dir
    await machine.reboot_into(root, await _options(machine, root))
    return Reply(output="Starting again")


async def _options(machine: Machine, root: str) -> str:
    """What the firmware of a mainframe has to be told; "" for a machine that reads the boot folder itself."""
    inventory = await machine.inventory()
    if inventory.cpu is None or inventory.cpu.architecture != MAINFRAME:
        return ""
    folder = await machine.boot_folder(root)
    try:
        entry = await asyncio.to_thread((folder / ENTRY).read_text)
    except OSError as error:
        raise Broken(f"reading how the discovery image is started: {error}") from error
    told = inventory.boot.command_line.split() if inventory.boot else []
    options = next((line.removeprefix("options ") for line in entry.splitlines() if line.startswith("options ")), "")
    extra = [next((word for word in told if word.startswith(f"{name}=")), "") for name in CARRIED_OVER]
    return " ".join([options, *filter(None, extra)])

"""Starts a whole machine in software, lets it run until it switches itself off, and gives what it told.

The init of the test images (`initrd/init`) tells every fact as one line on the serial console; see `Console.told`.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from muster.domain.record import Record

PATIENCE = 150
"""Seconds after which a machine that has not switched itself off is ended."""

MACHINE = (
    *("-accel", "tcg", "-machine", "pc", "-m", "512", "-no-reboot"),
    *("-display", "none", "-monitor", "none", "-serial", "stdio"),
    *("-netdev", "user,id=network", "-device", "virtio-net-pci,netdev=network,romfile="),
)
HOST = "10.0.2.2"
"""Where a machine reaches what listens on this host's loopback."""

OVMF = Path("/usr/share/OVMF")
FIRMWARE = {
    "bios": (),
    "uefi": (
        *("-drive", f"if=pflash,format=raw,readonly=on,file={OVMF / 'OVMF_CODE_4M.fd'}"),
        *("-drive", f"if=pflash,format=raw,snapshot=on,file={OVMF / 'OVMF_VARS_4M.fd'}"),
    ),
}
MEDIA = {
    "cd": ("media=cdrom,readonly=on", "-device", "ide-cd,drive=medium,bootindex=0"),
    "disk": ("snapshot=on", "-device", "ide-hd,drive=medium,bootindex=0"),
    "usb": ("readonly=on", "-device", "qemu-xhci", "-device", "usb-storage,drive=medium,bootindex=0"),
}
"""How the drive of a medium is told, and what it is plugged into."""

FACT = "MUSTER-"


class Console(Record):
    """What a machine wrote on its serial line, firmware and boot loader included."""

    text: str

    def told(self, fact: str) -> list[str]:
        """What the init told under this word, in order."""
        begin = f"{FACT}{fact} "
        return [line.removeprefix(begin) for line in self.text.splitlines() if line.startswith(begin)]


def boot(image: Path, *, medium: str, firmware: str) -> Console:
    """Start a machine from an image, which is not written to."""
    options, *plugs = MEDIA[medium]
    drive = f"file={image},format=raw,if=none,id=medium,{options}"
    return _run(*FIRMWARE[firmware], "-drive", drive, *plugs)


def boot_kernel(kernel: Path, initrd: Path, arguments: str) -> Console:
    """Start a machine from what it got over the network, as iPXE would hand it over."""
    return _run("-kernel", str(kernel), "-initrd", str(initrd), "-append", arguments)


def _run(*words: str) -> Console:
    program = shutil.which("qemu-system-x86_64")
    if program is None or not OVMF.exists():
        pytest.skip("no QEMU or no firmware for it here: Debian's qemu-system-x86 and ovmf bring them")
    # `timeout` ends the machine even if this process is no more.
    command = ["timeout", "--signal", "KILL", str(PATIENCE), program, *MACHINE, *words]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    text = ended.stdout.replace(b"\0", b"").decode(errors="replace")
    assert ended.returncode == 0, (
        f"the machine ended with {ended.returncode} ({PATIENCE} seconds are given): {ended.stderr.decode()}\n"
        f"The end of its console:\n{text[-3000:]}"
    )
    return Console(text=text)

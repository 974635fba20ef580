"""The images that tests are made with are what they are meant to be: the tools that everybody has say so."""

import subprocess
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from parts.live_iso import AREA, live_iso
from parts.tools import tool

Isos = Callable[..., Path]

ARGUMENTS = (
    "mitigations=auto,nosmt coreos.liveiso=fedora-coreos-41.20260101.0 ignition.firstboot ignition.platform.id=metal"
)
FOR_EFI = {"/images/efiboot.img", "/EFI/fedora/grub.cfg", "/isolinux/isolinux.cfg", "/images/ignition.img"}
STARTS_BY = {
    "x86_64": {*FOR_EFI, "/isolinux/isolinux.bin", "/isolinux/boot.cat"},
    "aarch64": {*FOR_EFI, "/boot.catalog"},
    "ppc64le": {"/boot/grub/grub.cfg", "/ppc/bootinfo.txt", "/images/ignition.img"},
    "s390x": {"/images/cdboot.img", "/generic.ins", "/images/initrd.addrsize", "/boot.catalog"},
}
"""What a machine of an architecture starts by."""


def said(*words: str | Path) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def installer(*words: str | Path) -> str:
    return said(tool("coreos-installer"), *words)


@pytest.mark.parametrize("architecture", STARTS_BY)
def test_an_image_has_the_files_of_its_architecture(live_isos: Isos, architecture: str) -> None:
    image = live_isos(architecture=architecture)
    rock_ridge, joliet = (said("isoinfo", each, "-f", "-i", image).splitlines() for each in ("-R", "-J"))
    assert set(rock_ridge) == set(joliet)
    system = {"/images/pxeboot/vmlinuz", "/images/pxeboot/initrd.img", "/images/pxeboot/rootfs.img"}
    assert system <= set(rock_ridge)
    assert set.union(*STARTS_BY.values()) & set(rock_ridge) == STARTS_BY[architecture]


@pytest.mark.parametrize("architecture", STARTS_BY)
def test_the_real_tool_finds_its_way_in_an_image(live_isos: Isos, tmp_path: Path, architecture: str) -> None:
    config, own = tmp_path / "config.ign", tmp_path / "own.iso"
    config.write_text('{"ignition":{"version":"3.1.0"}}')
    image = live_isos(architecture=architecture)
    assert installer("iso", "kargs", "show", image) == f"{ARGUMENTS}\n"
    installer("iso", "ignition", "embed", "-i", config, "-o", own, image)
    installer("iso", "kargs", "modify", "-a", "console=ttyS0", own)
    assert installer("iso", "ignition", "show", own) == config.read_text()
    assert installer("iso", "kargs", "show", own) == f"{ARGUMENTS} console=ttyS0\n"


@pytest.mark.parametrize("architecture", STARTS_BY)
def test_the_recipe_in_an_image_makes_one_without_the_system(
    live_isos: Isos, tmp_path: Path, architecture: str
) -> None:
    image, minimal = live_isos(architecture=architecture), tmp_path / "minimal.iso"
    installer("iso", "extract", "minimal-iso", image, minimal)
    gone = {"/images/pxeboot/rootfs.img", "/coreos/miniso.dat"}
    full, left = (set(said("isoinfo", "-R", "-f", "-i", each).splitlines()) for each in (image, minimal))
    assert full - left == gone


def test_an_old_image_tells_by_a_header_where_its_config_goes(live_isos: Isos) -> None:
    image = live_isos(areas=False, miniso=False)
    header = image.read_bytes()[32744:32768]
    offset, length = (int.from_bytes(header[at : at + 8], "little") for at in (8, 16))
    assert (header[:8], length) == (b"coreiso+", AREA)
    assert not any(image.read_bytes()[offset : offset + AREA])
    assert "/coreos/kargs.json" not in said("isoinfo", "-R", "-f", "-i", image)


def test_the_same_wishes_give_the_same_bytes(live_isos: Isos, tmp_path: Path) -> None:
    once, again = live_isos(), live_iso(tmp_path)
    assert sha256(once.read_bytes()).hexdigest() == sha256(again.read_bytes()).hexdigest()

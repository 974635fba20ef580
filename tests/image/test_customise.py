"""Images that are made somebody's own: what is laid where, and that the real tools find it there."""

import json
import random
import re
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.domain.artifacts.cpio import archive, regular
from muster.domain.errors import Broken, Invalid
from muster.image.customise import Customisation, customised, initrd_addrsize, pxe_initrd, room
from muster.image.embedded import unpacked_files
from muster.image.live import read_live
from parts.ignition import complaints, needs_ignition
from parts.published import NAMES, InMemory, laid_over, live, published, streamed, whole_of
from parts.tools import tool

X86, S390X, OLDEST = "2023-07.x86_64", "2023-07.s390x", "2020-09"
CONFIG = b'{"ignition": {"version": "3.2.0"}}'
EXTRA = archive([regular("/etc/assisted/network/host0/mac_interface.ini", "52:54:00:12:34:56=eth0", 0o600)])
AREA = 262144


def own(name: str, wanted: Customisation) -> bytes:
    """The image of a build, customised."""
    return laid_over(published(name), customised(live(name), wanted))


def installer(*words) -> str:
    return subprocess.run([tool("coreos-installer"), *words], capture_output=True, text=True, check=True).stdout


def incompressible(length: int) -> bytes:
    """A config that cannot be packed: hexadecimal digits, which need half of their length."""
    noise = random.Random(1).randbytes(length).hex()
    return json.dumps({"ignition": {"version": "3.2.0"}, "noise": noise}).encode()


@needs_ignition
@pytest.mark.parametrize("name", NAMES)
def test_the_real_tools_find_the_config_in_every_image(name, tmp_path):
    image = tmp_path / "own.iso"
    image.write_bytes(own(name, Customisation(ignition=CONFIG, extra=EXTRA)))
    assert installer("iso", "ignition", "show", image) == CONFIG.decode()
    assert complaints(installer("iso", "ignition", "show", image).encode()) == ""


@pytest.mark.parametrize("name", [each for each in NAMES if each not in {OLDEST, "2023-03.s390x"}])
def test_the_real_tool_finds_the_kernel_arguments(name, tmp_path):
    image = tmp_path / "own.iso"
    image.write_bytes(own(name, Customisation(ignition=CONFIG, kernel_arguments=("console=ttyS0", 'a="b c"'))))
    kargs = live(name).kargs
    assert installer("iso", "kargs", "show", image) == f'{kargs.default} console=ttyS0 a="b c"\n'
    assert read_live(InMemory(image.read_bytes())).kargs.now == f'{kargs.default} console=ttyS0 a="b c"'


@pytest.mark.parametrize("name", NAMES)
def test_nothing_but_the_places_for_it_is_changed(name):
    found = live(name)
    arguments = ("a=b",) if found.kargs else ()
    image = own(name, Customisation(ignition=CONFIG, kernel_arguments=arguments))
    spared = bytearray(published(name))
    areas = [(each.offset, found.kargs.size) for each in found.kargs.areas] if found.kargs else []
    for offset, length in [(found.ignition.offset, found.ignition.length), *areas]:
        spared[offset : offset + length] = image[offset : offset + length]
    assert image == bytes(spared)


def test_what_is_not_needed_of_a_place_is_zero():
    found = live(X86)
    area = own(X86, Customisation(ignition=CONFIG))[found.ignition.offset :][: found.ignition.length]
    assert len(area.rstrip(b"\0")) < 200
    assert len(area) == AREA


def test_the_same_wish_gives_the_same_bytes():
    wanted = Customisation(ignition=incompressible(100_000), extra=EXTRA, kernel_arguments=("a",))
    assert customised(live(X86), wanted) == customised(live(X86), wanted)


def test_without_a_wish_nothing_is_changed():
    assert customised(live(X86), Customisation(ignition=b"")) == ()
    assert customised(live(OLDEST), Customisation(ignition=b"")) == ()


def test_a_config_that_gzip_cannot_make_small_enough_is_packed_in_the_slow_way(tmp_path):
    noise = random.Random(1).randbytes(150_000).hex()
    config = json.dumps({"ignition": {"version": "3.2.0"}, "noise": [noise, noise]}).encode()
    found = live(X86)
    image = own(X86, Customisation(ignition=config, extra=EXTRA))
    area = image[found.ignition.offset :][: found.ignition.length]
    assert area.startswith(b"\xfd7zXZ\0\0\x01"), "xz with the one check that the kernel knows"
    assert unpacked_files(area)["config.ign"] == config
    (tmp_path / "own.iso").write_bytes(image)
    assert installer("iso", "ignition", "show", tmp_path / "own.iso") == config.decode()


def test_a_config_that_does_not_fit_is_refused_with_all_sizes():
    with pytest.raises(Invalid) as caught:
        customised(live(X86), Customisation(ignition=incompressible(300_000), extra=EXTRA))
    said = str(caught.value)
    assert re.match(r"The Ignition config of 600047 bytes has 31\d{4} when it is packed", said)
    assert f"and another {len(EXTRA)} of network settings; the image has room for {AREA}" in said


def test_an_archive_besides_has_its_own_place_where_there_is_one():
    renamed = published(X86).replace(b"rootfs.img", b"netcfg.img").replace(b"ROOTFS.IMG", b"NETCFG.IMG")
    found = read_live(InMemory(renamed))
    found = found.but(extra=found.extra.but(length=2048))
    patches = customised(found, Customisation(ignition=CONFIG, extra=EXTRA))
    assert [each.offset for each in patches] == [found.ignition.offset, found.extra.offset]
    assert patches[1].content == EXTRA.ljust(2048, b"\0")
    assert room(found, Customisation(ignition=CONFIG, extra=EXTRA)).extra == 2048 - len(EXTRA)
    with pytest.raises(Invalid, match=f"have {len(EXTRA)} bytes, packed, and there is room for 12: describe fewer"):
        customised(found.but(extra=found.extra.but(length=12)), Customisation(ignition=CONFIG, extra=EXTRA))


def test_kernel_arguments_that_are_too_long_are_refused_by_how_much():
    found = live(X86)
    fits = "x" * room(found, Customisation(ignition=CONFIG, kernel_arguments=("",))).kernel_arguments
    assert room(found, Customisation(ignition=CONFIG, kernel_arguments=(fits,))).kernel_arguments == 0
    customised(found, Customisation(ignition=CONFIG, kernel_arguments=(fits,)))
    with pytest.raises(Invalid, match=r"have 1141 characters .* room for 1138 in /EFI/.*: make them shorter by 3"):
        customised(found, Customisation(ignition=CONFIG, kernel_arguments=(fits + "yyy",)))


def test_a_mainframe_takes_kernel_arguments_too():
    image = own(S390X, Customisation(ignition=CONFIG, kernel_arguments=("rd.znet=qeth",)))
    area = image[71680 + 66688 :][:896]
    assert area.rstrip(b"\0").endswith(b"ignition.platform.id=metal rd.znet=qeth")
    found = live(S390X)
    assert room(found, Customisation(ignition=CONFIG)).kernel_arguments == 896 - 1 - len(found.kargs.default)


def test_an_image_without_places_for_kernel_arguments_says_so():
    with pytest.raises(Invalid, match="has no place for kernel arguments: those from before 2021"):
        customised(live(OLDEST), Customisation(ignition=CONFIG, kernel_arguments=("a",)))
    assert room(live(OLDEST), Customisation(ignition=CONFIG)).kernel_arguments is None


def test_what_means_something_to_grub_is_quoted_for_grub_alone():
    url = "http://a.example/rootfs?arch=x86_64&version=1"
    image = own(X86, Customisation(ignition=CONFIG, rootfs_url=url, kernel_arguments=("#x", "a='b'", 'c="$d;e"')))
    grub, isolinux = read_live(InMemory(image)).kargs.areas
    assert isolinux.now.endswith(f"""metal coreos.live.rootfs_url={url} #x a='b' c="$d;e\"""")
    assert grub.now.endswith(f"""metal 'coreos.live.rootfs_url={url}' '#x' 'a='\\''b'\\''' 'c=$d;e'""")
    assert read_live(InMemory(image)).kargs.now == isolinux.now


def test_a_url_takes_the_place_of_the_medium():
    image = own(X86, Customisation(ignition=CONFIG, rootfs_url="http://a.example/rootfs.img"))
    kargs = read_live(InMemory(image)).kargs
    assert "coreos.liveiso=" not in kargs.now
    assert kargs.now == f"{kargs.default} coreos.live.rootfs_url=http://a.example/rootfs.img"
    assert not kargs.from_medium


@pytest.mark.parametrize("filling", [0, 400])
def test_a_list_of_places_that_is_written_tightly_stays_as_long_as_it_is(filling):
    place, content = live(X86).files["/coreos/kargs.json"], published(X86)
    tight = json.dumps(json.loads(content[place.offset : place.end]), separators=(",", ":")).encode()
    length = len(tight) + filling
    at = content.index(b"KARGS.JSO;1") - 33
    both = length.to_bytes(4, "little") + length.to_bytes(4, "big")
    content = content[: at + 10] + both + content[at + 18 :]
    content = content[: place.offset] + tight.ljust(length) + content[place.offset + length :]
    found = read_live(InMemory(content))
    patches = customised(found, Customisation(ignition=b"", rootfs_url="http://a.example/rootfs.img"))
    kargs = read_live(InMemory(laid_over(content, patches))).kargs
    assert (kargs.listed_at.length, kargs.from_medium) == (length, False)


def test_a_list_of_places_with_no_room_for_anything_is_told():
    found = live(X86)
    found = found.but(kargs=found.kargs.but(listed_at=found.kargs.listed_at.but(length=100)))
    with pytest.raises(Broken, match=r"kargs.json has 100 bytes, and its new content needs 2\d\d"):
        customised(found, Customisation(ignition=b"", rootfs_url="http://a.example/rootfs.img"))


def test_a_url_with_a_space_in_it_is_refused():
    with pytest.raises(Invalid, match="write each as %20"):
        customised(live(X86), Customisation(ignition=CONFIG, rootfs_url="http://a.example/root fs"))


@pytest.mark.parametrize("name", NAMES)
def test_the_real_tool_reads_the_initrd_of_a_network_boot(name, tmp_path):
    found = live(name)
    initrd = streamed(InMemory(published(name)), pxe_initrd(found, Customisation(ignition=CONFIG, extra=EXTRA)))
    begins = found.initrd.length + -found.initrd.length % 4
    assert initrd.startswith(published(name)[found.initrd.offset : found.initrd.end])
    assert initrd.endswith(EXTRA)
    assert (len(initrd) - len(EXTRA)) % 4 == 0
    (tmp_path / "initrd.img").write_bytes(initrd[begins:])
    assert installer("pxe", "ignition", "unwrap", tmp_path / "initrd.img") == CONFIG.decode()


def test_a_mainframe_is_told_how_long_its_initrd_is():
    found = live(S390X)
    initrd = pxe_initrd(found, Customisation(ignition=CONFIG, extra=EXTRA))
    assert initrd_addrsize(found, initrd) == bytes.fromhex("0000000002000000") + initrd.length.to_bytes(8, "big")
    with pytest.raises(Invalid, match=r"is for x86_64; only those for s390x have initrd.addrsize"):
        initrd_addrsize(live(X86), initrd)


def test_an_initrd_without_a_wish_is_the_one_of_the_image():
    initrd = pxe_initrd(live(X86), Customisation(ignition=b""))
    assert streamed(InMemory(published(X86)), initrd) == b"initrd data\n"


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_any_range_of_an_image_is_what_a_copy_with_all_changes_would_have(data):
    name = data.draw(st.sampled_from((X86, S390X, "2021-01")))
    arguments = tuple(data.draw(st.lists(st.from_regex(r"[a-z&;]{1,9}=[a-z]{1,9}", fullmatch=True), max_size=4)))
    wanted = Customisation(ignition=data.draw(st.just(b"") | st.just(CONFIG)), extra=EXTRA, kernel_arguments=arguments)
    content, patches = published(name), customised(live(name), wanted)
    whole = laid_over(content, patches)
    start = data.draw(st.integers(0, len(content)))
    stop = data.draw(st.integers(start, min(len(content), start + data.draw(st.sampled_from((1, 4096, 10**6))))))
    assert streamed(InMemory(content), whole_of(content, patches), start, stop) == whole[start:stop]
    assert whole_of(content, patches).length == len(content)

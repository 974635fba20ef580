"""Installers taken from releases in a real registry: whole or not at all."""

import asyncio
import json
import stat
from datetime import timedelta

import pytest
from making_tools import LARGE, got, kept, kept_name, left_behind, making_tools

from muster.adapters.machine.commands import run
from muster.adapters.registry import LockedOut, Mirror, Mirrored
from muster.adapters.releases import room
from muster.adapters.releases.extraction import tool_name
from muster.adapters.releases.tools import keeps_to_fips
from muster.domain.errors import Broken, Invalid, NotFound, Unavailable
from parts.registry import login
from parts.release_image import GAP, STAND_IN, VERSION, layer, manifests, push_release


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "tools"


@pytest.fixture
async def making(registry, tmp_path):
    async with making_tools(registry, tmp_path) as make:
        yield make


@pytest.fixture
def tools(making):
    return making()


# What is got


async def test_the_installer_of_a_release_can_be_run(registry, tools, folder):
    release = push_release(registry)
    async with tools.binary(release.url, "", "x86_64") as path:
        said = (await run([str(path), "version"], env={}, patience=timedelta(seconds=10))).output
        assert stat.S_IMODE(path.stat().st_mode) == 0o755
        assert path.name.endswith("-openshift-install")
    assert said == "stand-in version\n"
    assert kept(folder) == [kept_name(release)]
    assert left_behind(folder) == []


async def test_the_installer_knows_its_release(registry, tools):
    release = push_release(registry)
    program = await got(tools, release)
    exact = f"{registry.host}/ocp/release@{release.pushed.digest}".encode()
    assert len(program) == len(STAND_IN)
    assert program[len(STAND_IN) - len(GAP) :].startswith(exact + b"\0")
    assert VERSION.encode() + b"\0" in program
    assert b"\0_RELEASE_" not in program


async def test_an_installer_without_gaps_is_left_as_it_is(registry, tools):
    assert await got(tools, push_release(registry, program=b"#!/bin/sh\n")) == b"#!/bin/sh\n"


@pytest.mark.parametrize(
    ("version", "fips", "name"),
    [
        ("4.15.40", False, "openshift-baremetal-install"),
        ("4.16.0-ec.1", False, "openshift-install"),
        ("4.16.0-0.okd-scos-2024", False, "openshift-install"),
        ("4.21.3", False, "openshift-install"),
        ("4.21.3", True, "openshift-baremetal-install"),
    ],
)
def test_the_version_and_the_machine_say_which_program_installs(version, fips, name):
    assert tool_name(version, fips=fips) == name


def test_whether_this_machine_keeps_to_fips_is_known(monkeypatch, tmp_path):
    monkeypatch.setattr("muster.adapters.releases.tools.FIPS", tmp_path / "enabled")
    assert not keeps_to_fips()
    (tmp_path / "enabled").write_text("1\n")
    assert keeps_to_fips()


async def test_a_machine_that_keeps_to_fips_gets_the_other_installer(registry, making, folder):
    release = push_release(registry, name="baremetal-installer")
    async with making(fips=True).binary(release.url, "") as path:
        assert path.name.endswith("-openshift-baremetal-install")
    with pytest.raises(NotFound, match=f"release {VERSION} .* has no image installer"):
        await got(making(), release)


async def test_for_another_machine_the_installer_is_among_the_artifacts(registry, tools):
    artifacts = registry.image("ocp/tools", [layer({"usr/share/openshift/linux_amd64/openshift-install": b"ours"})])
    said = manifests({"installer-artifacts": f"{registry.host}/ocp/tools@{artifacts.digest}"})
    registry.image("ocp/release", [said], tag="arm", architecture="arm64")
    async with tools.binary(f"{registry.host}/ocp/release:arm", "", "x86_64") as path:
        assert path.read_bytes() == b"ours"


async def test_a_release_without_an_installer_for_this_machine_is_invalid(registry, tools):
    release = push_release(registry, architecture="arm64")
    with pytest.raises(Invalid, match=r"is for arm64 and has no openshift-install for x86_64, .* one for several"):
        await got(tools, release)


async def test_a_release_whose_installer_is_for_another_machine_is_invalid(registry, tools):
    installer = registry.image("ocp/tools", [layer({"usr/bin/openshift-install": b"x"})], architecture="s390x")
    said = manifests({"installer": f"{registry.host}/ocp/tools@{installer.digest}"})
    registry.image("ocp/release", [said], tag="odd")
    with pytest.raises(Invalid, match="has no image for x86_64, only for s390x"):
        async with tools.binary(f"{registry.host}/ocp/release:odd", "", "amd64"):
            pytest.fail("it was got")


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"usr/bin/.wh.openshift-install": b""}, "has no /usr/bin/openshift-install"),
        ({"usr/bin/openshift-install": b""}, "is empty; push the image again"),
        ({"usr/bin/openshift-install": GAP.replace(b"X" * 64, b"X")}, "is too long for the installer"),
    ],
)
async def test_an_image_without_a_good_installer_is_broken(registry, tools, folder, files, sentence):
    installer = registry.image("ocp/tools", [layer(files)])
    version = "4.18.0-0.nightly-2026-01-01-010101-which-is-rather-long" if b"X" in b"".join(files.values()) else VERSION
    said = manifests({"installer": f"{registry.host}/ocp/tools@{installer.digest}"}, version)
    registry.image("ocp/release", [said], tag="odd")
    with pytest.raises(Broken, match=sentence):
        async with tools.binary(f"{registry.host}/ocp/release:odd", ""):
            pytest.fail("it was got")
    assert kept(folder) == []


# Who is let in


async def test_the_pull_secret_opens_both_images_and_who_has_none_gets_no_kept_tool_either(registry, tools):
    release = push_release(registry)
    registry.lock()
    secret = json.dumps({"auths": {registry.host: {"auth": login()}}})
    assert await got(tools, release, secret)
    with pytest.raises(LockedOut, match="has no entry for it"):
        await got(tools, release)


async def test_a_mirror_serves_what_calls_itself_by_another_name(registry, making):
    release = push_release(registry, called="quay.example")
    mirror = Mirrored(prefix="quay.example", blocked=True, mirror=(Mirror(location=registry.host, insecure=True),))
    program = await got(making(mirror), release)
    assert f"quay.example/ocp/release@{release.pushed.digest}".encode() in program


# What goes wrong on the way


async def test_a_damaged_layer_makes_no_tool_and_a_repaired_one_does(registry, tools, folder):
    release = push_release(registry, program=LARGE)
    body = json.loads(registry.file_of(release.installer.digest).read_bytes())
    digest = body["layers"][-1]["digest"]
    good = registry.file_of(digest).read_bytes()
    registry.damage(digest)
    with pytest.raises(Broken, match=f"{registry.host}/ocp/components sends something else .* damaged"):
        await got(tools, release)
    assert kept(folder) == []
    registry.file_of(digest).write_bytes(good)
    assert (await got(tools, release))[-100:] == LARGE[-100:]
    assert left_behind(folder) == []


async def test_a_registry_that_dies_in_the_middle_and_comes_back_is_gone_on_with(registry, making):
    release = push_release(registry, program=LARGE)
    heard = []

    def hear(news):
        heard.append(news.come)
        if len(heard) == 1:
            registry.stop()

    def come_back(_):
        registry.start()
        return 0.0

    tools = making(wait=come_back)
    tools.on_progress.append(hear)
    assert (await got(tools, release))[-100:] == LARGE[-100:]
    assert heard == sorted(set(heard))


async def test_where_the_registry_stays_away_what_has_come_is_kept_for_the_next_try(registry, tools, folder):
    release = push_release(registry, program=LARGE)
    heard = []

    def hear(news):
        heard.append(news.come)
        if len(heard) == 3:
            registry.stop()

    tools.on_progress.append(hear)
    with pytest.raises(Unavailable, match=f"{registry.host} could not be asked"):
        await got(tools, release)
    registry.start()
    assert (await got(tools, release))[-100:] == LARGE[-100:]
    assert heard == sorted(set(heard))
    assert left_behind(folder) == []


async def test_who_is_told_to_stop_leaves_the_work_to_the_next(registry, tools, folder):
    release = push_release(registry, program=LARGE)
    begun = asyncio.Event()
    tools.on_progress.append(lambda _: begun.set())
    first, second = (asyncio.create_task(got(tools, release)) for _ in range(2))
    await begun.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert (await second)[-100:] == LARGE[-100:]
    assert left_behind(folder) == []


async def test_where_the_disk_is_full_that_is_told_before_anything_is_fetched(registry, tools, monkeypatch):
    release = push_release(registry, program=LARGE)
    monkeypatch.setattr("muster.adapters.releases.tool_folder.free_room", lambda _: 1_000_000)
    monkeypatch.setattr(room, "free_room", lambda folder: 1_000_000 if folder.name == "tools" else 1 << 40)
    heard = []
    tools.on_progress.append(heard.append)
    with pytest.raises(
        Unavailable, match=r"not enough room for a layer .* needs 24 MB, but only 1.0 MB are free .*23 MB"
    ):
        await got(tools, release)
    assert heard == []


async def test_a_folder_that_cannot_be_written_to_is_told(registry, making, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match=r"getting openshift-install of .*: .*file/tools/in-use: Not a directory"):
        await got(making(folder=tmp_path / "file" / "tools"), push_release(registry))

"""`muster image` as a person runs it."""

import json
import subprocess

import pytest
from typer.testing import CliRunner

from muster.cli import app
from muster.domain.artifacts.cpio import archive, regular
from muster.domain.errors import Broken, Invalid, MusterError
from muster.image.customise import Customisation, customised
from parts.published import laid_over, live, live_file, published
from parts.tools import tool

X86, OLDEST, S390X = "2023-07.x86_64", "2020-09", "2023-07.s390x"
CONFIG = {
    "ignition": {"version": "3.2.0"},
    "passwd": {"users": [{"name": "core", "passwordHash": "hush"}]},
    "storage": {"files": [{"path": "/etc/motd", "contents": {"source": "data:,hush"}}]},
    "systemd": {"units": [{"name": "agent.service"}]},
}
URL = "https://images.example/rootfs.img"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the command is run: an image of each kind, and a config."""
    monkeypatch.chdir(tmp_path)
    for name in (X86, OLDEST, S390X):
        (tmp_path / f"{name}.iso").write_bytes(published(name))
    (tmp_path / "config.ign").write_text(json.dumps(CONFIG))
    return tmp_path


def run(*words: str) -> str:
    ended = CliRunner().invoke(app, ["image", *words])
    if isinstance(ended.exception, MusterError):
        raise ended.exception
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def shown(image: str) -> dict:
    return json.loads(run("show", image, "--json"))


@pytest.mark.usefixtures("folder")
def test_an_image_is_shown():
    told = run("show", f"{X86}.iso")
    for word in ("fedora-coreos-38.20230718.dev.0", "x86_64", "full, 1.0 MB", "262,144 bytes", "1,023 characters"):
        assert word in told
    assert "can be made, with --minimal" in told
    assert "cannot be changed in this image" in run("show", f"{OLDEST}.iso")
    assert "There are no minimal images for s390x" in run("show", f"{S390X}.iso")


@pytest.mark.usefixtures("folder")
def test_what_was_embedded_is_shown_without_its_secrets():
    run("customise", f"{X86}.iso", "-o", "own.iso", "--ignition", "config.ign", "--karg", "console=ttyS0")
    told = run("show", "own.iso")
    assert "version 3.2.0" in told
    assert "1 files, 1 units, users: core" in told
    assert "console=ttyS0" in told
    assert "as published" in told
    assert "hush" not in told + json.dumps(shown("own.iso"))
    assert shown("own.iso")["ignition"]["files"] == ["/etc/motd"]
    assert json.loads(run("show", "own.iso", "--ignition")) == CONFIG


@pytest.mark.usefixtures("folder")
def test_the_real_tool_finds_what_was_written():
    run("customise", f"{X86}.iso", "-o", "own.iso", "--ignition", "config.ign", "--karg", "a=b", "--karg", 'c="d e"')
    words = (("ignition", "show"), ("kargs", "show"))
    ignition, kargs = (
        subprocess.run([tool("coreos-installer"), "iso", *each, "own.iso"], capture_output=True, text=True, check=True)
        for each in words
    )
    assert json.loads(ignition.stdout) == CONFIG
    assert kargs.stdout.endswith(' a=b c="d e"\n')


def test_a_minimal_image_is_written(folder):
    run("customise", f"{X86}.iso", "-o", "own.iso", "--minimal", "--rootfs-url", URL, "--ignition", "config.ign")
    assert shown("own.iso")["kind"] == "minimal"
    assert shown("own.iso")["kernel_arguments"].endswith(f"metal coreos.live.rootfs_url={URL}")
    assert live_file(folder / "own.iso").minimal
    run("customise", "own.iso", "-o", "other.iso", "--rootfs-url", f"{URL}2")
    assert shown("other.iso")["kernel_arguments"].endswith(f"metal coreos.live.rootfs_url={URL}2")


def test_old_images_get_a_minimal_one_with_arguments(folder):
    run("customise", f"{OLDEST}.iso", "-o", "own.iso", "--minimal", "--rootfs-url", URL, "--karg", "a=b")
    assert shown("own.iso")["kernel_arguments"].endswith(f"metal coreos.live.rootfs_url={URL} a=b")
    assert sorted(each.name for each in folder.iterdir() if each.name.startswith(".")) == []


def test_a_file_is_not_written_over_unasked(folder):
    (folder / "own.iso").write_text("precious")
    with pytest.raises(Invalid, match=r"own.iso exists; choose another file for --output, or write over it"):
        run("customise", f"{X86}.iso", "-o", "own.iso", "--karg", "a")
    assert (folder / "own.iso").read_text() == "precious"
    run("customise", f"{X86}.iso", "-o", "own.iso", "--karg", "a", "--force")
    assert shown("own.iso")["kernel_arguments"].endswith(" a")


WRONG = {
    "nothing": ((X86,), Invalid, "There is nothing to customise"),
    "itself": ((X86, "-o", f"{X86}.iso", "--karg", "a", "--force"), Invalid, "is the image itself"),
    "no url": ((X86, "--minimal"), Invalid, "say with --rootfs-url where the machines fetch it"),
    "a url for a full image": ((X86, "--rootfs-url", URL), Invalid, "add --minimal"),
    "minimal on a mainframe": ((S390X, "--minimal", "--rootfs-url", URL), Invalid, "no minimal images for s390x"),
    "spaces": ((X86, "--karg", "a b"), Invalid, "put what has spaces in it into quotes"),
    "too long": ((X86, "--karg", "a" * 1100), Invalid, "make them shorter by"),
    "no room at all": ((OLDEST, "--karg", "a"), Invalid, "has no place for kernel arguments"),
    "no image": (("absent", "--karg", "a"), Broken, "absent.iso: No such file or directory"),
    "no config": ((X86, "--ignition", "absent"), Broken, "absent: No such file or directory"),
    "no JSON": ((X86, "--ignition", f"{X86}.iso"), Invalid, "is not a JSON object"),
    "no version": ((X86, "--ignition", "empty.json"), Invalid, "has no ignition.version"),
    "no folder": ((X86, "-o", "absent/own.iso", "--karg", "a"), Broken, "No such file or directory"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_told_and_nothing_is_written(folder, wrong):
    (folder / "empty.json").write_text("{}")
    (name, *words), error, sentence = WRONG[wrong]
    before = {each: each.stat().st_mtime_ns for each in folder.iterdir()}
    output = () if "-o" in words else ("-o", "own.iso")
    with pytest.raises(error, match=sentence):
        run("customise", f"{name}.iso", *output, *words)
    assert {each: each.stat().st_mtime_ns for each in folder.iterdir()} == before


def test_what_is_no_image_is_told_with_its_name(folder):
    (folder / "notes.txt").write_text("hello")
    with pytest.raises(Broken, match=r"notes.txt: The file has 5 bytes, too few for an ISO image"):
        run("show", "notes.txt")
    with pytest.raises(Broken, match="Is a directory"):
        run("show", str(folder))
    with pytest.raises(Invalid, match="There is no Ignition config in the image"):
        run("show", f"{X86}.iso", "--ignition")


def test_a_config_that_is_none_is_still_shown(folder):
    extra = archive([regular("/etc/hello", "hush", 0o600)])
    patches = customised(live(X86), Customisation(ignition=b"[1, 2]", extra=extra))
    (folder / "own.iso").write_bytes(laid_over(published(X86), patches))
    told = run("show", "own.iso")
    assert "version unknown, 6 bytes" in told
    assert "/etc/hello" in told
    assert "hush" not in told

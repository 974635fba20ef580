"""Installers taken from releases by `oc`: by a stand-in for it with its command line, and without it where it fails."""

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from muster.adapters.machine.commands import run
from muster.adapters.registry import Mirror, Mirrored, Reaching, Registry
from muster.adapters.releases.oc import Oc
from muster.adapters.releases.payload import Payload, Payloads
from muster.adapters.releases.tools import Keeping, Tools
from muster.domain.errors import Unavailable
from parts.registry import login
from parts.release_image import push_release

STAND_IN = """#!/bin/sh
# A stand-in for oc: it writes down how it was called, and the program that it was asked for.
if [ "$4" = --help ]; then
  printf 'Extract\\n  {known}=\\n'
  exit 0
fi
here=$(dirname "$0")
printf '%s\\n' "$@" > "$here/words"
env > "$here/environment"
for word in "$@"; do
  case "$word" in
    --registry-config=*) cp -p "${{word#*=}}" "$here/secret" ;;
    --idms-file=*|--icsp-file=*) cp "${{word#*=}}" "$here/mirrors" ;;
    --to=*) to=${{word#*=}} ;;
    --command=*) name=${{word#*=}} ;;
  esac
done
{then}
"""
BRINGS = 'printf "brought by oc" > "$to/$name"'


def an_oc(folder: Path, then: str = BRINGS, known: str = "--idms-file") -> str:
    program = folder / "oc"
    program.write_text(STAND_IN.format(then=then, known=known))
    program.chmod(0o755)
    return str(program)


async def got(registry, tmp_path: Path, oc: str, secret: str = "", *mirrored: Mirrored, ca: str = "") -> bytes:
    client = Registry(Reaching(mirrored=(*mirrored, Mirrored(location=registry.host, insecure=True)), ca=ca, tries=1))
    tools = Tools(client, Payloads(client, tmp_path), Keeping(folder=tmp_path / "tools", oc=oc))
    try:
        async with tools.binary(push_release(registry).url, secret) as path:
            return path.read_bytes()
    finally:
        await client.close()


async def test_where_there_is_an_oc_it_is_asked(registry, tmp_path, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("MUSTER_DATABASE_PASSWORD", "opensesame")
    secret = json.dumps({"auths": {registry.host: {"auth": login()}}})
    assert await got(registry, tmp_path, an_oc(tmp_path), secret) == b"brought by oc"
    words = (tmp_path / "words").read_text().splitlines()
    assert words[:4] == ["adm", "release", "extract", "--command=openshift-install"]
    assert "--insecure=true" in words
    assert words[-2].startswith(f"{registry.host}/ocp/release@sha256:")
    assert not any("mirror" in word or login() in word for word in words)
    assert json.loads((tmp_path / "secret").read_text()) == json.loads(secret)
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    environment = (tmp_path / "environment").read_text()
    assert "proxy.example" in environment
    assert "opensesame" not in environment


async def test_nothing_of_the_secret_stays_on_the_disk(registry, tmp_path):
    secret = json.dumps({"auths": {registry.host: {"auth": login()}}})
    await got(registry, tmp_path, an_oc(tmp_path), secret)
    files = [path for path in (tmp_path / "tools").rglob("*") if path.is_file()]
    assert files
    assert not any(login().encode() in path.read_bytes() for path in files)


@pytest.mark.parametrize(
    ("known", "kind", "rows"),
    [
        ("--idms-file", "ImageDigestMirrorSet", "imageDigestMirrors"),
        ("--icsp-file", "ImageContentSourcePolicy", "repositoryDigestMirrors"),
    ],
)
async def test_oc_is_told_of_mirrors_in_the_way_that_it_knows(registry, tmp_path, known, kind, rows):
    mirror = Mirrored(prefix="quay.example/ocp", mirror=(Mirror(location="here.lan/ocp"), Mirror(location="b.lan/ocp")))
    assert await got(registry, tmp_path, an_oc(tmp_path, known=known), "", mirror) == b"brought by oc"
    told = json.loads((tmp_path / "mirrors").read_text())
    assert told["kind"] == kind
    assert told["spec"][rows] == [{"source": "quay.example/ocp", "mirrors": ["here.lan/ocp", "b.lan/ocp"]}]
    assert any(word.startswith(f"{known}=") for word in (tmp_path / "words").read_text().splitlines())


@pytest.mark.parametrize("then", ["exit 1", "true", "echo denied >&2; exit 3"])
async def test_what_oc_cannot_do_is_done_without_it(registry, tmp_path, then):
    assert b"# A stand-in for openshift-install." in await got(registry, tmp_path, an_oc(tmp_path, then))


async def test_an_oc_that_is_not_there_is_done_without(registry, tmp_path):
    assert b"# A stand-in for openshift-install." in await got(registry, tmp_path, str(tmp_path / "none"))


def a_payload() -> Payload:
    said = {"architecture": "x86_64", "architectures": ("x86_64",), "images": {}}
    return Payload(release="quay.io/a@sha256:1", digest="sha256:1", version="4.18.1", **said)


async def test_what_oc_complains_of_is_told_without_the_secret(tmp_path):
    secret = json.dumps({"auths": {"quay.io": {"auth": login()}}})
    oc = Oc(an_oc(tmp_path, f"echo no way with {login()} or opens-sesame >&2; exit 3"), Reaching(ca="pem"))
    with pytest.raises(Unavailable, match=r"oc ended with 3 and said: no way with \(secret\) or \(secret\)$"):
        await oc.extract("openshift-install", a_payload(), secret, tmp_path)
    assert not (tmp_path / "pull-secret.json").exists()
    assert f"SSL_CERT_DIR={tmp_path / 'trusted'}\n" in (tmp_path / "environment").read_text()
    assert (tmp_path / "trusted" / "registries.pem").read_text() == "pem"


async def test_an_oc_that_does_not_end_is_stopped(tmp_path):
    oc = Oc(an_oc(tmp_path, "sleep 600"), Reaching(), patience=timedelta(seconds=0.2))
    with pytest.raises(Unavailable, match="has not ended after 0 seconds"):
        await oc.extract("openshift-install", a_payload(), "", tmp_path)


# Programs of any kind


async def test_a_program_gets_its_words_and_its_environment_and_nothing_else():
    ended = await run(["/usr/bin/env"], env={"ONE": "1 $HOME;"}, patience=timedelta(seconds=10))
    assert (ended.code, ended.output, ended.complaint) == (0, "ONE=1 $HOME;\n", "")


async def test_of_what_a_program_writes_the_end_is_kept():
    words = ["/bin/sh", "-c", "head -c 300000 /dev/zero; echo the end; echo why >&2; exit 7"]
    ended = await run(words, env={"PATH": os.environ["PATH"]}, patience=timedelta(seconds=10))
    assert (ended.code, len(ended.output), ended.complaint) == (7, 64 * 1024, "why\n")
    assert ended.output.endswith("the end\n")


async def test_a_program_is_stopped_with_all_that_it_has_started(tmp_path):
    lock = tmp_path / "lock"
    words = ["/bin/sh", "-c", f"flock {lock} sleep 600 & sleep 600"]
    with pytest.raises(Unavailable, match="/bin/sh has not ended after 1 seconds"):
        await run(words, env={"PATH": os.environ["PATH"]}, patience=timedelta(seconds=1))
    # The grandchild would still have it.
    free = await run(["flock", "-w", "10", str(lock), "true"], env=dict(os.environ), patience=timedelta(seconds=20))
    assert free.code == 0


async def test_a_program_that_is_not_there_cannot_be_run(tmp_path):
    with pytest.raises(Unavailable, match="none cannot be run: No such file"):
        await run([str(tmp_path / "none")], env={}, patience=timedelta(seconds=1))

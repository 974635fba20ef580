"""Discovery images over HTTP, as machines and their firmware fetch them."""

import gzip
import json
import re
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from email.parser import BytesParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from calling import V2, Caller
from guarding import Known
from hypothesis import given, settings
from hypothesis import strategies as st
from making import SECRET

from muster.domain.views import infra_env_scope
from muster.image.live import read_live
from muster.image.source import FileSource
from muster.wire.image_links import code_of
from parts.images import OLD, S390X, X86, embedded_in, offered, unpacked
from parts.keys import Locksmith
from parts.service import RunningService


@pytest.fixture(scope="module")
def imaging(tmp_path_factory) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("imaging")
    running = RunningService(folder / "data", offered(folder, X86, S390X, OLD))
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def api(imaging) -> Iterator[Caller]:
    caller = Caller(imaging.url)
    yield caller
    caller.close()


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> bytes:
    return unpacked(X86, tmp_path_factory.mktemp("base")).read_bytes()


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    return looked_at(unpacked(X86, tmp_path_factory.mktemp("live")))


def looked_at(path: Path):
    source = FileSource(path)
    found = read_live(source)
    source.close()
    return found


def an_image(api: Caller, **written) -> dict:
    reply = api.v2("POST /infra-envs", {"name": "room", "pull_secret": SECRET, "openshift_version": "4.18", **written})
    assert reply.status == 201, reply.body
    return reply.json


def path_of(infra_env: dict) -> str:
    return urlsplit(infra_env["download_url"]).path


def archive_in(image: bytes, folder: Path) -> str:
    """The archive in the place for the Ignition config, unpacked."""
    (folder / "fetched.iso").write_bytes(image)
    return embedded_in(folder / "fetched.iso")


# Full images


def test_a_full_image_is_the_base_with_the_config_of_its_infra_env_in_its_place(api, base, live, tmp_path):
    infra_env = an_image(api)
    image = api.raw("GET", path_of(infra_env))
    config = api.v2(f"GET /infra-envs/{infra_env['id']}/downloads/files?file_name=discovery.ign").body
    area = live.ignition
    assert image.status == 200
    assert int(image.headers["content-length"]) == len(image.body) == len(base)
    assert image.headers["content-disposition"] == f'attachment; filename="{infra_env["id"]}-discovery.iso"'
    assert image.body[: area.offset] + image.body[area.end :] == base[: area.offset] + base[area.end :]
    assert config.decode() in archive_in(image.body, tmp_path)


def test_the_head_of_an_image_says_what_the_image_would(api):
    path = path_of(an_image(api))
    image, head = api.raw("GET", path), api.raw("HEAD", path)
    told = ("content-length", "etag", "last-modified", "accept-ranges", "content-disposition", "content-type")
    assert (head.status, head.body) == (200, b"")
    assert {name: head.headers[name] for name in told} == {name: image.headers[name] for name in told}
    assert head.headers["accept-ranges"] == "bytes"
    assert re.fullmatch(r'"[0-9a-f]{32}"', head.headers["etag"])


def test_kernel_arguments_follow_those_of_the_system(api, base, live):
    arguments = [{"operation": "append", "value": "console=ttyS0"}, {"operation": "append", "value": 'who="a b"'}]
    image = api.raw("GET", path_of(an_image(api, kernel_arguments=arguments))).body
    for area in live.kargs.areas:
        written = image[area.offset : area.offset + live.kargs.size]
        assert written.startswith(f'{live.kargs.default} console=ttyS0 who="a b"\n####'.encode())


def test_an_image_is_the_same_until_its_configuration_changes(api):
    infra_env = an_image(api)
    path, where = path_of(infra_env), f"/infra-envs/{infra_env['id']}"
    first = api.raw("GET", path)
    assert api.v2(f"PATCH {where}", {"additional_ntp_sources": ""}).status == 201
    again = api.raw("GET", path)
    assert (again.body, again.headers["etag"]) == (first.body, first.headers["etag"])
    assert api.v2(f"PATCH {where}", {"additional_ntp_sources": "time.example.com"}).status == 201
    other = api.raw("GET", path)
    assert other.body != first.body
    assert other.headers["etag"] != first.headers["etag"]


# Parts


def test_any_parts_of_an_image_make_up_the_whole(api):
    path = path_of(an_image(api))
    image = api.raw("GET", path)

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.integers(1, len(image.body) - 1), max_size=6, unique=True))
    def parts_make_up_the_whole(cuts):
        places = [0, *sorted(cuts), len(image.body)]
        parts = [
            api.raw("GET", path, headers={"Range": f"bytes={start}-{stop - 1}", "If-Range": image.headers["etag"]})
            for start, stop in pairwise(places)
        ]
        assert {each.status for each in parts} == {206}
        assert b"".join(each.body for each in parts) == image.body

    parts_make_up_the_whole()


def test_parts_around_the_config_are_exact(api, live):
    path = path_of(an_image(api))
    whole = api.raw("GET", path).body
    for at in (live.ignition.offset, live.ignition.end):
        part = api.raw("GET", path, headers={"Range": f"bytes={at - 3}-{at + 2}"})
        assert part.headers["content-range"] == f"bytes {at - 3}-{at + 2}/{len(whole)}"
        assert part.body == whole[at - 3 : at + 3]


def test_several_parts_come_in_one_answer(api):
    path = path_of(an_image(api))
    whole = api.raw("GET", path).body
    reply = api.raw("GET", path, headers={"Range": "bytes=0-9,140000-140099,-7"})
    assert reply.status == 206
    head = f"Content-Type: {reply.headers['content-type']}\r\n\r\n".encode()
    parts = BytesParser().parsebytes(head + reply.body).get_payload()
    assert [each["content-range"] for each in parts] == [
        f"bytes {start}-{stop}/{len(whole)}"
        for start, stop in ((0, 9), (140000, 140099), (len(whole) - 7, len(whole) - 1))
    ]
    assert reply.body.count(whole[140000:140100]) == 1
    assert int(reply.headers["content-length"]) == len(reply.body)


def test_a_caller_that_knows_the_image_is_told_so(api):
    path = path_of(an_image(api))
    tag = api.raw("HEAD", path).headers["etag"]
    assert api.raw("GET", path, headers={"If-None-Match": tag})[::2] == (304, b"")
    assert api.raw("GET", path, headers={"If-Match": '"another"'})[::2] == (412, b"")
    assert api.raw("GET", path, headers={"Range": "bytes=0-9", "If-Range": '"another"'}).status == 200


def test_a_range_beyond_the_end_is_told_the_length(api, base):
    reply = api.raw("GET", path_of(an_image(api)), headers={"Range": f"bytes={len(base)}-"})
    assert (reply.status, reply.headers["content-range"]) == (416, f"bytes */{len(base)}")
    assert f"has {len(base)} bytes" in reply.said


def test_one_connection_fetches_part_after_part_and_then_something_else(api):
    path = path_of(an_image(api))
    for _ in range(20):
        assert len(api.raw("GET", path, headers={"Range": "bytes=1000-300000"}).body) == 299001
    assert api.v2("GET /infra-envs").status == 200


def test_a_caller_that_hangs_up_in_the_middle_leaves_nothing_behind(imaging, api):
    path = path_of(an_image(api))
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", imaging.port)) as line:
            line.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert line.recv(10) == b"HTTP/1.1 2"
    assert api.raw("GET", path).status == 200


def test_images_are_sent_to_as_many_as_may_have_one_at_a_time(tmp_path):
    settings = offered(tmp_path, X86)
    with (tmp_path / f"{X86.fixture}.iso").open("r+b") as file:
        file.truncate(64 << 20)
    running = RunningService(tmp_path / "data", settings | {"MAX_CONCURRENT_REQUESTS": "1"})
    running.start()
    caller = Caller(running.url)
    asked = f"GET {path_of(an_image(caller))} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    first, second, third = (socket.create_connection(("127.0.0.1", running.port), timeout=20) for _ in range(3))
    for line in (first, second, third):
        line.sendall(asked)
    assert first.recv(12) == b"HTTP/1.1 200"
    assert len(caller.raw("HEAD", asked.split()[1].decode()).body) == 0
    second.close()
    first.close()
    assert third.recv(12) == b"HTTP/1.1 200"
    third.close()
    caller.close()
    running.stop()


def test_an_image_whose_system_is_not_here_says_so(imaging, api):
    infra_env = an_image(api, openshift_version="4.20")
    reply = api.raw("GET", path_of(infra_env))
    assert reply.status == 404
    assert "OS_IMAGES" in reply.said


# Minimal images


def test_a_minimal_image_fetches_its_system_from_here(api, imaging, base, live, tmp_path):
    infra_env = an_image(api, image_type="minimal-iso")
    image = api.raw("GET", path_of(infra_env))
    assert image.status == 200
    url = f"{imaging.url}/boot-artifacts/x86_64/{X86.build}/rootfs"
    (tmp_path / "minimal.iso").write_bytes(image.body)
    minimal = looked_at(tmp_path / "minimal.iso")
    assert minimal.minimal
    assert not minimal.kargs.from_medium
    assert minimal.kargs.now.endswith(f" coreos.live.rootfs_url={url}")
    rootfs = live.rootfs
    fetched = api.raw("GET", url.removeprefix(imaging.url))
    assert fetched.body == api.raw("GET", f"/boot-artifacts/rootfs?version={X86.build}").body
    assert fetched.body == base[rootfs.offset : rootfs.end]
    assert fetched.headers["content-disposition"] == 'attachment; filename="rootfs.img"'


def test_a_proxy_is_in_a_minimal_image_before_its_system_is(api):
    proxy = {"http_proxy": "http://proxy.example.com:3128"}
    with_proxy = api.raw("GET", path_of(an_image(api, image_type="minimal-iso", proxy=proxy)))
    plain = api.raw("GET", path_of(an_image(api, image_type="minimal-iso")))
    assert len(with_proxy.body) == len(plain.body)
    assert with_proxy.headers["etag"] != plain.headers["etag"]


def test_a_mainframe_has_no_minimal_image(api):
    reply = api.v2(
        "POST /infra-envs",
        {
            "name": "z",
            "pull_secret": SECRET,
            "openshift_version": "4.18",
            "cpu_architecture": "s390x",
            "image_type": "full-iso",
        },
    )
    path = path_of(reply.json).replace("full.iso", "minimal.iso")
    refused = api.raw("GET", path)
    assert refused.status == 400
    assert "s390x" in refused.said


# Starting over the network


def test_a_network_boot_gets_kernel_initrd_and_system(api, base, live):
    infra_env = an_image(api)
    script = api.v2(f"GET /infra-envs/{infra_env['id']}/downloads/files?file_name=ipxe-script").body.decode()
    urls = {line.split()[0]: next(word for word in line.split() if "://" in word) for line in script.splitlines()[1:3]}
    kernel, initrd = (api.raw("GET", urls[name].split("/", 3)[3].join(("/", ""))) for name in ("kernel", "initrd"))
    assert kernel.body == base[live.kernel.offset : live.kernel.end]
    own = base[live.initrd.offset : live.initrd.end]
    assert initrd.body.startswith(own)
    assert b"config.ign" in gzip.decompress(initrd.body[len(own) + -len(own) % 4 :].rstrip(b"\0") + b"\0" * 8)


def test_a_mainframe_is_told_the_size_of_its_initrd(api):
    infra_env = an_image(api, cpu_architecture="s390x")
    images = f"/images/{infra_env['id']}"
    initrd = api.raw("HEAD", f"{images}/pxe-initrd?version=4.18&arch=s390x")
    told = api.raw("GET", f"{images}/s390x-initrd-addrsize?version=4.18")
    assert told.body == bytes.fromhex("0000000002000000") + int(initrd.headers["content-length"]).to_bytes(8, "big")
    ins = api.raw("GET", "/boot-artifacts/ins-file?version=4.18&arch=s390x")
    assert (ins.status, ins.headers["content-disposition"]) == (200, 'attachment; filename="generic.ins"')


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/boot-artifacts/kernel?version=9.9", 400, "no system image 9.9 for x86_64"),
        ("/boot-artifacts/kernel", 400, "version"),
        ("/boot-artifacts/ins-file?version=4.18", 404, "no ins-file for x86_64"),
        ("/boot-artifacts/nothing?version=4.18", 404, "ask for kernel or rootfs"),
    ],
)
def test_a_part_that_is_not_there_is_told_in_a_sentence(api, path, status, says):
    reply = api.raw("GET", path)
    assert reply.status == status
    assert says in reply.said


@pytest.mark.parametrize(
    ("file", "status", "says"),
    [
        ("9.9/x86_64/full.iso", 404, "no system image 9.9 for x86_64"),
        ("4.18/arm64/full.iso", 404, "is for x86_64, and the image asked for is for arm64"),
        ("4.18/x86_64/tiny.iso", 404, "ask for disconnected.iso, full.iso, minimal.iso"),
    ],
)
def test_an_image_that_is_not_there_is_told_in_a_sentence(api, file, status, says):
    reply = api.raw("GET", f"/byid/{an_image(api)['id']}/{file}")
    assert reply.status == status
    assert says in reply.said


def test_images_of_nobody_are_not_there(api):
    reply = api.raw("GET", "/byid/0d9a1d4e-7d39-4d2c-9c56-0f1f4f0a9f11/4.18/x86_64/full.iso")
    assert reply.status == 404


def test_an_image_is_to_be_had_as_it_was_before_there_were_shorter_links(api):
    infra_env = an_image(api)
    new = api.raw("GET", path_of(infra_env))
    old = api.raw("GET", f"/images/{infra_env['id']}?version=4.18&arch=x86_64&type=full-iso")
    assert (old.status, old.body) == (200, new.body)


def test_a_part_of_an_image_can_only_be_read(api):
    assert api.raw("POST", path_of(an_image(api))).status == 405


# Short links


def described(api: Caller, infra_env: dict) -> dict:
    reply = api.ours(f"GET /infra-envs/{infra_env['id']}/image")
    assert reply.status == 200, reply.body
    return reply.json


def test_a_short_link_leads_to_the_same_image(api, imaging):
    infra_env = an_image(api)
    told = described(api, infra_env)
    assert len(told["short_url"]) < 75
    assert told["short_url"].endswith(".iso")
    assert told["short_url_expires_at"].startswith("0001-01-01")
    assert (told["build"], told["size_bytes"]) == (X86.build, 1048576)
    short = api.raw("GET", told["short_url"].removeprefix(imaging.url))
    assert (short.status, short.body) == (200, api.raw("GET", path_of(infra_env)).body)
    assert short.headers["etag"].strip('"') == told["etag"]


def test_a_new_key_ends_short_links(api, imaging):
    infra_env = an_image(api)
    path = described(api, infra_env)["short_url"].removeprefix(imaging.url)
    assert api.v2(f"POST /infra-envs/{infra_env['id']}/regenerate-signing-key").status == 204
    reply = api.raw("GET", path)
    assert reply.status == 404
    assert "ask for another" in reply.said


def test_a_link_that_was_cut_short_leads_nowhere(api, imaging):
    path = described(api, an_image(api))["short_url"].removeprefix(imaging.url)
    for broken in (path[:-10], path.removesuffix(".iso")[:-1] + "A.iso", "/i/x.iso", "/i/.iso"):
        assert api.raw("GET", broken).status == 404


# Who is let in


@pytest.fixture(scope="module")
def smith() -> Locksmith:
    return Locksmith()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory, smith) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("guarded")
    running = RunningService(folder / "data", {**offered(folder, X86), **smith.environment})
    running.start()
    yield running
    running.stop()


@pytest.fixture
def user(guarded, smith) -> Iterator[Caller]:
    caller = Known(guarded.url, {"Authorization": f"Bearer {smith.user()}"})
    yield caller
    caller.close()


@pytest.fixture
def stranger(guarded) -> Iterator[Caller]:
    caller = Caller(guarded.url)
    yield caller
    caller.close()


def test_whoever_has_the_link_has_the_image(user, stranger):
    infra_env = an_image(user)
    path = path_of(infra_env)
    assert path.startswith("/byapikey/")
    image = stranger.raw("GET", path)
    assert image.status == 200
    assert image.body == stranger.raw("GET", path).body


def test_whoever_has_no_link_has_no_image(user, stranger):
    infra_env, other = an_image(user), an_image(user)
    by_id = f"/byid/{infra_env['id']}/4.18/x86_64/full.iso"
    key = path_of(other).split("/")[2]
    assert stranger.raw("GET", by_id).status == 401
    assert stranger.raw("GET", f"{by_id}?api_key={key}").status == 404
    assert stranger.raw("GET", f"/byapikey/{key[:-3]}AAA/4.18/x86_64/full.iso").status == 401
    assert stranger.raw("GET", f"/images/{infra_env['id']}/pxe-initrd?version=4.18&api_key={key}").status == 404
    assert user.raw("GET", by_id).status == 200


def test_a_short_link_ends(guarded, user, stranger):
    infra_env = an_image(user)
    told = described(user, infra_env)
    ends = datetime.fromisoformat(told["short_url_expires_at"])
    assert 4 * 3600 - 60 <= (ends - datetime.now(UTC)).total_seconds() <= 5 * 3600
    assert stranger.raw("GET", told["short_url"].removeprefix(guarded.url)).status == 200
    record = guarded.within(guarded.service.engine.view(infra_env_scope(infra_env["id"]))).infra_envs[infra_env["id"]]
    ended = stranger.raw("GET", f"/i/{code_of(record, datetime(2026, 1, 1, tzinfo=UTC))}.iso")
    assert ended.status == 410
    assert "ended at 2026-01-01T00:00:00.000Z; ask for another" in ended.said


def test_the_agent_in_an_image_has_the_token_of_its_infra_env(user, stranger, smith, tmp_path):
    infra_env = an_image(user)
    archive = archive_in(stranger.raw("GET", path_of(infra_env)).body, tmp_path)
    config = json.loads(archive[archive.index("{") : archive.rindex("}") + 1])
    agent = next(each for each in config["systemd"]["units"] if each["name"] == "agent.service")
    assert smith.infra_env(infra_env["id"]) in agent["contents"]


def test_parts_for_everybody_need_no_token(stranger):
    assert stranger.raw("HEAD", "/boot-artifacts/rootfs?version=4.18").status == 200
    assert stranger.raw("GET", f"{V2}/infra-envs").status == 401

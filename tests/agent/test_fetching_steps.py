"""The steps of an agent that ask web servers: real ones, on this machine."""

import hashlib
import json
import ssl
from base64 import b64encode, urlsafe_b64encode
from contextlib import asynccontextmanager

import msgspec
import pytest
from aiohttp import web

from builders import a_cluster
from muster.adapters.releases.certificates import new_certificates
from muster.agent.steps import perform
from muster.agent.steps.download_boot_artifacts import ENTRY, INITRD, KERNEL, OPTIONS, boot_entry
from muster.client import Client
from muster.domain.joining import ApiVipReply, TangReply, read_ignition
from parts.machines import a_room, a_running_machine
from parts.service import free_port

NOBODY = Client("http://127.0.0.1:9")
NOWHERE = "http://127.0.0.1:9"


@asynccontextmanager
async def a_server(answers, tls=None):
    """A web server that answers a path with a status and a body; what it was asked is in `seen`."""
    seen = []

    async def answer(request):
        seen.append(request)
        status, body = answers.get(request.path, (404, b"no such page"))
        return web.Response(status=status, body=body)

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    port = free_port()
    await web.TCPSite(runner, "127.0.0.1", port, ssl_context=tls).start()
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{port}", seen
    finally:
        await runner.cleanup()


async def do(kind, request, machine=None):
    return await perform(kind, machine or a_running_machine(a_room()), [json.dumps(request)], NOBODY)


# The ignition of a running cluster


async def fetched(request, machine=None):
    reply = await do("api-vip-connectivity-check", request, machine)
    assert reply.exit_code == 0
    return msgspec.json.decode(reply.output, type=ApiVipReply), reply


IGNITION = {
    "ignition": {"version": "3.2.0", "config": {"merge": []}},
    "passwd": {"users": []},
    "storage": {
        "files": [
            {"path": "/etc/kubernetes/kubeconfig", "contents": {"source": "data:,k"}},
            {"path": "/etc/kubernetes/manifests/coredns.yaml", "contents": {"source": "data:,c"}},
            {"path": "/etc/hostname", "contents": {"source": "data:,h"}},
            {
                "path": "/etc/ignition-machine-config-encapsulated.json",
                "contents": {"source": 'data:,{"spec":{"osImageURL":"quay.io/os:1","config":{"much":"more"}}}'},
            },
        ],
        "luks": [{"clevis": {"tpm2": True}}],
    },
    "systemd": {"units": [{"name": "kubelet.service"}]},
}


async def test_of_an_ignition_only_what_is_looked_at_is_kept():
    async with a_server({"/config/worker": (200, json.dumps(IGNITION).encode())}) as (url, _):
        reply, _ = await fetched({"url": f"{url}/config/worker"})
    assert reply.is_success
    assert reply.url.endswith("/config/worker")
    kept = json.loads(reply.ignition)
    assert [file["path"] for file in kept["storage"]["files"]] == [
        "/etc/kubernetes/kubeconfig",
        "/etc/kubernetes/manifests/coredns.yaml",
        "/etc/ignition-machine-config-encapsulated.json",
    ]
    assert "systemd" not in kept
    assert (kept["passwd"], kept["ignition"]) == (IGNITION["passwd"], IGNITION["ignition"])
    ignition = read_ignition(reply.ignition)
    assert ignition is not None
    assert ignition.system_image == "quay.io/os:1"
    assert ignition.clevis is not None
    assert "much" not in reply.ignition


async def test_the_host_says_what_it_was_told_to_say():
    async with a_server({"/w": (200, b'{"ignition": {"version": "3.4.0"}}')}) as (url, seen):
        headers = [{"key": "X-Site", "value": "lab"}]
        await fetched({"url": f"{url}/w", "ignition_endpoint_token": "t", "request_headers": headers})
        headers.append({"key": "Authorization", "value": "Bearer other"})
        await fetched({"url": f"{url}/w", "ignition_endpoint_token": "t", "request_headers": headers})
    assert seen[0].headers["Accept"] == "application/vnd.coreos.ignition+json; version=3.2.0"
    assert seen[0].headers["X-Site"] == "lab"
    assert [each.headers["Authorization"] for each in seen] == ["Bearer t", "Bearer other"]


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (500, b"out of order", "status 500: out of order"),
        (200, b"", "empty"),
        (200, b"<html>", "not JSON: <html>"),
        (200, b"[]", "no ignition"),
        (200, b'{"ignition": {"version": "2.2.0"}}', "no ignition"),
        (200, b'{"storage": {"files": 1}, "ignition": {"version": "3.2.0"}}', "no ignition"),
        (200, b'{"ignition": []}', "no ignition"),
    ],
)
async def test_an_answer_that_is_no_ignition_is_shown(status, body, words):
    async with a_server({"/w": (status, body)}) as (url, _):
        reply, step = await fetched({"url": f"{url}/w"})
    assert not reply.is_success
    assert reply.url == f"{url}/w"
    assert words in reply.download_error
    assert step.error


async def test_only_the_beginning_of_a_long_answer_is_shown():
    async with a_server({"/w": (200, b"x" * 5000)}) as (url, _):
        reply, _ = await fetched({"url": f"{url}/w"})
    assert reply.download_error.endswith("x" * 512)
    assert "x" * 513 not in reply.download_error


async def test_a_server_that_is_not_there_is_no_fault_of_the_step():
    reply, _ = await fetched({"url": f"{NOWHERE}/w"})
    assert not reply.is_success
    assert NOWHERE in reply.download_error
    reply, _ = await fetched({"url": "gopher://nowhere"})
    assert "gopher://nowhere" in reply.download_error


async def test_a_header_that_no_call_can_have_is_told_without_its_value():
    headers = [{"key": "X-Secret", "value": "sesame\r\nopen: yes"}]
    reply, step = await fetched({"url": f"{NOWHERE}/w", "request_headers": headers})
    assert not reply.is_success
    assert "sesame" not in reply.download_error + step.error


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Whom a site trusts, and how its server shows itself."""
    folder, made = tmp_path_factory.mktemp("site"), new_certificates(a_cluster())
    (folder / "server.pem").write_bytes(made.kube_apiserver.key_pem + made.kube_apiserver.chain)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "server.pem")
    return made.root_ca.chain, context


async def test_who_is_trusted_is_what_the_user_says(site):
    pem, context = site
    async with a_server({"/w": (200, json.dumps(IGNITION).encode())}, tls=context) as (url, _):
        known, _ = await fetched({"url": f"{url}/w", "ca_certificate": b64encode(pem).decode()})
        unknown, _ = await fetched({"url": f"{url}/w"})
    assert known.is_success
    assert not unknown.is_success
    assert "certificate" in unknown.download_error.lower()


@pytest.mark.parametrize("text", ["no base64", b64encode(b"\xff\xfe").decode()])
async def test_certificates_in_another_form_are_a_fault_of_the_service(text):
    reply = await do("api-vip-connectivity-check", {"url": NOWHERE, "ca_certificate": text})
    assert reply.exit_code == -1
    assert "ca_certificate" in reply.error


async def test_certificates_that_are_none_are_trusted_by_nobody():
    reply, _ = await fetched({"url": NOWHERE, "ca_certificate": b64encode(b"nothing").decode()})
    assert "certificates" in reply.download_error


async def test_web_servers_of_the_room_answer_as_well():
    room = a_room()
    room.pages["http://192.168.1.5:22624/config/worker"] = json.dumps(IGNITION).encode()
    reply, _ = await fetched({"url": "http://192.168.1.5:22624/config/worker"}, a_running_machine(room))
    assert reply.is_success


# Servers that hold disk keys

KEY = {"kty": "EC", "crv": "P-521", "x": "AX", "y": "AY", "alg": "ES512", "key_ops": ["verify"]}


def a_thumbprint(key, digest=hashlib.sha256):
    members = {name: key[name] for name in ("crv", "kty", "x", "y")}
    text = json.dumps(members, separators=(",", ":"), sort_keys=True).encode()
    return urlsafe_b64encode(digest(text).digest()).decode().rstrip("=")


def advertised(*keys):
    payload = urlsafe_b64encode(json.dumps({"keys": keys}).encode()).decode().rstrip("=")
    return json.dumps({"payload": payload, "signatures": [{"protected": "p", "signature": "s"}]}).encode()


async def tried(*servers):
    request = {"tang_servers": json.dumps([{"url": url, "thumbprint": print_} for url, print_ in servers])}
    return await do("tang-connectivity-check", request)


MODULUS = (
    "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjB"
    "ZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8"
    "KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_"
    "xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"
)
STANDARD = {
    "kty": "RSA",
    "n": MODULUS,
    "e": "AQAB",
    "alg": "RS256",
    "kid": "2011-04-29",
}
"""The example of RFC 7638."""


async def test_a_thumbprint_is_that_of_the_standard():
    mine = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
    async with a_server({f"/adv/{mine}": (200, advertised(STANDARD))}) as (url, _):
        assert (await tried((url, mine))).exit_code == 0


@pytest.mark.parametrize("digest", [hashlib.sha256, hashlib.sha1])
async def test_every_server_of_disk_keys_is_asked_for_the_key_of_its_thumbprint(digest):
    mine, strange = a_thumbprint(KEY, digest), {"kty": "strange"}
    async with a_server({f"/adv/{mine}": (200, advertised(strange, KEY))}) as (url, _):
        reply = await tried((url, mine), (f"{url}/", mine))
    answer = msgspec.json.decode(reply.output, type=TangReply)
    assert reply.exit_code == 0
    assert answer.is_success
    assert [each.tang_url for each in answer.tang_server_response or ()] == [f"{url}/adv/{mine}"] * 2
    assert all(each.payload and each.signatures for each in answer.tang_server_response or ())


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (404, b"", "status 404"),
        (200, b"", "form of Tang"),
        (200, b"[]", "form of Tang"),
        (200, advertised(KEY | {"x": "other"}), "does not give a key of thumbprint"),
        (200, b'{"payload": "!"}', "does not give a key of thumbprint"),
        (200, b'{"payload": "e30"}', "does not give a key of thumbprint"),
    ],
)
async def test_a_server_that_answers_otherwise_spoils_the_step(status, body, words):
    mine = a_thumbprint(KEY)
    async with (
        a_server({f"/adv/{mine}": (status, body)}) as (url, _),
        a_server({f"/adv/{mine}": (200, advertised(KEY))}) as (good, _),
    ):
        reply = await tried((good, mine), (url, mine))
    assert reply.exit_code == -1
    assert json.loads(reply.output) == {"tang_server_response": None}
    assert words in reply.error
    assert url in reply.error
    assert good not in reply.error


async def test_all_servers_that_cannot_be_asked_are_named():
    reply = await tried((NOWHERE, "x"), ("tang.lab", "x"), ("http://tang.lab", ""), ("http://[::1", "x"))
    assert reply.exit_code == -1
    assert all(each in reply.error for each in (NOWHERE, "'tang.lab'", "'http://tang.lab'", "'http://[::1'"))


async def test_servers_that_cannot_be_read_are_a_fault_of_the_service():
    assert (await do("tang-connectivity-check", {"tang_servers": "nothing"})).exit_code == -1


# The discovery image for a machine that is installed


def parts_at(url):
    return {
        "kernel_url": f"{url}/kernel",
        "initrd_url": f"{url}/initrd",
        "rootfs_url": f"{url}/rootfs?arch=x86_64&version=4.20",
        "host_fs_mount_dir": "/host",
    }


async def test_the_discovery_image_is_placed_where_the_machine_starts_from():
    machine = a_running_machine(a_room())
    async with a_server({"/kernel": (200, b"kernel"), "/initrd": (200, b"initrd" * 10**6)}) as (url, seen):
        reply = await do("download-boot-artifacts", parts_at(url), machine)
        assert reply.exit_code == 0
        folder = await machine.boot_folder("/host")
        assert (folder / KERNEL).read_bytes() == b"kernel"
        assert (folder / INITRD).stat().st_size == 6 * 10**6
        assert (folder / ENTRY).read_text() == boot_entry(parts_at(url)["rootfs_url"], "x86_64")
        again = await do("download-boot-artifacts", parts_at(url), machine)
    assert again.exit_code == 0
    assert [request.path for request in seen] == ["/kernel", "/initrd"]


def test_the_boot_loader_starts_the_discovery_image_before_anything_else():
    lines = boot_entry("http://images/rootfs?a=b&c=d", "x86_64").splitlines()
    assert lines[1:] == [
        "version 999",
        f"options {OPTIONS} 'coreos.live.rootfs_url=http://images/rootfs?a=b&c=d'",
        "linux /boot/discovery/vmlinuz",
        "initrd /boot/discovery/initrd",
    ]
    mainframe = boot_entry("http://images/rootfs", "s390x")
    assert "ai.ip_cfg_override=1 coreos.live.rootfs_url=http://images/rootfs\n" in mainframe


async def test_a_part_that_cannot_be_had_is_tried_again_and_then_given_up():
    machine = a_running_machine(a_room())
    async with a_server({"/kernel": (503, b"")}) as (url, seen):
        reply = await do("download-boot-artifacts", parts_at(url), machine)
    assert reply.exit_code == -1
    assert "status 503" in reply.error
    assert len(seen) == 5
    assert not (await machine.boot_folder("/host") / KERNEL).exists()


@pytest.mark.parametrize(("clutter", "code"), [(10**6, 0), (10, -1)])
async def test_room_is_made_for_the_discovery_image_where_that_can_be(clutter, code):
    machine = a_running_machine(a_room(), boot_room=100, boot_clutter=clutter)
    async with a_server({"/kernel": (200, b"k" * 1000), "/initrd": (200, b"i")}) as (url, _):
        reply = await do("download-boot-artifacts", parts_at(url), machine)
    assert reply.exit_code == code
    assert (await machine.boot_folder("/host") / KERNEL).exists() == (code == 0)
    assert ("room for 110 bytes" in reply.error) == (code != 0)


async def test_a_folder_that_cannot_be_written_to_is_named():
    machine = a_running_machine(a_room())
    (await machine.boot_folder("/host") / "discovery").write_text("in the way")
    async with a_server({"/kernel": (200, b"k"), "/initrd": (200, b"i")}) as (url, _):
        reply = await do("download-boot-artifacts", parts_at(url), machine)
    assert reply.exit_code == -1
    assert "boot folder" in reply.error

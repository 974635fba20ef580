"""Who a registry lets in, who is trusted, and who is asked in its place: all of it with a real registry."""

import asyncio
import io
import os

import pytest
from registry_clients import a_client, content_of, pull_secret

from muster.adapters.registry import LockedOut, Mirror, Mirrored, Reaching, Registry, reference
from muster.domain.errors import Broken, Invalid, Unavailable
from parts.certificates import own_certificate
from parts.registry import DockerRegistry, login
from parts.registry_gate import Gate
from parts.release_image import layer
from parts.service import free_port
from parts.token_server import TokenServer

LARGE = os.urandom(6_000_000)


# Who is let in


async def test_a_login_opens_a_registry_that_wants_one(registry):
    registry.image("some/it", [layer({"a": b"1"})], tag="1")
    registry.lock()
    async with a_client(registry.host) as client:
        name = f"{registry.host}/some/it:1"
        assert await content_of(client, name, "a", secret=pull_secret(registry.host)) == {"a": b"1"}


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [("", "has no entry for it; add one for {host}"), ("wrong-sesame", "has for it is wrong")],
)
async def test_who_is_locked_out_is_told_why_and_not_by_which_secret(registry, entry, sentence):
    registry.image("some/it", [layer({"a": b"1"})], tag="1")
    registry.lock()
    secret = pull_secret(registry.host, entry) if entry else pull_secret("quay.io")
    async with a_client(registry.host) as client:
        with pytest.raises(LockedOut, match=sentence.format(host=registry.host)) as raised:
            await client.image(f"{registry.host}/some/it:1", secret, "x86_64")
    told = str(raised.value)
    assert registry.host in told
    assert not any(hidden in told for hidden in ("sesame", login("wrong-sesame"), login()))


async def guarded(registry: DockerRegistry, server: TokenServer) -> None:
    registry.image("some/it", [layer({"a": b"1"})], tag="1")
    registry.stop()
    await asyncio.to_thread(registry.start, auth=server.auth)


@pytest.mark.parametrize("open_to_all", [False, True])
async def test_a_token_is_had_once_where_the_registry_says(registry, tmp_path, open_to_all):
    async with TokenServer(tmp_path, open_to_all=open_to_all) as server, a_client(registry.host) as client:
        await guarded(registry, server)
        secret = "" if open_to_all else pull_secret(registry.host)
        assert await content_of(client, f"{registry.host}/some/it:1", "a", secret=secret) == {"a": b"1"}
    assert server.given == 1


async def test_a_token_that_is_about_to_run_out_is_not_used_again(registry, tmp_path):
    async with TokenServer(tmp_path, open_to_all=True) as server, a_client(registry.host) as client:
        await guarded(registry, server)
        server.lasts = 1
        await content_of(client, f"{registry.host}/some/it:1", "a")
    # One for the manifest, one for what the image says of itself, one for its layer.
    assert server.given == 3


@pytest.mark.parametrize("entry", ["", "wrong-sesame"])
async def test_who_gets_no_token_is_told_why(registry, tmp_path, entry):
    async with TokenServer(tmp_path) as server, a_client(registry.host) as client:
        await guarded(registry, server)
        secret = pull_secret(registry.host, entry) if entry else ""
        with pytest.raises(LockedOut, match="is wrong, or may not" if entry else "has no entry"):
            await client.image(f"{registry.host}/some/it:1", secret, "x86_64")


async def test_a_login_is_not_sent_to_an_unencrypted_token_server_of_a_safe_registry(registry, tmp_path):
    registry.image("some/it", [layer({"a": b"1"})], tag="1")
    registry.stop()
    async with TokenServer(tmp_path) as server, a_client(ca=server.certificate.read_text()) as client:
        pair = {"certificate": str(server.certificate), "key": str(server.key)}
        await asyncio.to_thread(registry.start, auth=server.auth, http={"tls": pair})
        with pytest.raises(Broken, match="not encrypted; the login is not sent there"):
            await client.image(f"{registry.host}/some/it:1", pull_secret(registry.host), "x86_64")
        assert server.given == 0


# Who is trusted, and who is asked instead


async def test_a_registry_is_trusted_by_its_authority_or_not_at_all(registry, tmp_path):
    certificate, key = own_certificate(tmp_path)
    registry.image("some/it", [layer({"a": b"1"})], tag="1")
    registry.stop()
    registry.start(http={"tls": {"certificate": str(certificate), "key": str(key)}})
    name = f"{registry.host}/some/it:1"
    async with a_client(ca=certificate.read_text()) as client:
        assert await content_of(client, name, "a") == {"a": b"1"}
    async with a_client(registry.host) as careless:
        assert await content_of(careless, name, "a") == {"a": b"1"}
    async with a_client() as stranger:
        with pytest.raises(Broken, match=f"{registry.host} cannot be trusted: .*add the certificate of its authority"):
            await content_of(stranger, name, "a")


async def test_a_registry_without_tls_is_not_spoken_to_unless_that_is_said(registry):
    registry.image("some/it", [layer({"a": b"1"})], tag="1")
    async with a_client() as client:
        with pytest.raises(Broken, match=r"does not speak TLS .* say in the list of mirrors that it is insecure"):
            await client.image(f"{registry.host}/some/it:1", "", "x86_64")


def test_certificates_that_cannot_be_read_are_invalid():
    with pytest.raises(Invalid, match="certificates to trust registries by"):
        Registry(Reaching(ca="nothing of the kind"))


async def test_a_mirror_is_asked_first_and_its_own_login_is_used(registry):
    pushed = registry.image("copies/it", [layer({"a": b"1"})], tag="1")
    registry.lock()
    mirror = Mirrored(
        prefix="quay.example/some", mirror=(Mirror(location=f"{registry.host}/copies", insecure=True),), blocked=True
    )
    async with a_client(mirrored=(mirror,)) as client:
        secret = pull_secret(f"{registry.host}/copies")
        assert await content_of(client, "quay.example/some/it:1", "a", secret=secret) == {"a": b"1"}
        image = await client.image("quay.example/some/it:1", secret, "x86_64")
    assert image.reference == reference(f"quay.example/some/it@{pushed.digest}")


async def test_where_a_mirror_fails_the_next_is_asked_and_the_registry_last(registry):
    pushed = registry.image("some/it", [layer({"a": LARGE})], tag="1")
    dead = f"127.0.0.1:{free_port()}"
    async with Gate(registry.host) as gate:
        mirrors = (Mirror(location=dead, insecure=True), Mirror(location=gate.host, insecure=True))
        entry = Mirrored(prefix=registry.host, mirror=mirrors, insecure=True)
        async with a_client(mirrored=(entry,)) as client:
            image = await client.image(f"{registry.host}/some/it@{pushed.digest}", "", "x86_64")
            gate.asked.clear()
            gate.faults.append(gate.cut(2_000_000))
            file = io.BytesIO()
            await client.fetch(image, image.layers[0], file)
    # What the mirror began the registry went on with.
    assert [each.range for each in gate.asked] == [""]
    assert len(file.getvalue()) == image.layers[0].size


async def test_where_everybody_fails_all_of_it_is_told(registry):
    registry.lock()
    entry = Mirrored(prefix=registry.host, mirror=(Mirror(location=f"{registry.host}/copies", insecure=True),))
    entry = entry.but(insecure=True)
    async with a_client(mirrored=(entry,)) as client:
        with pytest.raises(LockedOut, match=r"none of 2 places had it: \(1\) .*copies/it.*; \(2\) .*/it"):
            await client.image(f"{registry.host}/it:1", "", "x86_64")


async def test_who_is_sent_elsewhere_says_there_not_who_he_is(registry):
    registry.image("some/it", [layer({"a": b"1"})], tag="1")
    async with Gate(registry.host) as open_store, Gate(registry.host) as gate, a_client(gate.host) as client:
        image = await client.image(f"{gate.host}/some/it:1", pull_secret(gate.host), "x86_64")
        shut = gate.saying(401, WWW_Authenticate='Basic realm="registry"')
        gate.faults.extend([shut, gate.sending_to(open_store.host)])
        await client.fetch(image, image.layers[0], io.BytesIO())
        gate.faults.extend([gate.sending_to(gate.host)] * 10)
        with pytest.raises(Broken, match="without end"):
            await client.image(f"{gate.host}/some/it:1", "", "x86_64")
    assert gate.asked[-11].authorization == f"Basic {login()}"
    assert [each.authorization for each in open_store.asked] == [""]


async def test_the_proxy_of_the_environment_is_asked(registry, monkeypatch):
    registry.image("some/it", [layer({"a": b"1"})], tag="1")
    async with Gate(registry.host) as proxy, a_client("registry.example:5000") as client:
        monkeypatch.setenv("http_proxy", f"http://{proxy.host}")
        monkeypatch.setenv("no_proxy", "")
        assert await content_of(client, "registry.example:5000/some/it:1", "a") == {"a": b"1"}
        assert proxy.asked
        monkeypatch.setenv("no_proxy", "registry.example")
        with pytest.raises(Unavailable, match="it cannot be reached"):
            await client.image("registry.example:5000/some/it:1", "", "x86_64")


async def test_what_the_proxy_has_against_it_is_told(registry, monkeypatch):
    monkeypatch.setenv("no_proxy", "")
    async with Gate(registry.host) as proxy, a_client() as client:
        monkeypatch.setenv("https_proxy", f"http://{proxy.host}")
        with pytest.raises(
            Unavailable, match=r"registry.example could not be asked: the proxy answered with status 404"
        ):
            await client.image("registry.example/some/it:1", "", "x86_64")
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{free_port()}")
        with pytest.raises(Unavailable, match=r"the proxy 127.0.0.1 cannot be reached"):
            await client.image("registry.example/some/it:1", "", "x86_64")


async def test_a_challenge_that_makes_no_sense_is_told(registry):
    async with Gate(registry.host) as gate, a_client(gate.host) as client:
        for said, sentence in (
            ("Bearer service=registry", "says not where one is to be had"),
            ('Bearer realm="http://[::1"', "says not where one is to be had"),
            ("Negotiate", "does not let us read"),
        ):
            gate.faults.append(gate.saying(401, WWW_Authenticate=said))
            with pytest.raises(Broken, match=sentence):
                await client.image(f"{gate.host}/some/it:1", pull_secret(gate.host), "x86_64")

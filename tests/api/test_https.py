"""The service by HTTPS, with a second port for firmware that can only do without."""

import http.client
import json
import ssl
from collections.abc import Iterator

import pytest
from calling import JSON, V2, Caller
from making import INFRA_ENV
from processes import ServiceProcess
from refusing import is_malformed

from muster.api.tls import tls_of
from muster.domain.errors import Invalid
from muster.runtime.settings import read_settings
from parts.certificates import own_certificate
from parts.images import X86, offered
from parts.service import free_port

RSA = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"


class HttpsProcess(ServiceProcess):
    """A service by HTTPS; `url` is that of its second port."""

    def __init__(self, folder, **environment: str) -> None:
        certificate, key = own_certificate(folder)
        plain = free_port()
        files = {"HTTPS_CERT_FILE": str(certificate), "HTTPS_KEY_FILE": str(key), "HTTP_LISTEN_PORT": str(plain)}
        super().__init__(folder, **files, **environment)
        self.url = f"http://127.0.0.1:{plain}"
        self.trusting = ssl.create_default_context(cafile=str(certificate))

    def by_https(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        """One call by HTTPS, trusting nobody but this service."""
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=20, context=self.trusting)
        connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": JSON} if body else {})
        response = connection.getresponse()
        answer = response.status, response.read()
        connection.close()
        return answer


@pytest.fixture(scope="module")
def process(tmp_path_factory) -> Iterator[HttpsProcess]:
    folder = tmp_path_factory.mktemp("https")
    with HttpsProcess(folder, TLS_MIN_VERSION="VersionTLS13", **offered(folder, X86)) as running:
        yield running


@pytest.fixture
def plain(process) -> Iterator[Caller]:
    caller = Caller(process.url)
    yield caller
    caller.close()


def test_calls_are_served_by_https(process):
    assert process.by_https("GET", "/health") == (200, b"")
    assert process.by_https("GET", f"{V2}/clusters")[0] == 200


def test_what_is_older_than_wanted_is_not_spoken(process):
    old = ssl.create_default_context(cafile=process._environment["HTTPS_CERT_FILE"])
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    connection = http.client.HTTPSConnection("127.0.0.1", process.port, timeout=20, context=old)
    with pytest.raises(ssl.SSLError):
        connection.request("GET", "/health")
    connection.close()


def test_scripts_for_firmware_are_to_be_had_without_and_nothing_else(process, plain):
    status, body = process.by_https("POST", f"{V2}/infra-envs", INFRA_ENV)
    assert status == 201
    files = f"/infra-envs/{json.loads(body)['id']}/downloads/files?file_name="
    script = plain.v2(f"GET {files}ipxe-script")
    assert (script.status, script.body[:6]) == (200, b"#!ipxe")
    for call in (
        "GET /clusters",
        f"GET {files}discovery.ign",
        f"GET {files}discovery.ign&file_name=ipxe-script",
        f"POST {files}ipxe-script",
    ):
        assert is_malformed(plain.v2(call), "HTTPS", status=404)
    assert is_malformed(plain.call("GET", "/health"), status=404)


def settings(**environment: str):
    return read_settings({key: str(value) for key, value in environment.items()})


def test_without_a_certificate_nothing_is_encrypted():
    assert tls_of(settings()) is None


def test_ciphers_are_those_that_are_named(tmp_path):
    certificate, key = own_certificate(tmp_path)
    files = {"HTTPS_CERT_FILE": certificate, "HTTPS_KEY_FILE": key, "TLS_MIN_VERSION": "VersionTLS12"}

    def spoken(**more: str) -> set[str]:
        context = tls_of(settings(**files, **more))
        assert context is not None
        return {each["name"] for each in context.get_ciphers() if each["protocol"] == "TLSv1.2"}

    assert spoken(TLS_CIPHER_SUITES=RSA) == {"ECDHE-RSA-AES128-GCM-SHA256"}
    assert len(spoken(TLS_CIPHER_SUITES="TLS_AES_128_GCM_SHA256")) == 6
    with pytest.raises(Invalid, match="TLS_CIPHER_SUITES names 'TLS_RC4'"):
        spoken(TLS_CIPHER_SUITES=f"{RSA},TLS_RC4")


def test_files_that_do_not_go_together_are_refused(tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    certificate, key = own_certificate(tmp_path)[0], own_certificate(other)[1]
    with pytest.raises(Invalid, match="the key must be that of the certificate"):
        tls_of(settings(HTTPS_CERT_FILE=certificate, HTTPS_KEY_FILE=key))


def test_images_are_served_by_https_and_to_firmware_by_their_short_links_without(process, plain):
    status, body = process.by_https("POST", f"{V2}/infra-envs", INFRA_ENV | {"openshift_version": "4.18"})
    infra_env = json.loads(body)
    assert (status, infra_env["openshift_version"]) == (201, "4.18")
    path = f"/byid/{infra_env['id']}/4.18/x86_64/full.iso"
    status, image = process.by_https("GET", path)
    assert (status, len(image)) == (200, 1048576)
    told = json.loads(process.by_https("GET", f"/api/muster/v1/infra-envs/{infra_env['id']}/image")[1])
    short = "/i/" + told["short_url"].rpartition("/")[2]
    assert plain.raw("GET", short).body == image
    assert plain.raw("GET", path).status == 404
    assert plain.raw("HEAD", "/boot-artifacts/rootfs?version=4.18").status == 200
    assert plain.raw("HEAD", f"/images/{infra_env['id']}/pxe-initrd?version=4.18").status == 200

"""Files that settings name: certificates and mirrors for every machine, read once at the start."""

import pytest

from muster.domain.errors import Invalid
from muster.domain.trust import Mirrors, Trust
from muster.runtime.settings import doubts, files, policy_from, read_settings

PEM = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
REGISTRIES = '[[registry]]\nlocation = "registry.redhat.io/openshift4"\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A machine on which the usual files are not there yet."""
    monkeypatch.setattr(files, "REGISTRIES", tmp_path / "registries.conf")
    monkeypatch.setattr(files, "REGISTRIES_CA", tmp_path / "registries.pem")
    return tmp_path


def written(folder, name, text):
    (folder / name).write_text(text)
    return str(folder / name)


def policy(**environment):
    return policy_from(read_settings({"INSTALL_RH_CA": "true", **environment}))


def test_nothing_is_trusted_besides_where_nothing_is_named(folder):
    assert policy().trust == Trust()


def test_certificates_are_read_from_the_files_that_are_named(folder):
    path = written(folder, "ca.pem", PEM)
    assert policy(SERVICE_CA_CERT_PATH=path).trust == Trust(service_ca=PEM)
    assert policy(MUSTER_VENDOR_CA_FILE=path).trust == Trust(vendor_ca=PEM)
    assert policy(MUSTER_VENDOR_CA_FILE=path, INSTALL_RH_CA="false").trust == Trust()


@pytest.mark.parametrize(("said", "expected"), [("1\n", True), ("0\n", False), (None, False)])
def test_the_kernel_says_whether_only_approved_ciphers_may_be_used(folder, monkeypatch, said, expected):
    monkeypatch.setattr(files, "FIPS", folder / "fips_enabled")
    if said:
        written(folder, "fips_enabled", said)
    assert policy().service_fips is expected


def test_mirrors_that_are_named_need_no_certificates(folder):
    path = written(folder, "mine.conf", REGISTRIES)
    assert policy(MUSTER_MIRROR_REGISTRIES=path).trust.mirrors == Mirrors(registries=REGISTRIES)
    own = written(folder, "mine.pem", PEM)
    assert policy(MUSTER_MIRROR_REGISTRIES=path, MUSTER_MIRROR_CA=own).trust.mirrors.ca == PEM


def test_mirrors_in_their_usual_place_count_where_their_certificates_are_too(folder):
    written(folder, "registries.conf", REGISTRIES)
    assert policy().trust.mirrors == Mirrors()
    written(folder, "registries.pem", PEM)
    assert policy().trust.mirrors == Mirrors(registries=REGISTRIES, ca=PEM)


def test_a_file_without_mirrors_is_as_good_as_none(folder):
    path = written(folder, "mine.conf", 'unqualified-search-registries = ["docker.io"]\n')
    assert policy(MUSTER_MIRROR_REGISTRIES=path).trust.mirrors == Mirrors()


def test_registries_that_have_mirrors_need_no_login(folder):
    path = written(folder, "mine.conf", REGISTRIES)
    public = policy(MUSTER_MIRROR_REGISTRIES=path, PUBLIC_CONTAINER_REGISTRIES="quay.io").public_registries
    assert public == {"quay.io", "registry.redhat.io"}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("SERVICE_CA_CERT_PATH", "no certificate", "has to consist of certificates"),
        ("MUSTER_VENDOR_CA_FILE", "", "has to consist of certificates"),
        ("MUSTER_MIRROR_REGISTRIES", "[[registry]", "cannot be read: "),
        ("MUSTER_MIRROR_REGISTRIES", None, "cannot be read: No such file or directory"),
    ],
)
def test_a_file_that_is_of_no_use_keeps_the_service_from_starting(folder, name, text, said):
    path = str(folder / "absent") if text is None else written(folder, "given", text)
    with pytest.raises(Invalid, match=f"^{name} is '{path}', which {said}"):
        policy(**{name: path})


def test_a_file_that_is_no_text_is_told_as_such(folder):
    path = folder / "given"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(Invalid, match="it is not text"):
        policy(SERVICE_CA_CERT_PATH=str(path))


def test_whoever_wants_a_company_trusted_is_told_that_its_certificates_are_missing():
    environment = {"INSTALL_RH_CA": "true"}
    (doubt,) = doubts(read_settings(environment), environment)
    assert "MUSTER_VENDOR_CA_FILE" in doubt
    environment["MUSTER_VENDOR_CA_FILE"] = "/ca.pem"
    assert list(doubts(read_settings(environment), environment)) == []


@pytest.mark.parametrize(
    ("environment", "script", "image"),
    [
        ({}, "", ""),
        ({"HTTP_LISTEN_PORT": "8080"}, "", ""),
        (
            {"HTTP_LISTEN_PORT": "8080", "SERVICE_BASE_URL": "https://here:8090"},
            "http://here:8080",
            "http://here:8080",
        ),
        (
            {
                "HTTP_LISTEN_PORT": "8080",
                "SERVICE_BASE_URL": "https://here/path/",
                "IMAGE_SERVICE_BASE_URL": "https://there:9000",
            },
            "http://here/path",
            "http://there:9000",
        ),
        ({"HTTP_LISTEN_PORT": "8080", "SERVICE_BASE_URL": "https://[fd00::1]:8090"}, *["http://[fd00::1]:8080"] * 2),
        ({"SERVICE_BASE_URL": "https://here"}, "", ""),
    ],
)
def test_firmware_finds_the_service_without_tls_where_there_is_a_port_for_it(environment, script, image):
    made = policy(**environment)
    assert (made.plain_service_url, made.plain_image_service_url) == (script, image)
    assert made.boot_url == (image or made.image_service_url)

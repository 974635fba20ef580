"""What is read from the ignition of a running cluster."""

import msgspec
import pytest

from muster.domain.joining import Clevis, TangServer, read_ignition

KUBECONFIG = "/etc/kubernetes/kubeconfig"


def ignition(**storage):
    return read_ignition(msgspec.json.encode({"ignition": {"version": "3.2.0"}, "storage": storage}).decode())


def file(path, source):
    return {"path": path, "contents": {"source": source}}


@pytest.mark.parametrize("text", ["", "not json", "[]", '{"storage": 1}'])
def test_what_is_no_ignition_is_not_read(text):
    assert read_ignition(text) is None


def test_an_ignition_without_encrypted_disks_names_no_keys():
    assert ignition().clevis is None
    assert ignition(luks=[{"name": "root"}]).clevis is None


def test_the_source_of_the_keys_is_found():
    luks = [{"name": "other"}, {"name": "root", "clevis": {"tang": [{"url": "http://tang", "thumbprint": "x"}]}}]
    assert ignition(luks=luks).clevis == Clevis(tang=(TangServer(url="http://tang", thumbprint="x"),))


@pytest.mark.parametrize(
    ("source", "managed"),
    [
        ("data:,clusters%3A%0A-%20cluster%3A%0A%20%20%20%20server%3A%20https%3A%2F%2F10.0.0.5%3A6443%0A", True),
        ("data:,server%3A%20https%3A%2F%2F10.0.0.5%0Aserver%3A%20https%3A%2F%2F10.0.0.6%0A", False),
        ("data:,server%3A%20https%3A%2F%2F%5Bfd00%3A%3A5%5D%3A6443%0A", True),
        ("data:,server%3A%20nothing%0A", False),
        ("data:,server%3A%20https%3A%2F%2F%5Bfd00%0A", False),
        ("data:;base64,abcde", False),
        ("", False),
    ],
)
def test_a_kubeconfig_that_names_one_address_shows_who_answers_for_the_names(source, managed):
    assert ignition(files=[file(KUBECONFIG, source)]).manages_its_names is managed


def test_an_ignition_without_files_does_not_manage_names():
    assert ignition().manages_its_names is False
    assert ignition(files=[{"path": KUBECONFIG}]).manages_its_names is False

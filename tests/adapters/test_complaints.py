"""Of what a program writes the user is shown what says why, and nothing that is secret."""

import json
from base64 import b64encode

import pytest

from adapters.lab_orders import an_order, five_hosts, the_cluster
from muster.adapters.releases.complaints import LONGEST, secrets_of, useful
from muster.domain.hosts import FencingCredentials
from muster.domain.manifests import Folder, Manifest, ManifestName
from muster.domain.networks import Proxy


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('level=info msg=hello\nlevel=fatal msg="no \\"quay.io\\"\\nat all"\n', 'no "quay.io" at all'),
        ('time="2026-01-01T00:00:00Z" level=error msg="one"\nlevel=error msg=one\nlevel=error msg=two', "one two"),
        ("INFO Consuming Install Config\nFATAL failed to fetch it\n", "failed to fetch it"),
        ("\x1b[31mERROR red\x1b[0m\n", "red"),
        ("level=info msg=only\nlevel=debug msg=this\n", "this"),
        ("panic: runtime error\n\ngoroutine 1 [running]:\n", "panic: runtime error goroutine 1 [running]:"),
        ("WARNING be careful\nINFO all is well\n", "be careful"),
        ("tab\there \x00\ufffd\n", "tab here  \ufffd"),
        ("", ""),
    ],
)
def test_the_lines_that_say_why_are_shown(text, shown):
    assert useful(text, ()) == shown


def test_what_is_long_is_shown_from_its_end():
    shown = useful(f"{'x' * 2000} the reason", ())
    assert len(shown) == LONGEST
    assert shown.startswith("…x")
    assert shown.endswith("the reason")


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN EC PRIVATE KEY-----\nc2VjcmV0\n-----END EC PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nc2VjcmV0",
        'level=error msg="{\\"auth\\": \\"c2VjcmV0OnNlY3JldA==\\"}"',
        "fetching https://user:c2VjcmV0@example.com/x",
    ],
)
def test_what_looks_like_a_secret_is_hidden_whoever_wrote_it(text):
    shown = useful(text, ())
    assert "(secret)" in shown
    assert "c2VjcmV0" not in shown


def test_a_secret_that_is_part_of_another_does_not_uncover_it():
    assert useful("pass password passwords", ("password", "pass", "pa")) == "(secret) (secret) (secret)s"


SECRET = {"kind": "Secret", "data": {"key": b64encode(b"planted-1").decode()}, "stringData": {"other": "planted-2"}}
NESTED = [{"kind": "ConfigMap", "data": {"adminPassword": ["planted-3"], "plain": "shown"}}]


def a_manifest(content):
    name = ManifestName(folder=Folder.OPENSHIFT, file_name="a.yaml")
    return Manifest(name=name, content=content)


def test_everything_secret_in_an_order_is_known():
    pull_secret = {"auths": {"a": {"auth": b64encode(b"user:planted-4").decode()}, "b": {"password": "planted-5"}}}
    overrides = {"platform": {"baremetal": {"hosts": [{"bmc": {"password": "planted-6"}}]}}}
    cluster = the_cluster().but(
        pull_secret=json.dumps(pull_secret),
        install_config_overrides=json.dumps(overrides),
        proxy=Proxy(http_proxy="http://user:planted%207@proxy:3128", https_proxy="http://[bad"),
    )
    fenced = five_hosts()[0].but(fencing_credentials=FencingCredentials(password="planted-8"))
    manifests = [
        a_manifest(json.dumps(SECRET).encode()),
        a_manifest(json.dumps(NESTED).encode()),
        a_manifest(b"\t{"),
    ]
    order = an_order(cluster, (fenced, *five_hosts()[1:]), manifests)
    known = secrets_of(order)
    planted = {f"planted-{number}" for number in (2, 3, 4, 5, 6, 8)} | {"planted 7", "planted%207"}
    assert planted <= known
    assert SECRET["data"]["key"] in known
    assert "shown" not in known


@pytest.mark.parametrize("text", ["", "{", '{"auths": {"a": {"auth": "bad"}}}'])
def test_a_pull_secret_that_cannot_be_read_has_its_parts_hidden_as_far_as_they_can_be(text):
    order = an_order(the_cluster().but(pull_secret=text))
    assert text in secrets_of(order)

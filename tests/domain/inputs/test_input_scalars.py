"""Single values: what is taken, what is not, and that no secret is repeated."""

from base64 import b64encode

import pytest

from builders import a_policy
from muster.domain.errors import Invalid
from muster.domain.inputs.credentials import is_certificates, pull_secret_problems, registry_of, ssh_key_problems
from muster.domain.inputs.fields import require_none
from muster.domain.inputs.scalars import (
    ProxyInput,
    domain_problems,
    is_domain,
    name_problems,
    ntp_problems,
    proxy_problems,
    tag_problems,
    url_of,
)

ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8fZ0Zb1x8g7r9wS3nq2m1kqzC8d5tq3q7g0XkZ1y2A"


def test_every_problem_is_reported_a_line_each():
    with pytest.raises(Invalid, match=r"^a: one\nb: two$"):
        require_none(["a: one"], [], ["b: two"])


@pytest.mark.parametrize(("name", "dots"), [("lab", False), ("a", False), ("a-1", False), ("a.b-c", True), ("", True)])
def test_a_name_of_letters_digits_and_dashes_is_taken(name, dots):
    assert list(name_problems(name, dots=dots)) == []


@pytest.mark.parametrize(
    ("name", "dots"),
    [("Bad_Name", False), ("-a", False), ("a-", False), ("a.b", False), ("a..b", True), ("a\n", False)],
)
def test_a_name_that_cannot_be_part_of_a_domain_is_refused(name, dots):
    assert next(name_problems(name, dots=dots)).startswith("name: ")


@pytest.mark.parametrize("domain", ["lab", "lab.local", "a.b-c.example", "1.2.3.example"])
def test_a_domain_in_lower_case_is_taken(domain):
    assert list(domain_problems("lab", domain)) == []


@pytest.mark.parametrize(
    "domain", ["a..b", "a", "x" * 63, "Lab.local", "lab.x", "1.2.3.44", "-a.de", "a" * 60 + ".de" * 80]
)
def test_a_text_that_is_no_domain_is_refused(domain):
    assert not is_domain(domain)
    assert next(domain_problems("lab", domain)).startswith("base_dns_domain: ")


def test_a_domain_is_not_judged_without_a_name():
    assert list(domain_problems("", "a..b")) == []
    assert list(domain_problems("lab", "")) == []


def test_a_domain_that_leaves_no_room_for_the_applications_is_refused():
    domain = ".".join(["abcdefghi"] * 19)
    assert "at most 191" in next(domain_problems("lab", domain))


def test_a_part_of_a_domain_that_is_too_long_is_refused():
    assert "at most 63" in next(domain_problems("lab", "x" * 64 + ".example"))


@pytest.mark.parametrize(
    "proxy",
    [
        ProxyInput(),
        ProxyInput(http_proxy="", https_proxy="", no_proxy=""),
        ProxyInput(http_proxy="http://proxy.lab:3128"),
        ProxyInput(http_proxy="http://user:pass@[fd00::1]:3128"),
        ProxyInput(https_proxy="https://proxy.lab"),
        ProxyInput(https_proxy="http://proxy.lab"),
        ProxyInput(no_proxy="*"),
        ProxyInput(no_proxy=".lab.local,10.0.0.1,10.0.0.0/8,fd00::/64,host"),
    ],
)
def test_proxies_and_their_exceptions_are_taken(proxy):
    assert list(proxy_problems(proxy, "4.20")) == []


@pytest.mark.parametrize(
    ("proxy", "field"),
    [
        (ProxyInput(http_proxy="https://secret@proxy"), "http_proxy"),
        (ProxyInput(http_proxy="ftp://secret"), "http_proxy"),
        (ProxyInput(http_proxy="http://"), "http_proxy"),
        (ProxyInput(http_proxy="http://secret:nonsense"), "http_proxy"),
        (ProxyInput(http_proxy="http://secret\n"), "http_proxy"),
        (ProxyInput(https_proxy="secret"), "https_proxy"),
        (ProxyInput(no_proxy="a b"), "no_proxy"),
        (ProxyInput(no_proxy="lab, local"), "no_proxy"),
        (ProxyInput(no_proxy="host,host"), "no_proxy"),
    ],
)
def test_a_proxy_that_is_none_is_refused_without_repeating_it(proxy, field):
    problem = next(proxy_problems(proxy, "4.20", "proxy."))
    assert problem.startswith(f"proxy.{field}: ")
    assert "secret" not in problem


def test_everything_is_an_exception_from_4_8_on():
    assert "4.8" in next(proxy_problems(ProxyInput(no_proxy="*"), "4.7.5"))


def test_port_zero_reaches_nobody():
    assert url_of("http://host:0") is None


@pytest.mark.parametrize("sources", ["", "10.0.0.1", "fd00::1", "ntp1.lab.local,10.0.0.1"])
def test_time_sources_by_address_or_name_are_taken(sources):
    assert list(ntp_problems("ntp_sources", sources)) == []


@pytest.mark.parametrize("sources", ["no such host", "a,,b", "Upper.case", "a", "ntp1, ntp2", "ntp\n"])
def test_time_sources_that_name_no_host_are_refused(sources):
    assert next(ntp_problems("ntp_sources", sources)).startswith("ntp_sources: ")


@pytest.mark.parametrize("tags", ["", "a,b", "two words,x_1"])
def test_tags_of_words_are_taken(tags):
    assert list(tag_problems(tags)) == []


@pytest.mark.parametrize("tags", ["a, b", "a-b", ",", "two  spaces"])
def test_tags_of_anything_else_are_refused(tags):
    assert next(tag_problems(tags)).startswith("tags: ")


def a_key(kind: str, *fields: bytes) -> str:
    blob = b"".join(len(field).to_bytes(4) + field for field in (kind.encode(), *fields))
    return f"{kind} {b64encode(blob).decode()}"


@pytest.mark.parametrize(
    "keys",
    [
        "",
        "  ",
        ED25519,
        f"{ED25519} me@home\n",
        f"{ED25519}\r\n{ED25519} x",
        a_key("ecdsa-sha2-nistp384", b"nistp384", b"Q"),
        a_key("ssh-rsa", b"e", b"n"),
    ],
)
def test_ssh_public_keys_are_taken(keys):
    assert list(ssh_key_problems("ssh_public_key", keys)) == []


@pytest.mark.parametrize(
    "keys",
    [
        "nokey",
        "ssh-ed25519 AAAA",
        ED25519[:-8],
        f"{ED25519}A",
        f"no-pty {ED25519}",
        a_key("ssh-rsa", b"e", b"n").replace("ssh-rsa", "ssh-dss"),
        a_key("ssh-rsa"),
        "ssh-rsa AAAAB3NzaC1yc2E=====",
    ],
)
def test_what_is_no_ssh_public_key_is_refused(keys):
    assert next(ssh_key_problems("ssh_public_key", keys)).startswith("ssh_public_key: line 1 ")


def test_a_blank_line_between_keys_is_named_by_its_number():
    assert "line 2" in next(ssh_key_problems("k", f"{ED25519}\n\n{ED25519}"))


PEM = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----"


@pytest.mark.parametrize("text", [PEM, f"{PEM}\n{PEM}\n", f"# the root\n{PEM}"])
def test_certificates_in_pem_form_are_recognised(text):
    assert is_certificates(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no certificate",
        PEM.replace("CERTIFICATE", "PRIVATE KEY"),
        PEM.replace("MAA=", "AAAA"),
        PEM.replace("MAA=", "MAA"),
        f"{PEM}\n-----BEGIN CERTIFICATE-----",
    ],
)
def test_what_is_no_certificate_is_not_taken_for_one(text):
    assert not is_certificates(text)


LOGIN = b64encode(b"user:hunter2").decode()


def secret_for(*registries: str) -> str:
    entries = ",".join(f'"{registry}":{{"auth":"{LOGIN}"}}' for registry in registries)
    return f'{{"auths":{{{entries}}}}}'


@pytest.mark.parametrize(
    ("image", "registries"),
    [
        ("quay.io/a/b:1", ["cloud.openshift.com"]),
        ("registry.stage.redhat.io/a/b", ["cloud.openshift.com"]),
        ("", ["cloud.openshift.com"]),
        ("reg.lab:5000/a/b:1", ["reg.lab:5000"]),
        ("reg.lab:5000/a/b:1", ["reg.lab:5000/a"]),
        ("reg.lab:5000/a/b@sha256:0", ["reg.lab:5000/a/b"]),
        ("localhost/a", ["localhost"]),
        ("busybox", ["docker.io"]),
        ("library/busybox", ["https://index.docker.io/v1/"]),
    ],
)
def test_a_pull_secret_with_a_login_for_every_registry_is_taken(image, registries):
    assert list(pull_secret_problems(secret_for(*registries), (image,), a_policy())) == []


@pytest.mark.parametrize("image", ["reg.lab:5000/a/b:1", "reg.lab/a", "busybox"])
def test_a_registry_without_a_login_is_named(image):
    problem = next(pull_secret_problems(secret_for("reg.lab:6000", "reg.lab:5000/a/b/c"), (image,), a_policy()))
    assert problem.startswith(f"pull_secret: has no login for the registry {registry_of(image)!r}")


@pytest.mark.parametrize(
    "text", ["", "hunter2", "{}", "[]", '{"auths":{}}', '{"auths":{"hunter2":1}}', '{"auths":"hunter2"}']
)
def test_a_text_that_is_no_pull_secret_is_refused_without_repeating_it(text):
    (problem,) = pull_secret_problems(text, (), a_policy())
    assert problem.startswith("pull_secret: must be a JSON object")
    assert "hunter2" not in problem


def test_logins_may_be_empty_or_absent():
    assert (
        list(pull_secret_problems('{"auths":{"a":{},"b":{"auth":""},"c":null,"d":{"auth":null}}}', (), a_policy()))
        == []
    )


@pytest.mark.parametrize("auth", ["hunter2", b64encode(b"hunter2").decode()])
def test_a_login_that_is_none_is_refused_without_repeating_it(auth):
    (problem,) = pull_secret_problems(f'{{"auths":{{"a":{{"auth":"{auth}"}}}}}}', (), a_policy())
    assert problem == "pull_secret: the 'auth' of 'a' is not the base64 form of user:password"


@pytest.mark.parametrize("text", ["a" * 100_000 + "!", "a-" * 50_000, "a." * 50_000, "a," * 50_000 + "!"])
def test_no_text_takes_a_rule_long(text):
    assert list(name_problems(text, dots=True))
    assert list(tag_problems(text))
    assert not is_domain(text)

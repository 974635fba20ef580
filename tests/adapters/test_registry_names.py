"""What names of images, pull secrets and lists of mirrors mean."""

import base64
import json

import pytest

from muster.adapters.registry import Mirror, Mirrored, Reference, mirrors_in, reference
from muster.adapters.registry.mirrors import places
from muster.adapters.registry.pull_secrets import read_pull_secret
from muster.domain.errors import Invalid

DIGEST = "sha256:" + "a" * 64


@pytest.mark.parametrize(
    ("text", "host", "repository", "tag", "digest"),
    [
        ("quay.io/ocp/release:4.18.1-x86_64", "quay.io", "ocp/release", "4.18.1-x86_64", ""),
        ("quay.io/ocp/release", "quay.io", "ocp/release", "latest", ""),
        (f"quay.io/ocp/release@{DIGEST}", "quay.io", "ocp/release", "", DIGEST),
        (f"quay.io/ocp/release:4.18@{DIGEST}", "quay.io", "ocp/release", "4.18", DIGEST),
        ("registry.example.com:5000/a/b/c:1", "registry.example.com:5000", "a/b/c", "1", ""),
        ("[fd00::1]:5000/ocp/release:1", "[fd00::1]:5000", "ocp/release", "1", ""),
        ("localhost/it:1", "localhost", "it", "1", ""),
        ("busybox", "docker.io", "library/busybox", "latest", ""),
        ("docker.io/me/it:2", "docker.io", "me/it", "2", ""),
    ],
)
def test_the_name_of_an_image_is_taken_apart(text, host, repository, tag, digest):
    assert reference(text) == Reference(host=host, repository=repository, tag=tag, digest=digest)


@pytest.mark.parametrize(
    "text",
    ["", "https://quay.io/ocp/release", "quay.io/OCP/release", "quay.io/ocp/release:", "quay.io/ocp@sha256:12",
     "quay.io/ocp/release@", "quay.io/a//b:1", "quay.io/../x:1", "quay.io/a:1 --insecure"],
)  # fmt: skip
def test_what_cannot_be_the_name_of_an_image_is_invalid(text):
    with pytest.raises(Invalid, match="is not the name of an image"):
        reference(text)


def test_a_name_is_written_as_it_was_read():
    for text in ("quay.io/ocp/release:1", f"quay.io/ocp/release@{DIGEST}", f"quay.io/ocp/release:1@{DIGEST}"):
        assert str(reference(text)) == text
    assert str(reference("quay.io/a:1").at(DIGEST)) == f"quay.io/a@{DIGEST}"


def auth(user, password):
    return {"auth": base64.b64encode(f"{user}:{password}".encode()).decode(), "email": "me@example.com"}


def test_the_login_counts_that_is_meant_for_an_image_most_closely():
    entries = {"quay.io": auth("all", "1"), "quay.io/ocp": auth("some", "2"), "quay.io/ocp/release": auth("one", "3")}
    logins = read_pull_secret(json.dumps({"auths": entries}))
    found = {
        image: logins.login_for(reference(image)).user
        for image in ("quay.io/other", "quay.io/ocp/thing", "quay.io/ocp/release:1", "quay.io/ocpx/thing")
    }
    assert list(found.values()) == ["all", "some", "one", "all"]
    assert logins.login_for(reference("quay.io:443/ocp/release")) is None


@pytest.mark.parametrize(
    ("entry", "image"),
    [
        ("https://quay.io", "quay.io/a"),
        ("https://quay.io/v2/", "quay.io/a"),
        ("https://index.docker.io/v1/", "docker.io/me/it"),
        ("docker.io", "busybox"),
    ],
)
def test_an_entry_may_be_written_as_an_address(entry, image):
    assert read_pull_secret(json.dumps({"auths": {entry: auth("me", "x")}})).login_for(reference(image)).user == "me"


def test_an_entry_may_have_user_and_password_or_nothing():
    logins = read_pull_secret(
        json.dumps({"auths": {"a.io": {"username": "me", "password": "p:w"}, "b.io": {}, "c.io": None}})
    )
    assert logins.login_for(reference("a.io/x")).password == "p:w"
    assert logins.login_for(reference("b.io/x")) is None
    assert read_pull_secret("").logins == {}


@pytest.mark.parametrize("text", ["{", "[]", '{"auths": {"quay.io": {"auth": "b3BlbnNlc2FtZQ=="}}}'])
def test_a_pull_secret_that_cannot_be_read_is_invalid_and_not_shown(text):
    with pytest.raises(Invalid, match="pull_secret") as raised:
        read_pull_secret(text)
    assert "b3Blb" not in str(raised.value)


def test_nothing_shows_a_login():
    logins = read_pull_secret(json.dumps({"auths": {"quay.io": auth("me", "opensesame")}}))
    assert "opensesame" not in f"{logins!r} {logins.login_for(reference('quay.io/a'))!r}"
    said = f"denied: opensesame, {logins.logins['quay.io'].basic}"
    assert logins.hidden_in(said) == "denied: (secret), (secret)"


def test_mirrors_are_asked_in_their_order_and_then_the_registry_itself():
    mirrors = (Mirror(location="m1.io:5000/copy", insecure=True), Mirror(location="m2.io/ocp"))
    there = places(reference("quay.io/ocp/release:1"), [Mirrored(prefix="quay.io/ocp", mirror=mirrors)])
    assert [(str(each.image), each.insecure) for each in there] == [
        ("m1.io:5000/copy/release:1", True),
        ("m2.io/ocp/release:1", False),
        ("quay.io/ocp/release:1", False),
    ]


def test_the_entry_counts_that_says_most_of_a_name():
    entries = [
        Mirrored(prefix="quay.io", mirror=(Mirror(location="all.io"),)),
        Mirrored(prefix="quay.io/ocp", mirror=(Mirror(location="some.io"),)),
    ]
    assert places(reference("quay.io/ocp/release"), entries)[0].image.name == "some.io/release"
    assert places(reference("quay.io/ocpx/release"), entries)[0].image.name == "all.io/ocpx/release"
    assert [each.image.name for each in places(reference("a.io/x"), entries)] == ["a.io/x"]


def test_podmans_list_of_mirrors_is_understood():
    entries = mirrors_in(
        """
        unqualified-search-registries = ["docker.io"]
        [[registry]]
        prefix = "quay.io/ocp"
        location = "quay.io/ocp"
        blocked = true
        mirror-by-digest-only = true
        [[registry.mirror]]
        location = "here.lan:5000/ocp"
        insecure = true
        [[registry]]
        prefix = "*.example.com"
        location = "moved.lan"
        [[registry]]
        location = "tags.io"
        [[registry.mirror]]
        location = "m.io"
        pull-from-mirror = "tag-only"
        """
    )
    exact = reference(f"quay.io/ocp/release@{DIGEST}")
    assert [str(each.image) for each in places(exact, entries)] == [f"here.lan:5000/ocp/release@{DIGEST}"]
    with pytest.raises(Invalid, match="no mirror has it"):
        places(reference("quay.io/ocp/release:1"), entries)
    assert [str(each.image) for each in places(reference("a.example.com/x:1"), entries)] == ["moved.lan/x:1"]
    assert len(places(reference("tags.io/x:1"), entries)) == 2
    assert len(places(reference(f"tags.io/x@{DIGEST}"), entries)) == 1


@pytest.mark.parametrize("text", ["[[registry", "[[registry]]\ninsecure = true", "registry = 4"])
def test_a_list_of_mirrors_that_cannot_be_read_is_invalid(text):
    with pytest.raises(Invalid, match="list of mirrors"):
        mirrors_in(text)

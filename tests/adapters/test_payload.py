"""Releases in a real registry, and what they say of themselves."""

import json

import pytest

from muster.adapters.registry import LockedOut, Mirrored, Reaching, Registry
from muster.adapters.releases.payload import Payloads, own_architecture
from muster.domain.errors import Broken, NotFound, Unavailable
from parts.registry import login
from parts.release_image import VERSION, layer, manifests, push_release


@pytest.fixture
async def payloads(registry, tmp_path):
    entry = Mirrored(location=registry.host, insecure=True)
    client = Registry(Reaching(mirrored=(entry,), wait=lambda _: 0.0, tries=2))
    yield Payloads(client, tmp_path / "scratch")
    await client.close()


def secret(registry):
    return json.dumps({"auths": {registry.host: {"auth": login()}}})


async def test_a_release_says_its_version_and_what_it_is_made_of(registry, payloads):
    release = push_release(registry)
    found = await payloads.read(release.url, "")
    assert (found.version, found.digest, found.architectures) == (VERSION, release.pushed.digest, ("x86_64",))
    assert found.release == f"{registry.host}/ocp/release@{release.pushed.digest}"
    assert found.image("installer").endswith(release.installer.digest)
    assert set(found.images) == {"installer", "machine-config-operator", "must-gather", "rhel-coreos"}
    assert found.system == found.images["rhel-coreos"]
    assert found.for_hosts.mco == found.images["machine-config-operator"]
    assert found.previous == ("4.18.6", "4.17.9")
    assert not found.is_okd
    with pytest.raises(NotFound, match=f"release {VERSION} .* has no image okd-rpms or it"):
        found.image("okd-rpms", "it")


async def test_a_release_for_several_architectures_is_read_as_it_is_for_one(registry, payloads):
    images = {}
    for name in ("amd64", "arm64"):
        said = manifests({"installer": f"quay.io/ocp/{name}:1", "okd-rpms": "quay.io/x:1"}, metadata={"a": "b", "n": 4})
        images[name] = registry.image("ocp/release", [said], architecture=name)
    pushed = registry.index("ocp/release", "multi", images)
    for machine, theirs in (("arm64", "arm64"), ("x86_64", "amd64")):
        found = await payloads.read(f"{registry.host}/ocp/release:multi", "", machine)
        assert (found.digest, found.architecture) == (pushed.digest, machine)
        assert found.architectures == ("x86_64", "arm64")
        assert found.image("installer") == f"quay.io/ocp/{theirs}:1"
    assert found.is_okd
    assert found.metadata == {"a": "b", "n": "4"}


async def test_the_topmost_layer_says_what_counts(registry, payloads):
    layers = [manifests({"installer": "quay.io/old:1"}, "4.1.1"), manifests({"installer": "quay.io/new:1"}, "4.2.2")]
    registry.image("ocp/release", layers, tag="1")
    found = await payloads.read(f"{registry.host}/ocp/release:1", "")
    assert (found.version, found.image("installer")) == ("4.2.2", "quay.io/new:1")


async def test_a_release_that_was_read_is_remembered_but_not_for_who_is_locked_out(registry, payloads):
    release = push_release(registry)
    found = await payloads.read(release.url, "")
    registry.lock()
    assert await payloads.read(release.url, secret(registry)) is found
    with pytest.raises(LockedOut):
        await payloads.read(release.url, "")


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"etc/passwd": b""}, "is no release image: it has no /release-manifests/image-references and no"),
        (
            {"release-manifests/image-references": b"{}", "release-manifests/.wh.release-metadata": b""},
            "it has no /release-manifests/release-metadata; name one",
        ),
        (
            {"release-manifests/image-references": b"{", "release-manifests/release-metadata": b"{}"},
            "says of itself cannot be read",
        ),
        ({"release-manifests/image-references": b" " * (17 << 20)}, "no release has more than"),
    ],
)
async def test_an_image_that_is_no_release_is_named_so(registry, payloads, files, sentence):
    registry.image("ocp/it", [layer(files)], tag="1")
    with pytest.raises(Broken, match=sentence):
        await payloads.read(f"{registry.host}/ocp/it:1", "")


async def test_where_nothing_can_be_written_that_is_told(registry, tmp_path):
    release = push_release(registry)
    (tmp_path / "file").write_text("")
    client = Registry(Reaching(mirrored=(Mirrored(location=registry.host, insecure=True),)))
    with pytest.raises(Unavailable, match=r"reading .*/file/scratch: Not a directory"):
        await Payloads(client, tmp_path / "file" / "scratch").read(release.url, "")
    await client.close()


async def test_only_so_many_releases_are_kept_in_mind(registry, payloads, monkeypatch):
    monkeypatch.setattr("muster.adapters.releases.payload.REMEMBERED", 1)
    first, second = (push_release(registry, version=each) for each in ("4.18.1", "4.18.2"))
    found = await payloads.read(first.url, "")
    await payloads.read(second.url, "")
    again = await payloads.read(first.url, "")
    assert again == found
    assert again is not found


def test_this_machine_is_of_some_architecture():
    assert own_architecture() in {"x86_64", "arm64", "ppc64le", "s390x"}

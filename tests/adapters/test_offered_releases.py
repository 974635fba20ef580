"""Each release gets its installer: the lab's own from the lab, others the one that is in them."""

import json
from pathlib import Path

import pytest

from adapters.lab_orders import an_order, quietly, the_cluster
from muster.adapters.registry import LockedOut, Mirrored, Reaching, Registry
from muster.adapters.releases.certificates import new_ingress_ca
from muster.adapters.releases.lab import LAB_OS_IMAGES, LAB_RELEASES, LabReleases
from muster.adapters.releases.offered import OfferedReleases
from muster.adapters.releases.payload import Payloads
from muster.domain.errors import Broken, Unavailable
from muster.domain.releases import Catalogue, Release, ReleaseImages
from muster.ports import Releases
from parts.registry import login
from parts.release_image import VERSION, manifests, push_release

FOREIGN = Release(version="4.20.9", url="quay.example.com/release:4.20.9")
OFFERED = Catalogue(releases=(*LAB_RELEASES, FOREIGN), os_images=LAB_OS_IMAGES)


class Real:
    """Stands where the installers of releases are run, and says so."""

    async def assets(self, order, tell):
        return (await LabReleases().assets(order, tell)).but(password=b"by a real one")


def offered(installer, catalogue=OFFERED, payloads=None):
    return OfferedReleases(catalogue, Real(), payloads or Payloads(Registry(), Path("nowhere")), installer)


@pytest.mark.parametrize(
    ("installer", "url", "is_real"),
    [
        ("auto", FOREIGN.url, True),
        ("auto", LAB_RELEASES[0].url, False),
        ("auto", "lab.muster.local/another:1", False),
        ("lab", FOREIGN.url, False),
        ("real", LAB_RELEASES[0].url, True),
    ],
)
async def test_who_makes_the_files_of_a_release_follows_from_where_it_is_and_what_is_set(installer, url, is_real):
    releases: Releases = offered(installer)
    assets = await releases.assets(an_order(the_cluster().but(ocp_release_image=url)), quietly)
    assert (assets.password == b"by a real one") is is_real
    await releases.close()


async def test_all_that_is_offered_is_in_the_catalogue_and_trusts_the_ingress():
    releases = offered("auto")
    assert releases.catalogue() is OFFERED
    plain = (await LabReleases().assets(an_order(), quietly)).kubeconfig
    assert len(releases.with_ingress(plain, new_ingress_ca("example.com"))) > len(plain)
    await LabReleases().close()


# What hosts are told of a release.

COMPONENT = "quay.io/ocp/components@sha256:"


@pytest.fixture
async def payloads(registry, tmp_path):
    entry = Mirrored(location=registry.host, insecure=True)
    client = Payloads(Registry(Reaching(mirrored=(entry,), wait=lambda _: 0.0, tries=2)), tmp_path / "scratch")
    yield client
    await client.close()


def of_release(url, **changes):
    return the_cluster().but(ocp_release_image=url, **changes)


async def test_the_images_of_a_release_are_those_that_it_names(registry, payloads):
    release = push_release(registry)
    registry.lock()
    secret = json.dumps({"auths": {registry.host: {"auth": login()}}})
    images = await offered("auto", payloads=payloads).images(of_release(release.url, pull_secret=secret))
    assert images == ReleaseImages(
        mco=COMPONENT + "1" * 64, must_gather=COMPONENT + "2" * 64, coreos=COMPONENT + "3" * 64
    )
    with pytest.raises(LockedOut, match=registry.host):
        await offered("auto", payloads=payloads).images(of_release(release.url, pull_secret=""))


async def test_what_was_set_for_a_release_counts_more_than_what_it_says(registry, payloads):
    release = push_release(registry)
    entry = Release(version=VERSION, url=release.url, images=ReleaseImages(mco="mine"))
    found = await offered("auto", Catalogue(releases=(entry,)), payloads).images(of_release(release.url))
    assert (found.mco, found.must_gather) == ("mine", COMPONENT + "2" * 64)


async def test_a_release_for_several_architectures_is_read_as_it_is_for_the_hosts(registry, payloads):
    said = {
        name: registry.image(
            "ocp/release", [manifests({"machine-config-operator": f"quay.io/{name}"})], architecture=name
        )
        for name in ("amd64", "arm64")
    }
    registry.index("ocp/release", "multi", said)
    url = f"{registry.host}/ocp/release:multi"
    found = await offered("auto", payloads=payloads).images(of_release(url, cpu_architecture="arm64"))
    assert found == ReleaseImages(mco="quay.io/arm64")
    assert (await offered("auto", payloads=payloads).images(of_release(url, cpu_architecture="multi"))).mco


async def test_a_release_without_what_the_first_host_needs_is_broken(registry, payloads):
    registry.image("ocp/release", [manifests({"installer": "quay.io/i:1"})], tag="1")
    with pytest.raises(Broken, match="has no image machine-config-operator"):
        await offered("auto", payloads=payloads).images(of_release(f"{registry.host}/ocp/release:1"))


async def test_a_registry_that_is_away_is_named(registry, payloads):
    release = push_release(registry)
    registry.stop()
    with pytest.raises(Unavailable, match=registry.host):
        await offered("auto", payloads=payloads).images(of_release(release.url))


WHOLE = ReleaseImages(mco="a", must_gather="b", coreos="c")


@pytest.mark.parametrize(
    ("installer", "release"),
    [
        ("lab", FOREIGN),
        ("auto", LAB_RELEASES[0]),
        ("real", FOREIGN.but(images=WHOLE)),
    ],
    ids=["the lab stands for it", "the lab's own", "all were set"],
)
async def test_a_release_is_not_asked_for_what_is_known(installer, release):
    found = await offered(installer, Catalogue(releases=(release,))).images(of_release(release.url))
    assert found == release.images
    assert await LabReleases((release,)).images(of_release(release.url)) == release.images
    assert await LabReleases(()).images(of_release(release.url)) == ReleaseImages()

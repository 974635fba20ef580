"""Each release gets its installer: the lab's own from the lab, others the one that is in them."""

import pytest

from adapters.lab_orders import an_order, the_cluster
from muster.adapters.registry import Registry
from muster.adapters.releases.certificates import new_ingress_ca
from muster.adapters.releases.lab import LAB_OS_IMAGES, LAB_RELEASES, LabReleases
from muster.adapters.releases.offered import OfferedReleases
from muster.domain.releases import Catalogue, Release
from muster.ports import Releases

FOREIGN = Release(version="4.20.9", url="quay.example.com/release:4.20.9")
OFFERED = Catalogue(releases=(*LAB_RELEASES, FOREIGN), os_images=LAB_OS_IMAGES)


class Real:
    """Stands where the installers of releases are run, and says so."""

    async def assets(self, order):
        return (await LabReleases().assets(order)).but(password=b"by a real one")


def offered(installer):
    return OfferedReleases(OFFERED, Real(), Registry(), installer)


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
    assets = await releases.assets(an_order(the_cluster().but(ocp_release_image=url)))
    assert (assets.password == b"by a real one") is is_real
    await releases.close()


async def test_all_that_is_offered_is_in_the_catalogue_and_trusts_the_ingress():
    releases = offered("auto")
    assert releases.catalogue() is OFFERED
    plain = (await LabReleases().assets(an_order())).kubeconfig
    assert len(releases.with_ingress(plain, new_ingress_ca("example.com"))) > len(plain)
    await LabReleases().close()

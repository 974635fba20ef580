"""What is written about releases and system images becomes what is on offer."""

import pytest

from muster.domain.inputs.releases import ReleaseEntry, os_image_problems, read_os_images, read_releases
from muster.domain.releases import OsImage


def a_release(**written):
    (release,) = read_releases([ReleaseEntry(**{"version": "4.20.1", "url": "quay.io/a", **written})])
    return release


@pytest.mark.parametrize(
    ("written", "carried"),
    [
        ({}, ("x86_64",)),
        ({"cpu_architecture": "aarch64"}, ("arm64",)),
        ({"cpu_architecture": "multi"}, ("x86_64",)),
        ({"cpu_architecture": "multi", "cpu_architectures": ("amd64", "x86_64", "aarch64")}, ("x86_64", "arm64")),
    ],
)
def test_a_release_carries_what_is_said_of_it_by_the_one_name_of_each(written, carried):
    assert a_release(**written).cpu_architectures == carried


@pytest.mark.parametrize(
    ("version", "said", "level"),
    [
        ("4.20.1", "", "production"),
        ("4.20.1-multi", "", "production"),
        ("4.20.0-rc.1", "", "beta"),
        ("4.20.0-rc.1-multi", "", "beta"),
        ("4.20.0-rc.1", "maintenance", "maintenance"),
    ],
)
def test_what_comes_before_a_release_is_a_beta_unless_it_is_said_otherwise(version, said, level):
    assert a_release(version=version, support_level=said).support_level == level


def test_the_version_of_a_release_is_kept_without_what_it_says_of_architectures():
    release = a_release(version="4.20.1-multi", cpu_architectures=("x86_64", "arm64"), default=True, mco_image="m")
    assert (release.version, release.display_name) == ("4.20.1", "4.20.1-multi")
    assert (release.default, release.images.mco) == (True, "m")


def test_a_system_image_goes_by_the_one_name_of_its_architecture():
    images = read_os_images([OsImage(openshift_version="4.20", cpu_architecture="aarch64")])
    assert [each.cpu_architecture for each in images] == ["arm64"]


GOOD = OsImage(openshift_version="4.18", version="418.94.1-0", url="https://mirror/live.iso")


@pytest.mark.parametrize(
    "entry",
    [
        GOOD,
        GOOD.but(cpu_architecture="aarch64", type="disconnected-iso", sha256="0aF" + "0" * 61),
        GOOD.but(url="file:///srv/live.iso"),
        GOOD.but(url="images/live.iso"),
        OsImage(openshift_version="4.18"),
    ],
)
def test_a_system_image_that_can_be_had_is_no_problem(entry):
    assert list(os_image_problems([entry])) == []


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (GOOD.but(url="ftp://mirror/live.iso?key=hush"), "url begins with ftp://; write https://"),
        (GOOD.but(version=""), "version is ''; write the build"),
        (GOOD.but(version="../../etc/passwd"), "version is '../../etc/passwd'; write the build"),
        (GOOD.but(cpu_architecture="multi"), "cpu_architecture is 'multi'; write arm64, ppc64le, s390x, x86_64"),
        (GOOD.but(sha256="abc"), "sha256 has 3 characters; write the 64"),
        (GOOD.but(sha256="z" * 64), "sha256 has 64 characters; write the 64"),
    ],
)
def test_a_system_image_that_cannot_be_had_is_told_by_its_place(entry, said):
    (told,) = os_image_problems([entry])
    assert told.startswith(f"OS_IMAGES[0] (4.18): {said}")
    assert "hush" not in told

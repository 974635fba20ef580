"""Which release and which system image a user means."""

import pytest

from builders import a_policy
from muster.domain.errors import Invalid
from muster.domain.releases import Catalogue, OsImage, Release, at_least, parts, precedence

CATALOGUE = Catalogue(
    releases=(
        Release(version="4.20.9", url="a"),
        Release(version="4.20.10", url="b"),
        Release(version="4.20.11", url="c", cpu_architectures=("arm64",)),
        Release(version="4.21.0-rc.1", url="d", cpu_architectures=("x86_64", "arm64")),
    ),
    os_images=(
        OsImage(openshift_version="4.20.1", version="one"),
        OsImage(openshift_version="4.20.3", version="two"),
        OsImage(openshift_version="4.21", version="three", cpu_architecture="arm64"),
    ),
)


@pytest.mark.parametrize(
    ("version", "numbers"),
    [("4.20.1", (4, 20, 1)), ("4.20", (4, 20)), ("4.20.0-rc.1", (4, 20, 0)), ("", ()), ("four", ()), ("4.x", ())],
)
def test_a_version_as_numbers(version, numbers):
    assert parts(version) == numbers


@pytest.mark.parametrize(
    ("version", "wanted", "enough"),
    [
        ("4.15", "4.15", True),
        ("4.15.0", "4.15", True),
        ("4.15.0-rc.1", "4.15", True),
        ("4.9", "4.15", False),
        ("4.16", "4.15.3", True),
        ("4.15", "4.15.3", False),
        ("", "4.15", False),
        ("four", "4.15", False),
    ],
)
def test_a_version_that_is_that_one_or_newer(version, wanted, enough):
    assert at_least(version, wanted) is enough


@pytest.mark.parametrize(
    ("version", "architecture", "url"),
    [
        ("4.20", "x86_64", "b"),
        ("4.20.9", "x86_64", "a"),
        ("4.20", "arm64", "c"),
        ("4.21", "arm64", "d"),
        ("4.21", "multi", "d"),
        ("4.21.0-rc.1", "x86_64", "d"),
    ],
)
def test_the_release_a_user_means(version, architecture, url):
    assert CATALOGUE.release(version, architecture).url == url


@pytest.mark.parametrize(
    ("version", "architecture"),
    [("4.19", "x86_64"), ("4.20.8", "x86_64"), ("4.20", "multi"), ("", "x86_64"), ("x", "x")],
)
def test_a_release_nobody_knows_is_told_with_those_that_are_known(version, architecture):
    with pytest.raises(Invalid, match=r"openshift_version: .* known releases: 4\.20\.10, 4\.20\.11"):
        CATALOGUE.release(version, architecture)
    with pytest.raises(Invalid, match="known releases: none"):
        Catalogue().release(version, architecture)


def test_a_release_by_its_image():
    assert CATALOGUE.release_by_url("b").version == "4.20.10"
    with pytest.raises(Invalid, match="ocp_release_image: 'x'"):
        CATALOGUE.release_by_url("x")


@pytest.mark.parametrize(
    ("version", "architecture", "image"),
    [("4.20", "x86_64", "two"), ("4.20.99", "x86_64", "two"), ("", "x86_64", "two"), ("4.21.0", "arm64", "three")],
)
def test_the_system_image_of_a_version_is_the_newest_of_the_same_minor(version, architecture, image):
    assert CATALOGUE.os_image(version, architecture).version == image


@pytest.mark.parametrize(
    ("version", "chosen"),
    [
        ("4.18.3", "4.18.3"),
        ("4.18.9", "4.18"),
        ("4.18.9-multi", "4.18"),
        ("4.18", "4.18"),
        ("4.17.2", "4.17.10"),
        ("4.17", "4.17.10"),
        ("4.17.10-rc.1", "4.17.10-rc.1"),
        ("5.0", "5.0.0-ec.2"),
        ("", "5.0.0-ec.2"),
    ],
)
def test_the_system_image_is_the_very_one_or_that_of_the_minor_or_its_latest(version, chosen):
    versions = ("4.18", "4.18.3", "4.17.9", "4.17.10", "4.17.10-rc.1", "5.0.0-ec.2", "5.0.0-ec.1")
    images = tuple(OsImage(openshift_version=each) for each in versions)
    assert Catalogue(os_images=images).os_image(version, "x86_64").openshift_version == chosen


def test_a_system_image_that_is_not_there_is_told_with_what_was_asked():
    with pytest.raises(Invalid, match=r"no system image of 4\.19 for x86_64; there are: .*4\.20"):
        CATALOGUE.os_image("4.19", "x86_64")
    with pytest.raises(Invalid, match="no system image of any version for s390x"):
        CATALOGUE.os_image("", "s390x")


def test_every_release_of_a_test_can_be_asked_for():
    catalogue = a_policy().catalogue
    for release in catalogue.releases:
        assert catalogue.release(release.version, release.cpu_architectures[0]) == release


BOTH = Catalogue(
    releases=(
        Release(version="4.19.1", url="one"),
        Release(version="4.19.2", url="all", cpu_architectures=("x86_64", "s390x")),
        Release(version="4.19.2", url="two"),
        Release(version="4.19.3-rc.2", url="early", support_level="beta"),
        Release(version="4.19.3-rc.10", url="late", support_level="beta"),
        Release(version="4.20.0-rc.1", url="only", support_level="beta"),
    )
)


@pytest.mark.parametrize(
    ("version", "architecture", "url"),
    [
        ("4.19.2", "x86_64", "two"),
        ("4.19.2-multi", "x86_64", "all"),
        ("4.19-multi", "x86_64", "all"),
        ("4.19.2", "multi", "all"),
        ("4.19", "s390x", "all"),
        ("4.19", "x86_64", "two"),
        ("4.20", "x86_64", "only"),
    ],
)
def test_a_release_for_all_architectures_is_had_by_asking_for_it_and_a_beta_where_there_is_nothing_else(
    version, architecture, url
):
    assert BOTH.release(version, architecture).url == url


def test_of_every_minor_the_latest_version_that_is_no_beta_counts_if_there_is_one():
    assert [each.url for each in BOTH.latest()] == ["all", "two", "only"]


def test_what_came_before_a_release_is_ordered_by_its_numbers():
    versions = ["4.19.3-rc.10", "4.19.3", "4.19.3-rc.2", "4.19.3-ec.1", "4.9.99"]
    assert sorted(versions, key=precedence) == ["4.9.99", "4.19.3-ec.1", "4.19.3-rc.2", "4.19.3-rc.10", "4.19.3"]


def test_releases_can_be_left_out_one_by_one_and_by_their_minor():
    assert [each.url for each in BOTH.without(("4.19.2-multi", "4.20")).releases] == ["one", "early", "late"]
    assert BOTH.without(()) is BOTH


def test_hosts_are_discovered_where_there_is_a_system_image_or_where_none_is_needed():
    assert CATALOGUE.discovers("4.20.9", "x86_64")
    assert not CATALOGUE.discovers("4.20.9", "arm64")
    assert Catalogue().discovers("4.20.9", "arm64")

"""Versions, features, operators and domains as clients see them."""

import msgspec
import pytest

from muster.domain.features.bundles import bundle_with
from muster.domain.managed_domains import ManagedDomain
from muster.domain.operators.bundles import BUNDLES
from muster.domain.operators.operator import Property
from muster.domain.policy import Policy
from muster.domain.releases import Catalogue, OsImage, Release
from muster.wire.domains import DomainOut, domain_out
from muster.wire.features import DetailsQuery, FeaturesQuery
from muster.wire.operators import BundlesQuery, bundle_out, property_out
from muster.wire.query import parse_query, read_query
from muster.wire.versions import VersionsQuery, component_versions_out, openshift_versions_out

RELEASES = (
    Release(version="4.19.1", url="a", default=True),
    Release(version="4.19.1", url="b", cpu_architectures=("arm64",)),
    Release(version="4.19.9", url="c"),
    Release(version="4.20.0", url="d", cpu_architectures=("x86_64", "arm64"), support_level="beta"),
)
CATALOGUE = Catalogue(releases=RELEASES)


def listed(catalogue=CATALOGUE, **wanted):
    return msgspec.to_builtins(openshift_versions_out(catalogue, VersionsQuery(**wanted)))


def test_releases_are_listed_by_the_name_to_show():
    assert listed() == {
        "4.19.1": {
            "display_name": "4.19.1",
            "support_level": "production",
            "cpu_architectures": ("x86_64", "arm64"),
            "default": True,
        },
        "4.19.9": {"display_name": "4.19.9", "support_level": "production", "cpu_architectures": ("x86_64",)},
        "4.20.0-multi": {
            "display_name": "4.20.0-multi",
            "support_level": "beta",
            "cpu_architectures": ("x86_64", "arm64"),
        },
    }


def test_releases_are_found_by_a_part_of_their_version_or_as_the_latest_or_both():
    assert list(listed(version="4.19")) == ["4.19.1", "4.19.9"]
    assert list(listed(version="multi")) == ["4.20.0-multi"]
    assert list(listed(only_latest=True)) == ["4.19.9", "4.20.0-multi"]
    assert list(listed(version="4.19.1", only_latest=True)) == []


def test_an_architecture_is_listed_only_where_hosts_can_be_discovered():
    images = (OsImage(openshift_version="4.19"), OsImage(openshift_version="4.20", cpu_architecture="arm64"))
    found = listed(Catalogue(releases=RELEASES, os_images=images))
    assert {name: each["cpu_architectures"] for name, each in found.items()} == {
        "4.19.1": ("x86_64",),
        "4.19.9": ("x86_64",),
        "4.20.0-multi": ("arm64",),
    }


@pytest.mark.parametrize(("tag", "shown"), [("", {}), ("v2.40", {"release_tag": "v2.40"})])
def test_the_parts_of_the_service_have_versions(tag, shown):
    out = msgspec.to_builtins(component_versions_out(Policy(release_tag=tag), "1.2.3"))
    assert out["versions"]["assisted-installer-service"] == "1.2.3"
    assert {name: value for name, value in out.items() if name != "versions"} == shown


def test_features_are_asked_for_in_a_version_on_a_machine_and_a_platform():
    given = {
        "openshift_version": "4.20",
        "cpu_architecture": "aarch64",
        "platform_type": "external",
        "external_platform_name": "oci",
    }
    context = parse_query(FeaturesQuery, given).context
    assert (context.version, context.architecture, context.platforms) == ("4.20", "aarch64", ("external", "oci"))
    with pytest.raises(msgspec.ValidationError, match="aarch64"):
        parse_query(DetailsQuery, given)
    with pytest.raises(msgspec.ValidationError, match="openshift_version"):
        parse_query(FeaturesQuery, {"openshift_version": ""})


def test_what_is_meant_to_be_repeated_may_be_given_more_than_once_and_all_else_counts_once():
    query = read_query(BundlesQuery, "feature_ids=SNO&openshift_version=4.19&feature_ids=SNO&openshift_version=4.20")
    assert (query.feature_ids, query.openshift_version) == (("SNO", "SNO"), "4.20")
    assert read_query(BundlesQuery, "") == BundlesQuery()
    with pytest.raises(msgspec.ValidationError):
        read_query(BundlesQuery, "feature_ids=TNA")


def test_what_may_be_set_about_an_operator_is_told_with_all_its_fields():
    out = msgspec.to_builtins(property_out(Property(name="size", data_type="integer")))
    assert out == {
        "name": "size",
        "data_type": "integer",
        "mandatory": False,
        "options": (),
        "description": "",
        "default_value": "",
    }


def test_a_bundle_is_told_with_null_where_nothing_may_be_left_out():
    bundles = [msgspec.to_builtins(bundle_out(bundle_with(each, ()))) for each in BUNDLES.values()]
    assert [each["id"] for each in bundles] == ["virtualization", "openshift-ai"]
    assert [each["optional_operators"] for each in bundles] == [None, ("amd-gpu", "nvidia-gpu")]


def test_a_domain_is_told_without_its_zone():
    managed = ManagedDomain(domain="example.com", provider="route53", zone_id="Z1")
    assert domain_out(managed) == DomainOut(domain="example.com", provider="route53")

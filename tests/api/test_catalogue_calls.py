"""What is on offer, over the wire: versions, features, operators, bundles, domains."""

import json
from collections.abc import Iterator

import pytest
from calling import Caller

from parts.service import RunningService

RELEASES = [
    {"openshift_version": "4.16", "cpu_architecture": "x86_64", "version": "4.16.2", "url": "quay.io/a:4.16.2-x86_64"},
    {"openshift_version": "4.16", "cpu_architecture": "aarch64", "version": "4.16.2", "url": "quay.io/a:4.16.2-arm64"},
    {"openshift_version": "4.16", "cpu_architecture": "s390x", "version": "4.16.2", "url": "quay.io/a:4.16.2-s390x"},
    {
        "openshift_version": "4.17-multi",
        "cpu_architecture": "multi",
        "cpu_architectures": ["x86_64", "arm64"],
        "version": "4.17.3-multi",
        "url": "quay.io/a:4.17.3-multi",
    },
    {"openshift_version": "4.17", "cpu_architecture": "x86_64", "version": "4.17.4-rc.1", "url": "quay.io/a:4.17.4"},
    {"openshift_version": "4.15", "cpu_architecture": "x86_64", "version": "4.15.1", "url": "quay.io/a:4.15.1"},
]
IMAGES = [
    {"openshift_version": minor, "cpu_architecture": each, "url": "https://a/b.iso", "version": "4"}
    for minor in ("4.15", "4.16", "4.17")
    for each in ("x86_64", "aarch64")
]
SOURCES = [
    {
        "openshift_version": "4.16",
        "multi_cpu_architectures": ["x86_64", "arm64"],
        "upgrade_channels": [{"cpu_architecture": "x86_64", "channels": ["stable", "candidate"]}],
    }
]


@pytest.fixture(scope="module")
def offering(tmp_path_factory) -> Iterator[Caller]:
    """A service whose operator has set everything there is to set about what is on offer."""
    running = RunningService(
        tmp_path_factory.mktemp("offering"),
        {
            "RELEASE_IMAGES": json.dumps(RELEASES),
            "OS_IMAGES": json.dumps(IMAGES),
            "RELEASE_SOURCES": json.dumps(SOURCES),
            "IGNORED_OPENSHIFT_VERSIONS": '["4.15", "4.18.7"]',
            "BASE_DNS_DOMAINS": "lab.example.com:Z1/route53,example.org:Z2/route53",
            "RELEASE_TAG": "v2.40",
        },
    )
    running.start()
    caller = Caller(running.url)
    yield caller
    caller.close()
    running.stop()


# Versions


def test_releases_are_read_as_the_original_reads_them(offering):
    listed = offering.v2("GET /openshift-versions").json
    assert listed["4.16.2"] == {
        "display_name": "4.16.2",
        "support_level": "production",
        "cpu_architectures": ["x86_64", "arm64"],
    }
    assert listed["4.17.3-multi"]["cpu_architectures"] == ["x86_64", "arm64"]
    assert listed["4.17.4-rc.1"]["support_level"] == "beta"
    assert not {"4.15.1", "4.18.7"} & listed.keys()


def test_the_latest_of_a_minor_is_no_beta_if_there_is_another(offering):
    latest = offering.v2("GET /openshift-versions?only_latest=true").json
    assert {each for each in latest if each.startswith("4.17")} == {"4.17.3-multi"}
    assert list(offering.v2("GET /openshift-versions?only_latest=true&version=4.17").json) == ["4.17.3-multi"]
    assert offering.v2("GET /openshift-versions?version=4.15").json == {}


def test_a_cluster_can_be_described_by_every_name_that_is_listed(offering):
    for name in offering.v2("GET /openshift-versions").json:
        secret = '{"auths":{"a.b":{"auth":"dXNlcjpwYXNzd29yZAo="}}}'
        reply = offering.v2("POST /clusters", {"name": "one", "openshift_version": name, "pull_secret": secret})
        assert reply.status == 201, (name, reply.body)


def test_an_ignored_version_is_refused(offering):
    reply = offering.v2("POST /clusters", {"name": "one", "openshift_version": "4.15", "pull_secret": "{}"})
    assert reply.status == 400
    assert "4.15" in reply.said


def test_the_sources_of_releases_are_told_as_they_were_set(offering, api):
    assert offering.v2("GET /release-sources").json == SOURCES
    assert api.v2("GET /release-sources").json == []


def test_the_parts_of_the_service_are_told_with_their_tag_if_there_is_one(offering, api):
    told = offering.v2("GET /component-versions").json
    assert told["release_tag"] == "v2.40"
    assert set(told["versions"]) == {
        "assisted-installer",
        "assisted-installer-controller",
        "assisted-installer-service",
        "discovery-agent",
    }
    assert "release_tag" not in api.v2("GET /component-versions").json


# Features


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("openshift_version=4.17", 55),
        ("openshift_version=4.17&platform_type=baremetal", 50),
        ("openshift_version=4.9&cpu_architecture=s390x", 56),
        ("openshift_version=nonsense", 55),
    ],
)
def test_features_are_listed_with_their_levels(api, query, count):
    reply = api.v2(f"GET /support-levels/features?{query}")
    assert (reply.status, set(reply.json)) == (200, {"features"})
    assert len(reply.json["features"]) == count


def test_an_architecture_may_go_by_either_name(api):
    one, other = (
        api.v2(f"GET /support-levels/features?openshift_version=4.20&cpu_architecture={name}").json
        for name in ("arm64", "aarch64")
    )
    assert one == other


def test_features_are_told_in_detail_with_what_they_do_not_go_with(api):
    told = api.v2("GET /support-levels/features/detailed?openshift_version=4.17").json
    assert (len(told["features"]), len(told["operators"])) == (27, 28)
    by_id = {each["feature-support-level-id"]: each for each in told["operators"]}
    assert by_id["ODF"] == {
        "feature-support-level-id": "ODF",
        "support_level": "supported",
        "incompatibilities": ["SNO", "LVM", "EXTERNAL_PLATFORM_OCI"],
        "name": "odf",
        "dependencies": ["LSO"],
    }
    assert by_id["MTV"]["dependencies"] == ["CNV"]
    assert by_id["OPENSHIFT_AI"]["dependencies"] == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("openshift_version=four", "openshift_version"),
        ("openshift_version=4.9&cpu_architecture=ppc64le", "cpu_architecture"),
        ("openshift_version=4.10&platform_type=nutanix", "platform_type"),
    ],
)
def test_details_of_what_cannot_be_had_are_refused(api, query, field):
    reply = api.v2(f"GET /support-levels/features/detailed?{query}")
    assert (reply.status, reply.json["code"]) == (400, "400")
    assert reply.said.startswith(field)


@pytest.mark.parametrize("path", ["features", "features/detailed", "architectures"])
def test_support_is_asked_for_in_a_version(api, path):
    reply = api.v2(f"GET /support-levels/{path}")
    assert (reply.status, reply.json["code"]) == (400, 400)
    assert "openshift_version" in reply.said


def test_architectures_are_listed_with_their_levels(api):
    assert api.v2("GET /support-levels/architectures?openshift_version=4.12").json == {
        "architectures": {
            "ARM64_ARCHITECTURE": "supported",
            "MULTIARCH_RELEASE_IMAGE": "tech-preview",
            "PPC64LE_ARCHITECTURE": "tech-preview",
            "S390X_ARCHITECTURE": "tech-preview",
            "X86_64_ARCHITECTURE": "supported",
        }
    }


# Operators


def test_every_operator_is_listed_and_nothing_can_be_set_about_any(api):
    names = api.v2("GET /supported-operators").json
    assert len(names) == len(set(names)) == 28
    for name in names:
        assert api.v2(f"GET /supported-operators/{name}").json == []


def test_an_operator_that_nobody_knows_is_not_found_without_a_word(api):
    reply = api.v2("GET /supported-operators/nosuch")
    assert (reply.status, reply.body) == (404, b"")


def test_bundles_are_listed_with_what_is_in_them(api):
    virtualization, ai = api.v2("GET /operators/bundles").json
    assert (virtualization["id"], virtualization["optional_operators"]) == ("virtualization", None)
    assert ai["operators"] == ["authorino", "odf", "openshift-ai", "pipelines", "serverless", "servicemesh"]
    assert ai["optional_operators"] == ["amd-gpu", "nvidia-gpu"]
    assert set(ai) == {"id", "title", "description", "operators", "optional_operators"}


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("openshift_version=4.20", ["virtualization", "openshift-ai"]),
        ("openshift_version=4.12", ["openshift-ai"]),
        ("openshift_version=4.20&feature_ids=SNO&feature_ids=SNO", ["openshift-ai"]),
        ("cpu_architecture=s390x&feature_ids=SNO", ["virtualization", "openshift-ai"]),
        ("openshift_version=4.20&platform_type=external&external_platform_name=oci", []),
    ],
)
def test_bundles_that_cannot_be_had_are_left_out(api, query, ids):
    assert [each["id"] for each in api.v2(f"GET /operators/bundles?{query}").json] == ids


def test_bundles_for_a_version_that_is_none_are_refused(api):
    reply = api.v2("GET /operators/bundles?openshift_version=four")
    assert (reply.status, reply.json["code"]) == (400, "400")


def test_a_feature_that_no_bundle_depends_on_is_refused(api):
    reply = api.v2("GET /operators/bundles?feature_ids=TNA")
    assert (reply.status, reply.json["code"]) == (400, 400)


def test_one_bundle_is_told_for_a_single_node_too(api):
    assert api.v2("GET /operators/bundles/openshift-ai?feature_ids=SNO").json["operators"] == ["lvm", "openshift-ai"]


def test_a_bundle_that_nobody_knows_is_not_found(api):
    reply = api.v2("GET /operators/bundles/nosuch")
    assert (reply.status, reply.json["code"]) == (404, "404")
    assert "virtualization" in reply.said


# Domains


def test_the_domains_are_told_with_who_serves_them(offering, api):
    assert offering.v2("GET /domains").json == [
        {"domain": "lab.example.com", "provider": "route53"},
        {"domain": "example.org", "provider": "route53"},
    ]
    assert api.v2("GET /domains").json == []

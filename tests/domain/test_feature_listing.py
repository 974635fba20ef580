"""Features and architectures as clients list them: what is left out where, and what is told of each."""

import msgspec
import pytest

from muster.domain.clusters import PlatformType
from muster.domain.errors import Invalid
from muster.domain.features import FEATURES
from muster.domain.features.architectures import supported_architectures
from muster.domain.features.feature import Context
from muster.domain.features.levels import Level, Reason
from muster.domain.features.listing import detailed, supported_features
from parts.recordings import recorded

BASIS = Context(version="4.21")
BY_ID = {feature.id: feature for feature in FEATURES}
BAREMETAL = BASIS.but(platform=PlatformType.BAREMETAL)
EXTERNAL = BASIS.but(platform=PlatformType.EXTERNAL)
OCI = EXTERNAL.but(external_name="oci")
NUTANIX = BASIS.but(platform=PlatformType.NUTANIX)


@pytest.mark.parametrize(
    ("call", "ours"),
    [
        (
            "GET /v2/support-levels/features?openshift_version=4.20",
            {"features": supported_features(Context(version="4.20"))},
        ),
        (
            "GET /v2/support-levels/features?openshift_version=4.20&cpu_architecture=arm64",
            {"features": supported_features(Context(version="4.20", architecture="arm64"))},
        ),
        (
            "GET /v2/support-levels/architectures?openshift_version=4.20",
            {"architectures": supported_architectures("4.20")},
        ),
    ],
)
def test_levels_are_those_that_were_recorded(call, ours):
    theirs = next(each["response"] for each in recorded("service") if each["call"] == call)
    assert ours == theirs


def test_features_are_listed_by_id():
    assert list(supported_features(Context(version="4.20"))) == sorted(set(BY_ID) - {"PLATFORM_MANAGED_NETWORKING"})


PLATFORM_IDS = {feature.id for feature in FEATURES if feature.platform}


def test_without_a_platform_what_is_left_to_it_is_not_listed():
    assert set(BY_ID) - set(supported_features(Context(version="4.17"))) == {"PLATFORM_MANAGED_NETWORKING"}


def test_with_a_platform_the_platforms_are_not_listed():
    assert set(BY_ID) - set(supported_features(BAREMETAL)) == PLATFORM_IDS
    assert len(PLATFORM_IDS) == 6


@pytest.mark.parametrize("platform", [None, PlatformType.NONE])
def test_where_a_version_does_not_run_nothing_is_available(platform):
    listed = supported_features(Context(version="4.9", architecture="arm64", platform=platform))
    assert listed == dict.fromkeys(BY_ID, Level.UNAVAILABLE)


def test_an_architecture_is_known_by_both_its_names():
    names = ("arm64", "aarch64")
    one, other = (supported_features(Context(version="4.20", architecture=name)) for name in names)
    assert one == other


def test_a_version_that_cannot_be_read_has_only_what_does_not_depend_on_it():
    listed = supported_features(Context(version="nonsense"))
    assert (listed["SNO"], listed["KMM"]) == (Level.SUPPORTED, Level.DEV_PREVIEW)
    gated = {feature.id for feature in FEATURES if feature.levels[0][0]}
    assert gated == {feature_id for feature_id, level in listed.items() if level is Level.UNAVAILABLE}


DEPENDENCIES = {"odf": ("lso",), "numaresources": ("node-feature-discovery",)}


def test_details_tell_levels_reasons_and_what_goes_with_what():
    details = msgspec.json.decode(msgspec.json.encode(detailed(Context(version="4.17"), DEPENDENCIES)))
    features = {each["feature-support-level-id"]: each for each in details["features"]}
    operators = {each["feature-support-level-id"]: each for each in details["operators"]}
    assert (len(features), len(operators)) == (27, 28)
    assert features["DUAL_STACK"] == {
        "feature-support-level-id": "DUAL_STACK",
        "support_level": "supported",
        "incompatibilities": ["USER_MANAGED_LOAD_BALANCER"],
    }
    assert features["TNA"]["reason"] == "openshiftVersion"
    assert operators["ODF"] == {
        "feature-support-level-id": "ODF",
        "support_level": "supported",
        "incompatibilities": ["SNO", "LVM", "EXTERNAL_PLATFORM_OCI"],
        "name": "odf",
        "dependencies": ["LSO"],
    }
    assert operators["NUMA_RESOURCES"]["dependencies"] == ["NODE_FEATURE_DISCOVERY"]
    assert operators["LSO"]["dependencies"] == []


def test_details_for_a_platform_leave_platforms_out_altogether():
    details = detailed(OCI, {})
    listed = {each.id for each in (*details.features, *details.operators)}
    named = {other for each in (*details.features, *details.operators) for other in each.incompatibilities}
    assert not (listed | named) & PLATFORM_IDS
    assert "PLATFORM_MANAGED_NETWORKING" in listed
    assert next(each for each in details.operators if each.id == "ODF").reason is Reason.OCI


def test_details_without_a_platform_do_not_name_what_is_left_to_it():
    details = detailed(Context(version="4.17"), {})
    assert not any("PLATFORM_MANAGED_NETWORKING" in each.incompatibilities for each in details.features)


@pytest.mark.parametrize(
    ("field", "context"),
    [
        ("openshift_version", Context(version="nonsense")),
        ("cpu_architecture", Context(version="4.9", architecture="arm64")),
        ("cpu_architecture", Context(version="4.20", architecture="sparc")),
        ("platform_type", EXTERNAL.but(version="4.13")),
        ("platform_type", OCI.but(architecture="s390x")),
        ("platform_type", NUTANIX.but(architecture="arm64")),
    ],
)
def test_details_are_refused_where_a_version_does_not_run(field, context):
    with pytest.raises(Invalid, match=f"^{field}: "):
        detailed(context, {})

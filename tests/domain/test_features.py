"""Every feature: how far it is supported where, and what it excludes."""

from pathlib import Path

import pytest
import yaml

from muster.domain.clusters import PlatformType
from muster.domain.features import FEATURES
from muster.domain.features.architectures import ARCHITECTURES, architecture_level
from muster.domain.features.feature import Context, exclusion
from muster.domain.features.levels import Level, Reason
from muster.domain.operators import OLM_OPERATORS

SWAGGER = Path(__file__).parents[3] / "shared" / "reference" / "swagger.yaml"
BY_ID = {feature.id: feature for feature in FEATURES}
PLATFORMS = ("baremetal", "none", "nutanix", "vsphere", "external", "oci")

LEVELS = {
    "SNO": "4.8 supported",
    "TNA": "4.18 unavailable, 4.19 tech-preview, 4.20 supported",
    "TNF": "4.19 unavailable, 4.20 tech-preview, 4.21 tech-preview, 4.22 supported",
    "CUSTOM_MANIFEST": "4.8 supported",
    "SINGLE_NODE_EXPANSION": "4.10 unavailable, 4.11 supported",
    "MINIMAL_ISO": "4.8 supported",
    "FULL_ISO": "4.8 supported",
    "NON_STANDARD_HA_CONTROL_PLANE": "4.17 unavailable, 4.18 supported",
    "VIP_AUTO_ALLOC": "4.14 dev-preview, 4.15 unavailable",
    "CLUSTER_MANAGED_NETWORKING": "4.8 supported",
    "USER_MANAGED_NETWORKING": "4.8 supported",
    "DUAL_STACK": "4.8 supported",
    "DUAL_STACK_VIPS": "4.11 unavailable, 4.12 supported",
    "DUAL_STACK_PRIMARY_IPV6": "4.11 unavailable, 4.12 tech-preview, 4.22 tech-preview",
    "PLATFORM_MANAGED_NETWORKING": "4.8 supported",
    "SDN_NETWORK_TYPE": "4.14 supported, 4.15 unavailable",
    "OVN_NETWORK_TYPE": "4.8 supported",
    "CILIUM_NETWORK_TYPE": "4.8 supported",
    "CALICO_NETWORK_TYPE": "4.8 supported",
    "CISCO_ACI_NETWORK_TYPE": "4.8 supported",
    "NONE_NETWORK_TYPE": "4.8 supported",
    "USER_MANAGED_LOAD_BALANCER": "4.15 unavailable, 4.16 supported",
    "BAREMETAL_PLATFORM": "4.8 supported",
    "NONE_PLATFORM": "4.8 supported",
    "NUTANIX_INTEGRATION": "4.10 unavailable, 4.11 dev-preview, 4.12 supported",
    "VSPHERE_INTEGRATION": "4.8 supported",
    "EXTERNAL_PLATFORM": "4.13 unavailable, 4.14 supported",
    "EXTERNAL_PLATFORM_OCI": "4.13 unavailable, 4.14 supported",
    "LVM": "4.10 unavailable, 4.11 dev-preview, 4.12 supported",
    "ODF": "4.8 supported",
    "LSO": "4.8 supported",
    "CNV": "4.8 supported",
    "MCE": "4.9 unavailable, 4.10 supported",
    "MTV": "4.13 unavailable, 4.14 supported",
    "OSC": "4.9 unavailable, 4.10 supported",
    "NMSTATE": "4.11 unavailable, 4.12 supported",
    "NODE_FEATURE_DISCOVERY": "4.5 unavailable, 4.6 dev-preview",
    "NVIDIA_GPU": "4.8 dev-preview",
    "AMD_GPU": "4.8 dev-preview",
    "KMM": "4.8 dev-preview",
    "PIPELINES": "4.8 dev-preview",
    "SERVICEMESH": "4.8 dev-preview",
    "SERVERLESS": "4.8 dev-preview",
    "AUTHORINO": "4.8 dev-preview",
    "OPENSHIFT_AI": "4.11 unavailable, 4.12 dev-preview",
    "NODE_HEALTHCHECK": "4.8 supported",
    "FENCE_AGENTS_REMEDIATION": "4.8 supported",
    "NODE_MAINTENANCE": "4.8 supported",
    "KUBE_DESCHEDULER": "4.8 supported",
    "SELF_NODE_REMEDIATION": "4.8 tech-preview",
    "CLUSTER_OBSERVABILITY": "4.8 supported",
    "NUMA_RESOURCES": "4.8 supported",
    "OADP": "4.8 supported",
    "METALLB": "4.10 unavailable, 4.11 supported",
    "LOKI": "4.16 unavailable, 4.17 supported",
    "OPENSHIFT_LOGGING": "4.16 unavailable, 4.17 supported",
}
"""The level of every feature on x86_64, at the versions around which it changes."""

LEVELS_ON = [
    ("SNO", "s390x", "4.12 unavailable, 4.13 dev-preview, 4.14 supported"),
    ("SNO", "ppc64le", "4.12 unavailable, 4.13 dev-preview, 4.14 supported"),
    ("SINGLE_NODE_EXPANSION", "s390x", "4.12 unavailable, 4.13 dev-preview, 4.14 supported"),
    ("CLUSTER_MANAGED_NETWORKING", "arm64", "4.10 unavailable, 4.11 supported"),
    ("CNV", "arm64", "4.13 unavailable, 4.14 dev-preview, 4.20 dev-preview"),
]
"""Where an architecture has levels of its own."""

NOT_ON = {
    "MINIMAL_ISO": "s390x",
    "NON_STANDARD_HA_CONTROL_PLANE": "arm64 s390x ppc64le multi",
    "CLUSTER_MANAGED_NETWORKING": "s390x ppc64le",
    "NUTANIX_INTEGRATION": "arm64 s390x ppc64le",
    "VSPHERE_INTEGRATION": "s390x ppc64le",
    "EXTERNAL_PLATFORM_OCI": "s390x ppc64le",
    "LVM": "s390x ppc64le",
    "ODF": "arm64",
    "LSO": "arm64",
    "CNV": "s390x ppc64le",
    "MTV": "arm64 s390x ppc64le",
    "OSC": "arm64 s390x ppc64le",
    "NMSTATE": "arm64 s390x ppc64le",
    "NODE_FEATURE_DISCOVERY": "s390x ppc64le",
    "NVIDIA_GPU": "arm64 s390x ppc64le",
    "AMD_GPU": "arm64 s390x ppc64le",
    "AUTHORINO": "arm64",
    "OPENSHIFT_AI": "arm64 s390x ppc64le",
}
"""The architectures that do not have a feature in any version."""

NOT_FOR = {
    "SNO": "nutanix vsphere",
    "SINGLE_NODE_EXPANSION": "nutanix vsphere",
    "TNA": "none nutanix vsphere external oci",
    "TNF": "nutanix vsphere external oci",
    "FULL_ISO": "oci",
    "NON_STANDARD_HA_CONTROL_PLANE": "nutanix vsphere",
    "VIP_AUTO_ALLOC": "external oci",
    "CLUSTER_MANAGED_NETWORKING": "external oci",
    "USER_MANAGED_NETWORKING": "nutanix",
    "DUAL_STACK_VIPS": "oci",
    "DUAL_STACK_PRIMARY_IPV6": "nutanix vsphere external oci",
    "LVM": "nutanix vsphere",
    "ODF": "oci",
    "CNV": "nutanix vsphere",
    "MCE": "nutanix",
    "MTV": "nutanix vsphere",
    "OSC": "nutanix vsphere",
    "NMSTATE": "nutanix external oci",
    "OPENSHIFT_AI": "oci",
}
"""The platforms that do not have a feature in 4.21."""

TYPES = {
    "SDN_NETWORK_TYPE", "OVN_NETWORK_TYPE", "CILIUM_NETWORK_TYPE", "CALICO_NETWORK_TYPE", "CISCO_ACI_NETWORK_TYPE",
    "NONE_NETWORK_TYPE",
}  # fmt: skip
EXCLUDES = {
    "SNO": "ODF NUTANIX_INTEGRATION VSPHERE_INTEGRATION CLUSTER_MANAGED_NETWORKING VIP_AUTO_ALLOC"
    " USER_MANAGED_LOAD_BALANCER NODE_HEALTHCHECK SELF_NODE_REMEDIATION FENCE_AGENTS_REMEDIATION NODE_MAINTENANCE"
    " KUBE_DESCHEDULER",
    "TNA": "NUTANIX_INTEGRATION VSPHERE_INTEGRATION EXTERNAL_PLATFORM EXTERNAL_PLATFORM_OCI",
    "TNF": "NUTANIX_INTEGRATION VSPHERE_INTEGRATION EXTERNAL_PLATFORM EXTERNAL_PLATFORM_OCI",
    "FULL_ISO": "EXTERNAL_PLATFORM_OCI",
    "NON_STANDARD_HA_CONTROL_PLANE": "NUTANIX_INTEGRATION VSPHERE_INTEGRATION",
    "VIP_AUTO_ALLOC": "SNO EXTERNAL_PLATFORM_OCI NONE_PLATFORM EXTERNAL_PLATFORM USER_MANAGED_LOAD_BALANCER",
    "CLUSTER_MANAGED_NETWORKING": "SNO USER_MANAGED_NETWORKING EXTERNAL_PLATFORM_OCI NONE_PLATFORM EXTERNAL_PLATFORM",
    "USER_MANAGED_NETWORKING": "CLUSTER_MANAGED_NETWORKING NUTANIX_INTEGRATION BAREMETAL_PLATFORM"
    " USER_MANAGED_LOAD_BALANCER",
    "DUAL_STACK": "USER_MANAGED_LOAD_BALANCER",
    "DUAL_STACK_VIPS": "EXTERNAL_PLATFORM_OCI USER_MANAGED_LOAD_BALANCER",
    "DUAL_STACK_PRIMARY_IPV6": "USER_MANAGED_LOAD_BALANCER EXTERNAL_PLATFORM EXTERNAL_PLATFORM_OCI NUTANIX_INTEGRATION"
    " VSPHERE_INTEGRATION",
    "PLATFORM_MANAGED_NETWORKING": "BAREMETAL_PLATFORM VSPHERE_INTEGRATION NUTANIX_INTEGRATION",
    **{each: " ".join(sorted(TYPES - {each})) for each in sorted(TYPES)},
    "USER_MANAGED_LOAD_BALANCER": "EXTERNAL_PLATFORM EXTERNAL_PLATFORM_OCI NONE_PLATFORM NUTANIX_INTEGRATION"
    " USER_MANAGED_NETWORKING VIP_AUTO_ALLOC DUAL_STACK DUAL_STACK_VIPS SNO DUAL_STACK_PRIMARY_IPV6",
    "BAREMETAL_PLATFORM": "PLATFORM_MANAGED_NETWORKING USER_MANAGED_NETWORKING",
    "NONE_PLATFORM": "VIP_AUTO_ALLOC CLUSTER_MANAGED_NETWORKING USER_MANAGED_LOAD_BALANCER",
    "NUTANIX_INTEGRATION": "SNO TNA TNF USER_MANAGED_NETWORKING LVM MCE CNV PLATFORM_MANAGED_NETWORKING MTV"
    " NON_STANDARD_HA_CONTROL_PLANE USER_MANAGED_LOAD_BALANCER OSC NMSTATE DUAL_STACK_PRIMARY_IPV6",
    "VSPHERE_INTEGRATION": "SNO TNA TNF LVM PLATFORM_MANAGED_NETWORKING CNV MTV NON_STANDARD_HA_CONTROL_PLANE OSC"
    " DUAL_STACK_PRIMARY_IPV6",
    "EXTERNAL_PLATFORM": "TNA TNF CLUSTER_MANAGED_NETWORKING VIP_AUTO_ALLOC USER_MANAGED_LOAD_BALANCER NMSTATE"
    " DUAL_STACK_PRIMARY_IPV6",
    "EXTERNAL_PLATFORM_OCI": "TNA TNF CLUSTER_MANAGED_NETWORKING VIP_AUTO_ALLOC USER_MANAGED_LOAD_BALANCER NMSTATE"
    " DUAL_STACK_PRIMARY_IPV6 DUAL_STACK_VIPS FULL_ISO ODF OPENSHIFT_AI",
    "LVM": "NUTANIX_INTEGRATION VSPHERE_INTEGRATION ODF",
    "ODF": "SNO LVM EXTERNAL_PLATFORM_OCI",
    "CNV": "NUTANIX_INTEGRATION VSPHERE_INTEGRATION",
    "MCE": "NUTANIX_INTEGRATION",
    "MTV": "NUTANIX_INTEGRATION VSPHERE_INTEGRATION",
    "OSC": "NUTANIX_INTEGRATION VSPHERE_INTEGRATION",
    "NMSTATE": "NUTANIX_INTEGRATION EXTERNAL_PLATFORM EXTERNAL_PLATFORM_OCI",
    "OPENSHIFT_AI": "EXTERNAL_PLATFORM_OCI",
    "NODE_HEALTHCHECK": "SNO",
    "SELF_NODE_REMEDIATION": "SNO",
    "FENCE_AGENTS_REMEDIATION": "SNO",
    "NODE_MAINTENANCE": "SNO",
    "KUBE_DESCHEDULER": "SNO",
}
"""What every feature excludes in any version."""

EXCLUDED_BEFORE = [
    ("SNO", "DUAL_STACK_PRIMARY_IPV6", "4.19"),
    ("TNA", "NONE_PLATFORM", "4.22"),
    ("DUAL_STACK", "VSPHERE_INTEGRATION", "4.13"),
    ("LVM", "VIP_AUTO_ALLOC", "4.15"),
    ("LVM", "CLUSTER_MANAGED_NETWORKING", "4.15"),
]
"""What excludes each other only before a version."""


@pytest.fixture(scope="module")
def swagger():
    if not SWAGGER.exists():
        pytest.skip("the reference swagger is not at hand")
    return yaml.load(SWAGGER.read_text(), Loader=yaml.CSafeLoader)["definitions"]


def on(platform, version="4.21", architecture="x86_64"):
    """A context on one of the platforms, `oci` included."""
    named = {"external": "x", "oci": "oci"}.get(platform, "")
    kind = PlatformType("external" if platform == "oci" else platform)
    return Context(version=version, architecture=architecture, platform=kind, external_name=named)


def levels_of(text):
    return [tuple(each.split()) for each in text.split(", ")]


# Words


@pytest.mark.parametrize(
    ("ours", "definition"),
    [
        ([feature.id for feature in FEATURES], "feature-support-level-id"),
        ([each.id for each in ARCHITECTURES], "architecture-support-level-id"),
        (list(Level), "support-level"),
        (list(Reason), "incompatibility-reason"),
    ],
)
def test_our_words_are_those_of_the_contract(swagger, ours, definition):
    assert sorted(ours) == sorted(swagger[definition]["enum"])


def test_every_operator_is_a_feature():
    assert {feature.operator for feature in FEATURES} - {""} == set(OLM_OPERATORS)


def test_tables_name_only_what_there_is():
    for feature in FEATURES:
        assert set(feature.excludes) <= set(BY_ID), feature.id
        assert set(feature.not_on) | set(feature.levels_on) <= {each.name for each in ARCHITECTURES}, feature.id
        assert set(feature.not_for) <= set(PLATFORMS), feature.id
    assert {feature.platform for feature in FEATURES} - {""} == set(PLATFORMS)


# Levels


def test_the_tests_know_every_feature():
    assert set(LEVELS) == set(BY_ID)


@pytest.mark.parametrize(
    ("feature_id", "version", "level"),
    [(feature_id, *row) for feature_id, text in LEVELS.items() for row in levels_of(text)],
)
def test_levels_change_with_the_version(feature_id, version, level):
    support = BY_ID[feature_id].support(Context(version=f"{version}.3-rc.1"))
    assert support.level == level
    assert support.reason == (Reason.OPENSHIFT_VERSION if level == "unavailable" else None)


@pytest.mark.parametrize(
    ("feature_id", "architecture", "version", "level"),
    [(feature_id, architecture, *row) for feature_id, architecture, text in LEVELS_ON for row in levels_of(text)],
)
def test_some_architectures_have_levels_of_their_own(feature_id, architecture, version, level):
    assert BY_ID[feature_id].support(Context(version=version, architecture=architecture)).level == level


@pytest.mark.parametrize("architecture", [each.name for each in ARCHITECTURES])
def test_an_architecture_lacks_what_its_row_says_and_nothing_else(architecture):
    lacking = {
        feature.id
        for feature in FEATURES
        if feature.support(Context(version="4.21", architecture=architecture)).reason is Reason.CPU_ARCHITECTURE
    }
    assert lacking == {feature_id for feature_id, names in NOT_ON.items() if architecture in names.split()}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_platform_lacks_what_its_row_says_and_nothing_else(platform):
    lacking = {
        feature.id: feature.support(on(platform)).reason
        for feature in FEATURES
        if feature.support(on(platform)).reason in {Reason.PLATFORM, Reason.OCI}
        and feature.support(on(platform)).level is Level.UNAVAILABLE
    }
    assert set(lacking) == {feature_id for feature_id, names in NOT_FOR.items() if platform in names.split()}
    only_there = {feature_id for feature_id, names in NOT_FOR.items() if names == "oci"}
    assert {each for each, reason in lacking.items() if reason is Reason.OCI} == (only_there & set(lacking))


def test_an_arbiter_is_possible_without_a_platform_from_some_version_on():
    assert BY_ID["TNA"].support(on("none", "4.22")).level is Level.SUPPORTED


@pytest.mark.parametrize("platform", PLATFORMS)
def test_some_platforms_look_after_the_network(platform):
    support = BY_ID["PLATFORM_MANAGED_NETWORKING"].support(on(platform))
    expected = "supported" if platform in {"none", "external", "oci"} else "unsupported"
    assert (support.level, support.reason) == (expected, None if expected == "supported" else Reason.PLATFORM)


def test_the_name_matters_only_on_an_external_platform():
    context = Context(version="4.21", platform=PlatformType.BAREMETAL, external_name="oci")
    assert BY_ID["ODF"].support(context).level is Level.SUPPORTED


# Exclusions


@pytest.mark.parametrize("feature_id", BY_ID)
def test_a_feature_excludes_what_its_row_says_and_nothing_else(feature_id):
    for version, known in (("4.30", ()), ("4.8", EXCLUDED_BEFORE)):
        before = {other for pair in known for one, other in (pair[:2], pair[1::-1]) if one == feature_id}
        told = set(BY_ID[feature_id].excluded(version))
        always = set(EXCLUDES.get(feature_id, "").split())
        assert always <= told <= always | before


@pytest.mark.parametrize(("one", "other", "version"), EXCLUDED_BEFORE)
def test_some_exclusions_end_with_a_version(one, other, version):
    before = f"4.{int(version.partition('.')[2]) - 1}"
    for pair in ((one, other), (other, one)):
        assert exclusion(BY_ID[pair[0]], BY_ID[pair[1]], before) == version
        assert exclusion(BY_ID[pair[0]], BY_ID[pair[1]], version) is None


@pytest.mark.parametrize(
    ("one", "other"), [(one, other) for one, names in EXCLUDES.items() for other in sorted(names.split())]
)
def test_exclusion_is_mutual(one, other):
    for version in ("4.8", "4.30"):
        assert exclusion(BY_ID[one], BY_ID[other], version) == ""
        assert exclusion(BY_ID[other], BY_ID[one], version) == ""


def test_what_no_row_excludes_goes_together():
    assert exclusion(BY_ID["SNO"], BY_ID["LVM"], "4.20") is None


# Architectures


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x86_64", "nonsense supported, 4.1 supported, 4.30 supported"),
        ("arm64", "nonsense unavailable, 4.9 unavailable, 4.10 supported"),
        ("ppc64le", "4.11 unavailable, 4.12 tech-preview, 4.13 supported"),
        ("s390x", "4.11 unavailable, 4.12 tech-preview, 4.13 supported"),
        ("multi", "4.10 unavailable, 4.11 tech-preview, 4.30 tech-preview"),
        ("sparc", "4.20 unavailable"),
    ],
)
def test_versions_run_on_architectures(name, text):
    for version, level in levels_of(text):
        assert architecture_level(name, version) == level

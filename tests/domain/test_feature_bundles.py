"""Which bundles can be had where, and what they have in them there."""

import pytest

from muster.domain.clusters import PlatformType
from muster.domain.errors import Invalid
from muster.domain.features.bundles import bundle_with, offered_bundles
from muster.domain.features.feature import Context
from muster.domain.operators.bundles import BUNDLES

AI, VIRTUAL = "openshift-ai", "virtualization"


def listed(*wanted: str, **where) -> dict[str, tuple[str, ...]]:
    context = Context(**where) if where else None
    return {each.bundle.id.value: each.optional_operators for each in offered_bundles(wanted, context)}


def test_without_a_version_every_bundle_is_listed():
    assert listed() == listed("SNO") == {VIRTUAL: (), AI: ("amd-gpu", "nvidia-gpu")}


def test_a_bundle_that_lacks_an_operator_in_a_version_is_not_listed():
    assert listed(version="4.12") == {AI: ("amd-gpu", "nvidia-gpu")}
    assert set(listed(version="4.20")) == {VIRTUAL, AI}


def test_a_bundle_that_lacks_an_operator_on_an_architecture_or_platform_is_not_listed():
    assert listed(version="4.20", architecture="aarch64") == {}
    assert listed(version="4.20", platform=PlatformType.VSPHERE).keys() == {AI}
    assert listed(version="4.20", platform=PlatformType.EXTERNAL, external_name="oci") == {}


def test_a_bundle_with_an_operator_that_excludes_what_the_cluster_is_is_not_listed():
    assert listed("SNO", version="4.20") == {AI: ("amd-gpu", "nvidia-gpu")}


def test_on_a_single_node_a_bundle_has_other_operators():
    assert bundle_with(BUNDLES[AI], ("SNO",)).operators == ("lvm", "openshift-ai")
    assert "odf" in bundle_with(BUNDLES[AI], ()).operators


@pytest.mark.parametrize(
    ("where", "field"),
    [
        ({"version": "four"}, "openshift_version"),
        ({"version": "4.9", "architecture": "s390x"}, "cpu_architecture"),
        ({"version": "4.10", "platform": PlatformType.NUTANIX}, "platform_type"),
    ],
)
def test_where_nothing_can_be_had_it_is_told_why(where, field):
    with pytest.raises(Invalid, match=field):
        listed(**where)

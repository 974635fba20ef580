"""A changed platform: what follows from it for the network, and what cannot be."""

from typing import Any

import pytest
from cluster_bodies import a_day2_cluster, a_single_node, an_unmanaged_cluster, patch

from builders import a_cluster
from muster.domain.clusters import Cluster, Platform, PlatformType
from muster.domain.errors import Invalid

OCI = {"type": "external", "external": {"platform_name": "oci", "cloud_controller_manager": "External"}}
EXTERNAL = Platform(type=PlatformType.EXTERNAL, platform_name="x")


def on(platform: str, **changes: Any) -> Cluster:
    return a_cluster(platform=Platform(type=PlatformType(platform))).but(**changes)


@pytest.mark.parametrize(
    ("cluster", "written", "platform", "unmanaged"),
    [
        (a_cluster(), {"platform": {"type": "baremetal"}}, "baremetal", False),
        (a_cluster(), {"user_managed_networking": False}, "baremetal", False),
        (a_cluster(), {"platform": {"type": "none"}}, "none", True),
        (a_cluster(), {"user_managed_networking": True}, "none", True),
        (a_cluster(), {"platform": {"type": "vsphere"}}, "vsphere", False),
        (a_cluster(), {"platform": {"type": "vsphere"}, "user_managed_networking": True}, "vsphere", True),
        (a_cluster(), {"platform": {"type": "nutanix"}}, "nutanix", False),
        (a_cluster(), {"platform": OCI, "user_managed_networking": True}, "external", True),
        (a_cluster(control_plane_count=2), {"platform": OCI}, "external", True),
        (an_unmanaged_cluster(), {"platform": OCI}, "external", True),
        (an_unmanaged_cluster(), {"user_managed_networking": True}, "none", True),
        (an_unmanaged_cluster(), {"user_managed_networking": False}, "baremetal", False),
        (an_unmanaged_cluster(), {"platform": {"type": "baremetal"}}, "baremetal", False),
        (an_unmanaged_cluster(platform=EXTERNAL), {"user_managed_networking": False}, "baremetal", False),
        (an_unmanaged_cluster(platform=EXTERNAL), {"platform": {"type": "none"}}, "none", True),
        (an_unmanaged_cluster(), {"platform": {"type": "vsphere"}}, "vsphere", True),
        (an_unmanaged_cluster(cpu_architecture="arm64"), {"user_managed_networking": False}, "baremetal", False),
        (on("vsphere"), {"user_managed_networking": True}, "vsphere", True),
        (on("vsphere"), {"platform": {"type": "none"}, "user_managed_networking": True}, "none", True),
        (on("nutanix"), {"platform": {"type": "none"}, "user_managed_networking": True}, "none", True),
        (a_single_node(), {"platform": OCI}, "external", True),
    ],
)
def test_platform_and_networking_change_together(cluster, written, platform, unmanaged):
    after = patch(cluster, **written)
    assert (after.platform.type, after.user_managed_networking) == (platform, unmanaged)


def test_leaving_an_external_platform_forgets_its_name():
    after = patch(an_unmanaged_cluster(platform=EXTERNAL), platform={"type": "none"})
    assert after.platform == Platform(type=PlatformType.NONE)


@pytest.mark.parametrize(
    ("path", "cluster", "written"),
    [
        ("user_managed_networking", a_cluster(), {"platform": {"type": "none"}, "user_managed_networking": False}),
        ("user_managed_networking", a_cluster(), {"platform": {"type": "nutanix"}, "user_managed_networking": True}),
        ("platform.type", a_cluster(), {"platform": OCI}),
        ("platform.type", an_unmanaged_cluster(), {"platform": {"type": "nutanix"}}),
        ("platform.type", an_unmanaged_cluster(platform=EXTERNAL), {"platform": {"type": "baremetal"}}),
        ("platform.external.platform_name", an_unmanaged_cluster(), {"platform": {"type": "external"}}),
        ("user_managed_networking", a_single_node(), {"user_managed_networking": False}),
        ("user_managed_networking", a_single_node(), {"platform": {"type": "vsphere"}}),
        ("user_managed_networking", an_unmanaged_cluster(cpu_architecture="s390x"), {"user_managed_networking": False}),
        (
            "user_managed_networking",
            an_unmanaged_cluster(cpu_architecture="arm64", openshift_version="4.10.1"),
            {"user_managed_networking": False},
        ),
        ("user_managed_networking", on("nutanix"), {"user_managed_networking": True}),
        ("platform.type", a_cluster(), {"control_plane_count": 1}),
        ("network_type", a_single_node(openshift_version="4.12.0"), {"network_type": "OpenShiftSDN"}),
        ("control_plane_count", a_cluster(), {"control_plane_count": 9}),
        ("platform.type", a_cluster(openshift_version="4.10.1"), {"platform": {"type": "nutanix"}}),
    ],
)
def test_platforms_that_cannot_be_are_refused(path, cluster, written):
    with pytest.raises(Invalid) as error:
        patch(cluster, **written)
    assert str(error.value).startswith(f"{path}: ")


def test_the_mode_follows_from_the_count():
    after = patch(a_cluster(), control_plane_count=1, platform={"type": "none"})
    assert (after.high_availability_mode, after.control_plane_count) == ("None", 1)


def test_a_running_cluster_takes_any_count():
    assert patch(a_day2_cluster(), control_plane_count=9).control_plane_count == 9

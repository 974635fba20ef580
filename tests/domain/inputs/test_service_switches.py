"""What the operator of the service has switched off cannot be asked for."""

import pytest
from cluster_bodies import an_unmanaged_cluster, create, networks, patched, vips

from builders import a_cluster, a_policy
from muster.domain.errors import Invalid

V4, V6 = "192.168.1.0/24", "fd00::/64"


@pytest.mark.parametrize(
    ("policy", "written", "field"),
    [
        ({"ipv6": False}, {"api_vips": vips("fd00::5"), "ingress_vips": vips("fd00::6")}, r"api_vips\[0\]"),
        ({"ipv6": False}, {"machine_networks": networks(V6)}, r"machine_networks\[0\]"),
        ({"disk_encryption": False}, {"disk_encryption": {"enable_on": "masters"}}, "disk_encryption"),
        ({"arbiters": False}, {"control_plane_count": 2}, "control_plane_count"),
    ],
)
def test_what_the_service_does_without_is_refused(policy, written, field):
    with pytest.raises(Invalid, match=f"^{field}: "):
        create(a_policy(**policy), **written)
    assert create(**written).id == "c1"


@pytest.mark.parametrize(
    ("policy", "written"),
    [
        ({"ipv6": False}, {"machine_networks": networks(V4, V6)}),
        ({"ipv6": False}, {}),
        ({"disk_encryption": False}, {"disk_encryption": {"enable_on": "none", "mode": "tpmv2"}}),
        ({"arbiters": False, "fencing": True}, {"control_plane_count": 2}),
        ({"arbiters": False}, {"control_plane_count": 4}),
    ],
)
def test_what_the_service_does_is_taken(policy, written):
    assert create(a_policy(**policy), **written).id == "c1"


def test_a_changed_cluster_keeps_to_what_the_service_does():
    policy = a_policy(ipv6=False, disk_encryption=False)
    with pytest.raises(Invalid, match=r"^machine_networks\[0\]: "):
        patched(an_unmanaged_cluster(), {"machine_networks": networks(V6)}, policy=policy)
    with pytest.raises(Invalid, match=r"^disk_encryption: "):
        patched(a_cluster(), {"disk_encryption": {"enable_on": "all"}}, policy=policy)

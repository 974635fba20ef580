"""Which platforms a cluster could have, told from its machines."""

import pytest

from builders import a_cluster, a_host, a_machine
from muster.domain.inventory import SystemVendor
from muster.domain.supported_platforms import supported_platforms


def made_by(*makers: str):
    return tuple(
        a_host(f"h{number}", inventory=a_machine(system_vendor=SystemVendor(manufacturer=maker)))
        for number, maker in enumerate(makers)
    )


@pytest.mark.parametrize(
    ("makers", "platforms"),
    [
        (("Dell", "HP"), ["baremetal", "none", "external"]),
        (("VMware, Inc.", "VMware, Inc."), ["vsphere", "baremetal", "none", "external"]),
        (("VMware, Inc.", "Dell"), ["baremetal", "none", "external"]),
        (("Nutanix",), ["baremetal", "none", "nutanix", "external"]),
        (("OracleCloud.com",), ["baremetal", "none", "external"]),
    ],
)
def test_a_platform_is_possible_if_all_machines_fit(makers, platforms):
    assert list(supported_platforms(a_cluster(), made_by(*makers))) == platforms


def test_a_host_that_has_not_described_itself_fits_only_where_the_maker_does_not_matter():
    hosts = (*made_by("VMware, Inc."), a_host("silent", inventory=None), a_host("plain", inventory=a_machine()))
    assert list(supported_platforms(a_cluster(), hosts)) == ["baremetal", "none", "external"]


def test_a_platform_that_the_release_does_not_have_is_not_possible():
    old = a_cluster(openshift_version="4.10.9")
    assert list(supported_platforms(old, made_by("Nutanix"))) == ["baremetal", "none"]
    mainframe = a_cluster(cpu_architecture="s390x")
    assert list(supported_platforms(mainframe, made_by("VMware, Inc."))) == ["baremetal", "none", "external"]


def test_without_machines_and_for_a_single_node_no_platform_is_possible():
    assert supported_platforms(a_cluster(), ()) == ("none",)
    assert supported_platforms(a_cluster(control_plane_count=1), made_by("Dell")) == ("none",)

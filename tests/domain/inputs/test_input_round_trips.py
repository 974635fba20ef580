"""Inputs survive the wire: what is encoded decodes to the same."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from muster.domain.clusters import PlatformType
from muster.domain.inputs.clusters import ClusterCreate, ClusterUpdate, LoadBalancerInput
from muster.domain.inputs.endpoints import DiskEncryptionInput, IgnitionEndpointInput
from muster.domain.inputs.fields import Input
from muster.domain.inputs.hosts import DiskInput, FencingInput, HostUpdate, PairInput, SkipFormattingInput
from muster.domain.inputs.infra_envs import InfraEnvCreate, InfraEnvUpdate, KernelArgumentInput
from muster.domain.inputs.networks import ClusterNetworkInput, NetworkInput
from muster.domain.inputs.operators import BundleInput, OperatorInput
from muster.domain.inputs.platforms import ExternalInput, PlatformInput
from muster.domain.inputs.scalars import ProxyInput
from muster.domain.inputs.static_networks import HostNetworkInput, MacInterfaceInput
from muster.domain.inputs.vips import VipInput
from muster.domain.networks import VipVerification

TEXT = st.text(max_size=20)
UUIDS = st.uuids().map(str)
ADDRESSES = st.ip_addresses().map(str)
V4_NETWORKS = st.builds("{}/{}".format, st.ip_addresses(v=4), st.integers(0, 32))
V6_NETWORKS = st.builds("{}/{}".format, st.ip_addresses(v=6), st.integers(0, 128))
CIDRS = V4_NETWORKS | V6_NETWORKS
MACS = st.binary(min_size=6, max_size=6).map(lambda raw: raw.hex(":"))
NAMES = st.text(min_size=1, max_size=54)
ROLES = st.sampled_from(["none", "masters", "masters,arbiters,workers", "all"])


def perhaps(strategy):
    """Written or left out."""
    return st.just(UNSET) | strategy


def many(strategy):
    """A list, written or left out."""
    return perhaps(st.lists(strategy, max_size=3).map(tuple))


NETWORKS = st.builds(NetworkInput, cidr=perhaps(CIDRS), cluster_id=perhaps(UUIDS))
VIPS = st.builds(
    VipInput, ip=perhaps(ADDRESSES), cluster_id=perhaps(UUIDS), verification=perhaps(st.sampled_from(VipVerification))
)
EXTERNALS = st.builds(
    ExternalInput, platform_name=perhaps(NAMES), cloud_controller_manager=perhaps(st.sampled_from(["", "External"]))
)
CLUSTER_FIELDS = {
    "api_vips": many(VIPS),
    "ingress_vips": many(VIPS),
    "vip_dhcp_allocation": perhaps(st.booleans()),
    "cluster_networks": many(
        st.builds(ClusterNetworkInput, cidr=perhaps(CIDRS), host_prefix=perhaps(st.integers(1, 128)))
    ),
    "service_networks": many(NETWORKS),
    "machine_networks": many(NETWORKS),
    "base_dns_domain": perhaps(TEXT),
    "ssh_public_key": perhaps(TEXT),
    "control_plane_count": perhaps(st.integers(-5, 5)),
    "platform": perhaps(st.builds(PlatformInput, type=st.sampled_from(PlatformType), external=perhaps(EXTERNALS))),
    "user_managed_networking": perhaps(st.booleans()),
    "load_balancer": perhaps(st.builds(LoadBalancerInput, type=perhaps(st.just("user-managed")))),
    "network_type": perhaps(st.sampled_from(["OVNKubernetes", "None"])),
    "http_proxy": perhaps(TEXT),
    "ntp_sources": perhaps(TEXT),
    "hyperthreading": perhaps(ROLES),
    "disk_encryption": perhaps(st.builds(DiskEncryptionInput, enable_on=perhaps(ROLES), tang_servers=perhaps(TEXT))),
    "ignition_endpoint": perhaps(st.builds(IgnitionEndpointInput, url=perhaps(TEXT), ca_certificate=perhaps(TEXT))),
    "tags": perhaps(TEXT),
    "olm_operators": many(st.builds(OperatorInput, name=perhaps(TEXT), properties=perhaps(TEXT))),
    "operator_bundles": many(st.builds(BundleInput, id=TEXT, optional_operators=many(TEXT))),
    "cluster_network_cidr": perhaps(CIDRS),
}
INTERFACES = st.builds(MacInterfaceInput, logical_nic_name=perhaps(TEXT), mac_address=MACS)
INFRA_ENV_FIELDS = {
    "proxy": perhaps(st.builds(ProxyInput, http_proxy=perhaps(TEXT), no_proxy=perhaps(TEXT))),
    "additional_ntp_sources": perhaps(TEXT),
    "ssh_authorized_key": perhaps(TEXT),
    "static_network_config": many(
        st.builds(HostNetworkInput, network_yaml=perhaps(TEXT), mac_interface_map=many(INTERFACES))
    ),
    "rendezvous_ip": perhaps(st.ip_addresses(v=4).map(str)),
    "image_type": perhaps(st.sampled_from(["full-iso", ""])),
    "kernel_arguments": many(
        st.builds(
            KernelArgumentInput,
            operation=perhaps(st.sampled_from(["append", "replace", "delete"])),
            value=perhaps(st.from_regex(r'\A(?:[a-z=]|"[a-z ]*")+\Z')),
        )
    ),
    "additional_trust_bundle": perhaps(TEXT),
    "openshift_version": perhaps(TEXT),
    "network_discovery_delay_seconds": perhaps(st.integers(0, 100)),
}
PAIRS = st.builds(PairInput, key=TEXT, value=TEXT)
INPUTS: dict[str, st.SearchStrategy[Input]] = {
    "ClusterCreate": st.builds(
        ClusterCreate,
        name=NAMES,
        openshift_version=TEXT,
        pull_secret=TEXT,
        cpu_architecture=perhaps(st.just("multi")),
        **CLUSTER_FIELDS,
    ),
    "ClusterUpdate": st.builds(
        ClusterUpdate, name=perhaps(NAMES), pull_secret=perhaps(TEXT), api_vip_dns_name=perhaps(TEXT), **CLUSTER_FIELDS
    ),
    "InfraEnvCreate": st.builds(
        InfraEnvCreate, name=TEXT, pull_secret=TEXT, cluster_id=perhaps(UUIDS), **INFRA_ENV_FIELDS
    ),
    "InfraEnvUpdate": st.builds(InfraEnvUpdate, pull_secret=perhaps(TEXT), **INFRA_ENV_FIELDS),
    "HostUpdate": st.builds(
        HostUpdate,
        host_role=perhaps(st.sampled_from(["auto-assign", "arbiter"])),
        host_name=perhaps(TEXT),
        disks_selected_config=many(st.builds(DiskInput, id=TEXT, role=perhaps(st.just("install")))),
        ignition_endpoint_token=perhaps(TEXT),
        ignition_endpoint_http_headers=many(PAIRS),
        node_labels=many(PAIRS),
        disks_skip_formatting=many(st.builds(SkipFormattingInput, disk_id=TEXT, skip_formatting=st.booleans())),
        fencing_credentials=perhaps(st.builds(FencingInput, address=TEXT, username=TEXT, password=TEXT)),
    ),
}


@pytest.mark.parametrize("name", INPUTS)
@given(data=st.data())
def test_an_input_decodes_to_what_was_encoded(name, data):
    inputs = data.draw(INPUTS[name])
    assert msgspec.json.decode(msgspec.json.encode(inputs), type=type(inputs)) == inputs

"""Installations that go well in every kind of network: settled by the image, kept by the user, of two families."""

import pytest
import yaml
from installing import install, install_config_of, kubeconfig_of, server_in, straight_course

from muster.lab.profiles import SECOND_NETWORK
from muster.wire.endpoints.hosts import DOWNLOAD_HOST_IGNITION
from muster.wire.endpoints.infra_envs import DOWNLOAD_INFRA_ENV_FILES
from parts.ignition import complaints, files_of, needs_ignition

pytestmark = [needs_ignition, pytest.mark.slow]

API = "https://api.lab.lab.local:6443"
NETWORKS = "/etc/assisted/network/"
IPV6 = "/etc/NetworkManager/conf.d/01-ipv6.conf"
HINT = "/etc/default/nodeip-configuration"


async def ignitions_of(lab, cluster):
    """What each host's system is first configured with, by the names of the hosts; Ignition has nothing against it."""
    found = {}
    for host in cluster["hosts"]:
        ids = {"infra_env_id": host["infra_env_id"], "host_id": host["id"]}
        found[host["requested_hostname"]] = await lab.client.call(DOWNLOAD_HOST_IGNITION, **ids)
    assert {complaints(each) for each in found.values()} == {""}
    return found


async def test_machines_that_are_told_their_addresses_keep_them(lab):
    async with lab(workers=1, static=True) as it:
        cluster = await install(it)
        await straight_course(it)
        settings = await network_settings_of(it)
        ignitions = await ignitions_of(it, cluster)
        assert server_in(await kubeconfig_of(it)) == API
    for place, machine in enumerate(it.fleet.machines.values()):
        (nic,) = machine.profile.nics
        (address,) = machine.profile.addresses
        told = settings[f"host{place}"]
        assert told["mac_interface.ini"] == f"{nic.mac}={nic.name}"
        policy = yaml.safe_load(told[f"ymlFile{place}.yml"])
        (interface,) = policy["desiredState"]["interfaces"]
        (given,) = interface["ipv4"]["address"]
        assert f"{given['ip']}/{given['prefix-length']}" == address
        # The program that writes the disk takes the settings along; the node's own configuration has none.
        assert any("writing to" in line and line.endswith("--copy-network") for line in machine.noted)
        assert not [path for path in files_of(ignitions[machine.profile.hostname]) if "connections" in path]


async def network_settings_of(lab):
    """What the image tells its machines of their networks: for each a folder with its files."""
    query, ids = {"file_name": "discovery.ign"}, {"infra_env_id": lab.place.infra_env_id}
    files = files_of(await lab.client.call(DOWNLOAD_INFRA_ENV_FILES, query=query, **ids))
    found = {}
    for path, text in files.items():
        if path.startswith(NETWORKS):
            folder, name = path.removeprefix(NETWORKS).split("/")
            found.setdefault(folder, {})[name] = text
    return found


async def test_a_cluster_whose_user_balances_its_load_has_no_addresses_of_its_own(lab):
    async with lab(user_managed=True) as it:
        cluster = await install(it)
        await straight_course(it)
        config, ignitions = await install_config_of(it), await ignitions_of(it, cluster)
        assert server_in(await kubeconfig_of(it)) == API
    assert (cluster["platform"]["type"], cluster["user_managed_networking"]) == ("none", True)
    assert (cluster["api_vips"], cluster["ingress_vips"]) == ([], [])
    assert config["platform"] == {"none": {}}
    assert config["networking"]["machineNetwork"] == [{"cidr": it.room.network}]
    assert (config["controlPlane"]["replicas"], config["compute"][0]["replicas"]) == (3, 2)
    for name in it.room.names:
        assert files_of(ignitions[name])[HINT] == f"KUBELET_NODEIP_HINT={it.room.address(0)}\n"


async def test_a_cluster_with_addresses_of_two_families(lab):
    async with lab(second_network=SECOND_NETWORK) as it:
        cluster = await install(it)
        await straight_course(it)
        config, ignitions = await install_config_of(it), await ignitions_of(it, cluster)
        assert server_in(await kubeconfig_of(it)) == API
    assert [vip["ip"] for vip in cluster["api_vips"]] == list(it.room.api_vips)
    platform, networking = config["platform"]["baremetal"], config["networking"]
    assert (platform["apiVIPs"], platform["ingressVIPs"]) == (list(it.room.api_vips), list(it.room.ingress_vips))
    assert networking["machineNetwork"] == [{"cidr": it.room.network}, {"cidr": SECOND_NETWORK}]
    assert networking["clusterNetwork"] == [
        {"cidr": "10.128.0.0/14", "hostPrefix": 23},
        {"cidr": "fd01::/48", "hostPrefix": 64},
    ]
    assert networking["serviceNetwork"] == ["172.30.0.0/16", "fd02::/112"]
    assert len(platform["hosts"]) == 5
    for name in it.room.names:
        assert "dhcp-iaid=mac" in files_of(ignitions[name])[IPV6]

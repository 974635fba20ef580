"""What the image of a room tells its machines of their networks, written as a person would: a document for each.

`site.py` sends it along with the description of the image.
"""

from ipaddress import ip_interface
from typing import Any

import yaml

from muster.adapters.machine.profile import NicProfile, Profile


def static_networks(profiles: list[Profile]) -> list[dict[str, Any]]:
    """For each machine its settings in the words of nmstate, and which of its interfaces is meant."""
    return [
        {
            "network_yaml": yaml.safe_dump(_state(profile), sort_keys=False),
            "mac_interface_map": [{"mac_address": nic.mac, "logical_nic_name": nic.name} for nic in profile.nics],
        }
        for profile in profiles
    ]


def _state(profile: Profile) -> dict[str, Any]:
    routes = [
        {"destination": "::/0" if ":" in way else "0.0.0.0/0", "next-hop-address": way, "next-hop-interface": nic.name}
        for nic in profile.nics[:1]
        for way in profile.gateways
    ]
    return {
        "interfaces": [_interface(nic) for nic in profile.nics],
        "dns-resolver": {"config": {"server": list(profile.gateways[:1])}},
        "routes": {"config": routes},
    }


def _interface(nic: NicProfile) -> dict[str, Any]:
    addresses = [ip_interface(each) for each in nic.addresses]
    families = {each.version for each in addresses}
    settings = {
        f"ipv{family}": {
            "enabled": True,
            "dhcp": False,
            "address": [
                {"ip": str(each.ip), "prefix-length": each.network.prefixlen}
                for each in addresses
                if each.version == family
            ],
        }
        for family in sorted(families)
    }
    return {"name": nic.name, "type": "ethernet", "state": "up", "mac-address": nic.mac, "mtu": nic.mtu, **settings}

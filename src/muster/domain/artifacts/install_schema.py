"""What an install-config may hold: its keys at every depth, and what stands under each.

`install_config.py` spells a user's wish as the installer does, `inputs/install_configs.py` tells what is wrong with it.
"""

from collections.abc import Iterator
from typing import Any

Shape = Any
"""A type, a set of words to choose from, an object by its keys, or a list with the shape of its members."""

HYPERTHREADING = frozenset({"Enabled", "Disabled"})
POOL: Shape = {"name": str, "replicas": int, "hyperthreading": HYPERTHREADING}
FENCE: Shape = {
    "hostname": str,
    "macAddress": str,
    "address": str,
    "username": str,
    "password": str,
    "certificateVerification": HYPERTHREADING,
}
VIPS: Shape = {
    "apiVIP": str,
    "apiVIPs": [str],
    "ingressVIP": str,
    "ingressVIPs": [str],
    "loadBalancer": {"type": str},
}
MIRRORS: Shape = [{"source": str, "mirrors": [str]}]
ENDPOINT: Shape = {"address": str, "port": int}

BAREMETAL: Shape = {
    **VIPS,
    "provisioningNetwork": str,
    "provisioningNetworkInterface": str,
    "provisioningNetworkCIDR": str,
    "provisioningDHCPRange": str,
    "clusterProvisioningIP": str,
    "clusterOSImage": str,
    "additionalNTPServers": [str],
    "hosts": [
        {
            "name": str,
            "role": str,
            "bootMACAddress": str,
            "bootMode": str,
            "bmc": {"username": str, "password": str, "address": str, "disableCertificateVerification": bool},
            "hardwareProfile": str,
        }
    ],
}
VSPHERE: Shape = {
    **VIPS,
    "vCenter": str,
    "username": str,
    "password": str,
    "datacenter": str,
    "defaultDatastore": str,
    "folder": str,
    "cluster": str,
    "network": str,
    "vcenters": [{"server": str, "port": int, "user": str, "password": str, "datacenters": [str]}],
    "failureDomains": [
        {
            "name": str,
            "region": str,
            "zone": str,
            "server": str,
            "topology": {
                "computeCluster": str,
                "datacenter": str,
                "datastore": str,
                "folder": str,
                "networks": [str],
                "resourcePool": str,
            },
        }
    ],
}
NUTANIX: Shape = {
    **VIPS,
    "prismCentral": {"endpoint": ENDPOINT, "username": str, "password": str},
    "prismElements": [{"endpoint": ENDPOINT, "uuid": str, "name": str}],
    "subnetUUIDs": [str],
}

INSTALL_CONFIG: Shape = {
    "apiVersion": str,
    "baseDomain": str,
    "metadata": {"name": str},
    "compute": [POOL],
    "controlPlane": {**POOL, "fencing": {"credentials": [FENCE]}},
    "arbiter": POOL,
    "networking": {
        "networkType": str,
        "clusterNetwork": [{"cidr": str, "hostPrefix": int}],
        "machineNetwork": [{"cidr": str}],
        "serviceNetwork": [str],
    },
    "proxy": {"httpProxy": str, "httpsProxy": str, "noProxy": str},
    "pullSecret": str,
    "sshKey": str,
    "fips": bool,
    "cpuPartitioningMode": str,
    "imageDigestSources": MIRRORS,
    "imageContentSources": MIRRORS,
    "additionalTrustBundle": str,
    "additionalTrustBundlePolicy": frozenset({"Proxyonly", "Always"}),
    "capabilities": {"baselineCapabilitySet": str, "additionalEnabledCapabilities": [str]},
    "featureSet": str,
    "featureGates": [str],
    "osImageStream": str,
    "platform": {
        "baremetal": BAREMETAL,
        "none": {},
        "external": {"platformName": str, "cloudControllerManager": str},
        "vsphere": VSPHERE,
        "nutanix": NUTANIX,
    },
    "bootstrapInPlace": {"installationDisk": str},
}
"""Everything there is."""

WORDS: dict[type, str] = {str: "a text", int: "a number", bool: "true or false", dict: "an object", list: "a list"}


def spelled(wish: Any, shape: Shape = INSTALL_CONFIG) -> Any:
    """A wish with its keys in the spelling of the installer, which reads them in any case; what is unknown stays."""
    if isinstance(wish, dict) and isinstance(shape, dict):
        names = {name.lower(): name for name in shape}
        known = {key: names.get(key.lower(), key) for key in wish}
        return {known[key]: spelled(value, shape.get(known[key])) for key, value in wish.items()}
    if isinstance(wish, list) and isinstance(shape, list):
        return [spelled(each, shape[0]) for each in wish]
    return wish


def misfits(wish: Any, path: str, shape: Shape = INSTALL_CONFIG) -> Iterator[str]:
    """What of a wish, spelled as the installer does, has no place in an install-config. Values may be secret."""
    if wish is None:
        return
    if isinstance(shape, frozenset):
        if not isinstance(wish, str) or wish not in shape:
            yield f"{path}: must be one of {', '.join(sorted(shape))}"
        return
    wanted, found = shape if isinstance(shape, type) else type(shape), type(wish)
    if found is not wanted:
        yield f"{path}: must be {WORDS[wanted]}, and is {WORDS.get(found, 'a fraction')}"
    elif wanted is dict:
        yield from _members(wish, path, shape)
    elif wanted is list:
        for index, each in enumerate(wish):
            yield from misfits(each, f"{path}[{index}]", shape[0])


def _members(wish: dict[str, Any], path: str, shape: dict[str, Shape]) -> Iterator[str]:
    for key, value in wish.items():
        if key in shape:
            yield from misfits(value, f"{path}.{key}", shape[key])
        else:
            known = ", ".join(shape) or "nothing"
            yield f"{path}.{key}: is not known to the installer; {path} may hold {known}"

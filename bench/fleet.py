"""Clusters of five hosts that lack nothing, as the calls that their users and agents make.

Turns the number of a cluster into request bodies; `load.py` sends them. Every cluster has a network of
its own and every host an address in it, all hosts reach each other, and all names and clocks are as they
should be, so that hosts become `known` and clusters `ready`.
"""

from typing import Any
from uuid import UUID

import msgspec

from muster.domain.policy import Policy
from muster.domain.record import Record

HOSTS = 5
"""Hosts of a cluster."""

DOMAIN = "lab.local"
AGENT = Policy().agent_image
PULL_SECRET = '{"auths":{"cloud.openshift.com":{"auth":"dXNlcjpwYXNzd29yZAo=","email":"r@r.com"}}}'
SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8fZ0Zb1x8g7r9wS3nq2m1kqzC8d5tq3q7g0XkZ1y2A bench"
NIC = "ens3"
DISK = "/dev/disk/by-path/pci-0000:00:05.0"

Body = dict[str, Any]


class Member(Record):
    """A host: the number of its cluster, and its own within it."""

    cluster: int
    number: int

    @property
    def id(self) -> str:
        """The id that the machine has by itself."""
        return str(UUID(int=0x5 << 124 | 0x4 << 76 | 0x8 << 60 | self.cluster << 8 | self.number))

    @property
    def address(self) -> str:
        """Its address in the network of its cluster."""
        return address(self.cluster, 10 + self.number)

    @property
    def mac(self) -> str:
        """The address of its interface."""
        return f"52:54:00:{self.cluster >> 8:02x}:{self.cluster & 255:02x}:{self.number:02x}"


def members(cluster: int) -> tuple[Member, ...]:
    """The hosts of a cluster."""
    return tuple(Member(cluster=cluster, number=number) for number in range(HOSTS))


def address(cluster: int, last: int) -> str:
    """An address in the network of a cluster."""
    return f"10.{100 + (cluster >> 8)}.{cluster & 255}.{last}"


def name(cluster: int) -> str:
    """What a cluster is called."""
    return f"bench-{cluster}"


def new_cluster(cluster: int) -> Body:
    """What a user writes about a new cluster."""
    return {
        "name": name(cluster),
        "openshift_version": "4.20",
        "base_dns_domain": DOMAIN,
        "pull_secret": PULL_SECRET,
        "ssh_public_key": SSH_KEY,
        "vip_dhcp_allocation": False,
        "high_availability_mode": "Full",
        "api_vips": [{"ip": address(cluster, 5)}],
        "ingress_vips": [{"ip": address(cluster, 6)}],
    }


def new_infra_env(cluster: int, cluster_id: str) -> Body:
    """What a user writes about the discovery image of a cluster."""
    return {
        "name": f"{name(cluster)}-image",
        "cluster_id": cluster_id,
        "pull_secret": PULL_SECRET,
        "openshift_version": "4.20",
        "ssh_authorized_key": SSH_KEY,
        "image_type": "full-iso",
    }


def registration(member: Member) -> Body:
    """What an agent says first."""
    return {"host_id": member.id, "discovery_agent_version": AGENT}


def reply(kind: str, member: Member, version: int = 0) -> Body:
    """What an agent answers to a step. Another version differs in one measured value, as a second look does."""
    output = msgspec.json.encode(OUTPUTS[kind](member, version)).decode()
    return {"step_type": kind, "step_id": f"{kind}-{version:08x}", "exit_code": 0, "output": output, "error": ""}


def inventory(member: Member, version: int) -> Body:
    """The machine: large enough for any role. Its memory in use is what differs."""
    return {
        "bmc_address": "0.0.0.0",
        "bmc_v6address": "::/0",
        "boot": {"current_boot_mode": "bios"},
        "cpu": {
            "architecture": "x86_64",
            "count": 16,
            "flags": ["fpu", "vme", "de", "pse", "tsc", "msr", "pae", "mce", "cx8", "apic", "sep", "vmx"],
            "frequency": 3491.9,
            "model_name": "Intel(R) Xeon(R) CPU E5-1650 v3 @ 3.50GHz",
        },
        "disks": [_disk("vda", DISK, 130, bootable=True), _disk("vdb", f"{DISK}-data", 500, bootable=False)],
        "gpus": [{"address": "0000:00:02.0", "device_id": "00b8", "name": "GD 5446", "vendor": "Cirrus Logic"}],
        "hostname": f"node-{member.number}.{name(member.cluster)}.{DOMAIN}",
        "interfaces": [_nic(NIC, member.mac, f"{member.address}/24"), _nic("ens4", f"{member.mac[:-3]}:f0", None)],
        "memory": {
            "physical_bytes": 33554432000,
            "physical_bytes_method": "dmidecode",
            "usable_bytes": 32920096768 - 4096 * version,
        },
        "routes": [
            {"destination": "0.0.0.0", "family": 2, "gateway": address(member.cluster, 1), "interface": NIC},
            {"destination": address(member.cluster, 0), "family": 2, "interface": NIC},
        ],
        "system_vendor": {"manufacturer": "Red Hat", "product_name": "KVM", "virtual": True},
        "timestamp": 1794727831 + version,
        "tpm_version": "none",
    }


def _disk(device: str, path: str, gigabytes: int, *, bootable: bool) -> Body:
    return {
        "by_path": path,
        "drive_type": "HDD",
        "id": path,
        "installation_eligibility": {"eligible": True, "not_eligible_reasons": None},
        "name": device,
        "path": f"/dev/{device}",
        "size_bytes": gigabytes * 10**9,
        "vendor": "0x1af4",
        "bootable": bootable,
    }


def _nic(device: str, mac: str, own: str | None) -> Body:
    return {
        "flags": ["up", "broadcast", "multicast"],
        "has_carrier": own is not None,
        "ipv4_addresses": [own] if own else [],
        "ipv6_addresses": [],
        "mac_address": mac,
        "mtu": 1500,
        "name": device,
        "product": "0x0001",
        "speed_mbps": 1000,
        "vendor": "0x1af4",
        "type": "physical",
    }


def connectivity(member: Member, version: int) -> Body:
    """All others are reached, on the wire and by routing. How fast is what differs."""
    return {
        "remote_hosts": [
            {
                "host_id": other.id,
                "l2_connectivity": [
                    {
                        "outgoing_ip_address": member.address,
                        "outgoing_nic": NIC,
                        "remote_ip_address": other.address,
                        "remote_mac": other.mac,
                        "successful": True,
                    }
                ],
                "l3_connectivity": [
                    {
                        "average_rtt_ms": round(0.3 + 0.001 * (version % 100), 3),
                        "outgoing_nic": NIC,
                        "remote_ip_address": other.address,
                        "successful": True,
                        "packet_loss_percentage": 0,
                    }
                ],
                "mtu_report": [{"mtu_successful": True, "outgoing_nic": NIC, "remote_ip_address": other.address}],
            }
            for other in members(member.cluster)
            if other != member
        ]
    }


def free_addresses(member: Member, version: int) -> list[Body]:
    """The free addresses of the network. How many there are is what differs."""
    free = [address(member.cluster, last) for last in (5, 6, *range(100, 200 - version % 50))]
    return [{"network": f"{address(member.cluster, 0)}/24", "free_addresses": free}]


def ntp(_: Member, version: int) -> Body:
    """A good clock. A second one comes and goes."""
    second = [{"source_name": f"ntp2.{DOMAIN}", "source_state": "combined"}] if version % 2 else []
    return {"ntp_sources": [{"source_name": f"ntp1.{DOMAIN}", "source_state": "synced"}, *second]}


def names(member: Member, version: int) -> Body:
    """The names of the cluster, none of which anyone knows yet. Where the registry lies is what differs."""
    here = f"{name(member.cluster)}.{DOMAIN}"
    unknown = ("api", "api-int", "console-openshift-console.apps", "validateNoWildcardDNS")
    return {
        "resolutions": [
            *(_resolution(f"{each}.{here}") for each in unknown),
            _resolution(f"validateNoWildcardDNS.{here}."),
            _resolution("quay.io", f"192.0.2.{1 + version % 200}"),
        ]
    }


def _resolution(domain: str, *found: str) -> Body:
    return {"domain_name": domain, "ipv4_addresses": list(found), "ipv6_addresses": []}


def vips(member: Member, version: int) -> list[Body]:
    """The virtual addresses are free. One look in two leaves the order to chance."""
    checks = [
        {"vip": address(member.cluster, last), "vip_type": kind, "verification": "succeeded"}
        for last, kind in ((5, "api"), (6, "ingress"))
    ]
    return checks[::-1] if version % 2 else checks


OUTPUTS = {
    "connectivity-check": connectivity,
    "free-network-addresses": free_addresses,
    "inventory": inventory,
    "ntp-synchronizer": ntp,
    "domain-resolution": names,
    "verify-vips": vips,
}
"""The six steps that a host which is `known` is asked for, in their order."""

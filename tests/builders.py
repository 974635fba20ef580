"""Records as tests want them: complete, ordinary, and changed only in what the test is about."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from muster.domain.clusters import Cluster, ClusterKind, ClusterState
from muster.domain.connectivity import L2, L3, ConnectivityReport, MtuReport, RemoteHost, majority_groups
from muster.domain.decide import decide
from muster.domain.hosts import Host, HostKind, HostState, VipCheck
from muster.domain.infra_envs import InfraEnv
from muster.domain.inventory import (
    Boot,
    Cpu,
    Disk,
    Eligibility,
    Interface,
    Inventory,
    Memory,
    Route,
    SystemVendor,
)
from muster.domain.monitored import CONSOLE
from muster.domain.networks import ClusterNetwork, NtpSource, Resolution, Vip, VipVerification
from muster.domain.policy import Policy
from muster.domain.releases import Catalogue, OsImage, Release
from muster.domain.roles import Role
from muster.domain.triggers import Ticked
from muster.domain.views import ClusterView, HostView, View, cluster_scope, host_scope, peers_of

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
"""The present moment of every test."""

GIB = 2**30
CLUSTER_ID = "c1000000-0000-4000-8000-000000000001"
INFRA_ENV_ID = "e1000000-0000-4000-8000-000000000001"


def a_machine(cores: int = 8, memory_gib: int = 32, address: str = "192.168.1.10/24", **changes: Any) -> Inventory:
    """A machine good enough for any role."""
    disk = Disk(
        id="/dev/disk/by-id/wwn-0x1", name="sda", size_bytes=200 * GIB, drive_type="SSD",
        installation_eligibility=Eligibility(eligible=True),
    )  # fmt: skip
    nic = Interface(name="eth0", mac_address="52:54:00:00:00:10", ipv4_addresses=(address,), has_carrier=True)
    machine = Inventory(
        hostname="node",
        interfaces=(nic,),
        disks=(disk,),
        boot=Boot(current_boot_mode="uefi"),
        memory=Memory(physical_bytes=memory_gib * GIB, usable_bytes=memory_gib * GIB),
        cpu=Cpu(count=cores, architecture="x86_64"),
    )
    return machine.but(**changes)


def a_host(host_id: str, **changes: Any) -> Host:
    """A host of the cluster that has told all about itself."""
    host = Host(
        id=host_id,
        infra_env_id=INFRA_ENV_ID,
        cluster_id=CLUSTER_ID,
        created_at=NOW,
        updated_at=NOW,
        registered_at=NOW,
        status=HostState.KNOWN,
        status_updated_at=NOW,
        requested_hostname=host_id,
        inventory=a_machine(),
    )
    return host.but(**changes)


def a_cluster(**changes: Any) -> Cluster:
    """A cluster of three masters on bare metal that lacks nothing."""
    cluster = Cluster(
        id=CLUSTER_ID,
        name="lab",
        created_at=NOW,
        updated_at=NOW,
        status=ClusterState.READY,
        status_updated_at=NOW,
        openshift_version="4.20.1",
        base_dns_domain="example.com",
        pull_secret='{"auths":{"registry.example.com":{"auth":"dXNlcjpwYXNz"}}}',
        ssh_public_key="ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8fZ0Zb1x8g7r9wS3nq2m1kqzC8d5tq3q7g0XkZ1y2A tester",
        api_vips=(Vip(ip="192.168.1.5"),),
        ingress_vips=(Vip(ip="192.168.1.6"),),
        cluster_networks=(ClusterNetwork(cidr="10.128.0.0/14", host_prefix=23),),
        service_networks=("172.30.0.0/16",),
        machine_networks=("192.168.1.0/24",),
    )
    return cluster.but(**changes)


RELEASES = tuple(
    Release(version=version, url=f"quay.io/openshift-release-dev/ocp-release:{tag}", cpu_architectures=architectures)
    for version, tag, architectures in (
        ("4.7.5", "4.7.5-x86_64", ("x86_64",)),
        ("4.10.9", "4.10.9-x86_64", ("x86_64",)),
        ("4.12.30", "4.12.30-x86_64", ("x86_64",)),
        ("4.14.8", "4.14.8-x86_64", ("x86_64",)),
        ("4.14.8", "4.14.8-s390x", ("s390x",)),
        ("4.17.2", "4.17.2-x86_64", ("x86_64",)),
        ("4.18.4", "4.18.4-x86_64", ("x86_64",)),
        ("4.20.33", "4.20.33-x86_64", ("x86_64",)),
        ("4.21.0-multi", "4.21.0-multi", ("x86_64", "arm64")),
    )
)
OS_IMAGES = tuple(
    OsImage(openshift_version=".".join(release.version.split(".")[:2]), cpu_architecture=architecture)
    for release in RELEASES
    for architecture in release.cpu_architectures
)


def a_policy(**changes: Any) -> Policy:
    """A service with releases old and new, and the system images to go with them."""
    return Policy(catalogue=Catalogue(releases=RELEASES, os_images=OS_IMAGES)).but(**changes)


def a_disk(name: str = "sda", **changes: Any) -> Disk:
    """A disk that can be installed to."""
    disk = Disk(
        id=f"/dev/disk/by-id/{name}",
        name=name,
        size_bytes=200 * GIB,
        drive_type="SSD",
        installation_eligibility=Eligibility(eligible=True, not_eligible_reasons=None),
    )
    return disk.but(**changes)


def a_nic(name: str = "eth0", *addresses: str, **changes: Any) -> Interface:
    """An interface that is plugged in."""
    nic = Interface(
        name=name,
        mac_address="52:54:00:00:00:10",
        ipv4_addresses=tuple(each for each in addresses if ":" not in each),
        ipv6_addresses=tuple(each for each in addresses if ":" in each),
        has_carrier=True,
        mtu=1500,
    )
    return nic.but(**changes)


def an_infra_env(**changes: Any) -> InfraEnv:
    """The image that hosts are started from."""
    infra_env = InfraEnv(
        id=INFRA_ENV_ID, name="lab", created_at=NOW, updated_at=NOW, cluster_id=CLUSTER_ID, openshift_version="4.20.1"
    )
    return infra_env.but(**changes)


def some_answers(domain: str = "lab.example.com") -> tuple[Resolution, ...]:
    """What a host finds out about the names of a cluster that nobody has heard of."""
    names = ("api", "api-int", "console-openshift-console.apps", "validateNoWildcardDNS")
    plain = tuple(Resolution(domain_name=f"{name}.{domain}") for name in names)
    return (*plain, Resolution(domain_name=f"validateNoWildcardDNS.{domain}."))


def a_ready_host(host_id: str, number: int = 10, **changes: Any) -> Host:
    """A host that has done every step, and done it well; `number` makes its address."""
    machine = a_machine(address=f"192.168.1.{number}/24").but(
        routes=(Route(interface="eth0", gateway="192.168.1.1", destination="0.0.0.0", family=2),),
        system_vendor=SystemVendor(manufacturer="Red Hat", product_name="KVM", virtual=True),
        tpm_version="2.0",
    )
    host = a_host(
        host_id,
        role=Role.MASTER,
        inventory=machine,
        installation_disk_id="/dev/disk/by-id/wwn-0x1",
        installation_disk_path="/dev/sda",
        discovery_agent_version=Policy().agent_image,
        clock_skew=0,
        ntp_sources=(NtpSource(source_name="clock.example.com", source_state="synced"),),
        resolutions=some_answers(),
        heard_at={"inventory": NOW, "connectivity-check": NOW},
    )
    return host.but(**changes)


def a_day2_host(host_id: str = "h9", **changes: Any) -> Host:
    """A host that is to join a running cluster."""
    return a_ready_host(host_id, 99, kind=HostKind.DAY2, role=Role.WORKER).but(**changes)


def a_report(host: Host, others: Sequence[Host], **quality: Any) -> ConnectivityReport:
    """What a host says when it reaches all others at all their addresses."""
    return ConnectivityReport(
        remote_hosts=tuple(
            RemoteHost(
                host_id=other.id,
                l2_connectivity=tuple(
                    L2(outgoing_nic="eth0", remote_ip_address=address, remote_mac=f"mac-{other.id}", successful=True)
                    for address in _addresses(other)
                ),
                l3_connectivity=tuple(
                    L3(outgoing_nic="eth0", remote_ip_address=address, successful=True, average_rtt_ms=1).but(**quality)
                    for address in _addresses(other)
                ),
                mtu_report=tuple(
                    MtuReport(outgoing_nic="eth0", remote_ip_address=address, mtu_successful=True)
                    for address in _addresses(other)
                ),
            )
            for other in others
            if other.id != host.id
        )
    )


def _addresses(host: Host) -> list[str]:
    return [address.split("/")[0] for address in host.inventory.addresses] if host.inventory else []


def a_mesh(*hosts: Host) -> list[Host]:
    """The hosts, all of which reach all others."""
    return [host.but(connectivity=a_report(host, hosts)) for host in hosts]


def a_view(
    cluster: Cluster | None = None, hosts: Sequence[Host] = (), policy: Policy | None = None, **changes: Any
) -> View:
    """A cluster with its hosts, all of which asked for instructions just now."""
    owner = cluster or a_cluster()
    view = View(
        scope=cluster_scope(owner.id),
        now=NOW,
        policy=policy or Policy(),
        cluster=owner,
        hosts={host.id: host for host in hosts},
        infra_envs={INFRA_ENV_ID: an_infra_env()},
        presence={host.id: NOW for host in hosts},
    )
    return view.but(**changes)


def a_pool_view(host: Host, **changes: Any) -> View:
    """A host that belongs to no cluster."""
    loose = host.but(cluster_id=None, status=HostState.KNOWN_UNBOUND, role=Role.AUTO)
    view = a_view(hosts=[loose], scope=host_scope(INFRA_ENV_ID, host.id))
    return view.but(cluster=None).but(**changes)


def a_ready_cluster(hosts: Sequence[Host], **changes: Any) -> Cluster:
    """A cluster whose addresses are free and whose hosts reach each other."""
    free = VipVerification.SUCCEEDED
    return a_cluster(
        api_vips=(Vip(ip="192.168.1.5", verification=free),),
        ingress_vips=(Vip(ip="192.168.1.6", verification=free),),
        majority_groups=majority_groups(hosts),
        ip_collisions={},
    ).but(**changes)


def a_running_cluster(**changes: Any) -> Cluster:
    """A cluster that is installed and takes in more hosts."""
    return a_cluster(kind=ClusterKind.ADD_HOSTS, status=ClusterState.ADDING_HOSTS).but(**changes)


def host_view(view: View, host_id: str) -> HostView:
    """One host of a view, as its checks see it."""
    return HostView(view, view.hosts[host_id], peers_of(view.living))


def cluster_view(view: View) -> ClusterView:
    """The cluster of a view, as its checks see it."""
    assert view.cluster is not None
    return ClusterView(view, view.cluster, peers_of(view.living))


def some_ready_hosts(masters: int = 3, workers: int = 0, **changes: Any) -> list[Host]:
    """Hosts `m1`, `m2` ... and `w1`, `w2` ... that can be installed: they reach each other and find the VIPs free."""
    roles = {f"m{n + 1}": Role.MASTER for n in range(masters)} | {f"w{n + 1}": Role.WORKER for n in range(workers)}
    free = tuple(VipCheck(vip=vip, verification="succeeded") for vip in ("192.168.1.5", "192.168.1.6"))
    hosts = [
        a_ready_host(host_id, 10 + number, role=role, suggested_role=role, vip_checks=free)
        for number, (host_id, role) in enumerate(roles.items())
    ]
    return [host.but(**changes) for host in a_mesh(*hosts)]


def a_ready_view(masters: int = 3, workers: int = 0, cluster: Cluster | None = None, **changes: Any) -> View:
    """A cluster that can be installed, settled."""
    hosts = some_ready_hosts(masters, workers)
    owner = cluster or a_cluster(operators=(CONSOLE,))
    return decide(a_view(owner, hosts, policy=a_policy(), **changes), Ticked()).view


def a_view_of(status: ClusterState, hosts: Sequence[Host], **changes: Any) -> View:
    """A cluster in a state, started an hour ago, with its hosts; nothing has been judged yet."""
    started = NOW - timedelta(hours=1)
    cluster = a_ready_cluster(hosts, status=status, operators=(CONSOLE,), install_started_at=started)
    return a_view(cluster.but(**changes), hosts, policy=a_policy())


def later(view: View, *, seen: bool = True, **passed: float) -> View:
    """The same view when time has passed; `seen` says whether the hosts went on asking for instructions."""
    now = view.now + timedelta(**passed)
    return view.but(now=now, presence=dict.fromkeys(view.hosts, now) if seen else view.presence)

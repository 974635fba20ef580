"""Checks of a host's place in the network: that it is there, where it lies, whom it reaches, and how well."""

from datetime import timedelta
from functools import partial

from muster.domain.clusters import Cluster
from muster.domain.connectivity import MajorityGroups, MtuReport, found_in
from muster.domain.hosts import ImageStatus
from muster.domain.inventory import Inventory
from muster.domain.networks import FAMILY_NAMES, families, family, family_names, is_unspecified, lies_in, normal, plain
from muster.domain.progress import AFTER_REBOOT
from muster.domain.roles import WITH_ARBITER
from muster.domain.verdicts import Evidence, Gate, Verdict, failed, passed, pending, unjudged
from muster.domain.views import HostView

from .facts import (
    API_VIP,
    CONNECTIVITY,
    HAS_INVENTORY,
    IMAGES,
    INVENTORY,
    NO_CONNECTIVITY,
    NO_INVENTORY,
    NO_MACHINE_NETWORK,
    NTP,
    POLL,
    asked,
    cluster_of,
    some,
    told,
)
from .quality import LATENCY, LOSS, judge_quality
from .registry import validation

check = partial(validation, category="network")


def _minutes(span: timedelta) -> str:
    return f"{span.total_seconds() / 60:g} minutes"


@check("connected", gate=Gate.CONNECTION, unspoken=AFTER_REBOOT, ignorable=False)
def connected(view: HostView) -> Verdict:
    """The host has asked for instructions lately, or need not any more."""
    patience = view.policy.disconnection + (view.policy.bootstrap_grace if view.host.bootstrap else timedelta())
    limit = f"every {_minutes(patience)}"
    if view.connected:
        return passed("The host is connected", Evidence(measured="asks", required=limit, source=POLL))
    return failed(
        f"The host has not asked for instructions for more than {_minutes(patience)}",
        Evidence(
            measured="silent",
            required=limit,
            source=POLL,
            observed_at=view.view.seen_at(view.host),
            fix="Look at the machine's console and at the network between it and this service.",
        ),
    )


@check("media-connected", gate=Gate.CONNECTION, unspoken=AFTER_REBOOT)
def media_connected(view: HostView) -> Verdict:
    """The host can still read the media it was started from."""
    if view.host.media_connected:
        return passed("The discovery media is connected", told(view.host, POLL, "readable", "readable"))
    fix = "Connect the discovery image again and restart the machine from it."
    return failed(
        "The host can no longer read the media it was started from",
        told(view.host, POLL, "not readable", "readable", fix),
    )


@check("machine-cidr-defined", gate=Gate.INPUT, in_pool=False, ignorable=False)
def machine_cidr_defined(view: HostView) -> Verdict:
    """The cluster has a machine network, or does without."""
    cluster = cluster_of(view)
    if cluster.machine_networks:
        networks = ", ".join(cluster.machine_networks)
        return passed(f"The machine network is {networks}", asked(networks, "a machine network"))
    if cluster.user_managed_networking or cluster.day2:
        return passed("The cluster needs no machine network", asked("none", "none"))
    fix = (
        "Choose the machine network in which the addresses are leased."
        if cluster.vip_dhcp_allocation
        else "Set the API and ingress addresses (api_vips, ingress_vips); the machine network follows from them."
    )
    return failed("The cluster has no machine network yet", asked("none", "a machine network", fix))


@check("belongs-to-machine-cidr", gate=Gate.INSTALL, in_pool=False)
def belongs_to_machine_cidr(view: HostView) -> Verdict:
    """The host has an address in the machine networks."""
    cluster, host = cluster_of(view), view.host
    networks = cluster.machine_networks
    free = cluster.user_managed_networking and not cluster.single_node
    if cluster.day2 or (free and not (host.bootstrap and networks)):
        return passed("The host may have any address", asked("any", "any"))
    if host.inventory is None:
        return NO_INVENTORY
    if not networks:
        return NO_MACHINE_NETWORK
    addresses = host.inventory.addresses
    outside = [cidr for cidr in networks if not any(lies_in(address, cidr) for address in addresses)]
    evidence = told(host, INVENTORY, ", ".join(addresses), ", ".join(networks))
    if not outside or (cluster.user_managed_load_balancer and len(outside) < len(networks)):
        return passed("The host has an address in the machine network", evidence)
    fix = "Connect the host to the machine network, or choose a network that all hosts are in."
    return failed(
        f"The host has no address in the machine network {some(outside)}; it has {some(list(addresses)) or 'none'}",
        evidence.but(fix=fix),
    )


@check("ignition-downloadable", gate=Gate.INSTALL, in_pool=False)
def ignition_downloadable(view: HostView) -> Verdict | None:
    """A host that joins a running cluster can fetch its configuration from there."""
    if not view.day2:
        return None
    reply = view.host.api_vip
    required = "the configuration of the running cluster"
    if reply is None:
        return pending(
            "Waiting for the host to fetch its configuration from the running cluster",
            told(view.host, API_VIP, "nothing yet", required),
        )
    if reply.is_success:
        return passed("The configuration can be fetched", told(view.host, API_VIP, reply.url or "fetched", required))
    where = f" from {reply.url}" if reply.url else ""
    why = f": {reply.download_error}" if reply.download_error else ""
    fix = "Look at the name or address of the running cluster's API, and at the network between it and the host."
    return failed(
        f"The host cannot fetch its configuration{where}{why}",
        told(view.host, API_VIP, reply.download_error or "no success", required, fix),
    )


FEWEST = 3
"""How many hosts it takes to say that one of them is not with the others."""


@check("belongs-to-majority-group", gate=Gate.INSTALL, in_pool=False)
def belongs_to_majority_group(view: HostView) -> Verdict:
    """The host and the other hosts all reach each other."""
    cluster = cluster_of(view)
    if view.day2 or cluster.single_node:
        return passed("The host need not reach others to be installed", asked("alone", "alone"))
    groups = cluster.majority_groups
    if groups is None:
        return NO_CONNECTIVITY
    routed = cluster.user_managed_networking or cluster.user_managed_load_balancer
    if not routed and not cluster.machine_networks:
        return NO_MACHINE_NETWORK
    problem = _unrouted(view, cluster, groups) if routed else _apart(view, cluster, groups)
    evidence = told(view.host, CONNECTIVITY, problem or "reaches all", "all hosts reach each other")
    if not problem:
        return passed("The host and the other hosts reach each other", evidence)
    fewest = WITH_ARBITER if cluster.control_plane_count == WITH_ARBITER and view.peers.fenced_pair else FEWEST
    if view.peers.count < fewest:
        return pending(f"Waiting for more hosts: {view.peers.count} of {fewest} are there", evidence)
    fix = "Look at cables, VLANs, addresses and firewalls between this host and the others."
    return failed(f"The host is not with the others: {problem}", evidence.but(fix=fix))


def _apart(view: HostView, cluster: Cluster, groups: MajorityGroups) -> str:
    """In which machine network the host is not with the others, and whom it misses; "" if all is well."""
    for network in map(normal, cluster.machine_networks):
        group = groups.majority_groups.get(network, ())
        if view.host.id not in group:
            found = found_in(view.host.connectivity, network)
            others = sorted(view.peers.names[each] for each in group or view.peers.names if _missed(each, view, found))
            missed = f"it does not reach {some(others)}" if others else "the others do not reach it"
            return f"in {network} {missed}"
    return ""


def _missed(host_id: str, view: HostView, found: frozenset[str]) -> bool:
    return host_id in view.peers.names and host_id != view.host.id and host_id not in found


def _unrouted(view: HostView, cluster: Cluster, groups: MajorityGroups) -> str:
    """For which family no address of the host is reached by all others; "" if all is well."""
    wanted = families((
        *cluster.machine_networks,
        *(network.cidr for network in cluster.cluster_networks),
        *cluster.service_networks,
    ))  # fmt: skip
    lacking = wanted - families(groups.l3_connected_addresses.get(view.host.id, ()))
    if not wanted:
        return "the cluster has no networks to tell which addresses count"
    return f"none of its {family_names(lacking)} addresses is reached by every other host" if lacking else ""


@check("mtu-valid", in_pool=False)
def mtu_valid(view: HostView) -> Verdict | None:
    """Packets of full size pass between the host and the others."""
    cluster, host = cluster_of(view), view.host
    if view.day2:
        return passed("Packet sizes are not tried for a host that joins a running cluster", asked("any", "any"))
    if cluster.single_node:
        return None
    if host.inventory is None:
        return NO_INVENTORY
    if host.connectivity is None:
        return NO_CONNECTIVITY
    stuck = [
        f"{view.peers.names.get(remote.host_id, remote.host_id)} ({report.outgoing_nic}, {report.remote_ip_address})"
        for remote in host.connectivity.remote_hosts
        for report in remote.mtu_report or ()
        if not report.mtu_successful and _matters(report, cluster, host.inventory)
    ]
    required = "packets of full size pass"
    if not stuck:
        return passed("Packets of full size pass to all hosts", told(host, CONNECTIVITY, required, required))
    fix = "Set the same MTU on this interface, on the other host's and on every switch between."
    return failed(
        f"Packets of full size do not pass to {some(stuck)}", told(host, CONNECTIVITY, some(stuck), required, fix)
    )


def _matters(report: MtuReport, cluster: Cluster, inventory: Inventory) -> bool:
    """Whether traffic of the cluster will go this way."""
    if cluster.user_managed_networking:
        return True
    remote = report.remote_ip_address
    nic = next((nic for nic in inventory.interfaces or () if nic.name == report.outgoing_nic), None)
    own = [address for address in nic.addresses if family(address) == family(remote)] if nic else []
    return any(lies_in(remote, cidr) for cidr in cluster.machine_networks) and any(
        lies_in(address, cidr) for address in own for cidr in cluster.machine_networks
    )


@check("valid-platform-network-settings", gate=Gate.INSTALL, needs=HAS_INVENTORY)
def valid_platform_network_settings(view: HostView, inventory: Inventory) -> Verdict | None:
    """The platform the machine runs on lets the cluster manage its network, if it is to."""
    vendor = inventory.system_vendor
    if vendor is None:
        return unjudged(
            "The host has not told who made it, so its platform is not known",
            told(view.host, INVENTORY, "nothing", "a product name", "Look at what the firmware says of the machine."),
        )
    product = vendor.product_name
    if product == "OpenStack Compute":
        if view.cluster is None:
            return None
        if not view.cluster.user_managed_networking:
            return failed(
                "On OpenStack the cluster cannot manage its network itself",
                told(view.host, INVENTORY, product, "user-managed networking", "Set user_managed_networking to true."),
            )
    return passed("The platform fits the network settings", told(view.host, INVENTORY, product, "any that fits"))


@check("ntp-synced", unspoken=AFTER_REBOOT)
def ntp_synced(view: HostView) -> Verdict | None:
    """The host keeps its clock by a time source."""
    sources = view.host.ntp_sources or ()
    kept_by = next((source for source in sources if source.source_state == "synced"), None)
    if kept_by is not None:
        name = kept_by.source_name
        return passed(f"The host keeps its clock by {name}", told(view.host, NTP, name, "a time source in step"))
    image = view.infra_env
    if view.unbound and not (image and (image.ntp_sources or image.additional_ntp_sources)):
        return None
    seen = [f"{source.source_name} is {source.source_state}" for source in sources]
    fix = "Give time sources that the host can reach (additional_ntp_source), or open UDP port 123 to them."
    return failed(
        f"The host keeps its clock by no time source: {some(seen) or 'it knows none'}",
        told(view.host, NTP, some(seen) or "none", "a time source in step", fix),
    )


MOST_BEHIND = timedelta(minutes=20)
MOST_AHEAD = timedelta(hours=1)


@check("time-synced-between-host-and-service", gate=Gate.INSTALL, unspoken=AFTER_REBOOT)
def time_synced_between_host_and_service(view: HostView) -> Verdict:
    """The host's clock and this service's agree."""
    skew = view.host.clock_skew
    limits = f"at most {_minutes(MOST_BEHIND)} behind and {_minutes(MOST_AHEAD)} ahead"
    if skew is None:
        wait = "Wait: the agent tells the time when it next asks what to do, within a minute."
        return pending(
            "Waiting for the host to tell the time",
            Evidence(measured="nothing yet", required=limits, source=POLL, fix=wait),
        )
    if -MOST_BEHIND.total_seconds() <= skew <= MOST_AHEAD.total_seconds():
        return passed("The host's clock agrees with this service's", told(view.host, POLL, "in step", limits))
    way = "behind" if skew < 0 else "ahead of"
    # Both clocks are read in whole seconds, so the last one may come and go.
    gap = f"{round(abs(skew) / 60)} minutes"
    fix = "Set the clock of the machine in its firmware, or give it a time source that it can reach."
    return failed(
        f"The host's clock is {gap} {way} this service's",
        told(view.host, POLL, f"{gap} {way.split(maxsplit=1)[0]}", limits, fix),
    )


SLOWEST = 0.001


def _had(image: ImageStatus) -> bool:
    return image.result != "failure" and not (image.size_bytes > 0 and image.download_rate < SLOWEST)


@check("container-images-available", gate=Gate.PREPARATION)
def container_images_available(view: HostView) -> Verdict:
    """Every container image that was tried could be fetched."""
    images = view.host.images
    missing = sorted(name for name, image in images.items() if not _had(image))
    if not missing:
        return passed(
            "Every container image that was tried could be fetched",
            told(view.host, IMAGES, f"{len(images)} images", "no image missing"),
        )
    fix = "Look at the pull secret, the proxy, the mirror registry, and the host's way to it."
    return failed(
        f"The host cannot fetch {some(missing)}", told(view.host, IMAGES, some(missing), "no image missing", fix)
    )


@check("sufficient-network-latency-requirement-for-role", gate=Gate.INSTALL, needs=HAS_INVENTORY, in_pool=False)
def sufficient_network_latency_requirement_for_role(view: HostView, _: Inventory) -> Verdict:
    """The host reaches those of the same role as fast as the role needs."""
    return judge_quality(view, LATENCY)


@check("sufficient-packet-loss-requirement-for-role", gate=Gate.INSTALL, needs=HAS_INVENTORY, in_pool=False)
def sufficient_packet_loss_requirement_for_role(view: HostView, _: Inventory) -> Verdict:
    """The host reaches those of the same role as surely as the role needs."""
    return judge_quality(view, LOSS)


@check("has-default-route", gate=Gate.INSTALL, needs=HAS_INVENTORY)
def has_default_route(view: HostView, inventory: Inventory) -> Verdict:
    """The host has a way to everywhere."""
    for route in inventory.routes or ():
        if is_unspecified(route.destination) and plain(route.gateway) and not is_unspecified(route.gateway):
            return passed(
                "The host has a default route",
                told(view.host, INVENTORY, f"{route.gateway} over {route.interface}", "a default route"),
            )
    fix = f"Set a gateway for {FAMILY_NAMES[4]} or {FAMILY_NAMES[6]}, by DHCP or in the static network configuration."
    return failed("The host has no default route", told(view.host, INVENTORY, "none", "a default route", fix))

"""Checks of a host's place in the network: that it is there, where it lies, whom it reaches, and how well."""

from datetime import timedelta
from functools import lru_cache, partial

from muster.domain.hosts import ImageStatus
from muster.domain.inventory import Inventory
from muster.domain.networks import FAMILY_NAMES, is_unspecified, lies_in, plain
from muster.domain.progress import AFTER_REBOOT
from muster.domain.verdicts import Gate, Verdict, failed, passed, pending, unjudged
from muster.domain.views import HostView

from .facts import (
    API_VIP,
    HAS_INVENTORY,
    IMAGES,
    INVENTORY,
    NO_INVENTORY,
    NO_MACHINE_NETWORK,
    NTP,
    WAIT,
    asked,
    cluster_of,
    seen,
    some,
    told,
)
from .quality import LATENCY, LOSS, judge_mtu, judge_quality
from .reach import judge_group
from .registry import validation

check = partial(validation, category="network")


@lru_cache(maxsize=64)
def _minutes(span: timedelta) -> str:
    return f"{span.total_seconds() / 60:g} minutes"


@check("connected", gate=Gate.CONNECTION, unspoken=AFTER_REBOOT, ignorable=False)
def connected(view: HostView) -> Verdict:
    """The host has asked for instructions lately, or need not any more."""
    patience = view.policy.disconnection + (view.policy.bootstrap_grace if view.host.bootstrap else timedelta())
    limit = f"a question every {_minutes(patience)}"
    if view.after_reboot:
        return passed("The host need not ask for instructions any more", seen(view, "restarted", "nothing"))
    if view.connected:
        return passed("The host is connected", seen(view, "it asks", limit))
    fix = "Look at the machine's console and at the network between it and this service."
    return failed(
        f"The host has not asked for instructions for more than {_minutes(patience)}", seen(view, "silent", limit, fix)
    )


@check("media-connected", gate=Gate.CONNECTION, unspoken=AFTER_REBOOT)
def media_connected(view: HostView) -> Verdict:
    """The host can still read the media it was started from."""
    if view.host.media_connected:
        return passed("The discovery media is connected", seen(view, "readable", "readable"))
    fix = "Connect the discovery image again and restart the machine from it."
    return failed(
        "The host can no longer read the media it was started from", seen(view, "not readable", "readable", fix)
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
    evidence = told(host, INVENTORY, ", ".join(addresses) or "no address", ", ".join(networks))
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
            told(view.host, API_VIP, "nothing yet", required, WAIT),
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


@check(
    "belongs-to-majority-group",
    gate=Gate.INSTALL,
    in_pool=False,
    of_others=frozenset({"count", "fenced", "majority_groups", "names", "roles"}),
)
def belongs_to_majority_group(view: HostView) -> Verdict:
    """The host and the other hosts all reach each other."""
    return judge_group(view)


@check("mtu-valid", in_pool=False, of_others=frozenset({"names"}))
def mtu_valid(view: HostView) -> Verdict | None:
    """Packets of full size pass between the host and the others."""
    return judge_mtu(view)


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
IN_STEP = f"at most {_minutes(MOST_BEHIND)} behind and {_minutes(MOST_AHEAD)} ahead"


@check("time-synced-between-host-and-service", gate=Gate.INSTALL, unspoken=AFTER_REBOOT)
def time_synced_between_host_and_service(view: HostView) -> Verdict:
    """The host's clock and this service's agree."""
    skew = view.host.clock_skew
    if skew is None:
        wait = "Wait: the agent tells the time when it next asks what to do, within a minute."
        return pending("Waiting for the host to tell the time", seen(view, "nothing yet", IN_STEP, wait))
    if -MOST_BEHIND.total_seconds() <= skew <= MOST_AHEAD.total_seconds():
        return passed("The host's clock agrees with this service's", seen(view, "in step", IN_STEP))
    way = "behind" if skew < 0 else "ahead of"
    # Both clocks are read in whole seconds, so the last one may come and go.
    gap = f"{round(abs(skew) / 60)} minutes"
    fix = "Set the clock of the machine in its firmware, or give it a time source that it can reach."
    return failed(
        f"The host's clock is {gap} {way} this service's",
        seen(view, f"{gap} {way.split(maxsplit=1)[0]}", IN_STEP, fix),
    )


SLOWEST = 0.001
"""Megabytes a second below which an image does not come down."""

EVERY_IMAGE = f"every image, at {SLOWEST:g} MB/s or faster"


def _had(image: ImageStatus) -> bool:
    return image.result != "failure" and not (image.size_bytes > 0 and image.download_rate < SLOWEST)


def _lack(image: ImageStatus) -> str:
    """What came of trying to fetch an image, for a sentence."""
    slow = image.result != "failure"
    return f"at {image.download_rate:g} MB/s" if slow else "failed"


@check("container-images-available", gate=Gate.PREPARATION)
def container_images_available(view: HostView) -> Verdict:
    """Every container image that was tried could be fetched."""
    images = view.host.images
    missing = sorted(f"{name} ({_lack(image)})" for name, image in images.items() if not _had(image))
    if not missing:
        return passed(
            "Every container image that was tried could be fetched",
            told(view.host, IMAGES, f"{len(images)} images", EVERY_IMAGE),
        )
    fix = "Look at the pull secret, the proxy, the mirror registry, and the host's way to it."
    return failed(f"The host cannot fetch {some(missing)}", told(view.host, IMAGES, some(missing), EVERY_IMAGE, fix))


MEASURED = frozenset({"count", "names", "roles"})


@check("sufficient-network-latency-requirement-for-role", gate=Gate.INSTALL, needs=HAS_INVENTORY, of_others=MEASURED)
def sufficient_network_latency_requirement_for_role(view: HostView, _: Inventory) -> Verdict | None:
    """The host reaches those of the same role as fast as the role needs."""
    return None if view.unbound else judge_quality(view, LATENCY)


@check("sufficient-packet-loss-requirement-for-role", gate=Gate.INSTALL, needs=HAS_INVENTORY, of_others=MEASURED)
def sufficient_packet_loss_requirement_for_role(view: HostView, _: Inventory) -> Verdict | None:
    """The host reaches those of the same role as surely as the role needs."""
    return None if view.unbound else judge_quality(view, LOSS)


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

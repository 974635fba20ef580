"""Which platforms a cluster could have, from the machines it is made of; `GET supported-platforms` is answered so."""

from .clusters import Cluster, Platform, PlatformType
from .features.feature import OCI, Context
from .features.levels import Level
from .features.platforms import PLATFORMS
from .hosts import Host
from .validations.hardware import manufacturer_for

P = PlatformType

IN_ORDER = (
    Platform(type=P.VSPHERE),
    Platform(type=P.BAREMETAL),
    Platform(type=P.NONE),
    Platform(type=P.NUTANIX),
    Platform(type=P.EXTERNAL, platform_name=OCI),
    Platform(type=P.EXTERNAL),
)
"""Every platform, in the order in which clients know them."""

_FEATURES = {feature.platform: feature for feature in PLATFORMS}


def supported_platforms(cluster: Cluster, hosts: tuple[Host, ...]) -> tuple[PlatformType, ...]:
    """The platforms that all machines fit and that the release has; none at all fits a single node, or no machines."""
    if not hosts or cluster.single_node:
        return (P.NONE,)
    makers = {_maker(host) for host in hosts}
    maker = makers.pop() if len(makers) == 1 else None
    context = Context(version=cluster.openshift_version, architecture=cluster.cpu_architecture)
    fitting = (
        platform.type
        for platform in IN_ORDER
        if manufacturer_for(cluster.but(platform=platform)) in {"", maker}
        and _FEATURES[platform.platform_name or platform.type].support(context).level is not Level.UNAVAILABLE
    )
    return tuple(dict.fromkeys(fitting))


def _maker(host: Host) -> str:
    vendor = host.inventory.system_vendor if host.inventory else None
    return vendor.manufacturer if vendor else ""

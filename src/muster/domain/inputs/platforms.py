"""Rules for how many control plane nodes there are, on what platform, and who looks after the network.

The three depend on each other: what a user left out follows from what was written. `first_` functions
settle a new cluster, `next_` functions a changed one; the `_problems` functions say what cannot be.
`clusters.py` calls all of them.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from muster.domain.clusters import Cluster, Platform, PlatformType
from muster.domain.policy import Policy
from muster.domain.releases import at_least

from .fields import Input, Problems, given

P = PlatformType

UNMANAGED = frozenset({P.NONE, P.EXTERNAL})
"""Platforms on which the user must look after the network."""

MANAGED = frozenset({P.BAREMETAL, P.NUTANIX})
"""Platforms on which the cluster must look after the network."""

UNMANAGED_ARCHITECTURES = frozenset({"s390x", "ppc64le"})
"""Architectures on which the user must look after the network."""

_DEFAULT_COUNT = 3
_PAIR = 2
_COUNTS = (("4.19", _PAIR, 5), ("4.18", 3, 5), ("", 3, 3))
"""From which version on how few and how many control plane nodes are possible; the first row that fits."""


class ExternalInput(Input):
    """Whose platform it is, as written."""

    platform_name: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    cloud_controller_manager: Literal["", "External"] | UnsetType = UNSET


class PlatformInput(Input):
    """The platform, as written."""

    type: PlatformType
    external: ExternalInput | UnsetType = UNSET

    @property
    def platform(self) -> Platform:
        """The platform as it is kept; only an external one has a name."""
        if self.type is not P.EXTERNAL or self.external is UNSET:
            return Platform(type=self.type)
        return Platform(
            type=self.type,
            platform_name=given(self.external.platform_name, ""),
            cloud_controller_manager=given(self.external.cloud_controller_manager, ""),
        )


Asked = PlatformInput | UnsetType


def availability(mode: str | UnsetType, count: int | UnsetType) -> tuple[str, int]:
    """The mode and the count, each following from the other where it was left out."""
    if count is UNSET:
        return given(mode, "Full"), 1 if mode == "None" else _DEFAULT_COUNT
    return given(mode, "None" if count == 1 else "Full"), count


def availability_problems(wanted: Cluster, policy: Policy) -> Problems:
    """As many control plane nodes as the mode, the version and the service allow."""
    count, version = wanted.control_plane_count, wanted.openshift_version
    if wanted.high_availability_mode == "None":
        if count != 1:
            yield f"control_plane_count: is {count}, and without high availability it must be 1"
        elif not at_least(version, "4.8"):
            yield f"control_plane_count: a single node needs OpenShift 4.8 or newer, and the version is {version!r}"
        return
    fewest, most = next(
        (few, many)
        for since, few, many in _COUNTS
        if (not since or at_least(version, since)) and (few > _PAIR or policy.arbiters or policy.fencing)
    )
    if not fewest <= count <= most:
        allowed = f"{fewest}" if fewest == most else f"between {fewest} and {most}"
        yield f"control_plane_count: is {count}; for high availability with OpenShift {version} it must be {allowed}"


def first_platform(asked: Asked, unmanaged: bool | UnsetType, architecture: str, count: int) -> tuple[Platform, bool]:
    """The platform of a new cluster, and whether the user looks after its network."""
    platform = None if asked is UNSET else asked.platform
    named = platform is not None and platform.type in UNMANAGED
    if architecture in UNMANAGED_ARCHITECTURES:
        external = platform is not None and platform.type is P.EXTERNAL
        return platform if platform and external else Platform(type=P.NONE), True
    if platform is not None and platform.type in (P.VSPHERE, P.NUTANIX):
        return platform, given(unmanaged, False)
    if count == 1 or given(unmanaged, False) or named:
        return platform if platform and named else Platform(type=P.NONE), True
    return Platform(type=P.BAREMETAL), False


def first_platform_problems(asked: Asked, unmanaged: bool | UnsetType, architecture: str, count: int) -> Problems:
    """What was written about platform and network of a new cluster goes together."""
    yield from _pair_problems(asked, unmanaged)
    kind = None if asked is UNSET else asked.type
    if architecture in UNMANAGED_ARCHITECTURES:
        if unmanaged is False:
            yield f"user_managed_networking: must be true on {architecture}"
        if kind is not None and kind not in UNMANAGED:
            yield f"platform.type: {kind} is not possible on {architecture}; use none or external"
    elif count == 1 and kind is P.BAREMETAL:
        yield "platform.type: baremetal is not possible for a single node; use none or external"
    elif count == 1 and unmanaged is False:
        yield "user_managed_networking: must be true for a single node"


def _pair_problems(asked: Asked, unmanaged: bool | UnsetType) -> Problems:
    """The platform is described in full and allows what was asked of the network."""
    if asked is UNSET:
        return
    if unmanaged is False and asked.type in UNMANAGED:
        yield f"user_managed_networking: must be true on platform {asked.type}"
    if unmanaged is True and asked.type in MANAGED:
        yield f"user_managed_networking: must be false on platform {asked.type}"
    external = given(asked.external, ExternalInput())
    name, manager = given(external.platform_name, ""), given(external.cloud_controller_manager, "")
    if asked.type is not P.EXTERNAL:
        if name or manager:
            yield f"platform.external: describes an external platform, but platform.type is {asked.type}"
    elif not name:
        yield "platform.external.platform_name: an external platform needs its name"
    elif name == "oci" and manager != "External":
        yield "platform.external.cloud_controller_manager: must be External on platform oci"


def next_platform(cluster: Cluster, asked: Asked, unmanaged: bool | UnsetType) -> tuple[Platform, bool]:
    """The platform of a changed cluster, and whether the user looks after its network."""
    platform = cluster.platform if asked is UNSET else asked.platform
    if asked is UNSET and unmanaged is True and platform.type is P.BAREMETAL:
        platform = Platform(type=P.NONE)
    elif asked is UNSET and unmanaged is False and platform.type in UNMANAGED:
        platform = Platform(type=P.BAREMETAL)
    return platform, given(unmanaged, _follows(platform.type, cluster, asked))


def _follows(platform: PlatformType, cluster: Cluster, asked: Asked) -> bool:
    """Whether the user looks after the network, where it was not written."""
    if asked is UNSET or platform not in UNMANAGED | MANAGED:
        return cluster.user_managed_networking
    return platform in UNMANAGED


def next_platform_problems(cluster: Cluster, asked: Asked, unmanaged: bool | UnsetType, count: int) -> Problems:
    """What was written about platform and network of a changed cluster goes together and can be reached.

    `count` is the number of control plane nodes after the change.
    """
    yield from _pair_problems(asked, unmanaged)
    current = cluster.platform.type
    wanted, _ = next_platform(cluster, asked, unmanaged)
    if current in UNMANAGED and count == 1 and (unmanaged is False or wanted.type not in UNMANAGED):
        yield "user_managed_networking: must stay true for a single node, on platform none or external"
    if current is P.NUTANIX and asked is UNSET and unmanaged is True:
        yield "user_managed_networking: must be false on platform nutanix; change platform.type as well"
    if unmanaged is UNSET and count >= _DEFAULT_COUNT:
        yield from _jump_problems(cluster, wanted.type)


def _jump_problems(cluster: Cluster, wanted: PlatformType) -> Problems:
    """A change of platform that changes the network says so, unless there is no other way to mean it."""
    current = cluster.platform.type
    if {current, wanted} == {P.BAREMETAL, P.NONE}:
        return
    if cluster.user_managed_networking and wanted in MANAGED:
        yield f"platform.type: {wanted} needs user_managed_networking to be false; send both together"
    if not cluster.user_managed_networking and wanted in UNMANAGED:
        yield f"platform.type: {wanted} needs user_managed_networking to be true; send both together"


def settled_problems(wanted: Cluster) -> Problems:
    """The platform and the network type of the outcome are possible for its count."""
    if not wanted.single_node:
        return
    if wanted.network_type == "OpenShiftSDN":
        yield "network_type: OpenShiftSDN is not possible for a single node; use OVNKubernetes"
    if wanted.platform.type not in UNMANAGED:
        yield f"platform.type: {wanted.platform.type} is not possible for a single node; use none or external"

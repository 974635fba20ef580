"""What users may write about a host, and what becomes of it.

Turns `HostUpdate` into a changed host; the accepting side of `decide` calls `changed_host`. Fields are taken
one after the other, in the order in which clients know the errors. What a host is asked to be must fit its
cluster; `unfit_problems` asks that again of a host that is given to another.
"""

import re
from collections.abc import Callable
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from muster.domain.clusters import Cluster
from muster.domain.errors import Invalid, Refused
from muster.domain.features import FEATURES
from muster.domain.features.feature import Context, Feature
from muster.domain.features.levels import Level
from muster.domain.hosts import FencingCredentials, Host, HostKind
from muster.domain.policy import Policy
from muster.domain.record import Record
from muster.domain.roles import Role
from muster.domain.states.hosts import UPDATABLE
from muster.domain.validations.hardware import HOSTNAME, LONGEST_HOSTNAME, LOOPBACK_NAMES, NAME_RULE

from .fields import Input, Problems, given, require_none

_LABEL = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?")
_LABEL_PREFIX = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
_LABEL_LENGTH = 63
_LABEL_PREFIX_LENGTH = 253


class DiskInput(Input):
    """What a disk is for, as written."""

    id: str
    role: Literal["none", "install"] | UnsetType = UNSET


class SkipFormattingInput(Input):
    """Whether a disk is left as it is, as written."""

    disk_id: str
    skip_formatting: bool


class PairInput(Input):
    """A key with its value, as written."""

    key: str
    value: str


class FencingInput(Input):
    """How to switch a machine off from outside, as written."""

    address: str
    username: str
    password: str
    certificate_verification: Literal["Enabled", "Disabled"] | UnsetType = UNSET
    mac_address: str | UnsetType = UNSET


class HostUpdate(Input):
    """What may be written about a host."""

    host_role: Literal["auto-assign", "master", "arbiter", "worker"] | UnsetType = UNSET
    host_name: str | UnsetType = UNSET
    disks_selected_config: tuple[DiskInput, ...] | UnsetType = UNSET
    machine_config_pool_name: str | UnsetType = UNSET
    ignition_endpoint_token: str | UnsetType = UNSET
    ignition_endpoint_http_headers: tuple[PairInput, ...] | UnsetType = UNSET
    node_labels: tuple[PairInput, ...] | UnsetType = UNSET
    disks_skip_formatting: tuple[SkipFormattingInput, ...] | UnsetType = UNSET
    fencing_credentials: FencingInput | UnsetType = UNSET


class Place(Record):
    """Where a host is: its cluster, if it has one, in this service."""

    cluster: Cluster | None
    policy: Policy


def changed_host(host: Host, changes: HostUpdate, *, cluster: Cluster | None, policy: Policy) -> Host:
    """The host with what was written changed, and what follows from it; itself when nothing differs."""
    if host.status not in UPDATABLE and not _harmless(changes):
        raise Refused(
            f"Host {host.name} is {host.status}, and can be changed only before it is installed:"
            f" {', '.join(sorted(UPDATABLE))}"
        )
    place = Place(cluster=cluster, policy=policy)
    for field, change in _CHANGES:
        value = getattr(changes, field)
        if value is not UNSET:
            host = change(host, value, place)
    return host


def _harmless(changes: HostUpdate) -> bool:
    """Whether nothing is asked that could matter to an installation: forgetting a token, or nothing at all."""
    idle = {
        name
        for name, nothing in (("ignition_endpoint_token", ""), ("disks_skip_formatting", ()))
        if getattr(changes, name) == nothing
    }
    return changes.written <= idle


def _with_role(host: Host, value: str, place: Place) -> Host:
    role = Role(value)
    if role is Role.ARBITER:
        require_none(_arbiter_problems(place))
    if role is host.role:
        return host
    pool = host.machine_config_pool_name
    if host.kind is HostKind.DAY2 and pool in ("", host.role):
        pool = role
    return host.but(
        role=role,
        suggested_role=role,
        bootstrap=host.bootstrap and role is not Role.WORKER,
        machine_config_pool_name=str(pool),
    )


# What does not fit every cluster

_BY_ID = {feature.id: feature for feature in FEATURES}
ARBITERS, FENCING = _BY_ID["TNA"], _BY_ID["TNF"]


def unfit_problems(host: Host, cluster: Cluster, policy: Policy) -> Problems:
    """What a host was asked to be, and a cluster cannot use."""
    place = Place(cluster=cluster, policy=policy)
    if host.role is Role.ARBITER:
        yield from _arbiter_problems(place)
    if host.fencing_credentials is not None:
        yield from _fencing_problems(place)


def _arbiter_problems(place: Place) -> Problems:
    """The cluster can have arbiters; a host of none is asked again when it gets one."""
    if not place.policy.arbiters:
        yield "host_role: this service installs no clusters with an arbiter (TNA_CLUSTERS_SUPPORT); use another role"
    elif place.cluster is not None and not place.cluster.day2:
        yield from _lacking("host_role: an arbiter", ARBITERS, place.cluster)


def _fencing_problems(place: Place) -> Problems:
    """The cluster can be two hosts that switch each other off; a host of none is asked again when it gets one."""
    if not place.policy.fencing:
        yield (
            "fencing_credentials: this service installs no clusters of two hosts that switch each other off"
            " (TNF_CLUSTERS_SUPPORT); leave them out"
        )
    elif place.cluster is not None:
        yield from _lacking("fencing_credentials: switching hosts off", FENCING, place.cluster)


def _lacking(what: str, feature: Feature, cluster: Cluster) -> Problems:
    version, platform = cluster.openshift_version, cluster.platform
    context = Context(version=version, platform=platform.type, external_name=platform.platform_name)
    name = feature.lacking(context)
    if name is not None:
        until = feature.not_for[name]
        yield f"{what} is not possible on platform {name}{f' before OpenShift {until}' if until else ''}"
    elif feature.support(context).level is Level.UNAVAILABLE:
        yield f"{what} needs OpenShift {feature.levels[0][0]} or newer, and the version is {version!r}"


# Field by field


def _with_name(host: Host, name: str, _: Place) -> Host:
    if name in LOOPBACK_NAMES:
        raise Invalid(f"host_name: {name!r} means every machine to itself; choose another name")
    if len(name) > LONGEST_HOSTNAME or not HOSTNAME.fullmatch(name):
        raise Invalid(
            f"host_name: {name!r} ({len(name)} characters) must be {NAME_RULE}, and begin with a letter or digit"
        )
    return host.but(requested_hostname=name)


def _with_disk(host: Host, disks: tuple[DiskInput, ...], _: Place) -> Host:
    chosen = [disk.id for disk in disks if disk.role == "install"]
    if len(chosen) != 1:
        raise Refused(
            f"disks_selected_config: {len(chosen)} disks have the role install, and exactly one must;"
            " the host is installed to it"
        )
    disk = host.inventory.disk(chosen[0]) if host.inventory else None
    if disk is None:
        raise Refused(f"disks_selected_config: host {host.name} has reported no disk {chosen[0]!r}")
    if not disk.installation_eligibility.eligible:
        reasons = "; ".join(disk.installation_eligibility.not_eligible_reasons or ()) or "no reason is known"
        raise Refused(f"disks_selected_config: disk {chosen[0]!r} cannot be installed to: {reasons}")
    return host.but(installation_disk_id=disk.identifier, installation_disk_path=disk.device)


def _with_pool(host: Host, name: str, _: Place) -> Host:
    return host.but(machine_config_pool_name=name)


def _with_token(host: Host, token: str, _: Place) -> Host:
    return host.but(ignition_endpoint_token=token)


def _with_headers(host: Host, headers: tuple[PairInput, ...], _: Place) -> Host:
    return host.but(ignition_endpoint_http_headers={header.key: header.value for header in headers})


def _with_labels(host: Host, labels: tuple[PairInput, ...], _: Place) -> Host:
    require_none(_label_problems(labels))
    return host.but(node_labels={label.key: label.value for label in labels})


def _label_problems(labels: tuple[PairInput, ...]) -> Problems:
    """Every label is one that Kubernetes takes."""
    for index, label in enumerate(labels):
        prefix, slash, name = label.key.rpartition("/")
        if not _is_label(name) or (slash and not _is_label_prefix(prefix)):
            yield (
                f"node_labels[{index}].key: {label.key!r} must be up to {_LABEL_LENGTH} letters, digits, dashes, dots"
                " and underscores between letters or digits, after a DNS domain and a slash if any"
            )
        if label.value and not _is_label(label.value):
            yield (
                f"node_labels[{index}].value: {label.value!r} must be up to {_LABEL_LENGTH} letters, digits, dashes,"
                " dots and underscores between letters or digits, or empty"
            )


def _is_label(text: str) -> bool:
    return len(text) <= _LABEL_LENGTH and _LABEL.fullmatch(text) is not None


def _is_label_prefix(text: str) -> bool:
    return len(text) <= _LABEL_PREFIX_LENGTH and _LABEL_PREFIX.fullmatch(text) is not None


def _with_skipped_disks(host: Host, disks: tuple[SkipFormattingInput, ...], _: Place) -> Host:
    """Disks are added to those that are left as they are, or taken away from them; the others stay."""
    if not disks:
        return host
    if host.inventory is None:
        raise Refused(f"disks_skip_formatting: host {host.name} has not reported its disks yet; wait until it has")
    known = {disk.identifier for disk in host.inventory.disks or ()}
    require_none(
        f"disks_skip_formatting[{index}].disk_id: host {host.name} has no disk {disk.disk_id!r}; its disks are"
        f" {', '.join(sorted(known)) or 'none'}"
        for index, disk in enumerate(disks)
        if disk.skip_formatting and disk.disk_id not in known
    )
    wanted = dict.fromkeys(host.skip_formatting_disks, True) | {disk.disk_id: disk.skip_formatting for disk in disks}
    return host.but(skip_formatting_disks=tuple(disk_id for disk_id, skip in wanted.items() if skip))


def _with_fencing(host: Host, written: FencingInput, place: Place) -> Host:
    """Credentials are taken as they are; with nothing in any of them they are taken away."""
    require_none(_fencing_problems(place))
    needed = {"address": written.address, "username": written.username, "password": written.password}
    if not any(needed.values()):
        return host.but(fencing_credentials=None)
    require_none(
        f"fencing_credentials.{name}: is empty; write all of {', '.join(needed)}, or leave all empty to forget them"
        for name, value in needed.items()
        if not value
    )
    return host.but(
        fencing_credentials=FencingCredentials(
            **needed,
            certificate_verification=given(written.certificate_verification, "Enabled"),
            mac_address=given(written.mac_address, ""),
        )
    )


_CHANGES: tuple[tuple[str, Callable[[Host, Any, Place], Host]], ...] = (
    ("host_role", _with_role),
    ("host_name", _with_name),
    ("disks_selected_config", _with_disk),
    ("machine_config_pool_name", _with_pool),
    ("ignition_endpoint_token", _with_token),
    ("ignition_endpoint_http_headers", _with_headers),
    ("node_labels", _with_labels),
    ("disks_skip_formatting", _with_skipped_disks),
    ("fencing_credentials", _with_fencing),
)
"""What each field changes, in the order in which they are taken."""

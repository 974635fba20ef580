"""Which checks the user wants to go on in spite of, and which outcomes are to be found out again.

Turns the lists a user writes into a changed cluster, and the name of a check into a host that has forgotten its
outcome; `accepts/validations.py` calls both.
"""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType, field

from muster.domain.clusters import Cluster
from muster.domain.errors import Invalid, Refused
from muster.domain.hosts import Host
from muster.domain.states.clusters import UPDATABLE
from muster.domain.validations.catalogue import CLUSTER_VALIDATIONS, HOST_VALIDATIONS
from muster.domain.validations.facts import DISK_SPEED, IMAGES
from muster.domain.validations.registry import Validation

from .fields import Input, Problems, given, require_none

ALL = "all"
"""Stands for every check that may be ignored."""

HOST_IDS, CLUSTER_IDS = "host-validation-ids", "cluster-validation-ids"

NEVER_MADE = {
    HOST_IDS: ("ocs-requirements-satisfied", "release-domain-name-resolved-correctly"),
    CLUSTER_IDS: ("ocs-requirements-satisfied",),
}
"""Checks that clients know by name although nobody makes them any more."""


class IgnoredValidations(Input):
    """The checks to be ignored, each list as JSON text; leaving one out empties it."""

    host_validation_ids: str | UnsetType = field(name=HOST_IDS, default=UNSET)
    cluster_validation_ids: str | UnsetType = field(name=CLUSTER_IDS, default=UNSET)


def with_ignored(cluster: Cluster, written: IgnoredValidations) -> Cluster:
    """The cluster with these checks ignored and no others; itself when nothing differs."""
    if cluster.status not in UPDATABLE:
        raise Invalid(
            f"Cluster {cluster.name} is {cluster.status}; checks can be ignored only while it is"
            f" {', '.join(sorted(UPDATABLE))}"
        )
    hosts = _listed(HOST_IDS, given(written.host_validation_ids, ""))
    clusters = _listed(CLUSTER_IDS, given(written.cluster_validation_ids, ""))
    require_none(_problems(HOST_IDS, hosts, HOST_VALIDATIONS), _problems(CLUSTER_IDS, clusters, CLUSTER_VALIDATIONS))
    return cluster.but(ignored_host_validations=hosts, ignored_cluster_validations=clusters)


def _listed(name: str, text: str) -> tuple[str, ...]:
    """The names in a list, each once; `all` may be written in any case."""
    if not text:
        return ()
    try:
        written = msgspec.json.decode(text, type=tuple[str, ...])
    except msgspec.DecodeError:
        raise Invalid(f'{name}: must be a list of checks as JSON text, such as ["has-min-memory"]') from None
    return tuple(dict.fromkeys(ALL if each.lower() == ALL else each for each in written))


def _problems(name: str, ids: tuple[str, ...], checks: Iterable[Validation[Any]]) -> Problems:
    """Every name is that of a check, and of one that may be ignored; `all` means no more than those."""
    known = {check.id: check.ignorable for check in checks} | dict.fromkeys(NEVER_MADE[name], True)
    fixed = ", ".join(sorted(each for each, ignorable in known.items() if not ignorable))
    for each in ids:
        if each != ALL and each not in known:
            yield f"{name}: there is no check {each!r}; docs/validations.md lists them"
        elif each != ALL and ALL not in ids and not known[each]:
            yield f"{name}: {each!r} cannot be ignored, nor can any of {fixed}; leave it out, or put right what it says"


# Outcomes to be found out again


def with_reset(host: Host, validation: str) -> Host:
    """The host without the outcome of a check, so that it is found out again; itself when there is none."""
    reset = RESETS.get(validation)
    if reset is None:
        raise Invalid(
            f"validation_id: the outcome of {validation!r} cannot be reset, only that of {' or '.join(RESETS)};"
            " others follow by themselves from what hosts tell"
        )
    if host.cluster_id is None:
        raise Refused(f"Host {host.name} belongs to no cluster, so nothing has been tried out on it")
    return reset(host)


def _without_speed(host: Host) -> Host:
    disk = host.installation_disk_id or host.installation_disk_path
    if not disk:
        raise Refused(f"Host {host.name} has no disk to install to, so none has been tried out")
    kept = {name: speed for name, speed in host.disk_speeds.items() if name not in {disk, host.installation_disk_path}}
    return _unheard(host.but(disk_speeds=kept), DISK_SPEED)


def _without_images(host: Host) -> Host:
    return _unheard(host.but(images={}), IMAGES)


def _unheard(host: Host, step: str) -> Host:
    """The host as if it had never done a step, so that the same reply again is news."""
    return host.but(heard_at={name: at for name, at in host.heard_at.items() if name != step})


RESETS: dict[str, Callable[[Host], Host]] = {
    "sufficient-installation-disk-speed": _without_speed,
    "container-images-available": _without_images,
}
"""What each check that can be reset forgets."""

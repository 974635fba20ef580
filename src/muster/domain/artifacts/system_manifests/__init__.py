"""Turns a cluster that is about to be installed into the manifests that the service adds of its own accord.

The preparation of an installation asks for them and puts them beside those of the user. `ROWS` and `ROLE_ROWS` say
which there are and when; those that bring operators follow from the operators (`olm.py`). What is handed out are
trees: JSON is YAML, so whoever keeps them may write them as JSON.
"""

from collections.abc import Callable, Iterator
from typing import Any

from muster.domain.manifests import Folder
from muster.domain.record import Record
from muster.domain.roles import Role
from muster.domain.validations.encryption import GROUPS
from muster.domain.views import ClusterView

from . import chrony, dnsmasq, encryption, iscsi, olm, scheduler, telemeter
from .olm import custom_manifests

__all__ = ["custom_manifests", "system_manifests"]

Content = dict[str, Any] | list[Any]


class Row(Record):
    """A manifest, and when there is one."""

    file: str
    content: Callable[[ClusterView], Content]
    when: Callable[[ClusterView], bool]


class RoleRow(Record):
    """A manifest for each role of nodes; its file is called after the role, or after all hosts that have it."""

    file: str
    content: Callable[[ClusterView, Role], Content]
    when: Callable[[ClusterView, Role], bool] = lambda _view, _role: True


ROLE_ROWS = (
    RoleRow(file="50-{hosts}-chrony-configuration.yaml", content=chrony.manifest),
    RoleRow(file="50-{hosts}-iscsi-nic-reapply.yaml", content=iscsi.manifest),
    RoleRow(file="99-openshift-{role}-tpm-encryption.yaml", content=encryption.by_tpm, when=encryption.uses_tpm),
    RoleRow(file="99-openshift-{role}-tang-encryption.yaml", content=encryption.by_tang, when=encryption.uses_tang),
)

ROWS = (
    Row(file="dnsmasq-bootstrap-in-place.yaml", content=dnsmasq.manifest, when=dnsmasq.is_wanted),
    Row(file="redirect-telemeter.yaml", content=telemeter.manifest, when=telemeter.is_wanted),
    Row(
        file="cluster-scheduler-02-config.yml.patch_ai_set_masters_schedulable",
        content=scheduler.patch,
        when=scheduler.is_wanted,
    ),
    Row(file="olm_operator_manifests.yaml", content=olm.manifest, when=olm.is_wanted),
)


def system_manifests(view: ClusterView) -> dict[str, Content]:
    """Every manifest by its place, such as `openshift/redirect-telemeter.yaml`; the same whenever it is asked for."""
    return {f"{Folder.OPENSHIFT}/{file}": content for file, content in _manifests(view)}


def _manifests(view: ClusterView) -> Iterator[tuple[str, Content]]:
    for each in ROLE_ROWS:
        for role in _roles(view):
            if each.when(view, role):
                yield each.file.format(hosts=GROUPS[role], role=role), each.content(view, role)
    for row in ROWS:
        if row.when(view):
            yield row.file, row.content(view)
    yield from olm.operator_files(view).items()


def _roles(view: ClusterView) -> tuple[Role, ...]:
    """The roles of nodes. Workers may come later; arbiters are there from the start, or never."""
    return (Role.MASTER, Role.WORKER, *((Role.ARBITER,) if view.peers.counted(Role.ARBITER) else ()))

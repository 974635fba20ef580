"""The `tang-connectivity-check` step: whether a host reaches the servers that hold the keys of its disk."""

import json

from muster.domain.joining import TangReply, read_ignition
from muster.domain.record import Record
from muster.domain.validations.encryption import encrypts_role
from muster.domain.views import HostView

from .step import Args, Step


class TangRequest(Record):
    """The servers: a list of `{url, thumbprint}` as JSON text."""

    tang_servers: str


def _ask(view: HostView) -> Args | None:
    servers = _of_running_cluster(view) if view.day2 else _of_new_cluster(view)
    return (TangRequest(tang_servers=servers),) if servers else None


def _of_new_cluster(view: HostView) -> str:
    """The servers that the user has named, if the disk of this host is encrypted by them."""
    cluster = view.cluster
    if cluster is None or cluster.disk_encryption.mode != "tang" or not encrypts_role(cluster, view.role):
        return ""
    return cluster.disk_encryption.tang_servers


def _of_running_cluster(view: HostView) -> str:
    """The servers that the ignition of a running cluster names."""
    ignition = read_ignition(view.host.api_vip.ignition) if view.host.api_vip else None
    clevis = ignition.clevis if ignition else None
    if clevis is None or not clevis.tang:
        return ""
    return json.dumps([{"url": each.url, "thumbprint": each.thumbprint} for each in clevis.tang], separators=(",", ":"))


STEP = Step(
    kind="tang-connectivity-check",
    ask=_ask,
    reads=TangReply,
    learn=lambda view, reply: view.host.but(tang=reply.but(error="")),
    fail=lambda host, happened: host.but(tang=TangReply(error=happened.error)),
)

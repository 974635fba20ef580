"""Adding hosts to a cluster that runs."""

from muster.domain import events
from muster.domain.draft import Accepts, Draft
from muster.domain.errors import Invalid, NotFound, Refused
from muster.domain.hosts import HostKind
from muster.domain.moves import move_cluster, move_host
from muster.domain.roles import Role
from muster.domain.settle import settle
from muster.domain.states.hosts import HostState
from muster.domain.triggers import AllowAddHosts, InstallHost, ResetHost


def allow(draft: Draft, asked: AllowAddHosts) -> None:
    """The cluster that was installed takes in more hosts from now on."""
    cluster = draft.cluster
    if not move_cluster(draft, cluster, asked):
        raise Invalid(f"Cluster {cluster.name} is {cluster.status}; hosts can be added once it is installed")


def install(draft: Draft, asked: InstallHost) -> None:
    """A host is installed and joins the cluster."""
    host = draft.host(asked.host_id)
    if host.cluster_id is None:
        raise NotFound(f"Host {host.name} belongs to no cluster")
    if host.kind is not HostKind.DAY2:
        raise Refused(f"Host {host.name} is installed with its cluster, not by itself")
    if host.role is Role.AUTO:
        draft.put(host.but(role=Role.WORKER, suggested_role=Role.WORKER))
        settle(draft)
        host = draft.host(host.id)
    if not move_host(draft, host, asked):
        raise Refused(
            f"Host {host.name} cannot be installed while it is {host.status}, only while {HostState.KNOWN}:"
            f" {host.status_info}"
        )
    draft.tell(events.host_installation_started(host))


def reset(draft: Draft, asked: ResetHost) -> None:
    """A host that was to join starts over."""
    host = draft.host(asked.host_id)
    if host.cluster_id is None or host.kind is not HostKind.DAY2:
        raise Refused(f"Host {host.name} is reset with its cluster, not by itself")
    if not move_host(draft, host, asked):
        raise Refused(f"Host {host.name} is {host.status} and cannot be reset")
    draft.tell(events.host_installation_reset(host), events.user_required_complete_installation_reset(host))


ACCEPTS: Accepts = {AllowAddHosts: allow, InstallHost: install, ResetHost: reset}

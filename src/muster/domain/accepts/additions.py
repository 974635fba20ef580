"""Adding hosts to a cluster that runs."""

from muster.domain import host_events
from muster.domain.artifacts.host_ignition import host_ignition
from muster.domain.draft import Accepts, Draft
from muster.domain.effects import GenerateHostIgnition
from muster.domain.errors import Invalid, NotFound, Refused
from muster.domain.hosts import Host, HostKind
from muster.domain.moves import move_cluster, move_host
from muster.domain.roles import Role
from muster.domain.settle import settle
from muster.domain.states.hosts import HostState
from muster.domain.steps.install import system_image
from muster.domain.triggers import AllowAddHosts, HostIgnitionStored, InstallHost, ResetHost
from muster.domain.views import NO_PEERS, HostView


def allow(draft: Draft, asked: AllowAddHosts) -> None:
    """The cluster that was installed takes in more hosts from now on."""
    cluster = draft.cluster
    if not move_cluster(draft, cluster, asked):
        when = "it takes in hosts already" if cluster.day2 else "hosts can be added once it is installed"
        raise Invalid(f"Cluster {cluster.name} is {cluster.status}; {when}")


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
    _require_what_it_installs(draft, host)
    draft.put(draft.host(host.id).but(ignition_stored=False))
    draft.start(GenerateHostIgnition(cluster_id=draft.cluster.id, host_id=host.id))
    draft.tell(host_events.host_installation_started(host))


def _require_what_it_installs(draft: Draft, host: Host) -> None:
    """The host's configuration can be made, and a host that runs from its disk knows the system it is to become."""
    host_ignition(draft.cluster, host)
    case = HostView(draft.view, host, NO_PEERS)
    if host.inventory is not None and system_image(case, draft.cluster, host.inventory) is None:
        raise Refused(
            f"Host {host.name} runs from its own disk, and nobody knows which system it is to become: neither the "
            f"release of cluster {draft.cluster.name} nor what the cluster hands out to new hosts names one"
        )


def stored(draft: Draft, happened: HostIgnitionStored) -> None:
    """The host finds its configuration, so it can be told to install."""
    draft.put(draft.host(happened.host_id).but(ignition_stored=True))


def reset(draft: Draft, asked: ResetHost) -> None:
    """A host that was to join starts over."""
    host = draft.host(asked.host_id)
    if host.cluster_id is None or host.kind is not HostKind.DAY2:
        raise Refused(f"Host {host.name} is reset with its cluster, not by itself")
    if not move_host(draft, host, asked):
        raise Refused(f"Host {host.name} is {host.status} and cannot be reset")
    draft.tell(host_events.host_installation_reset(host), host_events.user_required_complete_installation_reset(host))


ACCEPTS: Accepts = {AllowAddHosts: allow, InstallHost: install, HostIgnitionStored: stored, ResetHost: reset}

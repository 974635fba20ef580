"""What is told when something asked for is refused."""

from collections.abc import Callable, Iterator
from typing import Any

from muster.domain import events, host_events
from muster.domain.errors import MusterError, NotFound
from muster.domain.events import Event
from muster.domain.triggers import (
    BindHost,
    Cancel,
    DeleteCluster,
    DeleteInfraEnv,
    HostTrigger,
    Registered,
    Reset,
    ResetHost,
    Trigger,
    UnbindHost,
)
from muster.domain.views import View

from .installations import StuckHost


def refusals(view: View, trigger: Trigger, error: MusterError) -> Iterator[Event]:
    """The events of a refusal. What does not exist is not told about."""
    if isinstance(error, NotFound):
        return
    if isinstance(trigger, Registered):
        yield host_events.host_registration_failed(trigger, view.cluster.id if view.cluster else None, str(error))
    elif isinstance(trigger, HostTrigger) and type(trigger) in OF_HOSTS:
        yield OF_HOSTS[type(trigger)](view.hosts[trigger.host_id], str(error))
    elif type(trigger) in OF_CLUSTERS:
        of_cluster, of_host = OF_CLUSTERS[type(trigger)]
        yield of_cluster(view.cluster, str(error))
        if isinstance(error, StuckHost):
            yield of_host(error.host, str(error))
    elif isinstance(trigger, DeleteInfraEnv):
        yield from (events.infra_env_deregister_failed(each, str(error)) for each in view.infra_envs.values())


OF_HOSTS: dict[type[Trigger], Callable[[Any, str], Event]] = {
    BindHost: host_events.host_bind_failed,
    UnbindHost: host_events.host_unbind_failed,
    ResetHost: host_events.host_installation_reset_failed,
}

OF_CLUSTERS: dict[type[Trigger], tuple[Callable[[Any, str], Event], Callable[[Any, str], Event]]] = {
    Cancel: (events.cancel_installation_failed, host_events.host_cancel_installation_failed),
    Reset: (events.reset_installation_failed, host_events.host_installation_reset_failed),
    DeleteCluster: (events.cluster_deregister_failed, host_events.host_unbind_failed),
}
"""What is told of the cluster, and of the host that was in the way."""

"""The `upgrade-agent` step: an agent fetches the image that the service expects, and starts anew from it.

It takes the place of every other step, so that no step is done by an agent of another age than the service.
"""

from collections.abc import Iterable
from datetime import timedelta

from muster.domain import events, host_events
from muster.domain.hosts import Host
from muster.domain.record import Record
from muster.domain.states.hosts import HostState as S
from muster.domain.views import HostView, View

from .step import Args, Step

KIND = "upgrade-agent"

UPGRADABLE = frozenset({
    S.BINDING, S.DISCOVERING, S.DISCOVERING_UNBOUND, S.INSUFFICIENT, S.INSUFFICIENT_UNBOUND, S.KNOWN, S.KNOWN_UNBOUND,
    S.PENDING_FOR_INPUT,
})  # fmt: skip
"""States in which nothing is lost when the agent starts anew."""

TOLD_AGAIN_AFTER = timedelta(hours=1)
"""An agent that stays as it is is told of no more often than this."""


class UpgradeRequest(Record):
    """The image to start from."""

    agent_image: str


class UpgradeReply(Record):
    """Whether the image is there; no result if it is still being fetched."""

    agent_image: str = ""
    result: str = ""


def must_upgrade(view: View, host: Host) -> bool:
    """Whether the agent of a host is not the one that the service expects, and may be exchanged now."""
    policy = view.policy
    return (
        policy.upgrade_agents
        and KIND not in policy.disabled_steps
        and host.status in UPGRADABLE
        and host.discovery_agent_version != policy.agent_image
    )


def upgrade_is_news(view: View, host: Host) -> bool:
    """Whether the user is to be told that the agent of a host is being exchanged."""
    if not must_upgrade(view, host):
        return False
    told = host.upgrade_told_at
    return told is None or view.now - told >= TOLD_AGAIN_AFTER


def _ask(view: HostView) -> Args | None:
    return (UpgradeRequest(agent_image=view.policy.agent_image),)


def _tells(_: HostView, after: HostView, reply: UpgradeReply) -> Iterable[events.Event]:
    tell = {"success": host_events.upgrade_agent_finished, "failure": host_events.upgrade_agent_failed}.get(
        reply.result
    )
    return [tell(after.host, reply.agent_image)] if tell else []


STEP = Step(kind=KIND, ask=_ask, reads=UpgradeReply, tells=_tells)

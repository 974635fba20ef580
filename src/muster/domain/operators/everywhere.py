"""Operators that ask the same of every host, arbiters excepted."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from muster.domain.clusters import Cluster
from muster.domain.roles import Role
from muster.domain.verdicts import Verdict

from .operator import NOTHING, Addition, Forecast, Needs, Operator
from .rules import fits
from .settings import OperatorSettings

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import HostView

Share = Callable[[OperatorSettings, bool], Addition]
"""What each host gives, by what the service is set to and whether it is the only one."""


def on_every_host(share: Share, *, in_words: bool, **traits: Any) -> Operator:
    """An operator of which every host carries a share; `in_words` says the figures of the forecast once more."""

    def addition(view: "HostView") -> Addition:
        return NOTHING if view.role is Role.ARBITER else share(view.policy.operators, view.single_node)

    def on_host(view: "HostView") -> Verdict:
        return fits(view, traits["title"], addition(view))

    def forecast(cluster: Cluster, settings: OperatorSettings) -> Forecast:
        need = share(settings, cluster.single_node)
        words = (f"{need.ram_mib} MiB more memory", f"CPU cores: {need.cpu_cores} more") if in_words else ()
        return Forecast(master=Needs(addition=need, words=words), worker=Needs(addition=need, words=words))

    return Operator(addition=addition, on_host=on_host, forecast=forecast, **traits)

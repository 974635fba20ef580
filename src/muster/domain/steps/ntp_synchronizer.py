"""The `ntp-synchronizer` step: the host sets its clock by the given sources and says how that goes."""

from muster.domain.networks import NtpSource
from muster.domain.record import Record
from muster.domain.views import HostView

from .step import Args, Step


class NtpRequest(Record, omit_defaults=False):
    """The sources to use, separated by commas."""

    ntp_source: str = ""


class NtpReply(Record):
    """The sources in use."""

    ntp_sources: tuple[NtpSource, ...] = ()


def _sources(view: HostView) -> str:
    if view.cluster is None:
        infra_env = view.infra_env
        return (infra_env.ntp_sources or infra_env.additional_ntp_sources) if infra_env else ""
    if view.cluster.ntp_sources or view.cluster.additional_ntp_source:
        return view.cluster.ntp_sources or view.cluster.additional_ntp_source
    offered = (
        source
        for infra_env in view.view.infra_envs.values()
        for source in infra_env.additional_ntp_sources.split(",")
        if source
    )
    return ",".join(dict.fromkeys(offered))


def _ask(view: HostView) -> Args | None:
    return (NtpRequest(ntp_source=_sources(view)),)


STEP = Step(
    kind="ntp-synchronizer",
    ask=_ask,
    reads=NtpReply,
    learn=lambda view, reply: view.host.but(ntp_sources=reply.ntp_sources),
)

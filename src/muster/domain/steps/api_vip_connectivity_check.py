"""The `api-vip-connectivity-check` step: whether a host gets the ignition of the running cluster it is to join."""

from muster.domain.joining import ApiVipReply, ignition_source
from muster.domain.record import Record
from muster.domain.views import HostView

from .step import Args, Step


class RequestHeader(Record, omit_defaults=False):
    """What the host says of itself when it asks for the ignition."""

    key: str
    value: str


class ApiVipRequest(Record):
    """Where the ignition is, and how to ask for it. The token is among the headers too, for agents of today."""

    url: str
    ca_certificate: str = ""
    ignition_endpoint_token: str = ""
    request_headers: tuple[RequestHeader, ...] | None = ()


def _ask(view: HostView) -> Args | None:
    source = ignition_source(view.cluster, view.host) if view.cluster else None
    if source is None:
        return None
    return (
        ApiVipRequest(
            url=source.url,
            ca_certificate=source.ca_certificate,
            ignition_endpoint_token=view.host.ignition_endpoint_token,
            request_headers=tuple(RequestHeader(key=key, value=value) for key, value in source.headers.items()),
        ),
    )


STEP = Step(
    kind="api-vip-connectivity-check",
    ask=_ask,
    reads=ApiVipReply,
    learn=lambda view, reply: view.host.but(api_vip=reply),
)

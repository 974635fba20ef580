"""The `verify-vips` step: whether the virtual addresses are really free."""

from muster.domain.hosts import VipCheck
from muster.domain.views import HostView

from .step import Args, Step


def _ask(view: HostView) -> Args | None:
    cluster = view.cluster
    if cluster is None or view.host.inventory is None:
        return None
    wanted = tuple(
        VipCheck(vip=vip.ip, vip_type=kind)
        for kind, vips in (("api", cluster.api_vips), ("ingress", cluster.ingress_vips))
        for vip in vips
    )
    return (wanted,) if wanted else None


STEP = Step(
    kind="verify-vips",
    ask=_ask,
    reads=tuple[VipCheck, ...],
    learn=lambda view, reply: view.host.but(vip_checks=reply),
)

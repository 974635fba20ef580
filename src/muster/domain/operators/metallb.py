"""MetalLB: services get addresses of their own on bare metal."""

from typing import TYPE_CHECKING

from .manifests import PRIVILEGED, Manifests, Reach, Tree, resource
from .operator import IN_VIRTUALIZATION, Forecast, Needs, Operator

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView


def later(_: "ClusterView") -> tuple[Tree, ...]:
    """Its parts on all nodes; which addresses it may give away is for the user to say."""
    return (resource("metallb.io/v1beta1", "MetalLB", "metallb", "metallb-system"),)


OPERATOR = Operator(
    name="metallb",
    title="MetalLB",
    namespace="metallb-system",
    subscription="metallb-operator",
    manifests=Manifests(stem="50_metallb", channel="stable", reach=Reach.EVERYWHERE, labels=PRIVILEGED, later=later),
    bundles=IN_VIRTUALIZATION,
    first_version="4.11",
    forecast=Forecast(master=Needs(words=()), worker=Needs(words=())),
)

"""Kubernetes NMState: the networks of nodes are set up from within the cluster."""

from typing import TYPE_CHECKING

from .manifests import SHORT, Manifests, Tree, resource
from .operator import IN_VIRTUALIZATION, Operator

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView


def later(_: "ClusterView") -> tuple[Tree, ...]:
    """Its parts on all nodes."""
    return (resource("nmstate.io/v1", "NMState", "nmstate"),)


OPERATOR = Operator(
    name="nmstate",
    title="Kubernetes NMState Operator",
    namespace="openshift-nmstate",
    subscription="kubernetes-nmstate-operator",
    manifests=Manifests(stem="50_openshift-nmstate", names=SHORT, later=later),
    timeout_seconds=3600,
    bundles=IN_VIRTUALIZATION,
    first_version="4.12",
)

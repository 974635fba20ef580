"""Service Mesh: traffic between services is steered, watched and encrypted."""

from .manifests import Manifests, Reach
from .operator import IN_LARGER_OPENSHIFT_AI, Operator

OPERATOR = Operator(
    name="servicemesh",
    title="Service Mesh",
    namespace="openshift-operators",
    subscription="servicemeshoperator",
    manifests=Manifests(stem="50_servicemesh", channel="stable", reach=Reach.GUEST),
    bundles=IN_LARGER_OPENSHIFT_AI,
)

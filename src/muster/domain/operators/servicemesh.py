"""Service Mesh: traffic between services is steered, watched and encrypted."""

from .operator import IN_LARGER_OPENSHIFT_AI, Operator

OPERATOR = Operator(
    name="servicemesh",
    title="Service Mesh",
    namespace="openshift-operators",
    subscription="servicemeshoperator",
    bundles=IN_LARGER_OPENSHIFT_AI,
)

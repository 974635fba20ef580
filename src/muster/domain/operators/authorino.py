"""Authorino: authorization for services."""

from .operator import IN_LARGER_OPENSHIFT_AI, Operator

OPERATOR = Operator(
    name="authorino",
    title="Authorino",
    namespace="openshift-operators",
    subscription="authorino-operator",
    bundles=IN_LARGER_OPENSHIFT_AI,
)

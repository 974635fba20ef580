"""Pipelines: builds and deliveries, step by step."""

from .operator import IN_LARGER_OPENSHIFT_AI, Operator

OPERATOR = Operator(
    name="pipelines",
    title="Pipelines",
    namespace="openshift-operators",
    subscription="openshift-pipelines-operator-rh",
    bundles=IN_LARGER_OPENSHIFT_AI,
)

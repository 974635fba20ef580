"""Pipelines: builds and deliveries, step by step."""

from .manifests import Manifests, Reach
from .operator import IN_LARGER_OPENSHIFT_AI, Operator

OPERATOR = Operator(
    name="pipelines",
    title="Pipelines",
    namespace="openshift-operators",
    subscription="openshift-pipelines-operator-rh",
    manifests=Manifests(stem="50_pipelines", channel="latest", reach=Reach.GUEST),
    bundles=IN_LARGER_OPENSHIFT_AI,
)

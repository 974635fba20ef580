"""Authorino: authorization for services."""

from .manifests import Manifests, Reach
from .operator import IN_LARGER_OPENSHIFT_AI, Operator

OPERATOR = Operator(
    name="authorino",
    title="Authorino",
    namespace="openshift-operators",
    subscription="authorino-operator",
    manifests=Manifests(stem="50_authorino", channel="tech-preview-v1", reach=Reach.GUEST),
    bundles=IN_LARGER_OPENSHIFT_AI,
)

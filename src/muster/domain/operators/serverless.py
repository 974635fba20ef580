"""Serverless: services that run only while they are called."""

from .manifests import Manifests, Reach
from .operator import IN_LARGER_OPENSHIFT_AI, Operator

OPERATOR = Operator(
    name="serverless",
    title="Serverless",
    namespace="openshift-serverless",
    subscription="serverless-operator",
    manifests=Manifests(stem="50_serverless", channel="stable", reach=Reach.EVERYWHERE),
    bundles=IN_LARGER_OPENSHIFT_AI,
)

"""Serverless: services that run only while they are called."""

from .operator import IN_LARGER_OPENSHIFT_AI, Operator

OPERATOR = Operator(
    name="serverless",
    title="Serverless",
    namespace="openshift-serverless",
    subscription="serverless-operator",
    bundles=IN_LARGER_OPENSHIFT_AI,
)

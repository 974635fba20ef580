"""Node Feature Discovery: nodes are labelled with what they are made of."""

from .operator import Operator

OPERATOR = Operator(
    name="node-feature-discovery",
    title="Node Feature Discovery",
    namespace="openshift-nfd",
    subscription="nfd",
    first_version="4.6",
)

"""OADP: applications are backed up and restored."""

from .operator import IN_VIRTUALIZATION, Operator

OPERATOR = Operator(
    name="oadp",
    title="OADP Operator",
    namespace="openshift-adp",
    subscription="redhat-oadp-operator",
    bundles=IN_VIRTUALIZATION,
)

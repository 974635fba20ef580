"""Loki: logs are kept and searched."""

from .operator import IN_VIRTUALIZATION, Operator

OPERATOR = Operator(
    name="loki",
    title="Loki Operator",
    namespace="openshift-operators-redhat",
    subscription="loki-operator",
    bundles=IN_VIRTUALIZATION,
    first_version="4.17",
)

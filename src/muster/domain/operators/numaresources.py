"""NUMA Resources: pods are placed close to the memory they use."""

from .operator import IN_VIRTUALIZATION, Operator

OPERATOR = Operator(
    name="numaresources",
    title="NUMA Resources",
    namespace="openshift-numaresources",
    subscription="numaresources-operator",
    bundles=IN_VIRTUALIZATION,
    own_check="numa-resources-requirements-satisfied",
)

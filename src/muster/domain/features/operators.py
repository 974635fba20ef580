"""What OLM can add, as features: a table that `FEATURES` is made of."""

from typing import Any

from muster.domain.clusters import Cluster
from muster.domain.monitored import OperatorType

from .feature import OCI, Choice, Feature, of_cluster
from .levels import Level, Levels, ever, since

_ODD_IDS = {"numaresources": "NUMA_RESOURCES"}
"""Operators whose feature is not called as they are."""

PREVIEW: Levels = (("", Level.DEV_PREVIEW),)


def feature_id_of(operator: str) -> str:
    """The id of the feature that an operator is."""
    return _ODD_IDS.get(operator, operator.upper().replace("-", "_"))


def _added(cluster: Cluster, *names: str) -> bool:
    """Whether all of these are added to the cluster."""
    return {each.name for each in cluster.operators if each.operator_type is OperatorType.OLM}.issuperset(names)


def _operator(name: str, *with_: str, **known: Any) -> Feature:
    """The feature of an operator; `with_` are others without which it does not count."""
    return Feature(
        id=feature_id_of(name),
        operator=name,
        choice=Choice(
            field="olm_operators",
            words=f"operator {name}",
            instead=f"leave {name} out",
            made=of_cluster(lambda cluster: _added(cluster, name, *with_)),
        ),
        **known,
    )


OPERATORS = (
    _operator(
        "lvm",
        levels=(("4.11", Level.DEV_PREVIEW), ("4.12", Level.SUPPORTED)),
        not_on=ever("s390x", "ppc64le"),
        not_for=ever("vsphere", "nutanix"),
        excludes={
            **ever("NUTANIX_INTEGRATION", "VSPHERE_INTEGRATION", "ODF"),
            "VIP_AUTO_ALLOC": "4.15",
            "CLUSTER_MANAGED_NETWORKING": "4.15",
        },
    ),
    _operator("odf", not_on=ever("arm64"), not_for=ever(OCI), excludes=ever("SNO", "LVM", "EXTERNAL_PLATFORM_OCI")),
    _operator("lso", not_on=ever("arm64")),
    _operator(
        "cnv",
        levels_on={"arm64": PREVIEW},
        not_on={**ever("s390x", "ppc64le"), "arm64": "4.14"},
        not_for=ever("nutanix", "vsphere"),
        excludes=ever("NUTANIX_INTEGRATION", "VSPHERE_INTEGRATION"),
    ),
    _operator("mce", levels=since("4.10"), not_for=ever("nutanix"), excludes=ever("NUTANIX_INTEGRATION")),
    _operator(
        "mtv",
        "cnv",
        levels=since("4.14"),
        not_on=ever("arm64", "s390x", "ppc64le"),
        not_for=ever("vsphere", "nutanix"),
        excludes=ever("NUTANIX_INTEGRATION", "VSPHERE_INTEGRATION"),
    ),
    _operator(
        "osc",
        levels=since("4.10"),
        not_on=ever("arm64", "s390x", "ppc64le"),
        not_for=ever("vsphere", "nutanix"),
        excludes=ever("NUTANIX_INTEGRATION", "VSPHERE_INTEGRATION"),
    ),
    _operator(
        "nmstate",
        levels=since("4.12"),
        not_on=ever("arm64", "s390x", "ppc64le"),
        not_for=ever("nutanix", "external"),
        excludes=ever("NUTANIX_INTEGRATION", "EXTERNAL_PLATFORM", "EXTERNAL_PLATFORM_OCI"),
    ),
    _operator("node-feature-discovery", levels=since("4.6", Level.DEV_PREVIEW), not_on=ever("ppc64le", "s390x")),
    _operator("nvidia-gpu", levels=PREVIEW, not_on=ever("arm64", "ppc64le", "s390x")),
    _operator("amd-gpu", levels=PREVIEW, not_on=ever("arm64", "ppc64le", "s390x")),
    _operator("kmm", levels=PREVIEW),
    _operator("pipelines", levels=PREVIEW),
    _operator("servicemesh", levels=PREVIEW),
    _operator("serverless", levels=PREVIEW),
    _operator("authorino", levels=PREVIEW, not_on=ever("arm64")),
    _operator(
        "openshift-ai",
        levels=since("4.12", Level.DEV_PREVIEW),
        not_on=ever("arm64", "ppc64le", "s390x"),
        not_for=ever(OCI),
        excludes=ever("EXTERNAL_PLATFORM_OCI"),
    ),
    _operator("node-healthcheck", excludes=ever("SNO")),
    _operator("self-node-remediation", levels=(("", Level.TECH_PREVIEW),), excludes=ever("SNO")),
    _operator("fence-agents-remediation", excludes=ever("SNO")),
    _operator("node-maintenance", excludes=ever("SNO")),
    _operator("kube-descheduler", excludes=ever("SNO")),
    _operator("cluster-observability"),
    _operator("numaresources"),
    _operator("oadp"),
    _operator("metallb", levels=since("4.11")),
    _operator("loki", levels=since("4.17")),
    _operator("openshift-logging", levels=since("4.17")),
)
"""Every operator that OLM can add."""

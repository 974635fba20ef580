"""Operators that OLM can add to a cluster."""

from muster.domain.record import Record

OLM_OPERATORS = {
    "amd-gpu": 1800,
    "authorino": 1800,
    "cluster-observability": 1800,
    "cnv": 3600,
    "fence-agents-remediation": 1800,
    "kmm": 1800,
    "kube-descheduler": 1800,
    "loki": 1800,
    "lso": 4200,
    "lvm": 1800,
    "mce": 3600,
    "metallb": 1800,
    "mtv": 3600,
    "nmstate": 3600,
    "node-feature-discovery": 1800,
    "node-healthcheck": 1800,
    "node-maintenance": 1800,
    "numaresources": 1800,
    "nvidia-gpu": 1800,
    "oadp": 1800,
    "odf": 1800,
    "openshift-ai": 1800,
    "openshift-logging": 1800,
    "osc": 3600,
    "pipelines": 1800,
    "self-node-remediation": 1800,
    "serverless": 1800,
    "servicemesh": 1800,
}
"""Every operator OLM can add, and how many seconds the installation waits for it."""


class Bundle(Record):
    """Operators that are chosen together, and those that may be chosen with them."""

    operators: tuple[str, ...]
    optional: tuple[str, ...] = ()


BUNDLES = {
    "virtualization": Bundle(
        operators=(
            "cluster-observability", "cnv", "fence-agents-remediation", "kube-descheduler", "loki", "metallb", "mtv",
            "nmstate", "node-healthcheck", "node-maintenance", "numaresources", "oadp", "openshift-logging",
        )
    ),
    "openshift-ai": Bundle(
        operators=("authorino", "odf", "openshift-ai", "pipelines", "serverless", "servicemesh"),
        optional=("amd-gpu", "nvidia-gpu"),
    ),
}  # fmt: skip
"""Every bundle by its id."""

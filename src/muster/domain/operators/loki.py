"""Loki: logs are kept and searched."""

from .manifests import SHORT, WATCHED, Manifests, Reach
from .operator import IN_VIRTUALIZATION, Operator

OPERATOR = Operator(
    name="loki",
    title="Loki Operator",
    namespace="openshift-operators-redhat",
    subscription="loki-operator",
    manifests=Manifests(stem="50_openshift-loki", names=SHORT, reach=Reach.EVERYWHERE, labels=WATCHED),
    bundles=IN_VIRTUALIZATION,
    first_version="4.17",
)

"""OADP: applications are backed up and restored."""

from typing import TYPE_CHECKING

from .manifests import Manifests, Tree, resource
from .operator import IN_VIRTUALIZATION, Operator, selected

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView


def later(view: "ClusterView") -> tuple[Tree, ...]:
    """What backs up and restores; where to is for the user to say, and until then no images are backed up."""
    plugins = ["openshift", "csi", *(["kubevirt"] if selected(view.cluster, "cnv") else [])]
    spec = {
        "backupImages": False,
        "configuration": {
            "velero": {"defaultPlugins": plugins, "noDefaultBackupLocation": True},
            "nodeAgent": {"enable": True, "uploaderType": "kopia"},
        },
    }
    return (resource("oadp.openshift.io/v1alpha1", "DataProtectionApplication", "dpa", "openshift-adp", spec),)


OPERATOR = Operator(
    name="oadp",
    title="OADP Operator",
    namespace="openshift-adp",
    subscription="redhat-oadp-operator",
    manifests=Manifests(stem="50_oadp", later=later),
    bundles=IN_VIRTUALIZATION,
)

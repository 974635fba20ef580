"""Local Storage: disks of hosts become volumes."""

from typing import TYPE_CHECKING

from .manifests import SHORT, Manifests, Tree, resource
from .odf import LOCAL_CLASS, OF_STORAGE, carrying_nodes, disk_size_gb
from .operator import Operator, selected

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView

NAMESPACE = "openshift-local-storage"


def later(view: "ClusterView") -> tuple[Tree, ...]:
    """A volume from each spare disk; where Data Foundation is to use them, only from those that it can use."""
    disks: Tree = {"deviceTypes": ["disk"], "deviceMechanicalProperties": ["Rotational", "NonRotational"]}
    spec: Tree = {"storageClassName": LOCAL_CLASS, "volumeMode": "Block", "deviceInclusionSpec": disks}
    if selected(view.cluster, "odf"):
        disks["minSize"] = f"{disk_size_gb(view.cluster, view.policy.operators)}G"
        spec["tolerations"] = [OF_STORAGE]
        if nodes := carrying_nodes(view):
            spec["nodeSelector"] = {"nodeSelectorTerms": [{"matchExpressions": nodes}]}
    return (resource("local.storage.openshift.io/v1alpha1", "LocalVolumeSet", "local-disks", NAMESPACE, spec),)


OPERATOR = Operator(
    name="lso",
    title="Local Storage Operator",
    namespace=NAMESPACE,
    subscription="local-storage-operator",
    manifests=Manifests(stem="50_openshift-lso", names=SHORT, measured=True, later=later),
    timeout_seconds=4200,
)

"""What the cluster itself has to do before an operator is of use: a job that runs once, with the rights it needs.

The job runs in the image of the controller, which every new cluster fetches anyway and which has `oc`. It is tried
again until it succeeds, since what it changes may not be there yet.
"""

from typing import TYPE_CHECKING

from muster.domain.record import Record

from .manifests import RBAC, Files, Tree, resource

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView

LONGEST_SECONDS = 2 * 60 * 60
TRIES = 100

HEAD = "set -euo pipefail\n"

REGISTRY = r"""
# Images that are made in the cluster are kept in its registry, which is off where there is no storage for it.
registry=configs.imageregistry.operator.openshift.io/cluster
state=$(oc get "$registry" --output 'jsonpath={.spec.managementState}')
storage=$(oc get "$registry" --output 'jsonpath={.spec.storage}')
if [[ $state == Managed ]]; then
    echo "the registry of the cluster is on already"
else
    if [[ -z $storage || $storage == '{}' ]]; then
        echo "the registry of the cluster has no storage; it keeps its images for as long as it runs"
        oc patch "$registry" --type merge --patch \
            '{"spec":{"storage":{"emptyDir":{}},"replicas":1,"rolloutStrategy":"Recreate"}}'
    fi
    oc patch "$registry" --type merge --patch '{"spec":{"managementState":"Managed"}}'
fi
"""
"""Switches the registry of the cluster on."""

REGISTRY_RIGHTS: Tree = {
    "apiGroups": ["imageregistry.operator.openshift.io"],
    "resources": ["configs"],
    "verbs": ["get", "patch"],
}


class SetupJob(Record):
    """A job, called after the operator it is for."""

    operator: str
    namespace: str
    script: str
    rights: tuple[Tree, ...]

    def files(self, stem: str, view: "ClusterView") -> Files:
        """The job and its rights, by the names of their files."""
        role = {"apiGroup": RBAC, "kind": "ClusterRole", "name": self.name}
        account = {"kind": "ServiceAccount", "name": self.name, "namespace": self.namespace}
        binding = {"roleRef": role, "subjects": [account]}
        work = self._work(view.policy.controller_image)
        trees = {
            "serviceaccount": resource("v1", "ServiceAccount", self.name, self.namespace),
            "clusterrole": resource(f"{RBAC}/v1", "ClusterRole", self.name) | {"rules": list(self.rights)},
            "clusterrolebinding": resource(f"{RBAC}/v1", "ClusterRoleBinding", self.name) | binding,
            "job": resource("batch/v1", "Job", self.name, self.namespace, work),
        }
        return {f"{stem}_setup_{end}.yaml": tree for end, tree in trees.items()}

    @property
    def name(self) -> str:
        """What the job and its rights are called."""
        return f"{self.operator}-setup"

    def _work(self, image: str) -> Tree:
        container = {
            "name": "setup",
            "image": image,
            "command": ["/bin/bash", "-c", HEAD + self.script],
            "env": [{"name": "HOME", "value": "/tmp"}],  # noqa: S108 - of a container that nobody else is in
            "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}},
            "securityContext": {
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
                "runAsNonRoot": True,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
        }
        pod = {"serviceAccountName": self.name, "restartPolicy": "OnFailure", "containers": [container]}
        return {"activeDeadlineSeconds": LONGEST_SECONDS, "backoffLimit": TRIES, "template": {"spec": pod}}

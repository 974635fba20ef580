"""What the controller may do in the new cluster, and what it does there. `controller_files.py` writes it down."""

from typing import Any

from muster.domain.record import Record

LOOK = ("get", "list", "watch")
CHANGE = (*LOOK, "patch", "update")
REMOVE = (*LOOK, "delete")


class Rule(Record):
    """What may be done with some kinds of objects."""

    why: str
    group: str
    kinds: tuple[str, ...]
    verbs: tuple[str, ...]
    names: tuple[str, ...] = ()
    """Only objects of these names; () for all."""

    @property
    def tree(self) -> dict[str, Any]:
        """The rule as a ClusterRole has it."""
        named = {"resourceNames": list(self.names)} if self.names else {}
        return {"apiGroups": [self.group], "resources": list(self.kinds), "verbs": list(self.verbs), **named}


KUBELET_SIGNERS = ("kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/kubelet-serving")

RULES = (
    Rule(
        why="nodes join, are labelled, and lose the taint of a cloud that is not there",
        group="",
        kinds=("nodes",),
        verbs=CHANGE,
    ),
    Rule(
        why="their requests for certificates are approved",
        group="certificates.k8s.io",
        kinds=("certificatesigningrequests",),
        verbs=LOOK,
    ),
    Rule(
        why="the same",
        group="certificates.k8s.io",
        kinds=("certificatesigningrequests/approval",),
        verbs=("update",),
    ),
    Rule(
        why="the same",
        group="certificates.k8s.io",
        kinds=("signers",),
        verbs=("approve",),
        names=KUBELET_SIGNERS,
    ),
    Rule(
        why="logs tell who has fetched its configuration, and go to the service",
        group="",
        kinds=("pods/log", "namespaces"),
        verbs=LOOK,
    ),
    Rule(
        why="what took the address of the name service, and the pods that look for it, start anew",
        group="",
        kinds=("services", "pods"),
        verbs=REMOVE,
    ),
    Rule(
        why="it says that it is ready",
        group="",
        kinds=("events",),
        verbs=(*LOOK, "create"),
    ),
    Rule(
        why="who installs, how, what OLM is to apply, and which certificate the ingress has",
        group="",
        kinds=("configmaps",),
        verbs=LOOK,
    ),
    Rule(
        why="the cluster and its operators come up, through which proxy",
        group="config.openshift.io",
        kinds=("clusteroperators", "clusterversions", "infrastructures", "proxies"),
        verbs=LOOK,
    ),
    Rule(
        why="the configuration of nodes is that which they are to have; pools wait until nodes have their labels",
        group="machineconfiguration.openshift.io",
        kinds=("machineconfigs", "machineconfigpools"),
        verbs=CHANGE,
    ),
    Rule(
        why="machines find their nodes",
        group="machine.openshift.io",
        kinds=("machines",),
        verbs=LOOK,
    ),
    Rule(
        why="the same",
        group="metal3.io",
        kinds=("baremetalhosts", "baremetalhosts/status", "provisionings"),
        verbs=CHANGE,
    ),
    Rule(
        why="operators come up; plans that have failed are made anew",
        group="operators.coreos.com",
        kinds=("subscriptions", "clusterserviceversions", "installplans"),
        verbs=REMOVE,
    ),
    Rule(
        why="the same for what fetches them",
        group="batch",
        kinds=("jobs",),
        verbs=REMOVE,
    ),
    Rule(
        why="routes of a single node are tried where it does not come up",
        group="route.openshift.io",
        kinds=("routes",),
        verbs=LOOK,
    ),
    Rule(
        why="it runs on the network of its host and sees its files",
        group="security.openshift.io",
        kinds=("securitycontextconstraints",),
        verbs=("use",),
        names=("privileged",),
    ),
)
"""All it may do; nothing of it is a secret but its own token."""

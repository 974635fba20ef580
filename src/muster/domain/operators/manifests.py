"""What gets an operator into a cluster: files for OLM, and what is applied once it runs.

The module of each operator fills in one `Manifests`; `artifacts/system_manifests/olm.py` makes the files.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from muster.domain.record import Record

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView

Tree = dict[str, Any]
"""A manifest."""

Files = dict[str, Tree]
"""Manifests by the names of their files."""

RED_HAT = "redhat-operators"
CERTIFIED = "certified-operators"
COMMUNITY = "community-operators"

WATCHED = {"openshift.io/cluster-monitoring": "true"}
"""The label of a namespace that the cluster's own monitoring looks at."""

PRIVILEGED = {f"pod-security.kubernetes.io/{each}": "privileged" for each in ("enforce", "audit", "warn")}
"""The labels of a namespace whose pods may do all that their node can."""


class Reach(StrEnum):
    """Where an operator looks for work, and so which namespace it is put into."""

    OWN = "own"
    """In a namespace of its own, and nowhere else."""
    EVERYWHERE = "everywhere"
    """In all namespaces, from one of its own."""
    GUEST = "guest"
    """As others do whose namespace it shares."""


class Names(Record):
    """How the files of an operator end."""

    namespace: str = "namespace"
    group: str = "operatorgroup"
    subscription: str = "subscription"


LONG = Names()
SHORT = Names(namespace="ns", group="operator_group")


def resource(version: str, kind: str, name: str, namespace: str = "", spec: Tree | None = None) -> Tree:
    """Something that a cluster is to have."""
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": version, "kind": kind, "metadata": metadata} | ({} if spec is None else {"spec": spec})


def nothing_more(_: "ClusterView") -> Files:
    """No other files."""
    return {}


def nothing_later(_: "ClusterView") -> tuple[Tree, ...]:
    """There is nothing to apply: the operator does its work as it is."""
    return ()


class Manifests(Record):
    """What gets an operator into a cluster."""

    stem: str
    """How its files begin."""
    names: Names = LONG
    package: str = ""
    """What OLM knows it by; "" if its subscription is called the same."""
    channel: str = ""
    """The line of versions it is taken from; "" leaves it to the package."""
    source: str = RED_HAT
    """Who offers it."""
    reach: Reach = Reach.OWN
    labels: dict[str, str] = {}
    """Of its namespace."""
    measured: bool = False
    """Whether the cluster's monitoring has to be let in to measure it."""
    more: Callable[["ClusterView"], Files] = nothing_more
    """Other files that have to be there from the start."""
    later: Callable[["ClusterView"], tuple[Tree, ...]] = nothing_later
    """What is applied once it runs, in order."""

    def files(self, namespace: str, subscription: str) -> Files:
        """The files that tell OLM of it."""
        own = {
            self.names.namespace: namespace_of(namespace, self.labels | (WATCHED if self.measured else {})),
            self.names.group: operator_group(namespace, self.reach),
        }
        monitoring = {
            "prometheus-role": monitoring_role(namespace),
            "prometheus-rolebinding": monitoring_binding(namespace),
        }
        parts = (
            {} if self.reach is Reach.GUEST else own,
            {self.names.subscription: self._subscription(namespace, subscription)},
            monitoring if self.measured else {},
        )
        return {f"{self.stem}_{end}.yaml": tree for part in parts for end, tree in part.items()}

    def _subscription(self, namespace: str, name: str) -> Tree:
        channel = {"channel": self.channel} if self.channel else {}
        spec = {
            "name": self.package or name,
            **channel,
            "source": self.source,
            "sourceNamespace": "openshift-marketplace",
            "installPlanApproval": "Automatic",
        }
        return resource("operators.coreos.com/v1alpha1", "Subscription", name, namespace, spec)


def namespace_of(name: str, labels: dict[str, str]) -> Tree:
    """A namespace."""
    plain = resource("v1", "Namespace", name)
    return plain | {"metadata": plain["metadata"] | ({"labels": labels} if labels else {})}


def operator_group(namespace: str, reach: Reach) -> Tree:
    """Which namespaces the operators of a namespace look at. It is called alike for all of them: there may be one."""
    spec: Tree = {"targetNamespaces": [namespace]} if reach is Reach.OWN else {}
    return resource("operators.coreos.com/v1", "OperatorGroup", namespace, namespace, spec)


RBAC = "rbac.authorization.k8s.io"


def monitoring_role(namespace: str) -> Tree:
    """What the cluster's monitoring may do in a namespace: find what is to be measured."""
    rule = {"apiGroups": [""], "resources": ["services", "endpoints", "pods"], "verbs": ["get", "list", "watch"]}
    return resource(f"{RBAC}/v1", "Role", "prometheus-k8s", namespace) | {"rules": [rule]}


def monitoring_binding(namespace: str) -> Tree:
    """That it is the cluster's monitoring that may."""
    role = {"apiGroup": RBAC, "kind": "Role", "name": "prometheus-k8s"}
    who = {"kind": "ServiceAccount", "name": "prometheus-k8s", "namespace": "openshift-monitoring"}
    binding = resource(f"{RBAC}/v1", "RoleBinding", "prometheus-k8s", namespace)
    return binding | {"roleRef": role, "subjects": [who]}

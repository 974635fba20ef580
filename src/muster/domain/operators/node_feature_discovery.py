"""Node Feature Discovery: nodes are labelled with what they are made of."""

from typing import TYPE_CHECKING

from muster.domain.releases import at_least, minor

from .amd_gpu import LABEL as AMD_LABEL
from .manifests import PRIVILEGED, Manifests, Tree, resource
from .operator import Operator, selected

if TYPE_CHECKING:  # views add up what operators need
    from muster.domain.views import ClusterView

NAMESPACE = "openshift-nfd"
IMAGES = (
    ("4.17", ""),
    ("4.15", "registry.redhat.io/openshift4/ose-node-feature-discovery-rhel9"),
    ("", "registry.redhat.io/openshift4/ose-node-feature-discovery"),
)
"""The image of what looks at nodes, since each version, newest first; "" where the operator knows it by itself."""

DISPLAYS, ACCELERATORS = ("0300", "0302", "0380"), ("1200",)
"""The PCI classes of graphics and compute cards."""


def later(view: "ClusterView") -> tuple[Tree, ...]:
    """Labels for the cards of every node, and one more for those that AMD's drivers are for."""
    version = view.cluster.openshift_version
    image = next(image for since, image in IMAGES if not since or at_least(version, since))
    tagged = f"{image}:v{'.'.join(map(str, minor(version)))}"
    spec: Tree = {"operand": {"servicePort": 12000, **({"image": tagged} if image else {})}}
    spec["workerConfig"] = {"configData": WATCHED_CARDS}
    discovery = resource("nfd.openshift.io/v1", "NodeFeatureDiscovery", "nfd-instance", NAMESPACE, spec)
    return (discovery, *((_amd_rule(),) if selected(view.cluster, "amd-gpu") else ()))


WATCHED_CARDS = """\
core:
  sleepInterval: 60s
sources:
  pci:
    deviceClassWhitelist: ["0200", "03", "12"]
    deviceLabelFields: ["vendor"]
"""
"""Network, graphics and compute cards, by who has made them."""


def _amd_rule() -> Tree:
    card = {
        "vendor": {"op": "In", "value": ["1002"]},
        "class": {"op": "In", "value": [*DISPLAYS, *ACCELERATORS]},
    }
    rule = {
        "name": "amd-gpu",
        "labels": {AMD_LABEL: "true"},
        "matchFeatures": [{"feature": "pci.device", "matchExpressions": card}],
    }
    return resource("nfd.openshift.io/v1alpha1", "NodeFeatureRule", "amd-gpu", NAMESPACE, {"rules": [rule]})


OPERATOR = Operator(
    name="node-feature-discovery",
    title="Node Feature Discovery",
    namespace=NAMESPACE,
    subscription="nfd",
    manifests=Manifests(stem="50_nodefeaturediscovery", channel="stable", labels=PRIVILEGED, later=later),
    first_version="4.6",
)

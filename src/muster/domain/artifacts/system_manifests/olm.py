"""Turns the operators that were selected into what OLM needs to bring them, and into what is applied once they run.

The first are manifests like any other. The second wait with the service (`custom_manifests`), or, where there is no
service any more once the cluster runs, in a ConfigMap of the cluster itself; the controller reads either.
"""

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from muster.domain.monitored import OperatorType
from muster.domain.operators import OLM_OPERATORS
from muster.domain.operators.manifests import Files, Manifests, Tree
from muster.domain.operators.operator import Operator, settled
from muster.domain.views import ClusterView


def is_wanted(view: ClusterView) -> bool:
    """Whether any operator was selected."""
    return any(_selected(view))


def _selected(view: ClusterView) -> Iterator[Operator]:
    for each in view.cluster.operators:
        if each.operator_type is OperatorType.OLM and each.name in OLM_OPERATORS:
            yield OLM_OPERATORS[each.name]


def _manifests(operator: Operator, view: ClusterView) -> Manifests:
    return settled(operator.manifests, view.cluster, view.policy.operators)


def _namespace(operator: Operator, view: ClusterView) -> str:
    return settled(operator.namespace, view.cluster, view.policy.operators)


def _subscription(operator: Operator, view: ClusterView) -> str:
    return settled(operator.subscription, view.cluster, view.policy.operators)


def operator_files(view: ClusterView) -> Files:
    """Every file of every operator by its name."""
    files: Files = {}
    for operator in _selected(view):
        manifests = _manifests(operator, view)
        files |= manifests.files(_namespace(operator, view), _subscription(operator, view)) | manifests.more(view)
    return files


def custom_manifests(view: ClusterView) -> list[dict[str, str]]:
    """What is applied once operators run: an entry for each that has something, as the controller reads it."""
    applied = ((operator.name, _manifests(operator, view).later(view)) for operator in _selected(view))
    return [{"Name": name, "Content": _base64(documents)} for name, documents in applied if documents]


def manifest(view: ClusterView) -> dict[str, Any]:
    """The same for a controller that finds no service: a ConfigMap with a key for each document."""
    entries: dict[str, str] = {}
    for operator in _selected(view):
        documents = _manifests(operator, view).later(view)
        named = {f"{operator.name}-{number:02}.yaml": _base64((each,)) for number, each in enumerate(documents)}
        about = {
            "namespace": _namespace(operator, view),
            "subscriptionName": _subscription(operator, view),
            "manifests": list(named),
        }
        entries |= {f"{operator.name}.metadata.yaml": json.dumps(about), **named}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "olm-operator-manifests", "namespace": "assisted-installer"},
        "data": entries,
    }


def _base64(documents: tuple[Tree, ...]) -> str:
    """Documents as YAML. The dashes in front tell those who would guess that it is not one JSON text."""
    text = "".join(f"---\n{json.dumps(each, indent=2)}\n" for each in documents)
    return b64encode(text.encode()).decode()

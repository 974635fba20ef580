"""Clusters with operators, and what gets those into them."""

from base64 import b64decode
from typing import Any

import yaml

from builders import a_policy, a_view, cluster_view, some_ready_hosts
from equipping import selecting
from muster.domain.artifacts.system_manifests import custom_manifests
from muster.domain.artifacts.system_manifests.olm import operator_files
from muster.domain.operators.settings import OperatorSettings
from muster.domain.views import ClusterView


def a_site(*names: str, hosts: Any = None, settings: OperatorSettings | None = None, **changes: Any) -> ClusterView:
    """A cluster that is about to be installed with these operators."""
    policy = a_policy(operators=settings or OperatorSettings())
    found = some_ready_hosts(3, 3) if hosts is None else hosts
    return cluster_view(a_view(selecting(*names, **changes), found, policy=policy))


def files(*names: str, **changes: Any) -> dict[str, Any]:
    """The files of operators, by name."""
    return operator_files(a_site(*names, **changes))


def applied(*names: str, **changes: Any) -> dict[str, Any]:
    """What is applied once operators run, by kind."""
    entries = custom_manifests(a_site(*names, **changes))
    trees = (tree for entry in entries for tree in yaml.safe_load_all(b64decode(entry["Content"])))
    return {tree["kind"]: tree for tree in trees}

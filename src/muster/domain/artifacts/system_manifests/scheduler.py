"""The control plane carries workloads, too: because the user wants it, or because there are too few workers."""

from typing import Any

from muster.domain.views import ClusterView


def is_wanted(view: ClusterView) -> bool:
    """Whether it does."""
    return view.cluster.schedulable_masters or view.cluster.schedulable_masters_forced_true


def patch(_: ClusterView) -> list[dict[str, Any]]:
    """The change of what the release itself says; it holds whether or not the release says anything."""
    return [{"op": "add", "path": "/spec/mastersSchedulable", "value": True}]

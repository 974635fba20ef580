"""Clusters that are made for trials do not send their measurements to where those of customers are kept."""

import json
from typing import Any
from urllib.parse import urlsplit

from muster.domain.views import ClusterView

SERVERS = {
    "api.stage.openshift.com": "https://infogw.api.stage.openshift.com",
    "api.integration.openshift.com": "https://telemeter.invalid",
}
"""Where a cluster sends its measurements, by where the service that made it is; the last is nowhere."""


def is_wanted(view: ClusterView) -> bool:
    """Whether the service is one for trials."""
    return _service(view) in SERVERS


def manifest(view: ClusterView) -> dict[str, Any]:
    """What tells the cluster's monitoring where to send to."""
    settings = {"telemeterClient": {"telemeterServerURL": SERVERS[_service(view)]}}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "cluster-monitoring-config", "namespace": "openshift-monitoring"},
        "data": {"config.yaml": json.dumps(settings)},
    }


def _service(view: ClusterView) -> str:
    return urlsplit(view.policy.service_url).hostname or ""

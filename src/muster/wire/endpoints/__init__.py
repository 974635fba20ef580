"""Everything that can be called, declared once. Server, client and OpenAPI are bound to these rows."""

from . import (
    base_images,
    clusters,
    domains,
    events,
    features,
    hosts,
    images,
    infra_envs,
    manifests,
    operators,
    ours,
    v1,
    versions,
)
from .endpoint import Endpoint

MODULES = (
    clusters,
    manifests,
    infra_envs,
    images,
    base_images,
    hosts,
    events,
    versions,
    features,
    operators,
    domains,
    ours,
    v1,
)

ENDPOINTS: tuple[Endpoint, ...] = tuple(
    each for module in MODULES for each in vars(module).values() if isinstance(each, Endpoint)
)
"""Every call there is."""

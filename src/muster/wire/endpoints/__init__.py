"""Everything that can be called, declared once. Server, client and OpenAPI are bound to these rows."""

from . import clusters, events, hosts, infra_envs, ours, versions
from .endpoint import Endpoint

MODULES = (clusters, infra_envs, hosts, events, versions, ours)

ENDPOINTS: tuple[Endpoint, ...] = tuple(
    each for module in MODULES for each in vars(module).values() if isinstance(each, Endpoint)
)
"""Every call there is."""

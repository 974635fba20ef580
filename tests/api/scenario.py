"""Every call that the original's own client can make, each with a function that makes it.

The modules have one function for each method of the client, named like the method. Each makes what it needs, calls
the method, and says what must have come of it. `test_real_client` runs every one of them by itself; `test_contract`
runs all of them before a witness.
"""

import inspect
from collections.abc import Callable

import scenario_catalogue
import scenario_clusters
import scenario_hosts
import scenario_infra_envs
from assisted_service_client import api
from scenario_stage import Stage

MODULES = (scenario_clusters, scenario_infra_envs, scenario_hosts, scenario_catalogue)


def methods() -> frozenset[str]:
    """Every call that the client can make."""
    faces = [each for _, each in inspect.getmembers(api, inspect.isclass)]
    named = {name for face in faces for name in vars(face)}
    return frozenset(name for name in named if f"{name}_with_http_info" in named)


DRIVEN: dict[str, Callable[[Stage], None]] = {
    name: each for module in MODULES for name, each in vars(module).items() if name in methods()
}

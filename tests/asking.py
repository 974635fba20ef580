"""How tests ask for one step, and read it as an agent does."""

import json

import msgspec

from builders import INFRA_ENV_ID, a_ready_cluster, a_view, an_infra_env, host_view, some_ready_hosts
from muster.domain.hosts import HostState
from muster.domain.steps import STEPS

S = HostState


def of(*, cluster=None, status=S.KNOWN, policy=None, infra_env=None, **changes):
    """A cluster of three in which the first host is in a state."""
    first, *others = some_ready_hosts()
    hosts = [first.but(status=status, ignition_stored=True, **changes), *others]
    view = a_view(cluster or a_ready_cluster(hosts, ocp_release_image="quay.io/release:1"), hosts, policy=policy)
    return view.but(infra_envs={INFRA_ENV_ID: infra_env or an_infra_env()})


def args(view, kind, host_id="m1"):
    """The arguments of a step as an agent reads them; None if it is not asked for."""
    found = STEPS[kind].ask(host_view(view, host_id))
    if found is None:
        return None
    return [each if isinstance(each, str) else json.loads(msgspec.json.encode(each)) for each in found]


def plan(view, host_id="m1"):
    """What the installer is told."""
    (request,) = args(view, "install", host_id)
    return request

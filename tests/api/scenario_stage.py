"""The original's own client on a stage: its faces, and clusters and hosts in every state for it to act on.

The other modules `scenario_*` act on it; `scenario` knows them all.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from assisted_service_client import (
    ApiClient,
    Configuration,
    EventsApi,
    InstallerApi,
    ManagedDomainsApi,
    ManifestsApi,
    OperatorsApi,
    VersionsApi,
)
from assisted_service_client.rest import ApiException
from calling import Caller
from making import (
    Made,
    a_cluster,
    a_host,
    a_ready_single_node,
    an_infra_env,
    finalizing,
    installed,
    installing,
    now,
    replies,
    said_by_the_recorded_host,
)


class Bound(NamedTuple):
    """A host by its two ids, as the client wants them."""

    infra_env_id: str
    host_id: str


class Stage:
    """One service, called by the client and, for what has to be there before, by hand."""

    def __init__(self, url: str) -> None:
        configuration = Configuration()
        configuration.host = f"{url}/api/assisted-install"
        self._client = ApiClient(configuration=configuration)
        self.hand = Caller(url)
        self.installer = InstallerApi(self._client)
        self.events = EventsApi(self._client)
        self.manifests = ManifestsApi(self._client)
        self.operators = OperatorsApi(self._client)
        self.versions = VersionsApi(self._client)
        self.domains = ManagedDomainsApi(self._client)

    def close(self) -> None:
        """Hang up."""
        self.hand.close()
        self._client.rest_client.pool_manager.clear()
        self._client.pool.close()
        self._client.pool.join()

    def cluster(self, **written: Any) -> str:
        """The id of a cluster that was just described."""
        return a_cluster(self.hand, **written)

    def infra_env(self, cluster_id: str | None = None, **written: Any) -> str:
        """The id of a discovery image."""
        return an_infra_env(self.hand, cluster_id, **written)

    def host(self, infra_env_id: str | None = None) -> Bound:
        """A host that has just registered, in a pool of its own unless told where."""
        place = infra_env_id or self.infra_env()
        return Bound(place, a_host(self.hand, place))

    def ready(self) -> Made:
        """A cluster of one host that can be installed."""
        return a_ready_single_node(self.hand)

    def installing(self) -> Made:
        """A cluster that installs."""
        return installing(self.hand, self.ready())

    def finalizing(self) -> Made:
        """A cluster whose host is a node."""
        return finalizing(self.hand, self.installing())

    def installed(self) -> Made:
        """A cluster that is installed."""
        return installed(self.hand, self.finalizing())

    def in_a_pool(self) -> Bound:
        """A host that can be bound to any cluster."""
        host = self.host()
        said = said_by_the_recorded_host()
        self.says(host, "inventory", said["inventory"])
        self.says(host, "ntp-synchronizer", said["ntp-synchronizer"])
        return host

    def added_later(self) -> Bound:
        """A host that can be added to a cluster that is installed."""
        it = self.installed()
        assert self.hand.v2(f"POST {it.cluster}/actions/allow-add-hosts").status == 202
        host = self.host(it.infra_env_id)
        said = said_by_the_recorded_host()
        other = said["inventory"].replace("52:54:00:00:02:00", "52:54:00:00:02:09").replace("host-2-0", "host-2-9")
        self.says(host, "inventory", other.replace("192.168.2.10/", "192.168.2.19/"))
        self.says(host, "api-vip-connectivity-check", {"is_success": True})
        self.says(host, "ntp-synchronizer", said["ntp-synchronizer"])
        self.says(host, "domain-resolution", _resolved(said["domain-resolution"]))
        return host

    def says(self, host: Bound, step: str, output: Any) -> None:
        """A host has done a step; it has asked for it at the right time."""
        path = f"/infra-envs/{host.infra_env_id}/hosts/{host.host_id}"
        self.hand.v2(f"GET {path}/instructions?timestamp={now()}")
        replies(self.hand, path, step, output)


def _resolved(output: str) -> Any:
    """What a host says of names once those of the cluster lead somewhere."""
    said = json.loads(output)
    for each in said["resolutions"]:
        if each["domain_name"].startswith(("api.", "api-int.", "console-")):
            each["ipv4_addresses"] = ["192.168.2.10"]
    return said


@contextmanager
def refused(status: int) -> Iterator[None]:
    """What is done within is answered with this status."""
    try:
        yield
    except ApiException as error:
        assert error.status == status, (error.status, error.body)  # noqa: PT017 - the context is the assertion
    else:
        raise AssertionError(f"accepted, not refused with {status}")

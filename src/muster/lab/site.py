"""What has to be described before machines can be started: a cluster, and the image they are started from."""

import secrets
from base64 import b64encode
from ipaddress import ip_network
from typing import Any

import msgspec

from muster.client import Client
from muster.domain.errors import Invalid, NotFound
from muster.domain.releases import parts
from muster.wire.endpoints.clusters import LIST_CLUSTERS, REGISTER_CLUSTER
from muster.wire.endpoints.infra_envs import LIST_INFRA_ENVS, REGISTER_INFRA_ENV
from muster.wire.endpoints.versions import OPENSHIFT_VERSIONS
from muster.wire.infra_envs import token_in

from .fleet import Place
from .profiles import Room, profiles_of
from .static_networks import static_networks

REGISTRY = "lab.muster.local"
BASE_DOMAIN = "lab.local"

DUAL_STACK = {
    "cluster_networks": [{"cidr": "10.128.0.0/14", "host_prefix": 23}, {"cidr": "fd01::/48", "host_prefix": 64}],
    "service_networks": [{"cidr": "172.30.0.0/16"}, {"cidr": "fd02::/112"}],
}
"""The ranges for pods and services where machines have addresses of both families."""


def new_pull_secret() -> str:
    """A login for the lab's registry that nobody else has."""
    login = b64encode(f"lab:{secrets.token_hex(16)}".encode()).decode()
    return msgspec.json.encode({"auths": {REGISTRY: {"auth": login}}}).decode()


async def newest_version(client: Client) -> str:
    """The newest release on offer."""
    versions = await client.call(OPENSHIFT_VERSIONS)
    if not versions:
        raise NotFound("The service offers no OpenShift release; set RELEASE_IMAGES")
    return str(max(versions, key=parts))


async def new_place(client: Client, name: str, room: Room) -> Place:
    """A new cluster for the machines of a room, and the image they are started from."""
    secret = new_pull_secret()
    body = {
        "name": name,
        "openshift_version": await newest_version(client),
        "base_dns_domain": BASE_DOMAIN,
        "pull_secret": secret,
        "control_plane_count": room.masters,
        "high_availability_mode": "None" if room.masters == 1 else "Full",
        **_addressed(room),
    }
    cluster = await client.call(REGISTER_CLUSTER, body=body)
    told = {"static_network_config": static_networks(profiles_of(room))} if room.static else {}
    return _place(cluster, await _new_infra_env(client, cluster, secret, told))


def _addressed(room: Room) -> dict[str, Any]:
    """How a cluster in the room is found: at addresses of its own, or as its user sees to it."""
    networks: dict[str, Any] = DUAL_STACK if room.second_network else {}
    if room.masters == 1 or room.user_managed:
        return networks | {"user_managed_networking": True}
    return networks | {
        "api_vips": [{"ip": each} for each in room.api_vips],
        "ingress_vips": [{"ip": each} for each in room.ingress_vips],
        **({"machine_networks": [{"cidr": each} for each in room.networks]} if networks else {}),
    }


async def _new_infra_env(
    client: Client, cluster: dict[str, Any], secret: str, told: dict[str, Any] | None = None
) -> dict[str, Any]:
    body = {"name": f"{cluster['name']}-hosts", "cluster_id": cluster["id"], "pull_secret": secret, **(told or {})}
    infra_env: dict[str, Any] = await client.call(REGISTER_INFRA_ENV, body=body)
    return infra_env


def _place(cluster: dict[str, Any], infra_env: dict[str, Any]) -> Place:
    """Where the machines belong that are started from an image."""
    return Place(cluster_id=cluster["id"], infra_env_id=infra_env["id"], token=token_in(infra_env["download_url"]))


async def place_of(client: Client, wanted: str) -> tuple[Place, dict[str, Any]]:
    """The cluster that is called so or has that id, with an image for its machines."""
    found = [each for each in await client.call(LIST_CLUSTERS) if wanted in (each["id"], each["name"])]
    if not found:
        raise NotFound(f"There is no cluster {wanted!r}; leave --cluster out to have one made")
    if len(found) > 1:
        raise Invalid(f"{len(found)} clusters are called {wanted!r}; give the id of one of them")
    cluster = found[0]
    images = [each for each in await client.call(LIST_INFRA_ENVS) if each.get("cluster_id") == cluster["id"]]
    infra_env = images[0] if images else await _new_infra_env(client, cluster, new_pull_secret())
    return _place(cluster, infra_env), cluster


def room_beside(cluster: dict[str, Any], room: Room) -> Room:
    """The room moved into the network of a cluster that is there already, clear of its addresses."""
    vips = tuple(vip["ip"] for field in ("api_vips", "ingress_vips") for vip in cluster.get(field) or ())
    if not vips:
        return room
    return room.but(network=str(ip_network(f"{vips[0]}/24", strict=False)), reserved=vips)

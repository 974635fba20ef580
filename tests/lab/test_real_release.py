"""A release in a real registry, in a domain that the service manages: what hosts are told of it, and by which names
the cluster is found.

The installer of the release and the provider of the domain are stand-ins (`parts/openshift_install.py`,
`parts/route53.py`); registry, service and agents are what they are.
"""

import asyncio
import json

import pytest

from muster.domain.errors import Refused
from muster.wire.endpoints.clusters import (
    CANCEL_INSTALLATION,
    DELETE_CLUSTER,
    INSTALL_CLUSTER,
    RESET_CLUSTER,
    UPDATE_CLUSTER,
)
from parts.labs import bring_up
from parts.offered_release import OfferedRelease
from parts.route53 import KEY, KEY_ID, ZONE, Route53Zone
from parts.service import RunningService
from watching import PATIENCE, in_state, until

pytestmark = pytest.mark.slow

COMPONENT = "quay.io/ocp/components@sha256:"
NAMES = {("api.lab.lab.local", "A"): ("192.168.126.2",), ("*.apps.lab.lab.local", "A"): ("192.168.126.3",)}
ALONE = {(f"{label}.lab.lab.local", "A"): ("192.168.126.10",) for label in ("api", "api-int", "*.apps")}


@pytest.fixture(scope="module")
def zone():
    it = Route53Zone()
    it.start()
    yield it
    it.stop()


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    release = OfferedRelease(tmp_path_factory.mktemp("release"))
    release.start()
    yield release
    release.stop()


@pytest.fixture(scope="module")
def service(zone, release, tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    login = folder / "credentials"
    login.write_text(f"[default]\naws_access_key_id = {KEY_ID}\naws_secret_access_key = {KEY}\n")
    domain = {
        "BASE_DNS_DOMAINS": f"lab.local:{ZONE}/route53",
        "AWS_SHARED_CREDENTIALS_FILE": str(login),
        "AWS_ENDPOINT_URL_ROUTE_53": zone.url,
    }
    running = RunningService(folder / "data", release.environment | domain)
    running.start()
    yield running
    running.stop()


async def pressed(lab):
    await until(lab.client, lab.place.cluster_id, in_state("ready"))
    await lab.client.call(INSTALL_CLUSTER, cluster_id=lab.place.cluster_id)


async def gone(zone):
    async with asyncio.timeout(PATIENCE):
        while zone.records:  # noqa: ASYNC110 - what is waited for happens in another thread
            await asyncio.sleep(0.02)


async def test_hosts_try_the_images_that_the_release_names_and_the_cluster_is_found_by_its_names(service, zone):
    async with bring_up(service.url, workers=0) as lab:
        await pressed(lab)
        cluster = await until(lab.client, lab.place.cluster_id, in_state("installed", "error"))
        assert cluster["status"] == "installed", cluster["status_info"]
        for host in cluster["hosts"]:
            tried = json.loads(host["images_status"])
            assert {COMPONENT + "1" * 64, COMPONENT + "2" * 64, cluster["ocp_release_image"]} <= tried.keys()
        assert zone.records == NAMES
        await lab.client.call(DELETE_CLUSTER, cluster_id=lab.place.cluster_id)
        await gone(zone)


async def test_the_names_of_a_single_node_go_with_a_reset(service, zone):
    async with bring_up(service.url, masters=1, workers=0) as lab:
        await pressed(lab)
        await until(lab.client, lab.place.cluster_id, in_state("installing", "finalizing"))
        assert zone.records == ALONE
        await lab.client.call(CANCEL_INSTALLATION, cluster_id=lab.place.cluster_id)
        assert zone.records == ALONE
        await lab.client.call(RESET_CLUSTER, cluster_id=lab.place.cluster_id)
        await gone(zone)
        await lab.client.call(DELETE_CLUSTER, cluster_id=lab.place.cluster_id)


async def test_a_name_that_is_somebody_elses_is_told_before_any_disk_is_written(service, zone):
    zone.records = {("api.lab.lab.local", "A"): ("203.0.113.1",)}
    async with bring_up(service.url, masters=1, workers=0) as lab:
        await pressed(lab)
        said = "api.lab.lab.local leads to 203.0.113.1"
        cluster = await until(lab.client, lab.place.cluster_id, lambda seen: said in seen["status_info"])
        assert cluster["status"] == "ready"
        assert zone.records == {("api.lab.lab.local", "A"): ("203.0.113.1",)}
        zone.records[("*.apps.other.lab.local", "AAAA")] = ("2001:db8::1",)
        with pytest.raises(Refused, match=r"\*\.apps\.other\.lab\.local leads to 2001:db8::1"):
            await lab.client.call(UPDATE_CLUSTER, body={"name": "other"}, cluster_id=lab.place.cluster_id)
        await lab.client.call(DELETE_CLUSTER, cluster_id=lab.place.cluster_id)
    zone.records = {}

"""Slow work: begun with a decision, done by whoever lives, answered once."""

import asyncio
from datetime import timedelta

import pytest

from builders import NOW, a_policy
from muster.adapters.memory import FakeClock, MemoryBlobs, MemoryBus, MemoryStore
from muster.adapters.releases.certificates import new_ingress_ca
from muster.adapters.releases.lab import LabReleases
from muster.domain.clusters import ClusterState, PreparationStatus
from muster.domain.effects import DeleteFiles, GenerateFiles, GiveUpHosts, PublishKubeconfig
from muster.domain.errors import Broken, Finished, Unavailable
from muster.domain.events import EventQuery
from muster.domain.inputs.clusters import ClusterCreate
from muster.domain.manifests import Folder, Manifest, ManifestName, Source
from muster.domain.triggers import KubeconfigPublished, Prepared, RegisterCluster, Ticked
from muster.domain.views import cluster_scope
from muster.ports import Change, Commit
from muster.runtime.effects import LEASE, Effects
from muster.runtime.engine import Engine, Known
from muster.runtime.manifests import StoredManifests

CLUSTER = "10000000-0000-4000-8000-000000000001"
SCOPE = cluster_scope(CLUSTER)
SECRET = '{"auths":{"quay.io":{"auth":"dXNlcjpwYXNz"}}}'


class World:
    """A service whose cluster is being prepared."""

    def __init__(self):
        self.clock = FakeClock(NOW)
        self.store = MemoryStore(clock=self.clock)
        self.blobs = MemoryBlobs()
        self.releases = LabReleases()
        self.engine = Engine(self.store, MemoryBus(), self.clock, a_policy())

    def worker(self, owner="w1", releases=None):
        return Effects(self.engine, self.blobs, releases or self.releases, owner)

    async def prepare(self):
        inputs = ClusterCreate(name="lab", openshift_version="4.20", pull_secret=SECRET, base_dns_domain="example.com")
        decision = await self.engine.submit(SCOPE, RegisterCluster(cluster_id=CLUSTER, inputs=inputs))
        before = decision.cluster
        after = before.but(
            status=ClusterState.PREPARING,
            preparation=before.preparation.but(attempt=1, status=PreparationStatus.NOT_STARTED),
        )
        await self.begin(GenerateFiles(cluster_id=CLUSTER, attempt=1), Change(old=before, new=after))

    async def begin(self, effect, *changes):
        view = await self.engine.view(SCOPE)
        await self.store.commit(
            Commit(
                scope=SCOPE,
                version=view.version,
                at=NOW,
                actor="t",
                triggers=("T",),
                changes=changes,
                effects=(effect,),
            )
        )
        self.engine._hear(None)

    async def become(self, state):
        """Let the cluster be in another state."""
        before = await self.cluster()
        await self.begin(GiveUpHosts(infra_env_id="none"), Change(old=before, new=before.but(status=state)))

    async def cluster(self):
        return (await self.engine.view(SCOPE)).cluster


@pytest.fixture
async def world():
    world = World()
    await world.prepare()
    return world


async def done(worker):
    await asyncio.gather(*await worker.claim())


async def test_the_files_of_a_cluster_are_generated_and_the_cluster_knows(world):
    await done(world.worker())
    cluster = await world.cluster()
    assert cluster.preparation.status is PreparationStatus.SUCCESS
    assert cluster.openshift_cluster_id
    assert f"{CLUSTER}/kubeconfig-noingress" in await world.blobs.keys(f"{CLUSTER}/")
    assert await world.store.next_effect() is None


async def test_files_that_cannot_be_generated_are_told_with_the_reason(world):
    class Hopeless(LabReleases):
        async def assets(self, order, tell):
            raise Broken("the release image holds no installer")

    await done(world.worker(releases=Hopeless()))
    preparation = (await world.cluster()).preparation
    assert (preparation.status, preparation.reason) == (
        PreparationStatus.FAILED,
        "the release image holds no installer",
    )


async def test_work_that_failed_for_the_moment_is_tried_again_later_and_later(world):
    class Flaky(LabReleases):
        async def assets(self, order, tell):
            raise Unavailable("the registry does not answer")

    worker = world.worker(releases=Flaky())
    waits = []
    for _ in range(3):
        await done(worker)
        due = await world.store.next_effect()
        waits.append(due - world.clock.now())
        world.clock.advance(due - world.clock.now())
    assert waits == sorted(waits)
    assert waits[0] < waits[-1]
    await done(world.worker())
    assert (await world.cluster()).preparation.status is PreparationStatus.SUCCESS


async def test_the_work_of_a_worker_that_died_is_taken_over(world):
    (lease,) = await world.store.claim_effects("dead", world.clock.now(), LEASE, 10)
    assert await world.worker("alive").claim() == ()
    world.clock.advance(LEASE + timedelta(seconds=1))
    await done(world.worker("alive"))
    assert (await world.cluster()).preparation.status is PreparationStatus.SUCCESS
    with pytest.raises(Finished):
        await world.engine.submit(SCOPE, Prepared(attempt=1), finishes=lease.id)


async def test_the_answer_to_an_attempt_that_is_over_changes_nothing(world):
    decision = await world.engine.submit(SCOPE, Prepared(attempt=0, openshift_cluster_id="old"))
    assert decision.cluster.openshift_cluster_id == ""


async def test_the_kubeconfig_comes_to_trust_the_ingress(world):
    await done(world.worker())
    await world.become(ClusterState.FINALIZING)
    answer = await world.worker().perform(trusting("example.com"))
    assert isinstance(answer, KubeconfigPublished)
    plain = await world.blobs.get(f"{CLUSTER}/kubeconfig-noingress")
    assert len(await world.blobs.get(f"{CLUSTER}/kubeconfig")) > len(plain)


def trusting(domain, attempt=1):
    return PublishKubeconfig(cluster_id=CLUSTER, ingress_ca=new_ingress_ca(domain), attempt=attempt)


@pytest.mark.parametrize(
    ("state", "attempt"), [(ClusterState.FINALIZING, 0), (ClusterState.INSUFFICIENT, 1), (ClusterState.CANCELLED, 1)]
)
async def test_the_ingress_of_an_attempt_that_is_over_is_not_trusted_by_the_next(world, state, attempt):
    await done(world.worker())
    await world.become(state)
    assert isinstance(await world.worker().perform(trusting("example.com", attempt)), Ticked)
    assert not await world.blobs.exists(f"{CLUSTER}/kubeconfig")


async def test_a_kubeconfig_that_the_storage_has_lost_is_waited_for(world):
    await world.become(ClusterState.FINALIZING)
    with pytest.raises(Unavailable, match="reset and installed again"):
        await world.worker().perform(trusting("example.com"))


async def test_the_files_of_an_attempt_outlive_the_reset_of_an_earlier_one(world):
    await done(world.worker())
    await world.worker().perform(DeleteFiles(cluster_id=CLUSTER, attempt=0))
    assert await world.blobs.exists(f"{CLUSTER}/kubeconfig-noingress")


async def test_an_ingress_certificate_of_no_use_is_left_aside(world):
    await done(world.worker())
    await world.become(ClusterState.FINALIZING)
    useless = PublishKubeconfig(cluster_id=CLUSTER, ingress_ca="not a certificate", attempt=1)
    answer = await world.worker().perform(useless)
    assert isinstance(answer, Ticked)
    assert not await world.blobs.exists(f"{CLUSTER}/kubeconfig")


MINE = ManifestName(folder=Folder.OPENSHIFT, file_name="mine.yaml")


@pytest.mark.parametrize(
    ("everything", "left"),
    [
        (False, {"logs/h/logs.tar.gz", "manifests/openshift/mine.yaml", "manifest-attributes/openshift/mine.yaml"}),
        (True, set()),
    ],
)
async def test_a_reset_keeps_logs_and_manifests_of_the_user_and_a_deletion_keeps_nothing(world, everything, left):
    for name in ("master.ign", "logs/h/logs.tar.gz", "manifests/openshift/ours.yaml"):
        await world.blobs.put(f"{CLUSTER}/{name}", b"x")
    await StoredManifests(world.blobs, CLUSTER).write(Manifest(name=MINE, content=b"kind: Pod"))
    await world.worker().perform(DeleteFiles(cluster_id=CLUSTER, everything=everything, attempt=1))
    keys = await world.blobs.keys(f"{CLUSTER}/")
    assert {key.removeprefix(f"{CLUSTER}/").removesuffix("/user-supplied") for key in keys} == left


async def test_a_new_attempt_has_no_logs_of_an_earlier_one(world):
    await world.blobs.put(f"{CLUSTER}/logs/h/logs.tar.gz", b"old")
    await done(world.worker())
    assert await world.blobs.keys(f"{CLUSTER}/logs") == ()


async def test_the_manifests_of_the_user_are_installed_and_stay_theirs(world):
    stored = StoredManifests(world.blobs, CLUSTER)
    await stored.write(Manifest(name=MINE, content=b"kind: Mine"))
    await done(world.worker())
    assert b"openshift/mine.yaml" in await world.blobs.get(f"{CLUSTER}/bootstrap.ign")
    assert await stored.read(MINE) == b"kind: Mine"
    sources = {name.file_name: source for name, source in (await stored.names()).items()}
    assert sources.pop("mine.yaml") is Source.USER
    assert set(sources.values()) == {Source.SYSTEM}


async def test_a_patch_without_anything_to_change_is_told(world):
    patch = ManifestName(folder=Folder.OPENSHIFT, file_name="absent.yaml.patch")
    content = b"- {op: remove, path: /spec}"
    await StoredManifests(world.blobs, CLUSTER).write(Manifest(name=patch, content=content))
    await done(world.worker())
    preparation = (await world.cluster()).preparation
    assert preparation.status is PreparationStatus.FAILED
    assert "absent.yaml" in preparation.reason


async def test_work_that_is_put_off_is_not_begun_before_its_time(world):
    await done(world.worker())
    await world.blobs.put(f"{CLUSTER}/logs/h/logs.tar.gz", b"x")
    await world.begin(DeleteFiles(cluster_id=CLUSTER, everything=True, wait=timedelta(hours=72)))
    await done(world.worker())
    assert await world.blobs.keys(f"{CLUSTER}/logs")
    world.clock.advance(timedelta(hours=72))
    await done(world.worker())
    assert await world.blobs.keys(f"{CLUSTER}/") == ()


async def test_an_attempt_that_is_over_touches_nothing(world):
    await done(world.worker())
    await world.blobs.put(f"{CLUSTER}/logs/h/logs.tar.gz", b"why it failed")
    before = {key: await world.blobs.get(key) for key in await world.blobs.keys(f"{CLUSTER}/")}
    assert isinstance(await world.worker().perform(GenerateFiles(cluster_id=CLUSTER, attempt=0)), Ticked)
    assert {key: await world.blobs.get(key) for key in await world.blobs.keys(f"{CLUSTER}/")} == before


async def test_a_replica_that_has_not_heard_of_the_attempt_yet_looks_first(world):
    other = Engine(world.store, MemoryBus(), world.clock, a_policy())
    view = await other.view(SCOPE)
    stale = view.with_cluster(view.cluster.but(status=ClusterState.READY))
    other._remember(Known(stale.but(version=view.version - 1), {}))
    await done(Effects(other, world.blobs, world.releases, "w2"))
    world.engine._hear(None)
    assert (await world.cluster()).preparation.status is PreparationStatus.SUCCESS


async def test_a_kubeconfig_that_cannot_be_stored_is_told_once_and_tried_again(world):
    await done(world.worker())
    view = await world.engine.view(SCOPE)
    finalizing = Change(old=view.cluster, new=view.cluster.but(status=ClusterState.FINALIZING))
    publish = PublishKubeconfig(cluster_id=CLUSTER, ingress_ca=new_ingress_ca("example.com"), attempt=1)
    await world.begin(publish, finalizing)
    kept, world.blobs = world.blobs, Away()
    for _ in range(2):
        await done(world.worker())
        world.clock.advance(await world.store.next_effect() - world.clock.now())
    world.blobs = kept
    await done(world.worker())
    assert await kept.exists(f"{CLUSTER}/kubeconfig")
    events = (await world.store.events(EventQuery(cluster_id=CLUSTER))).events
    assert [each.message for each in events if each.name == "kubeconfig_delayed"] == [
        "The kubeconfig cannot be published yet: The storage does not answer; it is tried again"
    ]


class Away(MemoryBlobs):
    """A storage that is away."""

    async def get(self, key):
        raise Unavailable("The storage does not answer")

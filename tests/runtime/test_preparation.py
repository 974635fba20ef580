"""The files of a cluster are made once for all its hosts, whoever dies on the way, and the reason is told if not."""

import asyncio
import json
from datetime import timedelta

import pytest

from builders import NOW, a_policy, a_ready_view
from muster.adapters.memory import FakeClock, MemoryBlobs, MemoryBus, MemoryStore
from muster.adapters.releases.lab import LabReleases
from muster.domain.clusters import ClusterState, PreparationStatus
from muster.domain.effects import GenerateFiles
from muster.domain.errors import Broken, Invalid, Unavailable
from muster.domain.manifests import Folder, Manifest, ManifestName, Source
from muster.domain.releases import ReleaseImages
from muster.domain.triggers import Ticked
from muster.domain.trust import Trust
from muster.domain.views import cluster_scope
from muster.ports import Change, Commit
from muster.runtime.effects import LEASE, TRIES, Effects
from muster.runtime.engine import Engine
from muster.runtime.manifests import StoredManifests

VIEW = a_ready_view(masters=3, workers=2)
CLUSTER = VIEW.cluster.id
SCOPE = cluster_scope(CLUSTER)
EFFECT = GenerateFiles(cluster_id=CLUSTER, attempt=1)


class World:
    """A cluster that has been told to install, and whoever makes its files."""

    def __init__(self, **policy):
        self.clock = FakeClock(NOW)
        self.store = MemoryStore(clock=self.clock)
        self.blobs = MemoryBlobs()
        self.policy = a_policy(**policy)

    @property
    def engine(self):
        """A replica that remembers nothing."""
        return Engine(self.store, MemoryBus(), self.clock, self.policy)

    async def begin(self):
        before = VIEW.cluster
        cluster = before.but(
            status=ClusterState.PREPARING,
            preparation=before.preparation.but(attempt=1, status=PreparationStatus.NOT_STARTED),
        )
        hosts = [Change(old=None, new=host.but(cluster_id=CLUSTER)) for host in VIEW.living]
        infra_envs = [Change(old=None, new=each) for each in VIEW.infra_envs.values()]
        await self.commit(0, Change(old=None, new=cluster), *hosts, *infra_envs, effects=(EFFECT,))
        return self

    async def commit(self, version, *changes, effects=()):
        await self.store.commit(
            Commit(scope=SCOPE, version=version, at=NOW, actor="t", triggers=("T",), changes=changes, effects=effects)
        )

    async def change(self, **changes):
        view = await self.engine.view(SCOPE)
        await self.commit(view.version, Change(old=view.cluster, new=view.cluster.but(**changes)))

    async def work(self, releases=None, blobs=None):
        worker = Effects(self.engine, blobs or self.blobs, releases or LabReleases(), "w")
        await asyncio.gather(*await worker.claim(), return_exceptions=True)

    async def cluster(self):
        return (await self.engine.view(SCOPE)).cluster

    async def file(self, name):
        return await self.blobs.get(f"{CLUSTER}/{name}")


@pytest.fixture
async def world():
    return await World().begin()


async def test_every_file_is_where_its_readers_look_for_it(world):
    await world.work()
    assert (await world.cluster()).preparation.status is PreparationStatus.SUCCESS
    keys = {key.removeprefix(f"{CLUSTER}/") for key in await world.blobs.keys(f"{CLUSTER}/")}
    hosts = {f"{host.effective_role}-{host.id}.ign" for host in VIEW.living}
    assert (
        hosts
        | {
            "bootstrap.ign",
            "master.ign",
            "worker.ign",
            "metadata.json",
            "install-config.yaml",
            "kubeconfig-noingress",
            "kubeadmin-password",
            "custom_manifests.json",
            "manifests/openshift/50-masters-chrony-configuration.yaml",
        }
        <= keys
    )
    assert json.loads(await world.file("custom_manifests.json")) == []


async def test_the_cluster_calls_itself_what_its_bootstrap_says(world):
    await world.work()
    metadata = json.loads(await world.file("metadata.json"))
    assert (await world.cluster()).openshift_cluster_id == metadata["clusterID"]


async def test_manifests_of_the_service_reach_the_first_host_and_are_listed_as_its_own(world):
    await world.work()
    assert b"/opt/openshift/openshift/50-masters-chrony-configuration.yaml" in await world.file("bootstrap.ign")
    sources = await StoredManifests(world.blobs, CLUSTER).names()
    assert set(sources.values()) == {Source.SYSTEM}


async def test_what_the_user_puts_in_the_place_of_the_services_counts(world):
    stored = StoredManifests(world.blobs, CLUSTER)
    name = ManifestName(folder=Folder.OPENSHIFT, file_name="50-masters-chrony-configuration.yaml")
    await stored.write(Manifest(name=name, content=b"kind: Mine\n"))
    await world.work()
    assert await stored.read(name) == b"kind: Mine\n"
    assert (await stored.names())[name] is Source.USER


async def test_what_the_service_would_not_add_any_more_goes(world):
    old = f"{CLUSTER}/manifests/openshift/99-openshift-master-tpm-encryption.yaml"
    await world.blobs.put(old, b"{}")
    await world.work()
    assert not await world.blobs.exists(old)


async def test_hosts_trust_the_service_where_it_has_signed_for_itself():
    world = await World(trust=Trust(service_ca="mine")).begin()
    await world.work()
    assert b"/etc/assisted-service/service-ca-cert.crt" in await world.file("worker.ign")


async def test_how_far_it_has_come_is_shown_while_it_goes_on(world):
    seen = []

    async def look():
        seen.append((await world.cluster()).preparation)

    await world.work(Meanwhile(look))
    assert [(each.status, each.reason) for each in seen] == [
        (PreparationStatus.NOT_STARTED, f"The installer of OpenShift {VIEW.cluster.openshift_version} makes the files")
    ]
    assert (await world.cluster()).preparation.reason == ""


IMAGES = ReleaseImages(mco="quay.io/mco", must_gather="quay.io/gather", coreos="quay.io/os")


class Read(LabReleases):
    """A release that says of what it is made, or cannot be reached for that."""

    def __init__(self, error=None):
        super().__init__()
        self.error = error

    async def images(self, cluster):
        if self.error:
            raise self.error
        return IMAGES


async def test_hosts_know_the_images_of_the_release_before_its_files_are_there(world):
    class Unmade(Read):
        async def assets(self, *_):
            raise Unavailable("not yet")

    await world.work(Unmade())
    preparation = (await world.cluster()).preparation
    assert (preparation.status, preparation.images) == (PreparationStatus.NOT_STARTED, IMAGES)
    world.clock.advance(await world.store.next_effect() - world.clock.now())
    await world.work(Read())
    assert (await world.cluster()).preparation.images == IMAGES


async def test_a_release_that_cannot_be_asked_for_its_images_is_told_at_last(world):
    gone = Read(Unavailable("reading registry.example.com/release:1: nobody answers"))
    for _ in range(TRIES):
        await world.work(gone)
        world.clock.advance((await world.store.next_effect() or world.clock.now()) - world.clock.now())
    preparation = (await world.cluster()).preparation
    assert (preparation.status, preparation.images) == (PreparationStatus.FAILED, None)
    assert preparation.reason == "reading registry.example.com/release:1: nobody answers"


# Failures.


class Hopeless(LabReleases):
    def __init__(self, error):
        super().__init__()
        self.error = error

    async def assets(self, order, tell):
        raise self.error


@pytest.mark.parametrize("error", [Broken("the installer has crashed"), Invalid("platform: has no VIPs")])
async def test_why_there_are_no_files_is_told(world, error):
    await world.work(Hopeless(error))
    preparation = (await world.cluster()).preparation
    assert (preparation.status, preparation.reason) == (PreparationStatus.FAILED, str(error))
    assert not await world.blobs.exists(f"{CLUSTER}/bootstrap.ign")


async def test_a_release_that_stays_out_of_reach_is_told_at_last(world):
    gone = Hopeless(Unavailable("registry.example.com does not answer"))
    for _ in range(TRIES - 1):
        await world.work(gone)
        preparation = (await world.cluster()).preparation
        assert (preparation.status, preparation.reason) == (
            PreparationStatus.NOT_STARTED,
            "registry.example.com does not answer; it is tried again",
        )
        world.clock.advance(await world.store.next_effect() - world.clock.now())
    await world.work(gone)
    preparation = (await world.cluster()).preparation
    assert (preparation.status, preparation.reason) == (
        PreparationStatus.FAILED,
        "registry.example.com does not answer",
    )


async def test_a_storage_that_is_gone_for_long_is_no_reason_to_fail(world):
    class Gone(MemoryBlobs):
        async def put(self, key, data):
            raise Unavailable("the storage does not answer")

    for _ in range(TRIES):
        await world.work(blobs=Gone())
        preparation = (await world.cluster()).preparation
        assert (preparation.status, preparation.reason) == (
            PreparationStatus.NOT_STARTED,
            "the storage does not answer; it is tried again",
        )
        world.clock.advance(await world.store.next_effect() - world.clock.now())
    await world.work()
    assert (await world.cluster()).preparation.status is PreparationStatus.SUCCESS


async def test_a_storage_that_lets_nobody_in_is_told(world):
    class Locked(MemoryBlobs):
        async def put(self, key, data):
            raise Broken("The storage does not let us reach a file; check its credentials and permissions")

    await world.work(blobs=Locked())
    preparation = (await world.cluster()).preparation
    assert preparation.status is PreparationStatus.FAILED
    assert preparation.reason.endswith("check its credentials and permissions")


# Who comes too late.


class Meanwhile(LabReleases):
    """A release during whose making something else happens."""

    def __init__(self, happens):
        super().__init__()
        self.happens = happens

    async def assets(self, order, tell):
        await self.happens()
        return await super().assets(order, tell)


@pytest.mark.parametrize(
    "changes",
    [
        {"status": ClusterState.CANCELLED},
        {"preparation": VIEW.cluster.preparation.but(attempt=2, status=PreparationStatus.NOT_STARTED)},
        {"preparation": VIEW.cluster.preparation.but(attempt=1, status=PreparationStatus.SUCCESS)},
    ],
    ids=["cancelled", "begun anew", "done by another"],
)
async def test_files_that_nobody_waits_for_any_more_are_not_put_over_others(world, changes):
    worker = Effects(world.engine, world.blobs, Meanwhile(lambda: world.change(**changes)), "w")
    assert isinstance(await worker.perform(EFFECT), Ticked)
    assert await world.blobs.keys(f"{CLUSTER}/") == ()


# Whoever dies is replaced.


class Killed(BaseException):
    """The process is gone."""


class DyingBlobs:
    """Storage as seen by a process that is killed at some call."""

    def __init__(self, blobs, left):
        self._blobs = blobs
        self._left = left

    def __getattr__(self, name):
        async def call(*args):
            if self._left == 0:
                raise Killed
            self._left -= 1
            return await getattr(self._blobs, name)(*args)

        return call


async def calls_needed():
    world = await World().begin()
    counting = DyingBlobs(world.blobs, -1)
    await world.work(blobs=counting)
    return -1 - counting._left


async def test_killed_before_any_touch_of_the_storage_the_preparation_is_resumed_and_whole():
    needed = await calls_needed()
    assert needed > 20
    for survived in range(needed):
        world = await World().begin()
        doomed = Effects(world.engine, DyingBlobs(world.blobs, survived), LabReleases(), "doomed")
        (lease,) = await world.store.claim_effects("doomed", world.clock.now(), LEASE, 1)
        with pytest.raises(Killed):
            await doomed.perform(lease.effect)
        assert (await world.cluster()).preparation.status is PreparationStatus.NOT_STARTED
        world.clock.advance(LEASE + timedelta(seconds=1))
        await world.work()
        cluster = await world.cluster()
        assert cluster.preparation.status is PreparationStatus.SUCCESS
        await all_of_one_making(world, cluster)


async def all_of_one_making(world, cluster):
    """No file is left of the making that was broken off."""
    assert json.loads(await world.file("metadata.json"))["clusterID"] == cluster.openshift_cluster_id
    master = json.loads(await world.file("master.ign"))["ignition"]
    for host in VIEW.living:
        if host.effective_role == "master":
            own = json.loads(await world.file(f"master-{host.id}.ign"))["ignition"]
            assert own["security"] == master["security"]


async def test_the_answer_of_one_who_was_given_up_changes_nothing(world):
    (lease,) = await world.store.claim_effects("slow", world.clock.now(), LEASE, 1)
    slow = Effects(world.engine, world.blobs, LabReleases(), "slow")
    world.clock.advance(LEASE + timedelta(seconds=1))
    await world.work()
    before = {key: await world.blobs.get(key) for key in await world.blobs.keys(f"{CLUSTER}/")}
    assert isinstance(await slow.perform(lease.effect), Ticked)
    assert {key: await world.blobs.get(key) for key in await world.blobs.keys(f"{CLUSTER}/")} == before

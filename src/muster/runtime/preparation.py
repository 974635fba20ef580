"""Turns a cluster that is to be installed into the files that its hosts install from, in storage.

`effects.py` calls it for `GenerateFiles`, at least once: whoever begins again makes everything anew, and nobody has
seen what was there before, since hosts begin only once the cluster is `Prepared`.
"""

import asyncio
import json
from collections.abc import Awaitable, Coroutine, Mapping
from contextlib import suppress
from typing import TypeVar

import structlog

from muster.domain.artifacts.assets import Files, Order
from muster.domain.artifacts.post_processing import post_processed
from muster.domain.artifacts.system_manifests import custom_manifests, system_manifests
from muster.domain.clusters import Cluster, ClusterState, PreparationStatus
from muster.domain.effects import GenerateFiles
from muster.domain.errors import Broken, Invalid, NotFound, Unavailable
from muster.domain.manifests import Folder, Manifest, ManifestName, Source
from muster.domain.releases import ReleaseImages
from muster.domain.triggers import PreparationReported, Prepared, Ticked, Trigger
from muster.domain.views import ClusterView, View, cluster_scope, peers_of
from muster.ports import Blobs, Names, Releases

from .engine import Engine, Sender
from .manifests import StoredManifests
from .names import publish

LATER = "custom_manifests.json"
"""What is applied once operators run, for the controller to fetch."""

T = TypeVar("T")

log = structlog.get_logger()


class Unprepared(Unavailable):
    """The installer of the release cannot be had or run just now."""


async def prepared(effect: GenerateFiles, engine: Engine, blobs: Blobs, releases: Releases, names: Names) -> Trigger:
    """Make the files of a cluster and say what came of it.

    `Unprepared` if the release may be had another time, `Unavailable` if storage or records do not answer; what is
    waited for is shown meanwhile.
    """
    return await _Preparing(effect, engine, blobs, releases, names).outcome()


async def awaited(effect: GenerateFiles, engine: Engine) -> View | None:
    """The cluster as it is; None if nobody waits for its files any more, and what came after must stay.

    The work may be older than what this replica has heard of its cluster.
    """
    engine.forget(cluster_scope(effect.cluster_id))
    return await _as_heard(effect, engine)


async def _as_heard(effect: GenerateFiles, engine: Engine) -> View | None:
    """The same, as far as this replica has heard; that costs nothing."""
    try:
        view = await engine.view(cluster_scope(effect.cluster_id))
    except NotFound:
        return None
    return view if view.cluster is not None and is_awaited(view.cluster, effect) else None


def is_awaited(cluster: Cluster, effect: GenerateFiles) -> bool:
    """Whether a cluster waits for the files of this attempt."""
    return (
        cluster.status is ClusterState.PREPARING
        and cluster.deleted_at is None
        and cluster.preparation.attempt == effect.attempt
        and cluster.preparation.status is PreparationStatus.NOT_STARTED
    )


class _Preparing:
    """One go at the files of a cluster, from its manifests to the upload."""

    def __init__(self, effect: GenerateFiles, engine: Engine, blobs: Blobs, releases: Releases, names: Names) -> None:
        self._effect = effect
        self._engine = engine
        self._blobs = blobs
        self._releases = releases
        self._names = names
        self._stored = StoredManifests(blobs, effect.cluster_id)
        self._log = log.bind(cluster=effect.cluster_id, attempt=effect.attempt)

    async def outcome(self) -> Trigger:
        """What came of it."""
        view = await awaited(self._effect, self._engine)
        if view is None:
            return Ticked()
        try:
            return await self._made(view)
        except (Invalid, Broken) as error:
            return Prepared(attempt=self._effect.attempt, failure=str(error))
        except Unavailable as error:
            await self._tell(f"{error}; it is tried again")
            raise

    async def _made(self, view: View) -> Trigger:
        self._log.info("preparing an installation: manifests")
        await self._forget_logs()
        users = await self._stored.of_user()
        extra, later = await asyncio.to_thread(_manifests, view, frozenset(each.name for each in users))
        made = await self._files(_order(view, (*extra, *users)))
        if await awaited(self._effect, self._engine) is None:
            return Ticked()
        beside = {f"manifests/{each.name.path}": each.content for each in extra} | later
        await self._tell(f"{len(made.files) + len(beside)} files are put into the storage")
        await self._forget_manifests(extra)
        if not await self._upload({**made.files, **beside}):
            return Ticked()
        await _had(publish(view, self._engine, self._names))
        return Prepared(attempt=self._effect.attempt, openshift_cluster_id=made.openshift_cluster_id)

    async def _files(self, order: Order) -> Files:
        """What hosts install from."""
        cluster = order.cluster
        self._log.info("preparing an installation: the installer of the release", release=cluster.ocp_release_image)
        images = await _had(self._releases.images(cluster))
        await self._tell(f"The installer of OpenShift {cluster.openshift_version} makes the files", images)
        assets = await _had(self._releases.assets(order, self._mention))
        return await asyncio.to_thread(post_processed, order, assets)

    async def _tell(self, words: str, images: ReleaseImages | None = None) -> None:
        """Let the user see how far the files have come, and the hosts which images they need, once that is known."""
        await self._engine.submit(
            cluster_scope(self._effect.cluster_id),
            PreparationReported(attempt=self._effect.attempt, words=words, images=images),
            Sender(actor="worker"),
        )

    async def _mention(self, words: str) -> None:
        """The same for whom it is not worth failing for."""
        with suppress(Unavailable):
            await self._tell(words)

    async def _forget_logs(self) -> None:
        """Logs of an earlier attempt would pass for those of this one."""
        await self._blobs.delete(await self._blobs.keys(f"{self._effect.cluster_id}/logs"))

    async def _forget_manifests(self, extra: tuple[Manifest, ...]) -> None:
        """What the service had added to an earlier attempt, and would not add any more, goes."""
        wanted = {each.name for each in extra}
        for name, source in (await self._stored.names()).items():
            if source is Source.SYSTEM and name not in wanted:
                await self._stored.remove(name)

    async def _upload(self, files: Mapping[str, bytes]) -> bool:
        """Put the files into storage; False, and no more of them, once nobody waits for them."""
        self._log.info("preparing an installation: upload", files=len(files))
        for name, content in files.items():
            if await _as_heard(self._effect, self._engine) is None:
                return False
            await _to_its_end(self._blobs.put(f"{self._effect.cluster_id}/{name}", content))
        return True


async def _to_its_end(work: Coroutine[None, None, None]) -> None:
    """Do something whole: who is told to stop meanwhile stops after it, so that whoever clears away finds it."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


async def _had(work: Awaitable[T]) -> T:
    """What is had of a release; `Unprepared` if it cannot be had just now."""
    try:
        return await work
    except Unavailable as error:
        raise Unprepared(str(error)) from error


def _manifests(view: View, users: frozenset[ManifestName]) -> tuple[tuple[Manifest, ...], dict[str, bytes]]:
    """What the service adds to a cluster, except what the user has put in its place; and what follows later."""
    assert view.cluster is not None
    seen = ClusterView(view, view.cluster, peers_of(view.living))
    named = {_named(path): content for path, content in system_manifests(seen).items()}
    extra = tuple(
        Manifest(name=name, content=json.dumps(content, indent=2).encode())
        for name, content in named.items()
        if name not in users
    )
    return extra, {LATER: json.dumps(custom_manifests(seen)).encode()}


def _named(path: str) -> ManifestName:
    folder, _, file_name = path.partition("/")
    return ManifestName(folder=Folder(folder), file_name=file_name)


def _order(view: View, manifests: tuple[Manifest, ...]) -> Order:
    assert view.cluster is not None
    return Order(
        cluster=view.cluster,
        hosts=view.living,
        infra_envs=tuple(view.infra_envs.values()),
        manifests=manifests,
        trust=view.policy.trust,
    )

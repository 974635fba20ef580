"""Turns a cluster that is to be installed into the files that its hosts install from, in storage.

`effects.py` calls it for `GenerateFiles`, at least once: whoever begins again makes everything anew, and nobody has
seen what was there before, since hosts begin only once the cluster is `Prepared`.
"""

import asyncio
import json

import structlog

from muster.domain.artifacts.assets import Files, Order
from muster.domain.artifacts.post_processing import post_processed
from muster.domain.artifacts.system_manifests import custom_manifests, system_manifests
from muster.domain.clusters import ClusterState, PreparationStatus
from muster.domain.effects import GenerateFiles
from muster.domain.errors import Broken, Invalid, Unavailable
from muster.domain.manifests import Folder, Manifest, ManifestName, Source
from muster.domain.triggers import PreparationReported, Prepared, Ticked, Trigger
from muster.domain.views import ClusterView, View, cluster_scope, peers_of
from muster.ports import Blobs, Releases

from .engine import Engine, Sender
from .manifests import StoredManifests

LATER = "custom_manifests.json"
"""What is applied once operators run, for the controller to fetch."""

log = structlog.get_logger()


class Unprepared(Unavailable):
    """The installer of the release cannot be had or run just now."""


async def prepared(effect: GenerateFiles, engine: Engine, blobs: Blobs, releases: Releases) -> Trigger:
    """Make the files of a cluster and say what came of it.

    `Unprepared` if the release may be had another time, `Unavailable` if storage or records do not answer.
    """
    view = await _awaited(effect, engine)
    if view is None:
        return Ticked()
    steps = log.bind(cluster=effect.cluster_id, attempt=effect.attempt)
    steps.info("preparing an installation: manifests")
    await _forget_logs(blobs, effect.cluster_id)
    stored = StoredManifests(blobs, effect.cluster_id)
    users = await stored.of_user()
    try:
        extra, later = await asyncio.to_thread(_manifests, view, frozenset(each.name for each in users))
        order = _order(view, (*extra, *users))
        steps.info("preparing an installation: the installer of the release", release=order.cluster.ocp_release_image)
        await _tell(engine, effect, f"The installer of OpenShift {order.cluster.openshift_version} makes the files")
        assets = await releases.assets(order)
        made = await asyncio.to_thread(post_processed, order, assets)
    except (Invalid, Broken) as error:
        return Prepared(attempt=effect.attempt, failure=str(error))
    except Unavailable as error:
        await _tell(engine, effect, f"{error}; it is tried again")
        raise Unprepared(str(error)) from error
    if await _awaited(effect, engine) is None:
        return Ticked()
    steps.info("preparing an installation: upload", files=len(made.files))
    await _forget_manifests(stored, extra)
    await _upload(
        blobs, effect.cluster_id, made, {f"manifests/{each.name.path}": each.content for each in extra} | later
    )
    return Prepared(attempt=effect.attempt, openshift_cluster_id=made.openshift_cluster_id)


async def _awaited(effect: GenerateFiles, engine: Engine) -> View | None:
    """The cluster as it is; None if nobody waits for its files any more, and what came after must stay.

    The work may be older than what this replica has heard of its cluster.
    """
    engine.forget(cluster_scope(effect.cluster_id))
    view = await engine.view(cluster_scope(effect.cluster_id))
    cluster = view.cluster
    assert cluster is not None
    begun = cluster.status is ClusterState.PREPARING and cluster.preparation.attempt == effect.attempt
    return view if begun and cluster.preparation.status is PreparationStatus.NOT_STARTED else None


async def _tell(engine: Engine, effect: GenerateFiles, words: str) -> None:
    """Let the user see how far the files have come."""
    await engine.submit(
        cluster_scope(effect.cluster_id),
        PreparationReported(attempt=effect.attempt, words=words),
        Sender(actor="worker"),
    )


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
        service_ca=view.policy.trust.service_ca,
    )


async def _forget_logs(blobs: Blobs, cluster_id: str) -> None:
    """Logs of an earlier attempt would pass for those of this one."""
    await blobs.delete(await blobs.keys(f"{cluster_id}/logs"))


async def _forget_manifests(stored: StoredManifests, extra: tuple[Manifest, ...]) -> None:
    """What the service had added to an earlier attempt, and would not add any more, goes."""
    wanted = {each.name for each in extra}
    for name, source in (await stored.names()).items():
        if source is Source.SYSTEM and name not in wanted:
            await stored.remove(name)


async def _upload(blobs: Blobs, cluster_id: str, made: Files, beside: dict[str, bytes]) -> None:
    for name, content in {**made.files, **beside}.items():
        await blobs.put(f"{cluster_id}/{name}", content)

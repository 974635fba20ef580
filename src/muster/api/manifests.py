"""Manifests over REST: what the user wants applied to the new cluster."""

import asyncio
from typing import Any

from msgspec import UNSET

from muster.api.call import Answer, Call, attachment, serves
from muster.api.clusters import view_of
from muster.domain.errors import NotFound
from muster.domain.inputs.manifests import require_name
from muster.domain.manifests import Manifest, ManifestName, Source
from muster.domain.triggers import AddManifest, ChangeManifest, ManifestsStored, RemoveManifest, Trigger
from muster.domain.views import cluster_scope
from muster.runtime.manifests import StoredManifests
from muster.wire.endpoints import manifests as rows
from muster.wire.manifests import check_content, manifest_out, read_content


async def _stored(call: Call) -> StoredManifests:
    """The manifests of the cluster that a call names; `NotFound` if there is no such cluster."""
    await view_of(call)
    return StoredManifests(call.service.blobs, call.parameters["cluster_id"])


async def _asked(call: Call, trigger: Trigger) -> None:
    await call.service.engine.submit(cluster_scope(call.parameters["cluster_id"]), trigger, call.sender)


async def _noted(call: Call, stored: StoredManifests) -> None:
    """Let the cluster know whether it has manifests of the user, until it knows what storage says."""
    known: bool | None = None
    while known is not (found := Source.USER in (await stored.names()).values()):
        known = found
        await _asked(call, ManifestsStored(custom=known))


@serves(rows.LIST_MANIFESTS)
async def list_manifests(call: Call) -> list[dict[str, Any]]:
    """The user's manifests, and all others too if they are asked for."""
    names = await (await _stored(call)).names()
    return [
        manifest_out(name, source)
        for name, source in names.items()
        if source is Source.USER or call.query.include_system_generated
    ]


@serves(rows.CREATE_MANIFEST)
async def create_manifest(call: Call) -> dict[str, Any]:
    """One more manifest, or another in place of one of the same name."""
    stored, name = await _stored(call), call.body.name
    await _asked(call, AddManifest(name=name, stored=frozenset(await stored.names())))
    content = await asyncio.to_thread(read_content, name, call.body.content)
    await stored.write(Manifest(name=name, content=content))
    await _noted(call, stored)
    return manifest_out(name)


@serves(rows.UPDATE_MANIFEST)
async def update_manifest(call: Call) -> dict[str, Any]:
    """The same manifest with another name or content."""
    stored, name, target = await _stored(call), call.body.name, call.body.target
    await _asked(call, ChangeManifest(name=name, target=target, stored=frozenset(await stored.names())))
    await stored.write(Manifest(name=target, content=await _changed_content(call, stored, target)))
    if target != name:
        await stored.remove(name)
    await _noted(call, stored)
    return manifest_out(target)


async def _changed_content(call: Call, stored: StoredManifests, target: ManifestName) -> bytes:
    """What a manifest is to hold: what is given, else what it holds now, if that fits its new name."""
    if call.body.updated_content is not UNSET:
        return await asyncio.to_thread(read_content, target, call.body.updated_content, "updated_content")
    content = await _content(stored, call.body.name)
    await asyncio.to_thread(check_content, target, content, "updated_file_name")
    return content


async def _content(stored: StoredManifests, name: ManifestName) -> bytes:
    try:
        return await stored.read(name)
    except NotFound:
        raise NotFound(f"file_name: there is no manifest {name.file_name!r} in the folder {name.folder}") from None


@serves(rows.DELETE_MANIFEST)
async def delete_manifest(call: Call) -> None:
    """One manifest less."""
    stored = await _stored(call)
    await _asked(call, RemoveManifest(name=call.query.name))
    await stored.remove(call.query.name)
    await _noted(call, stored)


@serves(rows.DOWNLOAD_MANIFEST)
async def download_manifest(call: Call) -> Answer:
    """What is in a manifest."""
    stored, name = await _stored(call), call.query.name
    require_name(name.file_name)
    return attachment(name.file_name, await _content(stored, name))

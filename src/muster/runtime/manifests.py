"""Manifests in storage: where they lie and whose they are. The REST face and the worker that generates files use it.

The user's own are marked by an empty file beside them, since not every storage can keep a note with a file. The mark
is written before the manifest and removed after it, so that a manifest of the user never passes for one of ours.
"""

from collections.abc import Iterable

from muster.domain.manifests import Folder, Manifest, ManifestName, Source
from muster.ports import Blobs


class StoredManifests:
    """The manifests of one cluster."""

    def __init__(self, blobs: Blobs, cluster_id: str) -> None:
        self._blobs = blobs
        self._cluster_id = cluster_id

    async def names(self) -> dict[ManifestName, Source]:
        """Every manifest there is and who wrote it, in order."""
        marks = set(await self._blobs.keys(f"{self._cluster_id}/manifest-attributes"))
        found = (_name(key) for key in await self._blobs.keys(f"{self._cluster_id}/manifests"))
        return {name: Source.USER if self._mark(name) in marks else Source.SYSTEM for name in found if name}

    async def of_user(self) -> tuple[Manifest, ...]:
        """The user's own manifests, with their content."""
        return tuple(
            [
                Manifest(name=name, content=await self.read(name))
                for name, source in (await self.names()).items()
                if source is Source.USER
            ]
        )

    async def read(self, name: ManifestName) -> bytes:
        """What is in a manifest; `NotFound` if there is none of that name."""
        return await self._blobs.get(self._key(name))

    async def write(self, manifest: Manifest) -> None:
        """Keep a manifest as the user's own, in place of any of that name."""
        await self._blobs.put(self._mark(manifest.name), b"")
        await self._blobs.put(self._key(manifest.name), manifest.content)

    async def remove(self, name: ManifestName) -> None:
        """Forget a manifest; an absent one is no error."""
        await self._blobs.delete([self._key(name)])
        await self._blobs.delete([self._mark(name)])

    def _key(self, name: ManifestName) -> str:
        return f"{self._cluster_id}/manifests/{name.path}"

    def _mark(self, name: ManifestName) -> str:
        return f"{self._cluster_id}/manifest-attributes/{name.path}/user-supplied"


def _name(key: str) -> ManifestName | None:
    """The manifest that a file is; None if it is none."""
    _, _, folder, *rest = key.split("/")
    if folder not in set(Folder) or len(rest) != 1:
        return None
    return ManifestName(folder=Folder(folder), file_name=rest[0])


def marked(keys: Iterable[str]) -> frozenset[str]:
    """Of the files of a cluster, the user's own manifests and their marks."""
    marks = [key for key in keys if "/manifest-attributes/" in key]
    manifests = (mark.replace("/manifest-attributes/", "/manifests/", 1).rpartition("/")[0] for mark in marks)
    return frozenset([*marks, *manifests])

"""Manifests lie in every storage in the same way, and it is always known whose they are."""

import pytest

from muster.domain.errors import NotFound, Unavailable
from muster.domain.manifests import Folder, Manifest, ManifestName, Source
from muster.ports import Blobs
from muster.runtime.manifests import StoredManifests

MINE = ManifestName(folder=Folder.OPENSHIFT, file_name="99-mine.yaml")
OURS = ManifestName(folder=Folder.MANIFESTS, file_name="50-ours.yaml")


@pytest.fixture
def stored(blobs: Blobs) -> StoredManifests:
    return StoredManifests(blobs, "c1")


def of_user(name: ManifestName, content: bytes = b"kind: Pod") -> Manifest:
    return Manifest(name=name, content=content)


async def test_a_manifest_of_the_user_is_told_from_one_of_the_service(blobs: Blobs, stored: StoredManifests) -> None:
    await blobs.put("c1/manifests/manifests/50-ours.yaml", b"kind: Node")
    await stored.write(of_user(MINE))
    assert list((await stored.names()).items()) == [(OURS, Source.SYSTEM), (MINE, Source.USER)]
    assert await stored.of_user() == (of_user(MINE),)
    assert await stored.read(OURS) == b"kind: Node"
    assert await blobs.get("c1/manifests/openshift/99-mine.yaml") == b"kind: Pod"


async def test_what_the_user_writes_over_is_the_users(blobs: Blobs, stored: StoredManifests) -> None:
    await blobs.put("c1/manifests/manifests/50-ours.yaml", b"kind: Node")
    await stored.write(of_user(OURS))
    assert await stored.names() == {OURS: Source.USER}
    await stored.write(of_user(OURS, b"kind: Other"))
    assert await stored.of_user() == (of_user(OURS, b"kind: Other"),)


async def test_a_manifest_that_was_removed_leaves_nothing_behind(blobs: Blobs, stored: StoredManifests) -> None:
    await stored.write(of_user(MINE))
    await stored.remove(MINE)
    await stored.remove(MINE)
    assert await blobs.keys("c1") == ()
    with pytest.raises(NotFound):
        await stored.read(MINE)


@pytest.mark.parametrize("file_name", ["ä€😀.yaml", "50%.yaml", "a#1.yaml", "[a]*?{b}.yaml", "~a^`b.yaml", "x" * 195])
async def test_any_name_that_may_be_given_can_be_kept(stored: StoredManifests, file_name: str) -> None:
    name = ManifestName(folder=Folder.MANIFESTS, file_name=file_name)
    await stored.write(of_user(name))
    assert await stored.names() == {name: Source.USER}
    await stored.remove(name)
    assert await stored.names() == {}


async def test_what_is_no_manifest_is_not_listed(blobs: Blobs, stored: StoredManifests) -> None:
    for key in ("c1/manifests/elsewhere/a.yaml", "c1/manifests/openshift/deep/a.yaml", "c1/manifests/a.yaml"):
        await blobs.put(key, b"kind: Pod")
    assert await stored.names() == {}


class Failing:
    """A storage that fails at one key."""

    def __init__(self, blobs: Blobs, key: str) -> None:
        self._blobs, self._key = blobs, key

    async def put(self, key: str, data: bytes) -> None:
        if self._key in key:
            raise Unavailable("the disk is full")
        await self._blobs.put(key, data)


async def test_a_manifest_that_could_not_be_kept_never_passes_for_one_of_the_service(blobs: Blobs) -> None:
    for key in ("/manifests/", "/manifest-attributes/"):
        with pytest.raises(Unavailable):
            await StoredManifests(Failing(blobs, key), "c1").write(of_user(MINE))  # type: ignore[arg-type]  # put only
    assert await StoredManifests(blobs, "c1").names() == {}

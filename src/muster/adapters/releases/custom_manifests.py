"""The manifests of service and user laid over those of a release: added or put in their place, split, and patched.

The lab's release calls it for the manifests it makes itself; any other does so for what its installer has made.
"""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from muster.domain.artifacts.patches import patched
from muster.domain.errors import Invalid
from muster.domain.manifests import Folder, Manifest, ManifestName
from muster.wire.manifests import read_patch
from muster.wire.yaml_text import documents, pieces

Content = dict[str, Any] | bytes
"""A manifest: an object, or the text of one as somebody wrote it."""

FOLDERS = (Folder.OPENSHIFT, Folder.MANIFESTS)
"""The order in which patches are applied, and in which what they change is looked for."""


def customised(own: Mapping[str, Content], given: Iterable[Manifest]) -> dict[str, Content]:
    """Every manifest by its place, with those of the user; `Invalid` if a patch has nothing to change."""
    given = tuple(given)
    files = dict(own)
    for each in given:
        if each.name.target is None:
            files |= _split(each)
    for each in sorted(given, key=lambda each: (FOLDERS.index(each.name.folder), each.name.file_name)):
        if each.name.target is not None:
            place = _place(files, each.name, each.name.target)
            files[place] = _changed(files[place], each)
    return files


def _split(manifest: Manifest) -> dict[str, Content]:
    """A manifest under its name; one with several documents under a name for each of them, one with none nowhere."""
    name = manifest.name
    parts = ("",) if name.file_name.endswith(".json") else pieces(manifest.content, name.path)
    if len(parts) == 1:
        return {name.path: manifest.content}
    path = PurePosixPath(name.path)
    mark = hashlib.sha256(name.path.encode()).hexdigest()[:7]
    return {
        f"{path.with_suffix('')}-{mark}-{number:02}{path.suffix}": part.encode() for number, part in enumerate(parts)
    }


def _place(files: Mapping[str, Content], patch: ManifestName, target: str) -> str:
    for folder in FOLDERS:
        if f"{folder}/{target}" in files:
            return f"{folder}/{target}"
    raise Invalid(
        f"manifests: {patch.path} is a patch of {target}, and there is no manifest of that name with one document; "
        "rename the patch, or take it away"
    )


def _changed(content: Content, patch: Manifest) -> Content:
    """A manifest after its patch."""
    if isinstance(content, bytes):
        content = _only(documents(content, patch.name.target or ""), patch)
    try:
        changed = patched(content, read_patch(patch.content, patch.name.path))
    except Invalid as error:
        raise Invalid(f"manifests: {patch.name.path} cannot be applied: {error}") from None
    if not isinstance(changed, dict):
        raise Invalid(f"manifests: {patch.name.path} leaves no object with fields, so it leaves no manifest")
    return changed


def _only(found: tuple[Any, ...], patch: Manifest) -> Any:
    """The one document that a patch changes."""
    trees = [each for each in found if each is not None]
    if len(trees) != 1:
        raise Invalid(
            f"manifests: {patch.name.path} is a patch of {patch.name.target}, which has {len(trees)} documents; a patch"
            " changes a manifest of one"
        )
    return trees[0]

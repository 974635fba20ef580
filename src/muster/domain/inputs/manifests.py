"""What users may call manifests, and what they may write of them.

`wire/manifests.py` reads what is in a manifest; `accepts/manifests.py` applies the rules on names.
"""

from collections.abc import Collection
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from muster.domain.errors import BadName, Invalid
from muster.domain.manifests import LONGEST_NAME, Folder, ManifestName

from .fields import Input

FileName = Annotated[str, Meta(pattern=r"^[^/]*\.(json|ya?ml(\.patch_?[a-zA-Z0-9_]*)?)\Z")]


class ManifestCreate(Input):
    """A new manifest, as written; its content is in base64."""

    file_name: FileName
    content: str
    folder: Folder = Folder.MANIFESTS

    @property
    def name(self) -> ManifestName:
        """What it is to be called."""
        return ManifestName(folder=self.folder, file_name=self.file_name)


class ManifestUpdate(Input):
    """What is to become of a manifest, as written."""

    folder: Folder
    file_name: FileName
    updated_folder: Folder | UnsetType = UNSET
    updated_file_name: FileName | UnsetType = UNSET
    updated_content: str | UnsetType = UNSET

    @property
    def name(self) -> ManifestName:
        """What it is called."""
        return ManifestName(folder=self.folder, file_name=self.file_name)

    @property
    def target(self) -> ManifestName:
        """What it is to be called."""
        return ManifestName(
            folder=self.folder if self.updated_folder is UNSET else self.updated_folder,
            file_name=self.file_name if self.updated_file_name is UNSET else self.updated_file_name,
        )


def require_name(file_name: str) -> None:
    """Return if a manifest can be called that; otherwise raise `BadName`."""
    trouble = next((words for wrong, words in _troubles(file_name) if wrong), "")
    if trouble:
        raise BadName(f"file_name: {file_name[:LONGEST_NAME]!r} {trouble}")


def _troubles(file_name: str) -> tuple[tuple[bool, str], ...]:
    """Whether each rule is broken, and what to say then."""
    stem, _, _ = file_name.partition(".")
    return (
        ("/" in file_name, "has a slash; name the folder apart from the file"),
        (not stem.strip(), "has nothing before its first dot; name the file, as in 50-mine.yaml"),
        (
            " " in file_name or not file_name.isprintable(),
            "has a blank, or a character that cannot be seen; leave it out",
        ),
        (len(file_name.encode()) > LONGEST_NAME, f"is longer than {LONGEST_NAME} bytes; choose a shorter name"),
    )


def require_no_namesake(name: ManifestName, stored: Collection[ManifestName]) -> None:
    """Return if no other folder has a file of that name: a patch could mean either."""
    for each in stored:
        if each.file_name == name.file_name and each.folder is not name.folder:
            raise Invalid(
                f"file_name: {name.file_name!r} is in the folder {each.folder} already; "
                f"choose another name, or change that one"
            )

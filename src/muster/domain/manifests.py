"""Manifests: what is applied to a new cluster when it starts; the user's own stand beside those of the service."""

import re
from enum import StrEnum

from .record import Record

LARGEST = 1024 * 1024
"""Bytes of one manifest."""

LONGEST_NAME = 200
"""Bytes of a file name; not every storage can keep longer ones."""

_PATCH = re.compile(r"(?P<target>.*\.ya?ml)\.patch[^.]*", re.DOTALL)


class Folder(StrEnum):
    """Where a manifest lies; both are applied."""

    MANIFESTS = "manifests"
    OPENSHIFT = "openshift"


class Source(StrEnum):
    """Who wrote a manifest."""

    USER = "user"
    SYSTEM = "system"


class ManifestName(Record):
    """What a manifest is known by within its cluster."""

    folder: Folder
    file_name: str

    @property
    def path(self) -> str:
        """The name with its folder."""
        return f"{self.folder}/{self.file_name}"

    @property
    def target(self) -> str | None:
        """The file that is to be changed by this one; None if it is no patch."""
        patch = _PATCH.fullmatch(self.file_name)
        return patch["target"] if patch else None


class Manifest(Record):
    """A manifest and what is in it."""

    name: ManifestName
    content: bytes

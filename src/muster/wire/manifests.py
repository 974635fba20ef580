"""Manifests as clients write them: base64 to checked bytes, patches to operations.

`api/manifests.py` reads what comes in; what generates the files of a cluster reads what it patches.
"""

import binascii
import re
from base64 import b64decode
from typing import Any

import msgspec

from muster.domain.artifacts.patches import Operation
from muster.domain.errors import Invalid
from muster.domain.inputs.fields import require_none
from muster.domain.manifests import LARGEST, Folder, ManifestName, Source
from muster.domain.record import Record

from .yaml_text import documents, pieces


class ManifestsQuery(Record):
    """Which manifests a client wants."""

    include_system_generated: bool = False


class ManifestQuery(Record):
    """Which manifest is meant."""

    file_name: str
    folder: Folder = Folder.MANIFESTS

    @property
    def name(self) -> ManifestName:
        """What it is called."""
        return ManifestName(folder=self.folder, file_name=self.file_name)


def manifest_out(name: ManifestName, source: Source = Source.USER) -> dict[str, Any]:
    """A manifest with everything clients may read of it."""
    return {"file_name": name.file_name, "folder": name.folder, "manifest_source": source}


def read_content(name: ManifestName, encoded: str, field: str = "content") -> bytes:
    """What is to be stored under a name; `Invalid` if it is not what the name says."""
    try:
        content = b64decode(re.sub(r"[\r\n]", "", encoded), validate=True)
    except (binascii.Error, ValueError):
        raise Invalid(f"{field}: must be the manifest in base64") from None
    check_content(name, content, field)
    return content


def check_content(name: ManifestName, content: bytes, field: str = "content") -> None:
    """Return if the content is what the name of its file says; otherwise raise `Invalid`."""
    if not content.strip():
        raise Invalid(f"{field}: {name.file_name} is empty")
    if len(content) > LARGEST:
        raise Invalid(f"{field}: {name.file_name} has {len(content)} bytes; at most {LARGEST} are taken")
    if name.target is not None:
        read_patch(content, field)
    elif name.file_name.endswith(".json"):
        _check_json(content, field)
    else:
        pieces(content, field)


def _check_json(content: bytes, field: str) -> None:
    try:
        whole = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Invalid(f"{field}: is not JSON: {error}") from None
    if not isinstance(whole, dict):
        raise Invalid(f"{field}: must be one JSON object, the manifest")


def read_patch(content: bytes, field: str = "content") -> tuple[Operation, ...]:
    """The operations of a patch, all of which can be applied to something; `Invalid` tells what is wrong."""
    found = documents(content, field)
    if len(found) != 1 or not isinstance(found[0], list):
        raise Invalid(f"{field}: a patch is one list of operations, each with op, path and value")
    try:
        operations = msgspec.convert(found[0], tuple[Operation, ...])
    except msgspec.ValidationError as error:
        raise Invalid(f"{field}: this is no list of operations with op, path and value: {error}") from None
    require_none(
        f"{field}: operation {number}: {each.trouble}" for number, each in enumerate(operations, 1) if each.trouble
    )
    return operations

"""What answers about manifests look like."""

from muster.domain.manifests import Folder, Source
from muster.domain.record import Record


class ManifestOut(Record):
    """A manifest."""

    folder: Folder
    file_name: str
    manifest_source: Source

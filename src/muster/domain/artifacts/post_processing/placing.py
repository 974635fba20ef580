"""Files of an Ignition config, exchanged and added. The other modules of this package use it."""

import json
from collections.abc import Iterable, Mapping

from muster.domain.artifacts.ignition import Config, data_of, data_url
from muster.domain.artifacts.install_config import Tree


def files_of(config: Config) -> list[Config]:
    """The files that a config makes."""
    return list((config.get("storage") or {}).get("files") or ())


def text_at(config: Config, path: str) -> str:
    """What a config puts at a path; "" if nothing, or nothing that it has itself."""
    entry = next((each for each in files_of(config) if each["path"] == path), {})
    return (data_of((entry.get("contents") or {}).get("source") or "") or b"").decode(errors="replace")


def with_files(config: Config, files: Iterable[Config]) -> Config:
    """A config with other files in place of its own; of several for a path the last counts."""
    by_path = {entry["path"]: entry for entry in files}
    return (
        config | {"storage": (config.get("storage") or {}) | {"files": list(by_path.values())}} if by_path else config
    )


def with_contents(config: Config, contents: Mapping[str, bytes]) -> Config:
    """A config with something else in some of its files."""
    return with_files(config, (_holding(entry, contents.get(entry["path"])) for entry in files_of(config)))


def with_manifests(config: Config, manifests: Mapping[str, Tree]) -> Config:
    """A config with other manifests in place of some of its own. JSON is YAML, so their names may say either."""
    return with_contents(config, {path: json.dumps(tree, indent=2).encode() for path, tree in manifests.items()})


def _holding(entry: Config, content: bytes | None) -> Config:
    return entry if content is None else entry | {"contents": {"source": data_url(content)}}

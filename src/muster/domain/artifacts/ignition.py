"""The words of an Ignition config (spec 3.1 and 3.2), and how one config is laid over another.

Whatever makes a config uses them: of the discovery image, of hosts that join a running cluster, and of releases.
Configs are JSON objects, because users may override any part of them.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import unquote_to_bytes

OLDEST, SPEC = "3.1.0", "3.2.0"
"""The versions that are made here; what is valid in the older one is so in the newer one."""

PRIVATE = 0o600
READABLE = 0o644
EXECUTABLE = 0o755

Config = dict[str, Any]
"""An Ignition config or a part of one."""

KINDS = ("files", "directories", "links")
"""What can be at a path, but one of them only."""

KEYS = {
    **dict.fromkeys(KINDS, ("path",)),
    **dict.fromkeys(("users", "groups", "units", "dropins", "raid", "luks", "httpHeaders"), ("name",)),
    **dict.fromkeys(("disks", "filesystems"), ("device",)),
    "partitions": ("number", "label"),
    "certificateAuthorities": ("source",),
}
"""What tells the entries of a list apart when two configs are merged; other lists are joined by value."""

STRUNG = frozenset({"append", "merge"})
"""Lists that follow each other whatever is in them."""


def config(
    files: Iterable[Config] = (), units: Iterable[Config] = (), users: Sequence[Config] = (), version: str = SPEC
) -> Config:
    """A config of its own; parts that are empty are left out."""
    whole: Config = {"ignition": {"version": version}}
    if users:
        whole["passwd"] = {"users": list(users)}
    if listed := list(files):
        whole["storage"] = {"files": listed}
    if listed := list(units):
        whole["systemd"] = {"units": listed}
    return whole


def file(path: str, content: str | bytes, mode: int = READABLE) -> Config:
    """A file that belongs to root and replaces what is there."""
    source = data_url(content if isinstance(content, bytes) else content.encode())
    return {"path": path, "overwrite": True, "mode": mode, "user": {"name": "root"}, "contents": {"source": source}}


def unit(name: str, contents: str = "", *, enabled: bool = True) -> Config:
    """A systemd unit; one that is there already needs no contents."""
    return {"name": name, "enabled": enabled} | ({"contents": contents} if contents else {})


def data_url(content: bytes) -> str:
    """A URL that carries its content."""
    return f"data:text/plain;charset=utf-8;base64,{b64encode(content).decode()}"


def data_of(url: str) -> bytes | None:
    """What a URL carries; None if it leads to something elsewhere."""
    if not url.startswith("data:"):
        return None
    head, _, body = url.partition(",")
    plain = unquote_to_bytes(body)
    return b64decode(plain) if head.endswith(";base64") else plain


def encoded(whole: Config) -> bytes:
    """The config as the file it is kept in."""
    return json.dumps(whole, separators=(",", ":")).encode()


def merged(below: Config, above: Config) -> Config:
    """Both configs as one, as Ignition itself merges them: what is above wins, in the newer version of the two."""
    head = {"version": max(each.get("ignition", {}).get("version", OLDEST) for each in (below, above))}
    whole: Config = _laid_over(_cleared(below, above), above)
    return whole | {"ignition": whole["ignition"] | head}


def _cleared(below: Config, above: Config) -> Config:
    """A config without the files, directories and links in whose place something of another kind is put."""
    if "storage" not in below:
        return below
    storage, other = dict(below["storage"]), above.get("storage", {})
    for kind in KINDS:
        taken = {entry["path"] for each in KINDS if each != kind for entry in other.get(each) or ()}
        if kind in storage:
            storage[kind] = [entry for entry in storage[kind] if entry["path"] not in taken]
    return below | {"storage": storage}


def _laid_over(below: Any, above: Any, name: str = "") -> Any:
    if isinstance(below, dict) and isinstance(above, dict):
        written = {key: value for key, value in above.items() if value is not None}
        return below | {
            key: _laid_over(below[key], value, key) if key in below else value for key, value in written.items()
        }
    if isinstance(below, list) and isinstance(above, list):
        return [*below, *above] if name in STRUNG else _joined(below, above, KEYS.get(name, ()))
    return above


def _joined(below: list[Any], above: list[Any], keys: tuple[str, ...]) -> list[Any]:
    entries = {_identity(entry, keys): entry for entry in below}
    for entry in above:
        same = _identity(entry, keys)
        entries[same] = _laid_over(entries[same], entry) if same in entries else entry
    return list(entries.values())


def _identity(entry: Any, keys: tuple[str, ...]) -> str:
    """What makes two entries of a list the same one."""
    if isinstance(entry, dict):
        return next((f"{key}={entry[key]}" for key in keys if entry.get(key)), json.dumps(entry, sort_keys=True))
    return json.dumps(entry)

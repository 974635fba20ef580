"""Lets a cluster fetch its release from its own nodes, where a manifest says that they keep it.

Whatever names a mirror that the room may lose after the installation gets the nodes besides: the registries of the
first host, and the manifests that say where images are to be had.
"""

import json
import tomllib
from collections.abc import Callable, Iterable
from typing import Any

from muster.domain.artifacts.assets import Assets, Order
from muster.domain.artifacts.ignition import Config
from muster.domain.artifacts.install_config import Tree
from muster.domain.errors import Broken

from .placing import text_at, with_contents, with_manifests

REGISTRIES = "/etc/containers/registries.conf"
PORT = 22625
PATCHED = {"internalreleaseimage.openshift.io/patched": "true"}
"""What says on a manifest that it has been seen to."""


def with_internal_release(config: Config, order: Order, assets: Assets) -> Config:
    """The config of the first host, with the nodes wherever mirrors are named; as it is if they keep no release."""
    kept = assets.of_kind("InternalReleaseImage").values()
    if not any((each.get("metadata") or {}).get("name") == "cluster" for each in kept):
        return config
    places = (f"api-int.{order.cluster.domain}:{PORT}", f"localhost:{PORT}")
    changed = {path: _marked(_CHANGES[tree["kind"]](tree, places)) for path, tree in assets.of_kind(*_CHANGES).items()}
    text = text_at(config, REGISTRIES)
    registries = {REGISTRIES: _registries(text, places).encode()} if text else {}
    return with_contents(with_manifests(config, changed), registries)


Places = tuple[str, ...]


def _copies(image: str, places: Places) -> list[str]:
    """An image, or where several are, on other registries."""
    _, slash, path = image.partition("/")
    return [f"{place}{slash}{path}" for place in places]


def _joined(mirrors: Iterable[str], places: Places) -> list[str]:
    mirrors = list(mirrors)
    return list(dict.fromkeys([*mirrors, *(copy for each in mirrors for copy in _copies(each, places))]))


def _marked(tree: Tree) -> Tree:
    metadata = tree.get("metadata") or {}
    return tree | {"metadata": metadata | {"annotations": {**(metadata.get("annotations") or {}), **PATCHED}}}


def _mirror_set(rows: str) -> Callable[[Tree, Places], Tree]:
    def change(tree: Tree, places: Places) -> Tree:
        spec = tree.get("spec") or {}
        listed = [each | {"mirrors": _joined(each.get("mirrors") or (), places)} for each in spec.get(rows) or ()]
        return tree | {"spec": spec | {rows: listed}}

    return change


def _catalogue(tree: Tree, places: Places) -> Tree:
    spec = tree.get("spec") or {}
    return tree | {"spec": spec | {"image": _copies(spec["image"], places)[0]}} if spec.get("image") else tree


def _cluster_catalogue(tree: Tree, places: Places) -> Tree:
    spec = tree.get("spec") or {}
    source = spec.get("source") or {}
    image = source.get("image") or {}
    if not image.get("ref"):
        return tree
    turned = image | {"ref": _copies(image["ref"], places)[0]}
    return tree | {"spec": spec | {"source": source | {"image": turned}}}


_CHANGES: dict[str, Callable[[Tree, Places], Tree]] = {
    "ImageDigestMirrorSet": _mirror_set("imageDigestMirrors"),
    "ImageTagMirrorSet": _mirror_set("imageTagMirrors"),
    "CatalogSource": _catalogue,
    "ClusterCatalog": _cluster_catalogue,
}
"""Where images are said to be had. What has room for one place only gets that which every node can reach."""


def _registries(text: str, places: Places) -> str:
    """A `registries.conf` in which every mirror has its copies after it."""
    try:
        whole = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Broken(f"The installer has written a {REGISTRIES} that cannot be read: {error}") from error
    entries = whole.pop("registry", [])
    tables = {key: whole.pop(key) for key, value in list(whole.items()) if isinstance(value, dict)}
    lines = _scalars(whole)
    for key, table in tables.items():
        lines += ["", f"[{key}]", *_scalars(table)]
    for entry in entries:
        mirrors = entry.pop("mirror", [])
        lines += ["", "[[registry]]", *_scalars(entry)]
        for mirror in _with_copies(mirrors, places):
            lines += ["  [[registry.mirror]]", *(f"  {line}" for line in _scalars(mirror))]
    return "\n".join((*lines, ""))


def _scalars(table: dict[str, Any]) -> list[str]:
    return [f"{key} = {json.dumps(value)}" for key, value in table.items()]


def _with_copies(mirrors: list[dict[str, Any]], places: Places) -> list[dict[str, Any]]:
    copies = [each | {"location": copy} for each in mirrors for copy in _copies(each["location"], places)]
    return list({each["location"]: each for each in (*mirrors, *copies)}.values())

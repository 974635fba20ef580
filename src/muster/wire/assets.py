"""The files that an installer writes turned into what the core reads: configs, and the manifests in them.

The adapters of `ports.Releases` call it, once for every cluster. Nothing of a file is quoted in a complaint: they hold
keys and passwords.
"""

import re
from typing import Any

import msgspec

from muster.domain.artifacts.assets import ROOT, Assets
from muster.domain.artifacts.ignition import Config, data_of
from muster.domain.errors import Broken, Invalid
from muster.domain.roles import Role
from muster.wire.yaml_text import documents

KINDS = (
    b"BareMetalHost",
    b"CatalogSource",
    b"ClusterCatalog",
    b"ClusterVersion",
    b"ImageDigestMirrorSet",
    b"ImageTagMirrorSet",
    b"InternalReleaseImage",
    b"MachineConfigPool",
)
"""What something is read from, or changed in."""

_OF_KIND = re.compile(rb"""\bkind["']?\s*:\s*["']?(?:%s)\b""" % b"|".join(KINDS))


def read_config(name: str, content: bytes) -> Config:
    """An Ignition config of a version that we know; `Broken` if it is none."""
    try:
        config = msgspec.json.decode(content, type=Config)
    except msgspec.DecodeError as error:
        raise Broken(f"{name}, which the installer has written, is not JSON") from error
    head = config.get("ignition")
    version = head.get("version") if isinstance(head, dict) else None
    if not (isinstance(version, str) and version.startswith("3.")):
        raise Broken(
            f"{name}, which the installer has written, is no Ignition config of version 3: it says {version!r}"
        )
    return config


def read_assets(bootstrap: Config, roles: dict[Role, Config], rest: dict[str, bytes]) -> Assets:
    """What an installer has made: configs, and beside them metadata.json and what is below auth/.

    `Broken` if something is missing, or the cluster does not say what it calls itself.
    """
    missing = [name for name in ("metadata.json", "auth/kubeconfig", "auth/kubeadmin-password") if name not in rest]
    if missing:
        raise Broken(f"The installer has written no {' and no '.join(missing)}")
    assets = Assets(
        bootstrap=bootstrap,
        roles={role.value: config for role, config in roles.items()},
        manifests=_manifests(bootstrap),
        metadata=rest["metadata.json"],
        kubeconfig=rest["auth/kubeconfig"],
        password=rest["auth/kubeadmin-password"],
    )
    if not assets.openshift_cluster_id:
        raise Broken("The installer has made a bootstrap.ign that has no cvo-overrides.yaml with a clusterID")
    return assets


def _manifests(bootstrap: Config) -> dict[str, dict[str, Any]]:
    """The manifests of the kinds that matter, by their paths."""
    found = {}
    for entry in (bootstrap.get("storage") or {}).get("files") or ():
        path = entry["path"]
        if not path.startswith((f"{ROOT}/manifests/", f"{ROOT}/openshift/")):
            continue
        content = data_of((entry.get("contents") or {}).get("source") or "")
        if content and _OF_KIND.search(content) and (tree := _one(content, path)) is not None:
            found[path] = tree
    return found


def _one(content: bytes, path: str) -> dict[str, Any] | None:
    """The one object of a manifest; None if it has several, or what else looked like one."""
    try:
        trees = [each for each in documents(content, path) if each is not None]
    except Invalid as error:
        raise Broken(f"The installer has written a manifest that cannot be read: {error}") from error
    return trees[0] if len(trees) == 1 and isinstance(trees[0], dict) else None

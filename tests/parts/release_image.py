"""A release in a registry: small images of the shape of real ones, with a stand-in for the installer.

The stand-in is a shell script that says what it was called with. It has the gaps of the real one, in which its release
is written.
"""

import gzip
import io
import json
import tarfile
from collections.abc import Mapping
from typing import Any, NamedTuple

from parts.registry import DockerRegistry, Pushed

GAP = b"\0_RELEASE_IMAGE_LOCATION_\0" + b"X" * 300 + b"\0" + b"\0_RELEASE_VERSION_LOCATION_\0" + b"X" * 64 + b"\0"
STAND_IN = b'#!/bin/sh\n# A stand-in for openshift-install.\necho stand-in "$@"\nexit 0\n' + GAP
VERSION = "4.18.7"


def layer(files: Mapping[str, bytes | None], *, links: Mapping[str, str] | None = None, packed: bool = True) -> bytes:
    """A layer with files; None for a folder. Files beginning with `.wh.` hide what is below."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.type = tarfile.DIRTYPE if content is None else tarfile.REGTYPE
            entry.size, entry.mode = len(content or b""), 0o755
            archive.addfile(entry, io.BytesIO(content or b""))
        for name, target in (links or {}).items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    # What is large in tests is random: trying to make it smaller would take most of their time.
    return gzip.compress(made.getvalue(), 0, mtime=0) if packed else made.getvalue()


def manifests(images: Mapping[str, str], version: str = VERSION, **metadata: Any) -> bytes:
    """The layer by which an image is a release."""
    tags = [{"name": name, "from": {"kind": "DockerImage", "name": where}} for name, where in images.items()]
    references = {"kind": "ImageStream", "metadata": {"name": version}, "spec": {"tags": tags}}
    said = {"kind": "cincinnati-metadata-v0", "version": version, "previous": ["4.18.6", "4.17.9"]} | metadata
    return layer(
        {
            "release-manifests": None,
            "release-manifests/image-references": json.dumps(references).encode(),
            "release-manifests/release-metadata": json.dumps(said).encode(),
        }
    )


class PushedRelease(NamedTuple):
    """A release in a registry."""

    url: str
    pushed: Pushed
    installer: Pushed


def push_release(
    registry: DockerRegistry,
    *,
    version: str = VERSION,
    program: bytes = STAND_IN,
    name: str = "installer",
    architecture: str = "amd64",
    called: str = "",
) -> PushedRelease:
    """A release with an installer. `called` is the registry by which it calls its images, if that is another."""
    below = layer({"usr": None, "usr/bin": None, "usr/bin/openshift-install": b"an older one"})
    tools = [below, layer({"./usr/bin/openshift-install": program})]
    installer = registry.image("ocp/components", tools, architecture=architecture, tag=f"{name}-{version}")
    images = {
        name: f"{called or registry.host}/ocp/components@{installer.digest}",
        "machine-config-operator": "quay.io/ocp/components@sha256:" + "1" * 64,
        "must-gather": "quay.io/ocp/components@sha256:" + "2" * 64,
        "rhel-coreos": "quay.io/ocp/components@sha256:" + "3" * 64,
    }
    layers = [layer({"usr/bin/cluster-version-operator": b"runs"}), manifests(images, version)]
    pushed = registry.image("ocp/release", layers, tag=version, architecture=architecture)
    return PushedRelease(f"{called or registry.host}/ocp/release:{version}", pushed, installer)

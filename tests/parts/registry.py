"""A real registry on a loopback port: Debian's `docker-registry` over a temporary folder.

Images are pushed while everybody may; then it can be locked, damaged, killed and started again over the same files.
"""

import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from parts.service import free_port

USER = "robot"
PASSWORD = "opens-sesame"
HTPASSWD = "robot:$2b$04$abcdefghijklmnopqrstuu8CgMPszKSb1Ff8O0bgIRbYzMrh2oxKO\n"
"""The login as the registry keeps it: made once with bcrypt."""

MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
OCI_INDEX = "application/vnd.oci.image.index.v1+json"
PATIENCE = 20.0


class Pushed(NamedTuple):
    """Something in the registry."""

    kind: str
    digest: str
    size: int


def login(password: str = PASSWORD) -> str:
    """A login as pull secrets have it."""
    return base64.b64encode(f"{USER}:{password}".encode()).decode()


class DockerRegistry:
    """One registry over one folder, from `start` to `stop`; starting again finds what was pushed."""

    def __init__(self, folder: Path, **said: Any) -> None:
        found = shutil.which("docker-registry")
        if found is None:
            pytest.skip("docker-registry is not installed; it is Debian's package of that name")
        self._program = found
        self.folder = folder
        self.port = free_port()
        self._said = said
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def host(self) -> str:
        """By what images of it are called."""
        return f"127.0.0.1:{self.port}"

    def start(self, **said: Any) -> None:
        """Run it, with further settings if there are any; returns once it answers."""
        http = {"addr": self.host, "secret": "one", **self._said.get("http", {}), **said.pop("http", {})}
        settings = {
            "version": 0.1,
            "log": {"level": "error"},
            "storage": {"filesystem": {"rootdirectory": str(self.folder / "data")}},
            **said,
            "http": http,
        }
        config = self.folder / "config.json"
        config.write_text(json.dumps(settings))
        with (self.folder / "registry.log").open("ab") as log:
            self._process = subprocess.Popen([self._program, "serve", config], stdout=log, stderr=log)
        self._wait(self._process)

    def lock(self) -> None:
        """Start again and let nobody in but one who has the login."""
        self.stop()
        users = self.folder / "htpasswd"
        users.write_text(HTPASSWD)
        self.start(auth={"htpasswd": {"realm": "registry", "path": str(users)}})

    def stop(self) -> None:
        """End it at once, in the middle of whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise AssertionError(f"it ended by itself: {(self.folder / 'registry.log').read_text()[-2000:]}")
            try:
                self._call("GET", "/v2/", scheme="http")
            except urllib.error.HTTPError:
                return
            except OSError:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(0.005)
            else:
                return
        raise AssertionError("the registry did not start")

    def _call(self, method: str, path: str, body: bytes | None = None, kind: str = "", scheme: str = "http") -> Any:
        url = path if "://" in path else f"{scheme}://{self.host}{path}"
        headers = {"Content-Type": kind or "application/octet-stream"}
        request = urllib.request.Request(url, data=body, method=method, headers=headers)
        return urllib.request.urlopen(request, timeout=PATIENCE).headers

    # What is pushed

    def blob(self, repository: str, content: bytes, kind: str = "") -> dict[str, Any]:
        """Push some bytes; returns what a manifest says of them."""
        digest = f"sha256:{sha256(content).hexdigest()}"
        where = self._call("POST", f"/v2/{repository}/blobs/uploads/", b"")["Location"]
        self._call("PUT", f"{where}{'&' if '?' in where else '?'}digest={digest}", content)
        return {"mediaType": kind, "digest": digest, "size": len(content)}

    def manifest(self, repository: str, tag: str, said: dict[str, Any]) -> Pushed:
        """Push a manifest under a tag."""
        body = json.dumps({"schemaVersion": 2, **said}).encode()
        digest = f"sha256:{sha256(body).hexdigest()}"
        self._call("PUT", f"/v2/{repository}/manifests/{tag or digest}", body, said["mediaType"])
        return Pushed(said["mediaType"], digest, len(body))

    def image(
        self, repository: str, layers: Sequence[bytes], *, tag: str = "", architecture: str = "amd64", oci: bool = False
    ) -> Pushed:
        """Push an image of ready layers, the lowest first."""
        config = json.dumps({"architecture": architecture, "os": "linux", "rootfs": {"type": "layers"}}).encode()
        kinds = ("vnd.oci.image.config.v1+json", "vnd.oci.image.layer.v1.tar+gzip") if oci else (
            "vnd.docker.container.image.v1+json", "vnd.docker.image.rootfs.diff.tar.gzip")  # fmt: skip
        said = {
            "mediaType": OCI_MANIFEST if oci else MANIFEST,
            "config": self.blob(repository, config, f"application/{kinds[0]}"),
            "layers": [self.blob(repository, layer, f"application/{kinds[1]}") for layer in layers],
        }
        return self.manifest(repository, tag, said)

    def index(self, repository: str, tag: str, images: dict[str, Pushed], *, oci: bool = False) -> Pushed:
        """Push a list of images by architecture."""
        named = [
            {"mediaType": each.kind, "digest": each.digest, "size": each.size}
            | {"platform": {"architecture": architecture, "os": "linux"}}
            for architecture, each in images.items()
        ]
        return self.manifest(repository, tag, {"mediaType": OCI_INDEX if oci else LIST, "manifests": named})

    # What is done to what it keeps

    def file_of(self, digest: str) -> Path:
        """Where it keeps something on its disk."""
        plain = digest.removeprefix("sha256:")
        return self.folder / "data/docker/registry/v2/blobs/sha256" / plain[:2] / plain / "data"

    def damage(self, digest: str) -> None:
        """Change a byte in the middle of something."""
        path = self.file_of(digest)
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 0xFF
        path.write_bytes(content)

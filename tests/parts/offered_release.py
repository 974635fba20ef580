"""A release in a real registry, on offer by a service; the installer in it is the stand-in (`openshift_install.py`)."""

import json
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

from parts.openshift_install import calls_of, stand_in
from parts.registry import DockerRegistry
from parts.release_image import push_release

VERSION = "4.20.9"


class OfferedRelease:
    """A release, from `start` to `stop`; its installer fails in the way that `stand_in` knows."""

    def __init__(self, folder: Path, failure: str = "", step: str = "create") -> None:
        self.registry = DockerRegistry(folder / "registry")
        self.program = stand_in(folder / "bin", failure, step)
        self._mirrors = folder / "registries.conf"
        self._offered: list[dict[str, str]] = []

    @property
    def environment(self) -> dict[str, str]:
        """What a service needs to offer it."""
        return {"MUSTER_MIRROR_REGISTRIES": str(self._mirrors), "RELEASE_IMAGES": json.dumps(self._offered)}

    def start(self, called: str = "") -> None:
        """Put it into the registry. `called` is what stands before the registry, if something does."""
        self.registry.start()
        host = called or self.registry.host
        self._mirrors.write_text(f'[[registry]]\nlocation = "{host}"\ninsecure = true\n')
        self.offer(VERSION, self.program, called)

    def offer(self, version: str, program: Path, called: str = "") -> None:
        """Put a release with this installer into the registry."""
        pushed = push_release(self.registry, version=version, program=program.read_bytes(), called=called)
        self._offered.append({"version": version, "url": pushed.url})

    def stop(self) -> None:
        """End everything that is left of it."""
        self.registry.stop()
        for call in self.calls:
            with suppress(ProcessLookupError):
                os.killpg(call["pid"], signal.SIGKILL)

    @property
    def calls(self) -> list[dict[str, Any]]:
        """How the installer was called."""
        return calls_of(self.program)

    @property
    def running(self) -> list[int]:
        """The installers that have not ended."""
        return [call["pid"] for call in self.calls if _lives(call["pid"])]

    def hangs_in(self, step: str) -> bool:
        """Whether an installer that hangs once in every step has done so in this one."""
        return self.program.with_name(f"hung-{step}").exists()


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False

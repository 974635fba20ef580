"""Tools over one folder, for tests that take them from a registry of their own."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from muster.adapters.registry import Mirrored, Reaching, Registry
from muster.adapters.releases.payload import Payloads
from muster.adapters.releases.tools import Keeping, Tools
from parts.registry import DockerRegistry
from parts.release_image import STAND_IN, PushedRelease

Make = Callable[..., Tools]
LARGE = STAND_IN + os.urandom(24_000_000)
"""A program that takes a while to come."""


@asynccontextmanager
async def making_tools(registry: DockerRegistry, tmp_path: Path) -> AsyncIterator[Make]:
    """Makes tools over the folder `tools`, with whatever is to be different."""
    clients = []

    def make(*mirrored: Mirrored, wait: Callable[[int], float] = lambda _: 0.0, **keeping: Any) -> Tools:
        entries = (*mirrored, Mirrored(location=registry.host, insecure=True))
        client = Registry(Reaching(mirrored=entries, wait=wait, tries=2))
        clients.append(client)
        kept = Keeping(**{"folder": tmp_path / "tools", **keeping})
        return Tools(client, Payloads(client, tmp_path / "scratch"), kept)

    try:
        yield make
    finally:
        for client in clients:
            await client.close()


async def got(tools: Tools, release: PushedRelease, secret: str = "", architecture: str = "x86_64") -> bytes:
    """The installer of a release."""
    async with tools.binary(release.url, secret, architecture) as path:
        return path.read_bytes()


def kept(folder: Path) -> list[str]:
    """The tools in a folder."""
    return sorted(each.name for each in folder.iterdir() if each.is_file() and each.suffix != ".lock")


def kept_name(release: PushedRelease) -> str:
    """What the installer of a release is called there."""
    return f"{release.pushed.digest.replace(':', '-')}-x86_64-openshift-install"


def left_behind(folder: Path) -> list[str]:
    """What is there besides: work that was begun, and links of those who use a tool."""
    return sorted(each.name for each in (*folder.glob("*.work"), *(folder / "in-use").iterdir()))

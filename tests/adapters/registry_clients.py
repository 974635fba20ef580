"""Clients of registries, for tests that have one of their own."""

import io
import json
from contextlib import asynccontextmanager

from muster.adapters.registry import Blob, Mirrored, Reaching, Registry
from parts.registry import PASSWORD, login


@asynccontextmanager
async def a_client(*insecure: str, mirrored: tuple[Mirrored, ...] = (), **reaching):
    """A client that never waits; some registries need not be safe for it."""
    plain = tuple(Mirrored(location=host, insecure=True) for host in insecure)
    client = Registry(Reaching(mirrored=(*mirrored, *plain), **{"wait": lambda _: 0.0, "tries": 3, **reaching}))
    try:
        yield client
    finally:
        await client.close()


def in_memory(_: Blob):
    """Where a layer goes."""
    return io.BytesIO()


async def content_of(
    client: Registry, name: str, *paths: str, secret: str = "", architecture: str = "x86_64", tell=None
):
    """Files of an image; None for those that it has not."""
    image, files = await client.image(name, secret, architecture), {}
    missing = await client.take(
        image, paths, lambda path, _, content: files.__setitem__(path, content.read()), in_memory, tell
    )
    return files | dict.fromkeys(missing)


def pull_secret(host: str, password: str = PASSWORD) -> str:
    """A pull secret with a login for a registry, and one for another."""
    return json.dumps({"auths": {"elsewhere.io": {"auth": login("x")}, host: {"auth": login(password)}}})

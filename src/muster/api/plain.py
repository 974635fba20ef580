"""The second port without TLS: beside HTTPS it serves what firmware can fetch in no other way, and nothing else."""

import re
from typing import Any
from urllib.parse import parse_qs

import msgspec

from muster.api.app import App
from muster.api.call import Answer
from muster.api.sending import Receive, Send, send_whole
from muster.wire.endpoints.endpoint import DROP_IN, JSON
from muster.wire.errors import malformed

BEFORE, AFTER = f"{DROP_IN}/v2/infra-envs/", "/downloads/files"
SCRIPT = [b"ipxe-script"]
PARTS = re.compile(r"/boot-artifacts/.+|/images/[^/]+/(pxe-initrd|s390x-initrd-addrsize)|/i/[^/]+")
"""What firmware fetches when it starts a machine: parts of images, and images by their short links."""


class ScriptsOnly:
    """Lets through who asks for an iPXE script or what it names; everybody else finds nothing here."""

    def __init__(self, app: App) -> None:
        self._app = app

    def close(self) -> None:
        """Nothing here goes on for ever."""

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Serve one call."""
        if is_for_script(scope) or is_for_part(scope):
            await self._app(scope, receive, send)
            return
        body = msgspec.json.encode(malformed(404, "only what machines start from is to be had here; call by HTTPS"))
        await send_whole(send, Answer(body, status=404, content_type=JSON), "")


def is_for_script(scope: dict[str, Any]) -> bool:
    """Whether a call asks for an iPXE script."""
    path = scope["path"]
    asked = parse_qs(scope["query_string"]).get(b"file_name")
    return scope["method"] == "GET" and path.startswith(BEFORE) and path.endswith(AFTER) and asked == SCRIPT


def is_for_part(scope: dict[str, Any]) -> bool:
    """Whether a call asks for something that a machine starts from."""
    return scope["method"] in {"GET", "HEAD"} and PARTS.fullmatch(scope["path"]) is not None

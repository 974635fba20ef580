"""The second port without TLS: beside HTTPS it serves what firmware can fetch in no other way, and nothing else."""

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


class ScriptsOnly:
    """Lets through who asks for an iPXE script; everybody else finds nothing here."""

    def __init__(self, app: App) -> None:
        self._app = app

    def close(self) -> None:
        """Nothing here goes on for ever."""

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Serve one call."""
        if is_for_script(scope):
            await self._app(scope, receive, send)
            return
        body = msgspec.json.encode(malformed(404, "only iPXE scripts are to be had here; call by HTTPS"))
        await send_whole(send, Answer(body, status=404, content_type=JSON), "")


def is_for_script(scope: dict[str, Any]) -> bool:
    """Whether a call asks for an iPXE script."""
    path = scope["path"]
    asked = parse_qs(scope["query_string"]).get(b"file_name")
    return scope["method"] == "GET" and path.startswith(BEFORE) and path.endswith(AFTER) and asked == SCRIPT

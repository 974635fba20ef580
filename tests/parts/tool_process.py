"""Gets the installer of a release in a process of its own, which stops in the middle until it is told to go on.

It says `begun` when the first bytes have come, waits for a line, says `got` with the path of the tool, and waits again.
"""

import asyncio
import sys
from pathlib import Path

import structlog

from muster.adapters.registry import Mirrored, Reaching, Registry
from muster.adapters.releases.payload import Payloads
from muster.adapters.releases.tools import Coming, Keeping, Tools


def say(word: str) -> None:
    """Tell the test, and wait for its word."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()
    sys.stdin.readline()


async def main(folder: Path, url: str) -> None:
    """Get it."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    host = url.partition("/")[0]
    client = Registry(Reaching(mirrored=(Mirrored(location=host, insecure=True),)))
    tools = Tools(client, Payloads(client, folder / "scratch"), Keeping(folder=folder / "tools"))
    stops = ["begun"]

    def hear(_: Coming) -> None:
        if stops:
            say(stops.pop())

    tools.on_progress.append(hear)
    async with tools.binary(url, "") as path:
        say(f"got {path}")
    await client.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))

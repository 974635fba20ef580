"""Network settings turned into keyfiles by `nmstatectl`, where it is installed beside the service.

The service's own reader finds what is wrong with a document, with its lines; nmstatectl is asked only about those that
it finds in order, and has the last word. What it can say besides is shown as it says it, and nothing is logged of a
document. Where it fails for reasons of its own, the service goes on with what it has read itself.
"""

import asyncio
import re
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from datetime import timedelta

import structlog

from muster.adapters.networks import OwnNetworks
from muster.domain.errors import Invalid
from muster.domain.nmstate.keyfiles import Keyfile, preferred
from muster.domain.nmstate.network import ReadNetwork
from muster.domain.nmstate.reading import NAME
from muster.domain.nmstate.tree import At, Problem
from muster.wire.yaml_text import documents as yaml_documents

AT_ONCE = 2
PATIENCE = timedelta(seconds=10)
LONGEST = 1000
"""Characters of a complaint that are shown."""

REFUSAL = re.compile(
    r"(?:NmstateError: (?:InvalidArgument|NotImplementedError|NotSupportedError|DependencyError): "
    r"|Provide file is not valid NetworkState or NetworkPolicy: )(?P<text>.*)",
    re.DOTALL,
)
"""How it begins to say that a document cannot be right, instead of that something is wrong with itself."""

log = structlog.get_logger()


class Nmstatectl:
    """Documents read by ourselves and converted by nmstate."""

    def __init__(self, program: str, patience: timedelta = PATIENCE) -> None:
        self._program = program
        self._patience = patience
        self._own = OwnNetworks()
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def read(self, documents: Sequence[str]) -> tuple[ReadNetwork, ...]:
        """What each document says, with the keyfiles that nmstate makes of it."""
        found = await self._own.read(documents)
        return tuple(await asyncio.gather(*map(self._converted, documents, found)))

    async def _converted(self, document: str, read: ReadNetwork) -> ReadNetwork:
        if read.problems:
            return read
        async with self._turns:
            try:
                code, output, complaint = await self._asked(document)
            except (OSError, TimeoutError) as error:
                log.warning("nmstatectl cannot be used", program=self._program, error=type(error).__name__)
                return read
        if code == 0:
            return _with_keyfiles(read, output)
        refusal = REFUSAL.search(complaint.decode(errors="replace"))
        if refusal is None:
            log.warning("nmstatectl has failed", program=self._program, code=code)
            return read
        return _refused(read, f"nmstate refuses it: {refusal['text'].strip()[:LONGEST]}")

    async def _asked(self, document: str) -> tuple[int | None, bytes, bytes]:
        """How it ended and what it wrote; it is stopped when it takes too long."""
        running = await asyncio.create_subprocess_exec(
            self._program, "-q", "gc", "-", stdin=PIPE, stdout=PIPE, stderr=PIPE, env={}
        )
        try:
            async with asyncio.timeout(self._patience.total_seconds()):
                output, complaint = await running.communicate(document.encode())
        finally:
            if running.returncode is None:
                running.kill()
                await running.wait()
        return running.returncode, output, complaint


def _with_keyfiles(read: ReadNetwork, output: bytes) -> ReadNetwork:
    try:
        (made,) = yaml_documents(output, "nmstatectl")
        found = tuple(Keyfile(name=name, text=preferred(text)) for name, text in made["NetworkManager"])
    except (Invalid, KeyError, TypeError, ValueError):
        log.warning("nmstatectl has answered with something else than keyfiles")
        return read
    if not all(NAME.fullmatch(each.name) for each in found):
        return _refused(read, "has a profile-name that cannot be the name of a file; leave out blanks and slashes")
    return read.but(keyfiles=found, unsupported=())


def _refused(read: ReadNetwork, text: str) -> ReadNetwork:
    return read.but(keyfiles=(), unsupported=(), problems=(Problem(at=At(), text=text),))

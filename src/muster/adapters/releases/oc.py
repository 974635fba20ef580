"""The installer taken from a release by `oc`, where it is installed beside the service. `tools.py` asks it first.

Who may read the release is said in a file that only we can read, never in the words of the command.
"""

import os
from datetime import timedelta
from pathlib import Path

import msgspec
import structlog

from muster.adapters.machine.commands import run
from muster.adapters.registry import Mirrored, Reaching
from muster.adapters.registry.pull_secrets import read_pull_secret
from muster.domain.errors import Unavailable
from muster.domain.record import Record

from .payload import Payload

PATIENCE = timedelta(minutes=20)
LONGEST = 500
"""Characters of a complaint that are shown."""

PASSED_ON = ("PATH", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE")

log = structlog.get_logger()


class _Kind(Record):
    """One of two ways to tell `oc` of mirrors."""

    option: str
    version: str
    kind: str
    rows: str


SETS = _Kind(
    option="--idms-file", version="config.openshift.io/v1", kind="ImageDigestMirrorSet", rows="imageDigestMirrors"
)
POLICIES = _Kind(
    option="--icsp-file",
    version="operator.openshift.io/v1alpha1",
    kind="ImageContentSourcePolicy",
    rows="repositoryDigestMirrors",
)
"""What it was before there were sets."""


class Oc:
    """`oc`, and how it is to reach registries."""

    def __init__(self, program: str, reaching: Reaching, patience: timedelta = PATIENCE) -> None:
        self._program = program
        self._reaching = reaching
        self._patience = patience
        self._way: _Kind | None = None

    async def extract(self, name: str, payload: Payload, pull_secret: str, work: Path) -> Path:
        """A program of a release, in a folder; `Unavailable` if `oc` does not bring it."""
        secret = _private(work / "pull-secret.json", pull_secret)
        try:
            words = [self._program, "adm", "release", "extract", f"--command={name}", f"--to={work}"]
            words += [f"--insecure={str(self._careless).lower()}", *await self._mirrors(work)]
            words += [payload.release, f"--registry-config={secret}"]
            ended = await run(words, env=self._environment(work), patience=self._patience, cwd=work)
        finally:
            secret.unlink(missing_ok=True)
        program = work / name
        if ended.code or not program.is_file():
            complaint = read_pull_secret(pull_secret).hidden_in(ended.complaint.strip())[-LONGEST:]
            raise Unavailable(f"oc ended with {ended.code} and said: {complaint or 'nothing'}")
        return program

    @property
    def _careless(self) -> bool:
        entries = self._reaching.mirrored
        return any(entry.insecure or any(mirror.insecure for mirror in entry.mirror) for entry in entries)

    async def _mirrors(self, work: Path) -> list[str]:
        """The words that tell of mirrors, in the way that this `oc` knows."""
        entries = [entry for entry in self._reaching.mirrored if entry.mirror]
        if not entries:
            return []
        if self._way is None:
            words = [self._program, "adm", "release", "extract", "--help"]
            ended = await run(words, env=self._environment(work), patience=self._patience, cwd=work)
            self._way = SETS if SETS.option in ended.output else POLICIES
        path = work / "mirrors.yaml"
        path.write_bytes(_mirror_file(self._way, entries))
        return [f"{self._way.option}={path}"]

    def _environment(self, work: Path) -> dict[str, str]:
        """Nothing but how to reach the world; its home is the folder, where no other logins are."""
        passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        if self._reaching.ca:
            trusted = work / "trusted"
            trusted.mkdir(exist_ok=True)
            (trusted / "registries.pem").write_text(self._reaching.ca)
            passed["SSL_CERT_DIR"] = str(trusted)
        return passed | {"HOME": str(work)}


def _private(path: Path, text: str) -> Path:
    """A file that only we can read."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text or '{"auths": {}}')
    return path


def _mirror_file(way: _Kind, entries: list[Mirrored]) -> bytes:
    rows = [{"source": entry.start, "mirrors": [each.location for each in entry.mirror]} for entry in entries]
    named = {"apiVersion": way.version, "kind": way.kind, "metadata": {"name": "mirrors"}, "spec": {way.rows: rows}}
    return msgspec.json.encode(named)

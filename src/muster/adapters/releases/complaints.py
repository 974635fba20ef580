"""What a program has to say against an order, in the words that help, and without anything secret.

`openshift_install.py` shows them to the user, who will look for the one line that says why.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec

from muster.adapters.registry.pull_secrets import read_pull_secret
from muster.domain.artifacts.assets import Order
from muster.domain.errors import Invalid
from muster.domain.manifests import Manifest
from muster.domain.record import SECRET
from muster.wire.yaml_text import documents

LONGEST = 512
"""Characters that are shown."""

SHORTEST = 3
"""Characters of a secret below which it could not be told from any other word."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LOGGED = re.compile(
    r"""^(?:time="?[^" ]*"?\s+)?level=(?P<level>\w+)\s+msg=(?:"(?P<quoted>(?:\\.|[^"\\])*)"|(?P<bare>\S*))"""
)
_SHOUTED = re.compile(r"^(?P<level>DEBUG|INFO|WARNING|ERROR|FATAL|PANIC)\b[:\s]*(?P<words>.*)$")
_GRAVE = {"error", "fatal", "panic"}
_QUIET = {"debug", "info", "trace"}

_LOOKS_SECRET = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    re.compile(r"""(?<=auth)(?:\\?["'])?\s*[:=]\s*(?:\\?["'])?[A-Za-z0-9+/=_-]{8,}"""),
    re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"),
)
"""What is secret whoever wrote it."""

_SECRET_KEYS = re.compile(r"password|secret|token|private", re.IGNORECASE)


def useful(text: str, secrets: Iterable[str]) -> str:
    """The end of what a program wrote, without secrets: the lines that say why it ended, if it says which they are."""
    plain = _hidden(_COLOUR.sub("", text), secrets)
    lines = [line for line in map(_read, plain.splitlines()) if line[1]]
    grave = [words for level, words in lines if level in _GRAVE]
    loud = [words for level, words in lines if level not in _QUIET]
    said = " ".join(dict.fromkeys(grave or loud or [words for _, words in lines[-1:]]))
    shown = "".join(each if each.isprintable() else " " for each in said).strip()
    return shown if len(shown) <= LONGEST else f"…{shown[1 - LONGEST :]}"


def _read(line: str) -> tuple[str, str]:
    """How grave a line is, and what it says."""
    if logged := _LOGGED.match(line):
        words = logged["quoted"] if logged["quoted"] is not None else logged["bare"]
        return logged["level"].lower(), words.replace("\\n", " ").replace('\\"', '"').strip()
    if shouted := _SHOUTED.match(line):
        return shouted["level"].lower(), shouted["words"].strip()
    return "", line.strip()


def _hidden(text: str, secrets: Iterable[str]) -> str:
    known = sorted({each for each in secrets if len(each) >= SHORTEST}, key=len, reverse=True)
    if known:
        text = re.sub("|".join(map(re.escape, known)), SECRET, text)
    for looks in _LOOKS_SECRET:
        text = looks.sub(SECRET, text)
    return text


def secrets_of(order: Order) -> frozenset[str]:
    """Everything in an order that nobody may see."""
    return frozenset(
        (
            *_of_pull_secret(order.cluster.pull_secret),
            *_leaves(order.install_config),
            *_of_proxies(order.install_config.get("proxy") or {}),
            *(found for each in order.manifests for found in _of_manifest(each)),
            *(each.fencing_credentials.password for each in order.hosts if each.fencing_credentials),
        )
    )


def _of_pull_secret(text: str) -> Iterator[str]:
    yield text
    with suppress(msgspec.DecodeError):
        yield from _leaves(msgspec.json.decode(text), "auth")
    with suppress(Invalid):
        for login in read_pull_secret(text).logins.values():
            yield from (login.password, login.basic)


def _leaves(tree: Any, key: str = "") -> Iterator[str]:
    """Every text of a tree whose key, or that of what it is in, says that it is secret."""
    if isinstance(tree, dict):
        for name, value in tree.items():
            yield from _leaves(value, key or (name if name == "auth" or _SECRET_KEYS.search(str(name)) else ""))
    elif isinstance(tree, list):
        for value in tree:
            yield from _leaves(value, key)
    elif key and isinstance(tree, str):
        yield tree
        yield b64encode(tree.encode()).decode()


def _of_proxies(proxy: dict[str, Any]) -> Iterator[str]:
    for address in proxy.values():
        with suppress(ValueError):
            password = urlsplit(str(address)).password or ""
            yield from (password, unquote(password))


def _of_manifest(manifest: Manifest) -> Iterator[str]:
    """What is in a Secret; and in other manifests, what is called one."""
    try:
        trees = documents(manifest.content, manifest.name.path)
    except Invalid:
        return
    for tree in trees:
        if isinstance(tree, dict) and tree.get("kind") == "Secret":
            yield from _leaves([tree.get("data"), tree.get("stringData")], "Secret")
        else:
            yield from _leaves(tree)

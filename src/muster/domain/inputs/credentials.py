"""Rules for what opens doors: SSH keys, certificates, and the pull secret.

Each rule turns a text into the problems it has; `clusters.py` and `infra_envs.py` apply them. No problem
repeats anything of a secret; of a pull secret only the names of its registries are said.
"""

import re
from base64 import b64decode
from collections.abc import Iterable

import msgspec

from muster.domain.policy import Policy
from muster.domain.record import Record

from .fields import Problems

_SSH_KEY = re.compile(
    r"(ssh-rsa|ecdsa-sha2-nistp256|ecdsa-sha2-nistp384|ecdsa-sha2-nistp521|ssh-ed25519|ssh-dss)"
    r" ([0-9A-Za-z+/]+={0,3})(?: .*)?"
)
_PEM_BLOCK = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----\s([A-Za-z0-9+/=\s]+)\s-----END \1-----")
_DER_SEQUENCE = b"\x30"

_ALWAYS_KNOWN = frozenset({"registry.stage.redhat.io"})
_DOCKER = "docker.io"
_DOCKER_ALIAS = "https://index.docker.io/v1/"


def unbase64(text: str) -> bytes | None:
    """What a base64 text stands for; None if it is none."""
    try:
        return b64decode(text, validate=True)
    except ValueError:
        return None


def ssh_key_problems(field: str, keys: str) -> Problems:
    """Each line is an SSH public key; nothing is asked of an empty text."""
    for number, line in enumerate(keys.strip().split("\n") if keys.strip() else (), start=1):
        match = _SSH_KEY.fullmatch(line.strip())
        if match is None or not _is_key_blob(match[1], unbase64(match[2])):
            yield (
                f"{field}: line {number} is not an SSH public key; paste the content of a .pub file,"
                " one key a line without blank lines between them"
            )


def _is_key_blob(kind: str, blob: bytes | None) -> bool:
    """Whether the binary part of a key is of its kind and complete: strings, each after its length."""
    fields: list[bytes] = []
    while blob:
        length = int.from_bytes(blob[:4])
        field, rest = blob[4 : 4 + length], blob[4 + length :]
        if len(blob) < 4 + length:
            return False
        fields.append(field)
        blob = rest
    return len(fields) > 1 and fields[0] == kind.encode()


def is_certificates(text: str) -> bool:
    """Whether a text has certificates in PEM form, and no other or broken block; remarks between them are fine."""
    blocks = _PEM_BLOCK.findall(text)
    if not blocks or "-----" in _PEM_BLOCK.sub("", text):
        return False
    return all(kind == "CERTIFICATE" and _is_der(unbase64("".join(body.split()))) for kind, body in blocks)


def _is_der(body: bytes | None) -> bool:
    return body is not None and body[:1] == _DER_SEQUENCE


class _Login(Record):
    auth: str | None = None


class _PullSecret(Record):
    auths: dict[str, _Login | None]


def pull_secret_problems(text: str, images: Iterable[str], policy: Policy) -> Problems:
    """A pull secret is a JSON object with logins, and has one for every registry that asks for it."""
    try:
        secret = msgspec.json.decode(text, type=_PullSecret)
    except msgspec.DecodeError:
        secret = _PullSecret(auths={})
    if not secret.auths:
        yield (
            "pull_secret: must be a JSON object whose 'auths' has at least one registry;"
            " download it again from the registry's console and paste all of it"
        )
        return
    for registry, login in secret.auths.items():
        if login is not None and login.auth and not _is_login(login.auth):
            yield f"pull_secret: the 'auth' of {registry!r} is not the base64 form of user:password"
    for image in images:
        if not _covered(image, secret.auths.keys(), policy.public_registries):
            yield f"pull_secret: has no login for the registry {registry_of(image)!r}, from which {image!r} comes"


def _is_login(auth: str) -> bool:
    login = unbase64(auth)
    return login is not None and b":" in login


def registry_of(image: str) -> str:
    """The registry an image reference means."""
    host, slash, _ = image.partition("/")
    return host if slash and (set(".:") & set(host) or host == "localhost") else _DOCKER


def _covered(image: str, entries: Iterable[str], public: frozenset[str]) -> bool:
    """Whether an image can be had: openly, or by a login for it, a path above it, or its registry."""
    registry = registry_of(image)
    if not image or registry in public | _ALWAYS_KNOWN:
        return True
    wanted = {registry, _DOCKER_ALIAS} if registry == _DOCKER else {registry}
    path, slash, last = image.partition("@")[0].rpartition("/")
    path += slash + last.partition(":")[0]
    while path:
        wanted.add(path)
        path = path.rpartition("/")[0]
    return not wanted.isdisjoint(entries)

"""What a call is: where it goes, who may make it, what it takes and what it answers."""

import re
from enum import StrEnum
from typing import Any

from muster.domain.record import Record

DROP_IN = "/api/assisted-install"
BEFORE = f"{DROP_IN}/v1"
OURS = "/api/muster/v1"

JSON = "application/json"
BYTES = "application/octet-stream"
STREAM = "text/event-stream"
FORM = "multipart/form-data"
PAGE = "text/html; charset=utf-8"


class Scheme(StrEnum):
    """How a caller shows who it is."""

    USER = "userAuth"
    AGENT = "agentAuth"
    LINK = "urlAuth"
    IMAGE = "imageAuth"
    IMAGE_LINK = "imageURLAuth"
    WATCHER = "watcherAuth"


CARRIED_BY = {
    Scheme.USER: "Authorization",
    Scheme.AGENT: "X-Secret-Key",
    Scheme.LINK: "api_key",
    Scheme.IMAGE: "Image-Token",
    Scheme.IMAGE_LINK: "image_token",
    Scheme.WATCHER: "Watcher-Authorization",
}
"""The header, or the parameter of the query, in which it is shown."""

IN_QUERY = frozenset({Scheme.LINK, Scheme.IMAGE_LINK})
"""What is shown in the query."""


class Access(Record):
    """One way to be let in: a scheme and the roles that may use it; none named means any."""

    scheme: Scheme
    roles: frozenset[str] = frozenset()


USER = Access(scheme=Scheme.USER, roles=frozenset({"admin", "user"}))
READER = Access(scheme=Scheme.USER, roles=frozenset({"admin", "read-only-admin", "user"}))
OWNER = Access(scheme=Scheme.USER, roles=frozenset({"user"}))
ANYONE = Access(scheme=Scheme.USER)
AGENT = Access(scheme=Scheme.AGENT)
LINK = Access(scheme=Scheme.LINK)
IMAGE = Access(scheme=Scheme.IMAGE)
IMAGE_LINK = Access(scheme=Scheme.IMAGE_LINK)
WATCHER = Access(scheme=Scheme.WATCHER)


class Endpoint(Record):
    """One call: where it goes, who may make it, what it takes, what it answers."""

    name: str
    method: str
    path: str
    access: tuple[Access, ...]
    """The ways to be let in, in the order in which they are tried."""
    status: int = 200
    query: type[Record] | None = None
    headers: type[Record] | None = None
    """What a caller may say in headers."""
    body: Any = None
    takes: str = JSON
    answers: Any = None
    """The type of what it answers in JSON; None if it answers nothing."""
    counts: tuple[str, ...] = ()
    """The headers of its answer that count something."""
    also: tuple[int, ...] = ()
    """The statuses it may answer with besides its own and those of every call."""
    mute: tuple[int, ...] = ()
    """The errors that it answers without a body."""
    silent: tuple[int, ...] = ()
    """The statuses it answers with without a word."""
    gives: str = JSON
    file: bool = False
    """It answers with a file as it is: callers may ask for its head or for parts of it, whatever they accept."""
    summary: str = ""

    @property
    def methods(self) -> tuple[str, ...]:
        """How it may be called."""
        return (self.method, "HEAD") if self.file else (self.method,)

    @property
    def fails_in(self) -> str:
        """The form of its errors: who asks an operation for bytes gets them as such, everybody else in JSON."""
        return BYTES if self.gives == BYTES and not self.file else JSON

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names in the path."""
        return tuple(re.findall(r"{(\w+)}", self.path))

    def url(self, **parameters: str) -> str:
        """The path with its names filled in."""
        return self.path.format(**parameters)


def v2(name: str, call: str, *access: Access, status: int = 200, **traits: Any) -> Endpoint:
    """A call of the contract, written as `GET /clusters`."""
    method, path = call.split(" ")
    return Endpoint(name=name, method=method, path=f"{DROP_IN}/v2{path}", access=access, status=status, **traits)


def v1(name: str, call: str, *access: Access, status: int = 200, **traits: Any) -> Endpoint:
    """A call of the contract as it was before, written as `GET /clusters`."""
    method, path = call.split(" ")
    return Endpoint(name=name, method=method, path=f"{BEFORE}{path}", access=access, status=status, **traits)


def image(name: str, path: str, *access: Access, **traits: Any) -> Endpoint:
    """A file that machines start from. No access named means that whoever knows the path may have it."""
    return Endpoint(name=name, method="GET", path=path, access=access, gives=BYTES, file=True, **traits)


def ours(name: str, call: str, *access: Access, status: int = 200, **traits: Any) -> Endpoint:
    """A call of our own."""
    method, path = call.split(" ")
    return Endpoint(name=name, method=method, path=f"{OURS}{path}", access=access, status=status, **traits)


CLUSTER = "/clusters/{cluster_id}"
INFRA_ENV = "/infra-envs/{infra_env_id}"
HOST = f"{INFRA_ENV}/hosts/{{host_id}}"

IDS = frozenset({"cluster_id", "infra_env_id", "host_id"})
"""The names in paths that stand for a UUID; all others stand for any text."""

"""What a call is: where it goes, who may make it, what it takes and what it answers."""

import re
from enum import StrEnum
from typing import Any

from muster.domain.record import Record

DROP_IN = "/api/assisted-install"
OURS = "/api/muster/v1"

JSON = "application/json"
BYTES = "application/octet-stream"
STREAM = "text/event-stream"
FORM = "multipart/form-data"


class Scheme(StrEnum):
    """How a caller shows who it is."""

    USER = "userAuth"
    AGENT = "agentAuth"
    LINK = "urlAuth"
    IMAGE = "imageAuth"
    IMAGE_LINK = "imageURLAuth"
    WATCHER = "watcherAuth"


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
    body: Any = None
    takes: str = JSON
    gives: str = JSON
    summary: str = ""

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


def ours(name: str, call: str, *access: Access, status: int = 200, **traits: Any) -> Endpoint:
    """A call of our own."""
    method, path = call.split(" ")
    return Endpoint(name=name, method=method, path=f"{OURS}{path}", access=access, status=status, **traits)


CLUSTER = "/clusters/{cluster_id}"
INFRA_ENV = "/infra-envs/{infra_env_id}"
HOST = f"{INFRA_ENV}/hosts/{{host_id}}"

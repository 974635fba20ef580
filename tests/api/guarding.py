"""A service that asks who calls, what is there, and those who call it with their tokens."""

from collections.abc import Mapping
from typing import NamedTuple

from calling import Caller, Reply
from making import Made, a_cluster, a_host, an_infra_env

from parts.keys import Locksmith

NOTHING: Mapping[str, str] = {}


class Known(Caller):
    """A caller that shows something with every call."""

    def __init__(self, url: str, shown: Mapping[str, str]) -> None:
        super().__init__(url)
        self._shown = shown

    def raw(self, method, path, body=None, headers=NOTHING) -> Reply:
        """One call with exactly these bytes and headers, and with what is shown."""
        return super().raw(method, path, body, {**self._shown, **headers})


class Guards:
    """Opens connections for callers with their tokens; all are closed in the end."""

    def __init__(self, url: str, smith: Locksmith) -> None:
        self.smith = smith
        self._url = url
        self._callers: list[Caller] = []

    def _opened(self, **shown: str) -> Caller:
        self._callers.append(Known(self._url, shown))
        return self._callers[-1]

    def stranger(self) -> Caller:
        """Somebody who shows nothing."""
        return self._opened()

    def user(self, name: str = "alice", role: str = "admin", **more: str) -> Caller:
        """A user."""
        return self._opened(Authorization=f"Bearer {self.smith.user(name, role, **more)}")

    def agent(self, infra_env_id: str) -> Caller:
        """An agent that was started from an infra-env."""
        return self._opened(**{"X-Secret-Key": self.smith.infra_env(infra_env_id)})

    def holder(self, cluster_id: str) -> Caller:
        """Whoever has the token of a cluster."""
        return self._opened(**{"X-Secret-Key": self.smith.cluster(cluster_id)})

    def made(self) -> Made:
        """A cluster with its image, and a host that has just registered."""
        admin = self.user()
        cluster_id = a_cluster(admin)
        infra_env_id = an_infra_env(admin, cluster_id)
        return Made(cluster_id, infra_env_id, a_host(self.agent(infra_env_id), infra_env_id))

    def close(self) -> None:
        """Hang up."""
        for caller in self._callers:
            caller.close()


class Scene(NamedTuple):
    """What is there: one cluster with its image and host, another one, and who may get at them."""

    guards: Guards
    own: Made
    other: Made
    admin: Caller
    stranger: Caller
    agent: Caller
    """The agent of the one."""

    @property
    def smith(self) -> Locksmith:
        """Who makes tokens."""
        return self.guards.smith


def staged(guards: Guards) -> Scene:
    """A new scene."""
    own = guards.made()
    return Scene(guards, own, guards.made(), guards.user(), guards.stranger(), guards.agent(own.infra_env_id))

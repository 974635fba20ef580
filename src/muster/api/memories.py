"""What a process remembers so that the common case costs nothing. All of it can be lost without harm."""

from collections.abc import Callable
from datetime import datetime

from muster.api.made import Workshop
from muster.domain.errors import NotFound
from muster.domain.hosts import Host
from muster.domain.policy import Policy
from muster.domain.steps import instruct
from muster.domain.steps.connectivity_check import turn_of
from muster.domain.views import View, cluster_scope, infra_env_scope
from muster.ports import Committed, Store
from muster.runtime.engine import Engine
from muster.wire.steps import encode_instructions


class Places:
    """In which scope each host is."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._scopes: dict[tuple[str, str], str] = {}

    async def scope_of(self, infra_env_id: str, host_id: str) -> str:
        """The scope of a host. Raises `NotFound` if there is no such host."""
        scope = self._scopes.get((infra_env_id, host_id))
        if scope is None:
            scope = await self._store.scope_of_host(infra_env_id, host_id)
            if scope is None:
                raise NotFound(f"There is no host {host_id} in infra-env {infra_env_id}")
            self._scopes[infra_env_id, host_id] = scope
        return scope

    def note(self, infra_env_id: str, host_id: str, scope: str) -> None:
        """A host is here now."""
        self._scopes[infra_env_id, host_id] = scope

    def forget(self, infra_env_id: str, host_id: str) -> str:
        """A host may be anywhere, or nowhere; where it was said to be, "" if that was not known."""
        return self._scopes.pop((infra_env_id, host_id), "")

    def forget_all(self) -> None:
        """Every host may be anywhere."""
        self._scopes.clear()


class Replies:
    """The last good reply to each step.

    Agents mostly repeat themselves. As long as the host has not started anew and has not learnt anything
    else from that step, here or through another replica, the same reply can change nothing again, so it
    need not even be read.
    """

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], tuple[int, datetime | None, datetime]] = {}

    def known(self, host: Host, step: str, digest: int) -> bool:
        """Whether this reply is known to change nothing."""
        return self._last.get((host.id, step)) == (digest, host.heard_at.get(step), host.registered_at)

    def note(self, host: Host, step: str, digest: int) -> None:
        """This reply has made the host what it is; again, it would change nothing."""
        self._last[host.id, step] = (digest, host.heard_at.get(step), host.registered_at)

    def forget_all(self) -> None:
        """Every reply may be new."""
        self._last.clear()


class InstructionBook:
    """The instructions of each host, encoded once per version of its scope and, in a large one, per turn."""

    def __init__(self) -> None:
        self._pages: dict[str, tuple[tuple[str, int, int], bytes]] = {}

    def of(self, view: View, host_id: str, signed: Callable[[str], str]) -> bytes:
        """What a host is told to do, with links that it may follow."""
        page, state = self._pages.get(host_id), (view.scope, view.version, turn_of(view))
        if page is None or page[0] != state:
            page = (state, encode_instructions(instruct(view, host_id), signed))
            self._pages[host_id] = page
        return page[1]

    def forget_all(self) -> None:
        """Every page may be out of date."""
        self._pages.clear()


class Memories:
    """All of it."""

    def __init__(self, store: Store, policy: Policy) -> None:
        self.places = Places(store)
        self.workshop = Workshop(policy)
        self.replies = Replies()
        self.instructions = InstructionBook()

    def hear(self, news: Committed | None) -> None:
        """Forget everything if anything may have changed: a restored record may have the version of another one."""
        if news is None:
            self.places.forget_all()
            self.replies.forget_all()
            self.instructions.forget_all()

    def look_again(self, engine: Engine, parameters: dict[str, str]) -> None:
        """Forget what a call was about, so that it is read anew: another replica may have changed it."""
        cluster_id, infra_env_id = parameters.get("cluster_id"), parameters.get("infra_env_id")
        host_id = parameters.get("host_id")
        if cluster_id:
            engine.forget(cluster_scope(cluster_id))
        if infra_env_id:
            engine.forget(infra_env_scope(infra_env_id))
        if infra_env_id and host_id:
            engine.forget(self.places.forget(infra_env_id, host_id))

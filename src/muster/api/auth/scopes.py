"""What the token of an infra-env or of a cluster opens. `local.py` asks."""

from muster.api.memories import Places
from muster.domain.errors import NotFound
from muster.domain.infra_envs import InfraEnv
from muster.domain.views import View, cluster_scope, infra_env_scope
from muster.runtime.engine import Engine

from .gate import Subject
from .principal import Principal


class Scopes:
    """Knows what belongs to what."""

    def __init__(self, engine: Engine, places: Places) -> None:
        self._engine = engine
        self._places = places

    async def opens(self, principal: Principal, subject: Subject) -> bool:
        """Whether a caller's token is for this. In a link it is for exactly what it names."""
        if principal.infra_env_id:
            opens = self._linked if principal.by_link else self._worked_for
            return await opens(principal.infra_env_id, subject)
        own = principal.cluster_id
        if subject.host_ids and subject.cluster_id in (own, "") and not principal.by_link:
            return await self._are_in(own, subject)
        return subject.cluster_id == own

    async def _linked(self, own: str, subject: Subject) -> bool:
        """Whether the link of an infra-env leads there: to itself, or to hosts of its own."""
        if subject.cluster_id or subject.infra_env_id not in (own, ""):
            return False
        return await self._all_of(own, subject) if subject.host_ids else bool(subject.infra_env_id)

    async def _worked_for(self, own: str, subject: Subject) -> bool:
        """Whether agents, installers and controllers of an infra-env have to do with this."""
        if subject.cluster_id and not await self._takes_part(own, subject.cluster_id):
            return False
        if subject.infra_env_id not in (own, ""):
            return await self._are_beside(own, subject)
        if not subject.host_ids:
            return bool(subject.infra_env_id or subject.cluster_id)
        if subject.cluster_id:
            return await self._are_in(subject.cluster_id, subject)
        return await self._all_of(own, subject)

    async def _all_of(self, infra_env_id: str, subject: Subject) -> bool:
        """Whether hosts were started from an infra-env."""
        return all([await self._scope_of(infra_env_id, host_id) for host_id in subject.host_ids])

    async def _are_beside(self, own: str, subject: Subject) -> bool:
        """Whether there are hosts of another infra-env, in clusters that hosts of this one are part of too."""
        scopes = [await self._scope_of(subject.infra_env_id, host_id) for host_id in subject.host_ids]
        clusters = {scope.removeprefix(CLUSTER) for scope in scopes if scope.startswith(CLUSTER)}
        shared = [await self._takes_part(own, cluster_id) for cluster_id in clusters]
        return bool(scopes) and all(scope.startswith(CLUSTER) for scope in scopes) and all(shared)

    async def _are_in(self, cluster_id: str, subject: Subject) -> bool:
        """Whether hosts are in a cluster, and of the infra-env that was named, if one was."""
        view = await self.cluster(cluster_id)
        hosts = {host.id: host.infra_env_id for host in view.living} if view else {}
        named = subject.infra_env_id
        return all(each in hosts and named in ("", hosts[each]) for each in subject.host_ids)

    async def _takes_part(self, infra_env_id: str, cluster_id: str) -> bool:
        """Whether an infra-env is for a cluster, or a host of it was given to the cluster."""
        infra_env = await self.infra_env(infra_env_id)
        if infra_env is not None and infra_env.cluster_id == cluster_id:
            return True
        view = await self.cluster(cluster_id)
        return view is not None and any(host.infra_env_id == infra_env_id for host in view.living)

    async def infra_env(self, infra_env_id: str) -> InfraEnv | None:
        """An infra-env, if it is there."""
        view = await self._view(infra_env_scope(infra_env_id))
        infra_env = view.infra_envs.get(infra_env_id) if view else None
        return None if infra_env is None or infra_env.deleted else infra_env

    async def cluster(self, cluster_id: str) -> View | None:
        """A cluster with its hosts, if it is there."""
        view = await self._view(cluster_scope(cluster_id))
        return None if view is None or view.cluster is None or view.cluster.deleted_at else view

    async def _scope_of(self, infra_env_id: str, host_id: str) -> str:
        """Where a host is; "" if there is no such host."""
        try:
            return await self._places.scope_of(infra_env_id, host_id)
        except NotFound:
            return ""

    async def _view(self, scope: str) -> View | None:
        try:
            return await self._engine.view(scope)
        except NotFound:
            return None


CLUSTER = cluster_scope("")

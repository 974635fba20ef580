"""AUTH_TYPE=local: callers show tokens signed with the service's own key.

A user's token has the claims `user` and `role`. The token of an infra-env or of a cluster has one claim, its id, and
does not end; what it is for has to be there. As `X-Secret-Key` it opens what its holder works for: the infra-env, its
hosts, and the clusters they belong to with all their hosts, since a controller reports for all of them; or the cluster
and its hosts. In a link it opens exactly what it is for. Whatever else is asked for is not found.
"""

from collections.abc import Mapping

from muster.api.errors import Malformed
from muster.api.memories import Places
from muster.runtime.wiring import Service
from muster.wire.endpoints.endpoint import Access, Scheme
from muster.wire.tokens import ROLES, Claims, Keys, Untrusted

from .authenticator import unauthenticated
from .gate import Subject
from .principal import ADMIN, Principal
from .scopes import Scopes

HELD = frozenset({Scheme.AGENT, Scheme.LINK})
"""Ways in which the token of an infra-env or of a cluster is shown."""


class LocalAuthenticator:
    """Knows callers by tokens signed with one pair of keys."""

    def __init__(self, keys: Keys, service: Service, places: Places) -> None:
        self._keys = keys
        self._clock = service.clock
        self._scopes = Scopes(service.engine, places)
        self._unscoped = not service.settings.scoped_tokens

    async def authenticate(self, scheme: Scheme, credential: str, _: Mapping[str, str]) -> Principal:
        """Who shows this token; whoever shows none that is good in this way is not known."""
        if scheme is Scheme.USER:
            return self._user(credential)
        if scheme in HELD:
            return await self._holder(credential, by_link=scheme is Scheme.LINK)
        raise unauthenticated(f"With AUTH_TYPE=local nobody is let in by {scheme}; show a user's token as a bearer")

    def _user(self, credential: str) -> Principal:
        word, _, token = credential.partition(" ")
        if word.lower() != "bearer":
            raise unauthenticated("Authorization: write the word Bearer, a space, and the token")
        claims = self._claims(token.strip())
        if not claims.user:
            raise unauthenticated("Authorization: this token is not a user's; make one with `muster token user NAME`")
        if claims.role not in ROLES:
            raise unauthenticated(f"Authorization: the role in this token is none of {', '.join(ROLES)}")
        return Principal(username=claims.user, role=claims.role, email=claims.email, org_id=claims.org_id)

    async def _holder(self, token: str, *, by_link: bool) -> Principal:
        claims = self._claims(token)
        if claims.infra_env_id and await self._scopes.infra_env(claims.infra_env_id):
            return Principal(infra_env_id=claims.infra_env_id, by_link=by_link)
        if claims.cluster_id and await self._scopes.cluster(claims.cluster_id):
            return Principal(cluster_id=claims.cluster_id, by_link=by_link)
        if claims.infra_env_id or claims.cluster_id:
            raise unauthenticated("What this token is for does not exist any more; take a new image or link")
        raise unauthenticated("This token is for no infra-env and no cluster; a user's is shown as a bearer")

    def _claims(self, token: str) -> Claims:
        try:
            claims = self._keys.read(token)
        except Untrusted as error:
            raise unauthenticated(f"The token is not accepted: {error}") from None
        if claims.exp is not None and claims.exp <= self._clock.now().timestamp():
            raise unauthenticated("The token has ended; ask for a new one")
        return claims

    async def authorize(self, principal: Principal, access: Access, subject: Subject) -> None:
        """A user needs a role that may make the call, and an admin has them all; a holder has to keep to its own."""
        if principal.scoped:
            if subject != Subject() and not await self.opens(principal, subject):
                raise Malformed(404, "There is nothing here that this token is for")
        elif access.roles and principal.role not in access.roles | {ADMIN}:
            raise Malformed(403, f"The role {principal.role} may not make this call; it takes {_either(access)}")

    async def opens(self, principal: Principal, subject: Subject) -> bool:
        """Whether the token of an infra-env or cluster opens this."""
        return self._unscoped or await self._scopes.opens(principal, subject)


def _either(access: Access) -> str:
    return " or ".join(sorted(access.roles))

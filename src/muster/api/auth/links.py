"""Links that let in whoever follows them, as far as the service asks who calls."""

from urllib.parse import urlencode

from muster.wire.endpoints.endpoint import CARRIED_BY, Scheme
from muster.wire.tokens import Claims, Keys


class Links:
    """Signs links. The same link is signed the same way each time. Without keys nobody is asked, and nothing signed."""

    def __init__(self, keys: Keys | None) -> None:
        self._keys = keys

    def token(self, *, infra_env_id: str = "", cluster_id: str = "") -> str:
        """What opens an infra-env or a cluster; "" if everything is open."""
        if self._keys is None:
            return ""
        return self._keys.signed(Claims(infra_env_id=infra_env_id, cluster_id=cluster_id))

    def signed(self, url: str, *, infra_env_id: str = "", cluster_id: str = "") -> str:
        """A link that lets its holder in to an infra-env or a cluster."""
        token = self.token(infra_env_id=infra_env_id, cluster_id=cluster_id)
        if not token:
            return url
        return f"{url}{'&' if '?' in url else '?'}{urlencode({CARRIED_BY[Scheme.LINK]: token})}"

"""Whoever makes a call, as far as it has been found out."""

from muster.domain.record import Record

ADMIN = "admin"


class Principal(Record):
    """A user, or whoever holds the token of an infra-env or of a cluster: an agent, an installer, a controller."""

    username: str = ADMIN
    role: str = ADMIN
    email: str = ""
    org_id: str = ""
    infra_env_id: str = ""
    cluster_id: str = ""
    """What the caller's token is for, if it is not a user's: the one or the other."""
    by_link: bool = False
    """The token came with a link, which opens exactly what it is for."""

    @property
    def scoped(self) -> bool:
        """The caller is not a user, and has to do with one infra-env or cluster only."""
        return bool(self.infra_env_id or self.cluster_id)

    @property
    def is_admin(self) -> bool:
        """The caller may see what others may not, such as what has been given up."""
        return self.role == ADMIN and not self.scoped

    @property
    def actor(self) -> str:
        """Who is said to have changed something."""
        if self.infra_env_id:
            return f"infra-env {self.infra_env_id}"
        return f"cluster {self.cluster_id}" if self.cluster_id else self.username

    @property
    def email_domain(self) -> str:
        """Where the caller's mail goes."""
        return self.email.rpartition("@")[2] or "Unknown"


ANYBODY = Principal(username="", role="")
"""Who calls what everybody may call."""

EVERYBODY = Principal()
"""Who everybody is where nobody is asked."""

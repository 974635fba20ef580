"""`muster token`: makes what callers show where AUTH_TYPE is local, with the key that the service has too."""

from typing import Annotated, Literal
from uuid import UUID

import typer

from muster.adapters.clock import SystemClock
from muster.domain.errors import Invalid
from muster.runtime.settings import duration, read_settings
from muster.wire.tokens import PRIVATE, Claims, Keys

Id = Annotated[UUID, typer.Argument(help="Its id.")]
Role = Literal["user", "admin", "read-only-admin"]


def user(
    name: Annotated[str, typer.Argument(help="Who shows it; changes are put down to this name.")],
    *,
    role: Annotated[Role, typer.Option(help="What its holder may do.")] = "user",
    email: Annotated[str, typer.Option(help="The user's mail address.")] = "",
    org: Annotated[str, typer.Option(help="The user's organization.")] = "",
    lasts: Annotated[str, typer.Option(help="How long it is good for, such as 12h; for ever if left out.")] = "",
) -> None:
    """A token for a person or program that uses the API: put it into MUSTER_TOKEN, or send it as a bearer."""
    until = SystemClock().now() + duration("--lasts", lasts) if lasts else None
    exp = until.timestamp() if until else None
    _print(Claims(user=name, role=role, email=email, org_id=org, exp=exp))


def infra_env(infra_env_id: Id) -> None:
    """The token of a discovery image: its agents have it, in PULL_SECRET_TOKEN, and links to its files."""
    _print(Claims(infra_env_id=str(infra_env_id)))


def cluster(cluster_id: Id) -> None:
    """The token of a cluster, for links to its files, logs and events."""
    _print(Claims(cluster_id=str(cluster_id)))


def _print(claims: Claims) -> None:
    settings = read_settings()
    if not settings.private_key:
        raise Invalid(f"{PRIVATE} is not set: a token is signed with the key that the service has too")
    typer.echo(Keys(settings.private_key, settings.public_key).signed(claims))

"""Reads scopes and their records. Each question is one statement, so its answer is of one moment."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import (
    Boolean,
    Connection,
    Integer,
    Row,
    bindparam,
    cast,
    exists,
    func,
    literal,
    null,
    or_,
    select,
    union,
    union_all,
)

from muster.adapters.rows import host_key
from muster.domain.clusters import Cluster
from muster.domain.errors import Broken
from muster.domain.hosts import Host
from muster.domain.infra_envs import InfraEnv
from muster.domain.views import infra_env_scope
from muster.ports import Stored

from .schema import Moment, presence, records, scopes

_DECODERS: dict[str, msgspec.json.Decoder[Any]] = {
    "cluster": msgspec.json.Decoder(Cluster),
    "host": msgspec.json.Decoder(Host),
    "infra_env": msgspec.json.Decoder(InfraEnv),
}

_is_host = records.c.kind == "host"
_is_infra_env = records.c.kind == "infra_env"
_alive = records.c.gone.is_(False)
_of_scope = records.c.scope == bindparam("scope")

_FILED = (
    select(records.c.seq.label("age"), records.c.kind, records.c.key, records.c.body, scopes.c.version, presence.c.at)
    .join_from(records, scopes, scopes.c.id == records.c.scope)
    .outerjoin(presence, presence.c.key == records.c.key)
)
_USED_INFRA_ENVS = union(
    select(records.c.key).where(_is_infra_env, _alive, records.c.parent == bindparam("id")),
    select(records.c.parent).where(_is_host, _alive, _of_scope),
)
_CLUSTER = union_all(
    _FILED.where(_of_scope, or_(records.c.kind == "cluster", _alive, bindparam("gone", type_=Boolean))),
    _FILED.where(_is_infra_env, records.c.key.in_(_USED_INFRA_ENVS)),
).order_by("age")

_HOST = union_all(
    _FILED.where(_is_infra_env, records.c.key == bindparam("infra_env")),
    _FILED.where(_is_host, _alive, _of_scope, records.c.key == bindparam("key")),
    select(literal(0), literal("scope"), scopes.c.id, literal(""), scopes.c.version, cast(null(), Moment)).where(
        scopes.c.id == bindparam("scope")
    ),
)

_tenants, _owner, _heard = records.alias("tenants"), records.alias("owner"), presence.alias("heard")
_is_tenant = (_tenants.c.kind == "host") & _tenants.c.gone.is_(False) & (_tenants.c.parent == bindparam("key"))
_is_owner = (_owner.c.kind == "cluster") & _owner.c.gone.is_(False) & (_owner.c.key == records.c.parent)
_INFRA_ENV = _FILED.add_columns(
    select(func.count()).where(_is_tenant).scalar_subquery().label("tenants"),
    or_(
        exists(select(_owner.c.seq).where(_is_owner)),
        exists(select(_tenants.c.seq).where(_is_tenant, _tenants.c.scope.startswith("cluster:"))),
    ).label("needed"),
    select(func.max(_heard.c.at))
    .join_from(_tenants, _heard, _heard.c.key == _tenants.c.key)
    .where(_is_tenant)
    .scalar_subquery()
    .label("heard_at"),
).where(_is_infra_env, records.c.key == bindparam("key"))

_SCOPES = (
    select(scopes.c.id)
    .where(scopes.c.kind == bindparam("kind"), or_(scopes.c.live.is_(True), bindparam("gone", type_=Boolean)))
    .order_by(scopes.c.seq)
)
_SCOPE_OF_HOST = select(records.c.scope).where(_is_host, _alive, records.c.key == bindparam("key"))
_HOSTS_OF = (
    select(records.c.id, records.c.scope)
    .where(_is_host, _alive, records.c.parent == bindparam("infra_env"))
    .order_by(records.c.seq)
)

_HOSTS_CALLED = (
    select(records.c.id, records.c.scope)
    .where(_is_host, _alive, func.substr(records.c.id, 1, bindparam("length", type_=Integer)) == bindparam("start"))
    .order_by(records.c.seq)
)

_PRESENCE_OF = (
    select(records.c.id, presence.c.at)
    .join_from(records, presence, presence.c.key == records.c.key)
    .where(_is_host, _alive, _of_scope)
)


def load(connection: Connection, scope: str, *, gone: bool = False) -> Stored | None:
    """The scope with all that its decisions may look at; None if there is none. `gone` adds hosts given up."""
    kind, _, key = scope.partition(":")
    found = _LOADERS.get(kind)
    return found(connection, scope, key, gone) if found else None


def _load_cluster(connection: Connection, scope: str, key: str, gone: bool) -> Stored | None:
    rows = connection.execute(_CLUSTER, {"scope": scope, "id": key, "gone": gone}).all()
    own = next((row for row in rows if row.kind == "cluster"), None)
    return None if own is None else _stored(rows, version=own.version, cluster=_decoded(own))


def _load_host(connection: Connection, scope: str, key: str, _: bool) -> Stored | None:
    """The host, or the place where it may register: an infra-env that has not been given up."""
    infra_env_id = key.partition("/")[0]
    rows = connection.execute(_HOST, {"scope": scope, "key": key, "infra_env": infra_env_id}).all()
    version = next((row.version for row in rows if row.kind == "scope"), 0)
    stored = _stored(rows, version=version)
    infra_env = stored.infra_envs.get(infra_env_id)
    nowhere = infra_env is None or infra_env.deleted
    return None if nowhere and not stored.hosts else stored


def _load_infra_env(connection: Connection, _: str, key: str, __: bool) -> Stored | None:
    row = connection.execute(_INFRA_ENV, {"key": key}).one_or_none()
    if row is None:
        return None
    return Stored(
        version=row.version,
        infra_envs={key: _decoded(row)},
        tenants=row.tenants,
        needed=bool(row.needed),
        heard_at=row.heard_at,
    )


_LOADERS: dict[str, Callable[[Connection, str, str, bool], Stored | None]] = {
    "cluster": _load_cluster,
    "host": _load_host,
    "infra-env": _load_infra_env,
}


def _stored(rows: Sequence[Row[Any]], *, version: int, cluster: Cluster | None = None) -> Stored:
    """The hosts and infra-envs among the rows, put together."""
    hosts: dict[str, Host] = {}
    infra_envs: dict[str, InfraEnv] = {}
    reads: dict[str, int] = {}
    seen = {}
    for row in rows:
        if row.kind == "host":
            host = _decoded(row)
            hosts[host.id] = host
            if row.at is not None:
                seen[host.id] = row.at
        elif row.kind == "infra_env":
            infra_envs[row.key] = _decoded(row)
            reads[infra_env_scope(row.key)] = row.version
    return Stored(version=version, cluster=cluster, hosts=hosts, infra_envs=infra_envs, reads=reads, presence=seen)


def _decoded(row: Row[Any]) -> Any:
    """The record in a row."""
    try:
        return _DECODERS[row.kind].decode(row.body)
    except msgspec.DecodeError as error:
        raise Broken(f"reading {row.kind} {row.key} from the database: {error}") from error


def scopes_of(connection: Connection, kind: str, *, gone: bool = False) -> tuple[str, ...]:
    """The live scopes of a kind, oldest first; all of them if `gone`."""
    return tuple(connection.execute(_SCOPES, {"kind": kind, "gone": gone}).scalars())


def scope_of_host(connection: Connection, infra_env_id: str, host_id: str) -> str | None:
    """The scope in which a live host is now."""
    return connection.execute(_SCOPE_OF_HOST, {"key": host_key(infra_env_id, host_id)}).scalar()


def hosts_of(connection: Connection, infra_env_id: str) -> tuple[tuple[str, str], ...]:
    """Host id and scope of every live host of an infra-env, oldest first."""
    return tuple((row.id, row.scope) for row in connection.execute(_HOSTS_OF, {"infra_env": infra_env_id}))


def hosts_called(connection: Connection, start: str) -> tuple[tuple[str, str], ...]:
    """Host id and scope of every live host whose id starts like that, oldest first."""
    return tuple(
        (row.id, row.scope) for row in connection.execute(_HOSTS_CALLED, {"start": start, "length": len(start)})
    )


def presence_of(connection: Connection, scope: str) -> dict[str, datetime]:
    """When each live host of a scope last asked for instructions."""
    return {row.id: row.at for row in connection.execute(_PRESENCE_OF, {"scope": scope})}

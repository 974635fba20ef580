"""Removes all that is kept of a scope, as the last part of a commit. `sqlite.py` and `postgres.py` run it.

Each statement has one parameter, `{it}`: the scope, or the id of the cluster or infra-env whose scope it is.
"""

from collections.abc import Iterator

from muster.adapters.rows import scope_kind

_OLDER = "(tx, seq) < (SELECT tx, seq FROM history ORDER BY tx DESC, seq DESC LIMIT 1)"
"""The newest row of the history stays, whosever it is: cursors are compared with it, and SQLite counts on from it."""

_CLUSTERS = "SELECT kind, key FROM records WHERE scope = {it}"
_INFRA_ENVS = (
    "SELECT kind, key FROM records WHERE (kind = 'infra_env' AND key = {it})"
    " OR (kind = 'host' AND parent = {it} AND gone AND scope = 'host:' || key)"
)

_THEIR_CLUSTER = "SELECT 1 FROM records WHERE kind = 'cluster' AND key = events.cluster_id"

_BY_SCOPE = {
    "cluster": (
        "DELETE FROM presence WHERE key IN (SELECT key FROM records WHERE kind = 'host' AND scope = {it})",
        f"DELETE FROM history WHERE (kind, key) IN ({_CLUSTERS}) AND {_OLDER}",  # noqa: S608 - put together from the constants above
        "DELETE FROM records WHERE scope = {it}",
        "DELETE FROM effects WHERE scope = {it}",
        "DELETE FROM scopes WHERE id = {it}",
    ),
    "infra-env": (
        "DELETE FROM effects WHERE scope = {it}",
        "DELETE FROM scopes WHERE id = {it}",
    ),
}
_BY_ID = {
    "cluster": ("DELETE FROM events WHERE cluster_id = {it}",),
    "infra-env": (
        "DELETE FROM presence WHERE key IN (SELECT key FROM records WHERE kind = 'host' AND parent = {it} AND gone)",
        f"DELETE FROM history WHERE (kind, key) IN ({_INFRA_ENVS}) AND {_OLDER}",  # noqa: S608 - as above
        f"DELETE FROM events WHERE infra_env_id = {{it}} AND NOT EXISTS ({_THEIR_CLUSTER})",  # noqa: S608 - as above
        "DELETE FROM scopes WHERE kind = 'host' AND substr(id, 1, length({it}) + 6) = 'host:' || {it} || '/'",
        f"DELETE FROM records WHERE (kind, key) IN ({_INFRA_ENVS})",  # noqa: S608 - as above
    ),
}
"""By the kind of the scope. What names records to find others by them comes before the records go."""


def forgetting(scope: str, parameter: str) -> Iterator[tuple[str, str]]:
    """The statements that leave nothing of a scope, with `parameter` where the value beside each belongs."""
    kind, key = scope_kind(scope), scope.partition(":")[2]
    for value, statements in ((key, _BY_ID[kind]), (scope, _BY_SCOPE[kind])):
        for statement in statements:
            yield statement.format(it=parameter), value

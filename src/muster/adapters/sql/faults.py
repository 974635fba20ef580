"""Turns what drivers raise into our own errors. Every statement runs inside `named_faults`."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg
from sqlalchemy import exc

from muster.domain.errors import Conflict, MusterError, Unavailable

OUT_OF_REACH = frozenset({"08", "28", "3D", "53", "57"})
"""Classes of SQLSTATE: no connection, no such user, no such database, out of resources, the operator stopped it."""

GONE = frozenset({"42P01", "3F000"})
"""SQLSTATEs of a database whose tables, or the schema they were in, somebody has thrown away."""

LOST_RACES = frozenset({"40001", "40P01"})
"""SQLSTATEs of two transactions in each other's way."""

BUSY_OR_AWAY = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
    }
)
"""What SQLite says when the file or its disk is the trouble, not the statement."""

DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""What SQLite says of a file that is no database any more."""

NO_TABLE = "no such table"
"""How SQLite says, with the code of any other mistake, that the tables are gone."""

PRIMARY = 0xFF
"""SQLite's extended codes keep the plain code in the lowest byte."""


class Emptied(Unavailable):
    """What was kept is gone, or another database has come in its place; `migrate` makes room for what is new."""

    def __init__(self) -> None:
        super().__init__(
            "What the database held is gone, or was replaced; the service is about to go on with what it finds there. "
            "Try again in a moment; what is missing then comes back only with `muster restore`"
        )


@contextmanager
def named_faults() -> Iterator[None]:
    """A database out of reach is `Unavailable`, an `Emptied` one too, a lost race is a `Conflict`; bugs stay bugs."""
    try:
        yield
    except exc.DBAPIError as error:
        away = error.connection_invalidated or isinstance(error, exc.InterfaceError)
        named = _unavailable(error.orig) if away else _named(error.orig)
        if named is None:
            raise
        raise named from error
    except (sqlite3.Error, asyncpg.PostgresError) as error:
        named = _named(error)
        if named is None:
            raise
        raise named from error
    except (OSError, exc.TimeoutError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        # The last one is what a connection says that the server has ended while nothing was asked of it.
        raise _unavailable(error) from error


def _named(error: BaseException | None) -> MusterError | None:
    """Our name for a driver's error, None if it is a bug of ours."""
    state = str(getattr(error, "sqlstate", None) or "")
    if state in LOST_RACES:
        return Conflict("Another change of the same records was written at the same time; look again")
    code = getattr(error, "sqlite_errorcode", -1) & PRIMARY
    if state in GONE or (code == sqlite3.SQLITE_ERROR and str(error).startswith(NO_TABLE)):
        return Emptied()
    if code in DAMAGED:
        return Unavailable(
            "The database file is damaged. Move it away, with those of the same name that end in -wal and -shm, and "
            "bring back a backup with `muster restore`; the service goes on from there by itself"
        )
    return _unavailable(error) if state[:2] in OUT_OF_REACH or code in BUSY_OR_AWAY else None


def _unavailable(error: BaseException | None) -> Unavailable:
    """The sentence about a database that does not answer; the driver's own text stays in the chain."""
    return Unavailable(
        f"The database does not answer ({type(error).__name__}); check that it runs and can be reached. "
        "The connection comes back by itself"
    )

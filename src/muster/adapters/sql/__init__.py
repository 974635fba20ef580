"""The store on SQLite and PostgreSQL: one schema, one set of statements, two ways of writing a commit."""

from .store import SqlStore

__all__ = ["SqlStore"]

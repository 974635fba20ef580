"""Prints what the service costs beside what it may cost; `make bench` runs it.

Every figure but the starts is processor time of the service and its database together. That is steadier
than the clock, yet a busy machine stretches it too, so the share of others is printed along: from a tenth
on, figures are too high. A row that is over its budget is marked; nothing fails.
"""

import argparse
import resource
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import msgspec
import uvloop
from core import core_figures
from images import image_figures
from load import measured
from meters import Others
from rich.console import Console
from service import prepared
from tables import Figures, Row, table

SIZES = (100, 1000)
DATABASES = ("sqlite", "postgresql")
FILES = 20_000
"""Connections that the bench may hold open at once."""


ROWS = (
    Row(key="round", what="one agent round: poll and 6 replies, 1 of 20 changed", budget=1.5),
    Row(key="poll", what="one poll without replies", budget=0.3),
    Row(key="register", what="register and first inventory, per host", budget=3),
    Row(key="first round", what="first round, per host: poll and 6 replies, all new"),
    Row(key="create", what="create a cluster and its infra-env", budget=6),
    Row(key="read", what="get one cluster with 5 hosts", budget=1),
    Row(key="list", what="list all clusters with hosts, per cluster", budget=0.3),
    Row(key="silent", what="idle, hosts registered and silent", unit="ms CPU/s", budget=1),
    Row(key="idle", what="idle, hosts known and connected", unit="ms CPU/s", budget=1),
    Row(key="memory", what="memory, with database", unit="MB", budget=200),
    Row(key="start", what="start to serving, nothing there", unit="ms", budget=2000),
    Row(key="back", what="killed and serving again, nothing lost", unit="ms", budget=5000),
    Row(key="others", what="used by others meanwhile, of all processors", unit="%"),
)
IMAGE_ROWS = (
    Row(key="first byte", what="first byte of an image", unit="ms", budget=50),
    Row(key="one stream", what="one image of 1 GiB, beside plain sendfile", unit="%", budget=80, at_least=True),
    Row(key="many streams", what="50 of them at once, beside 50 of plain sendfile", unit="%", budget=80, at_least=True),
    Row(key="open streams", what="memory that 400 open streams take", unit="MB", budget=40),
)
CORE_ROWS = (
    Row(key="assess", what="assess a cluster of 5 hosts from scratch", budget=2),
    Row(key="settle", what="settle a cluster of 500 hosts after one changed reply", budget=50),
    Row(key="regroup", what="the same, after a reply that changes who is in the group", budget=50),
    Row(key="newcomer", what="the same, after one more host has registered", budget=50),
)


def main() -> None:
    """Measure what was asked for and print it."""
    asked = _asked()
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    columns: dict[str, Figures] = {}
    for database in asked.databases:
        for hosts in asked.hosts:
            print(f"measuring {database} with {hosts} hosts ...", file=sys.stderr, flush=True)
            others = Others()
            with prepared(database) as service:
                columns[f"{database}, {hosts} hosts"] = uvloop.run(measured(service, hosts))
            columns[f"{database}, {hosts} hosts"]["others"] = others.percent()
    print("measuring images and the core alone ...", file=sys.stderr, flush=True)
    images, core = {"images": image_figures()}, {"core": core_figures()}
    tables = (table(ROWS, columns), table(IMAGE_ROWS, images), table(CORE_ROWS, core))
    Console(width=None if sys.stdout.isatty() else 160).print(*tables)
    if asked.json:
        asked.json.write_bytes(msgspec.json.encode(columns | images | core))


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", nargs="+", type=int, default=SIZES, help="sizes of the fleet")
    parser.add_argument("--databases", nargs="+", choices=DATABASES, default=DATABASES, help="what to keep records in")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    return parser.parse_args()


if __name__ == "__main__":
    main()

"""The board, on a terminal and elsewhere."""

import io

from rich.console import Console

from muster.cli.board import Board
from muster.cli.sight import HostSight, Problem, Sight

SLOW = Problem(check="clock", message="The clock is late", measured="9 s", required="0 s", fix="Set it")


def a_sight(state="insufficient", percent=0, **changes) -> Sight:
    host = HostSight(name="worker-1", role="worker", state=state, problems=(SLOW,)).but(**changes)
    return Sight(name="demo", state="insufficient", percent=percent, hosts=(host,))


def shown(*sights: Sight, terminal: bool) -> str:
    out = io.StringIO()
    board = Board(Console(file=out, force_terminal=terminal, width=140, color_system=None))
    with board.up():
        for sight in sights:
            board.show(sight)
    return out.getvalue()


def test_a_terminal_shows_each_host_with_what_is_wrong_and_the_way_out():
    text = shown(a_sight(), terminal=True)
    for words in ("demo: insufficient 0%", "worker-1", "The clock is late", "Set it"):
        assert words in text


def test_a_host_that_installs_shows_its_stage_and_how_far_that_has_come():
    text = shown(a_sight("installing-in-progress", stage="Writing image to disk", info="45%", percent=0), terminal=True)
    assert "Writing image to disk 45%" in text


def test_elsewhere_every_change_is_one_line():
    text = shown(a_sight(), a_sight(), a_sight("known", problems=()), terminal=False)
    assert [line.partition("] ")[2] for line in text.splitlines()] == [
        "cluster demo: insufficient, 0%",
        "worker-1: insufficient, The clock is late",
        "worker-1: known",
    ]


def test_how_far_a_cluster_has_come_is_no_line_of_its_own():
    text = shown(a_sight(percent=1), a_sight(percent=2), terminal=False)
    assert text.count("cluster demo") == 1

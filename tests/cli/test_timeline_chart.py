"""`muster timeline`, as it is printed."""

from io import StringIO

import msgspec
from rich.console import Console

from builders import a_cluster
from histories import Tale, after
from muster.cli.timeline import BAR, bar, chart, closing, path, shown, words
from muster.domain.timeline import timeline
from muster.wire.timeline import TimelineOut, timeline_out


def told(tale: Tale, at: float, attempt: int | None = None) -> TimelineOut:
    out = timeline_out(timeline(tale.rows, now=after(at), attempt=attempt), a_cluster(), after(at))
    return msgspec.convert(msgspec.to_builtins(out), TimelineOut)


def printed(what: object) -> str:
    console = Console(file=StringIO(), width=200)
    console.print(what)
    return console.file.getvalue()


def a_failed_install() -> Tale:
    tale = Tale().registered("m0", "m1").install(0, "m0", "m1").told_to_install(100, "m0", "m1")
    for host in ("m0", "m1"):
        tale.stage(100, host, "Writing image to disk", "installing-in-progress")
    tale.stage(150, "m0", "Rebooting")
    tale.host(200, "m1", "error", status_info="The disk is full")
    return tale.cluster(200, "error", status_info="Too few hosts are left")


def test_every_span_is_a_bar_where_it_was():
    out = told(a_failed_install(), 300)
    by_name = {each.name: bar(out, each).plain for each in out.spans if not each.subject}
    assert by_name["preparing-for-installation"] == "█" * (BAR // 2) + " " * (BAR // 2)
    assert by_name["installing"] == " " * (BAR // 2) + "█" * (BAR // 2)
    assert all(len(each) == BAR for each in by_name.values())


def test_what_took_no_time_is_still_to_be_seen():
    tale = Tale().registered("m0").install(10, "m0").cluster(10, by="Prepared", preparation={"status": "success"})
    out = told(tale, 10)
    assert all("█" in bar(out, each).plain for each in out.spans)


def test_the_chart_marks_what_is_critical_and_shows_what_failed():
    text = printed(chart(told(a_failed_install(), 300)))
    assert "lab, attempt 1: install failed" in text
    (critical,) = [line for line in text.splitlines() if "Writing image to disk" in line]
    assert "*" in critical
    assert "1m 40s" in critical


def test_of_other_hosts_only_the_sum_is_shown_unless_everything_is_wanted():
    out = told(a_failed_install(), 300)
    few, all_of_it = list(shown(out)), list(shown(out, everything=True))
    assert {each.name for each in few} >= {"m0", "m1"}
    assert len(few) < len(all_of_it) == len(out.spans)


def test_the_critical_path_is_a_table_of_what_was_waited_for():
    text = printed(path(told(a_failed_install(), 300)))
    (writing,) = [line for line in text.splitlines() if "Writing" in line]
    assert [each.strip() for each in writing.strip("│").split("│")] == [
        "1m 40s",
        "1m 40s",
        "50%",
        "Writing image to disk",
        "m1",
    ]


def test_in_the_end_stands_what_was_slow_what_went_wrong_and_what_else_there_is():
    slow, wrong, others = closing(told(a_failed_install(), 300))
    assert slow.startswith("Slowest: preparing-for-installation of m")
    assert wrong == "It is failed: Too few hosts are left"
    assert others.startswith("There are other attempts: --attempt 0")


def test_where_all_is_well_little_is_said():
    assert list(closing(told(Tale().registered("m0"), 0))) == []


def test_times_are_said_as_people_say_them():
    assert [words(each) for each in (0, 0.25, 59, 61, 3_660, 90_000)] == [
        "0.0s", "0.2s", "59.0s", "1m 01s", "1h 01m", "25h 00m",
    ]  # fmt: skip

"""What the time of an installation was spent on, as history tells it."""

from datetime import timedelta
from itertools import pairwise

import pytest

from builders import NOW
from histories import Tale, after
from muster.domain.errors import NotFound
from muster.domain.spans import Result, Span, SpanKind
from muster.domain.timeline import AttemptKind, Timeline, timeline


def told(tale: Tale, at: float = 10_000, attempt: int | None = None, **names: str) -> Timeline:
    return timeline(tale.rows, now=after(at), attempt=attempt, names=names)


def span(it: Timeline, name: str, subject: str = "") -> Span:
    (found,) = [each for each in it.spans if (each.name, each.subject) == (name, subject)]
    return found


def seconds(it: Span) -> tuple[float, float | None]:
    return (it.start - NOW).total_seconds(), None if it.end is None else (it.end - NOW).total_seconds()


def path(it: Timeline) -> list[tuple[str, str, float]]:
    return [
        (it.spans[leg.span].name, it.spans[leg.span].subject, leg.lasts.total_seconds()) for leg in it.critical_path
    ]


def adds_up(it: Timeline, end: float) -> bool:
    legs = it.critical_path
    gapless = all(one.end == other.start for one, other in pairwise(legs))
    total = sum((leg.lasts for leg in legs), timedelta())
    return gapless and total == after(end) - it.attempt.start


def a_small_install() -> Tale:
    """Two masters: m0 is slow to prepare, m1 carries the bootstrap and waits for m0."""
    tale = Tale().registered("m0", "m1").install(10, "m0", "m1").host(10, "m1", bootstrap=True)
    tale.cluster(12, by="Prepared", preparation={"status": "success"})
    tale.host(15, "m1", "preparing-successful", by="Replied")
    tale.told_to_install(20, "m0", "m1")
    tale.stage(21, "m0", "Starting installation", "installing-in-progress")
    tale.stage(22, "m1", "Starting installation", "installing-in-progress")
    tale.stage(23, "m0", "Writing image to disk").stage(24, "m1", "Writing image to disk")
    tale.stage(60, "m1", "Waiting for control plane").stage(70, "m0", "Rebooting")
    tale.stage(90, "m0", "Joined").installed(95, "m0")
    tale.stage(96, "m1", "Waiting for bootkube").stage(110, "m1", "Rebooting").stage(120, "m1", "Joined")
    tale.installed(130, "m1").cluster(130, "finalizing", by="Progressed", status_info="coming up")
    tale.cluster(132, by="F", progress={"finalizing_stage": "Waiting for cluster operators"})
    tale.cluster(160, by="F", progress={"finalizing_stage": "Adding router ca"})
    tale.cluster(161, by="F", progress={"finalizing_stage": "Done"})
    return tale.cluster(
        165, "installed", by="KubeconfigPublished", kubeconfig_published=True, status_info="The cluster is installed"
    )


def test_an_installation_is_told_as_states_stages_and_work_each_with_its_beginning_and_its_end():
    it = told(a_small_install())
    assert (it.attempt.number, it.attempt.kind, it.attempt.result) == (1, AttemptKind.INSTALL, Result.DONE)
    assert it.attempt.because == "The cluster is installed"
    assert (it.attempt.actor, it.attempt.ended_by) == ("admin", "worker")
    assert seconds(it.spans[0]) == (10, 165)
    assert seconds(span(it, "preparing-for-installation")) == (10, 20)
    assert seconds(span(it, "Generating the files")) == (10, 12)
    assert span(it, "Generating the files").ended_by == "worker"
    assert seconds(span(it, "installing")) == (20, 130)
    assert seconds(span(it, "finalizing")) == (130, 165)
    assert seconds(span(it, "Waiting for cluster operators")) == (132, 160)
    assert seconds(span(it, "Publishing the kubeconfig")) == (160, 165)
    assert seconds(span(it, "Writing image to disk", "m0")) == (23, 70)
    assert seconds(span(it, "Joined", "m1")) == (120, 130)
    assert {each.result for each in it.spans} == {Result.DONE}


def test_every_span_belongs_to_the_attempt_or_to_its_host():
    it = told(a_small_install())
    assert [each.id for each in it.spans] == list(range(len(it.spans)))
    assert it.spans[0].parent is None
    for each in it.spans[1:]:
        parent = it.spans[each.parent]
        if each.kind is SpanKind.HOST or not each.subject:
            assert parent.kind is SpanKind.ATTEMPT
        else:
            assert (parent.kind, parent.subject) == (SpanKind.HOST, each.subject)
    assert seconds(span(it, "m0", "m0")) == (10, 95)


def test_the_critical_path_is_what_was_waited_for_and_adds_up_to_the_whole():
    it = told(a_small_install())
    assert path(it) == [
        ("preparing-for-installation", "m0", 10),
        ("installing", "m1", 2),
        ("Starting installation", "m1", 2),
        ("Writing image to disk", "m1", 36),
        ("Writing image to disk", "m0", 10),
        ("Rebooting", "m0", 20),
        ("Joined", "m0", 5),
        ("Waiting for control plane", "m1", 1),
        ("Waiting for bootkube", "m1", 14),
        ("Rebooting", "m1", 10),
        ("Joined", "m1", 10),
        ("finalizing", "", 2),
        ("Waiting for cluster operators", "", 28),
        ("Publishing the kubeconfig", "", 5),
    ]
    assert adds_up(it, 165)
    assert (it.slowest.name, it.slowest.subject) == ("Writing image to disk", "m1")
    assert {each.id for each in it.spans if each.critical} == {leg.span for leg in it.critical_path}


def test_a_host_that_waits_with_nobody_to_wait_for_waited_itself():
    tale = Tale().registered("w", role="worker").install(10, "w").told_to_install(20, "w")
    tale.stage(20, "w", "Waiting for control plane", "installing-in-progress").stage(50, "w", "Rebooting")
    it = told(tale, at=60)
    assert ("Waiting for control plane", "w", 30) in path(it)


def test_what_still_goes_on_has_no_end_and_counts_up_to_now():
    tale = Tale().registered("m0").install(10, "m0").told_to_install(20, "m0")
    tale.stage(21, "m0", "Starting installation", "installing-in-progress").stage(25, "m0", "Writing image to disk")
    it = told(tale, at=100)
    assert (it.attempt.end, it.attempt.result) == (None, Result.RUNNING)
    assert seconds(span(it, "Writing image to disk", "m0")) == (25, None)
    assert span(it, "m0", "m0").result is Result.RUNNING
    assert path(it)[-1] == ("Writing image to disk", "m0", 75)
    assert adds_up(it, 100)


def test_an_installation_that_has_just_begun_has_no_path_yet():
    it = told(Tale().registered("m0").install(10, "m0"), at=10)
    assert (it.critical_path, it.slowest) == ((), None)


def test_a_failed_host_is_what_the_path_leads_to():
    tale = Tale().registered("m0", "m1").install(10, "m0", "m1").told_to_install(20, "m0", "m1")
    for host in ("m0", "m1"):
        tale.stage(21, host, "Writing image to disk", "installing-in-progress")
    tale.host(80, "m1", "error", status_info="The disk is full")
    tale.host(80, "m0", "cancelled", by="Ticked", status_info="Another host failed")
    tale.cluster(80, "error", by="Progressed", status_info="Too few hosts are left")
    tale.host(90, "m1", by="HostLogsReported", logs_info="requested")
    it = told(tale)
    assert (it.attempt.result, it.attempt.because) == (Result.FAILED, "Too few hosts are left")
    failed = span(it, "Writing image to disk", "m1")
    assert (failed.result, failed.because) == (Result.FAILED, "The disk is full")
    assert span(it, "Writing image to disk", "m0").result is Result.CANCELLED
    assert span(it, "m1", "m1").result is Result.FAILED
    assert path(it)[-1] == ("Writing image to disk", "m1", 59)


def test_a_cancelled_installation_was_cancelled_and_did_not_fail():
    tale = Tale().registered("m0").install(10, "m0").told_to_install(20, "m0")
    tale.stage(21, "m0", "Writing image to disk", "installing-in-progress")
    tale.cluster(30, "cancelled", by="Cancel").host(30, "m0", "cancelled", by="Cancel")
    it = told(tale)
    assert it.attempt.result is Result.CANCELLED
    assert span(it, "Writing image to disk", "m0").result is Result.CANCELLED
    assert adds_up(it, 30)


def test_cancelling_while_it_is_prepared_is_no_failure_either():
    tale = (
        Tale().registered("m0").install(10, "m0").cluster(15, "ready", by="Cancel").host(15, "m0", "known", by="Cancel")
    )
    it = told(tale)
    assert it.attempt.result is Result.CANCELLED
    assert span(it, "preparing-for-installation", "m0").result is Result.CANCELLED
    assert span(it, "Generating the files").result is Result.CANCELLED


def test_files_that_cannot_be_generated_say_why():
    tale = Tale().registered("m0").install(10, "m0")
    tale.cluster(14, "ready", by="Prepared", preparation={"status": "failed", "reason": "no such release"})
    tale.host(14, "m0", "known", by="Prepared")
    it = told(tale)
    files = span(it, "Generating the files")
    assert (files.result, files.because) == (Result.FAILED, "no such release")
    assert it.attempt.result is Result.FAILED
    assert span(it, "preparing-for-installation", "m0").result is Result.STOPPED
    assert path(it) == [("Generating the files", "", 4)]


def test_what_the_making_of_files_was_at_and_waited_for_is_told():
    tale = Tale().registered("m0").install(10, "m0")
    tale.cluster(11, by="PreparationReported", preparation={"reason": "create manifests runs"})
    tale.cluster(13, by="PreparationReported", preparation={"reason": "The storage does not answer"})
    tale.cluster(18, "ready", by="Prepared", preparation={"status": "failed", "reason": "no such disk"})
    it = told(tale)
    assert seconds(span(it, "create manifests runs")) == (11, 13)
    assert span(it, "create manifests runs").because == "The storage does not answer"
    waiting = span(it, "The storage does not answer")
    assert (seconds(waiting), waiting.result, waiting.because) == ((13, 18), Result.FAILED, "no such disk")
    assert seconds(span(it, "Generating the files")) == (10, 18)
    assert path(it) == [("Generating the files", "", 8)]


def test_every_attempt_has_a_timeline_of_its_own():
    tale = Tale().registered("m0").install(10, "m0").told_to_install(20, "m0")
    tale.stage(21, "m0", "Writing image to disk", "installing-in-progress")
    tale.cluster(30, "insufficient", by="Reset", preparation={"status": "not_started"})
    tale.host(30, "m0", "resetting-pending-user-action", by="Reset")
    tale.host(40, "m0", "known", by="Registered", progress={"current_stage": None}).cluster(41, "ready")
    tale.install(50, "m0").told_to_install(55, "m0")
    first, last = told(tale, attempt=1), told(tale, at=60)
    assert [each.result for each in last.attempts] == [Result.DONE, Result.RESET, Result.RUNNING]
    assert [seconds(each.spans[0]) for each in (first, last)] == [(10, 30), (50, None)]
    assert span(first, "m0", "m0").result is Result.RESET
    assert not [each for each in last.spans if each.kind is SpanKind.STAGE]
    with pytest.raises(NotFound, match=r"no attempt 3; the last one is 2"):
        told(tale, attempt=3)


def test_what_was_before_the_first_attempt_is_told_too():
    it = told(a_small_install(), attempt=0)
    assert (it.attempt.kind, it.attempt.result) == (AttemptKind.DISCOVERY, Result.DONE)
    assert seconds(it.spans[0]) == (0, 10)
    assert path(it) == [("insufficient", "", 2), ("ready", "", 8)]
    assert seconds(span(it, "known", "m0")) == (1, 10)


def test_a_cluster_that_was_never_installed_is_still_being_discovered():
    it = told(Tale().registered("m0"), at=50)
    assert (it.attempt.number, it.attempt.result) == (0, Result.RUNNING)
    assert adds_up(it, 50)


def test_of_nothing_nothing_is_told():
    with pytest.raises(NotFound, match="nothing to tell"):
        told(Tale().image(1, name="image"))


def test_waiting_for_the_user_is_not_part_of_the_stage_in_which_it_happens():
    tale = Tale().registered("m0").install(10, "m0").told_to_install(20, "m0")
    tale.stage(20, "m0", "Rebooting", "installing-in-progress")
    tale.host(40, "m0", "installing-pending-user-action", by="Registered")
    tale.cluster(40, "installing-pending-user-action", by="Registered")
    tale.host(100, "m0", "installing-in-progress", by="Ticked").cluster(100, "installing")
    tale.installed(110, "m0").cluster(110, "finalizing")
    it = told(tale, at=110)
    assert seconds(span(it, "Rebooting", "m0")) == (20, 110)
    assert path(it)[1:] == [
        ("Rebooting", "m0", 20),
        ("installing-pending-user-action", "m0", 60),
        ("Rebooting", "m0", 10),
    ]
    assert it.slowest.name == "installing-pending-user-action"


def test_a_host_that_has_waited_for_the_user_before_its_stage_is_not_cut_twice():
    tale = Tale().registered("m0").install(10, "m0").told_to_install(20, "m0")
    tale.stage(20, "m0", "Rebooting", "installing-pending-user-action").stage(30, "m0", "Configuring")
    tale.host(40, "m0", "installing-in-progress", by="Ticked").stage(50, "m0", "Joined")
    it = told(tale, at=60)
    assert path(it)[1:] == [
        ("installing-pending-user-action", "m0", 20),
        ("Configuring", "m0", 10),
        ("Joined", "m0", 10),
    ]


def test_a_worker_that_is_not_waited_for_is_not_on_the_path():
    tale = a_small_install().host(20, "w", "installing-in-progress", role="worker", requested_hostname="w")
    tale.rows.sort(key=lambda row: row.at)
    tale.stage(170, "w", "Rebooting").installed(200, "w")
    it = told(tale)
    assert "w" not in {subject for _, subject, _ in path(it)}
    assert seconds(it.spans[0]) == (10, 165)
    assert seconds(span(it, "installing-in-progress", "w")) == (20, 200)


# Hosts that join later


def joins(tale: Tale, second: float, name: str) -> Tale:
    tale.host(second, name, "installing", by="InstallHost", kind="AddToExistingClusterHost", ignition_stored=False)
    tale.host(second + 2, name, by="HostIgnitionStored", ignition_stored=True)
    return tale.stage(second + 3, name, "Writing image to disk", "installing-in-progress")


def test_hosts_that_join_together_are_one_attempt_and_those_that_join_later_another():
    tale = Tale().cluster(0, "adding-hosts", by="ImportCluster", name="lab")
    joins(joins(tale, 100, "w0"), 110, "w1")
    tale.stage(150, "w0", "Done", "added-to-existing-cluster")
    tale.host(160, "w1", "error", status_info="It went up in smoke")
    joins(tale, 1000, "w2").stage(1040, "w2", "Done", "added-to-existing-cluster")
    last = told(tale)
    assert [(each.kind, each.result) for each in last.attempts[1:]] == [
        (AttemptKind.ADD_HOSTS, Result.FAILED),
        (AttemptKind.ADD_HOSTS, Result.DONE),
    ]
    assert path(last) == [
        ("Generating the configuration", "w2", 2),
        ("installing", "w2", 1),
        ("Writing image to disk", "w2", 37),
    ]
    first = told(tale, attempt=1)
    assert (first.attempt.because, seconds(first.spans[0])) == ("It went up in smoke", (100, 160))
    assert adds_up(first, 160)


# Names, logs and what does not matter


def test_hosts_are_called_what_they_are_called_now():
    tale = Tale().registered("m0").install(10, "m0", "m1")
    tale.host(11, "m1", by="Replied", inventory={"hostname": "by-itself", "disks": []})
    assert span(told(tale, m0="renamed"), "renamed", "m0")
    assert span(told(tale), "by-itself", "m1")


def test_a_host_whose_name_nobody_knows_is_called_by_its_id():
    assert span(told(Tale().registered().install(10, "m7")), "m7", "m7")


def test_logs_are_told_from_when_they_were_asked_for_until_they_came_or_were_given_up():
    tale = Tale().registered("m0").install(10, "m0")
    tale.cluster(11, by="L", logs_info="requested").cluster(12, by="L", logs_info="collecting")
    tale.cluster(13, by="L", logs_info="timeout")
    tale.host(11, "w", by="L", logs_info="requested").host(14, "w", by="L", logs_info="completed")
    it = told(tale)
    given_up = span(it, "Collecting logs")
    assert (seconds(given_up), given_up.result) == ((11, 13), Result.FAILED)
    assert (seconds(span(it, "w", "w")), span(it, "Collecting logs", "w").result) == ((11, 14), Result.DONE)
    assert ("Collecting logs", "", 2) not in path(it)


def test_a_time_of_which_no_state_is_known_counts_as_the_attempt():
    tale = Tale().cluster(0, "adding-hosts", by="ImportCluster")
    joins(tale, 100, "w0").host(150, "w0", "installing-pending-user-action", by="Registered")
    tale.host(150, "w1", "installing", by="InstallHost", kind="AddToExistingClusterHost", ignition_stored=True)
    tale.host(160, "w0", "error").host(170, "w1", "error")
    assert adds_up(told(tale), 170)

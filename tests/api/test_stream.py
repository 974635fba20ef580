"""The live stream: every change once, in order, from wherever a listener left off."""

import threading

import pytest
from calling import Caller
from listening import Listener, Message
from making import a_cluster, a_host, an_infra_env, made

from muster.api import muster as streams
from parts.service import RunningService

START = "0.0"
"""The place before the first change."""


@pytest.fixture
def own(tmp_path):
    """A service that nobody else talks to."""
    running = RunningService(tmp_path)
    running.start()
    yield running
    running.stop()


def rename(api: Caller, cluster_id: str, *tags: str) -> None:
    for tag in tags:
        assert api.v2(f"PATCH /clusters/{cluster_id}", {"tags": tag}).status == 201


def tags_in(messages: list[Message]) -> list[str]:
    return [each.data["patch"]["tags"] for each in messages if "tags" in each.data["patch"]]


def position(message: Message) -> tuple[int, int]:
    tx, _, row = message.id.partition(".")
    return int(tx), int(row)


def test_changes_come_in_the_order_in_which_they_were_made(service, api):
    with Listener(service.url) as listener:
        cluster_id = a_cluster(api)
        rename(api, cluster_id, "a", "b", "c")
        messages = listener.take(4)
    assert [each.event for each in messages] == ["cluster"] * 4
    assert [each.data["version"] for each in messages] == [1, 2, 3, 4]
    assert tags_in(messages) == ["a", "b", "c"]
    assert sorted(messages, key=position) == messages
    assert {each.data["scope"] for each in messages} == {f"cluster:{cluster_id}"}


def test_a_change_says_who_made_it_and_why(service, api):
    with Listener(service.url) as listener:
        a_cluster(api)
        told = listener.next().data
    assert (told["actor"], told["triggers"], told["kind"]) == ("admin", ["RegisterCluster"], "cluster")


def test_what_was_before_is_not_told_to_who_comes_now(service, api):
    cluster_id = a_cluster(api)
    with Listener(service.url, scope=f"cluster:{cluster_id}") as listener:
        rename(api, cluster_id, "new")
        assert tags_in([listener.next()]) == ["new"]


def test_a_listener_that_comes_back_hears_what_it_missed_and_nothing_twice(service, api):
    cluster_id = a_cluster(api)
    scope = f"cluster:{cluster_id}"
    with Listener(service.url, scope=scope) as listener:
        rename(api, cluster_id, "a", "b", "c")
        heard = listener.take(2)
    rename(api, cluster_id, "d")
    with Listener(service.url, scope=scope, after=heard[-1].id) as listener:
        rename(api, cluster_id, "e")
        heard += listener.take(3)
    with Listener(service.url, scope=scope, after=START) as listener:
        everything = listener.take(6)
    assert tags_in(heard) == ["a", "b", "c", "d", "e"]
    assert heard == everything[1:]


def test_more_is_missed_than_fits_one_reading(own, calling):
    api = calling(own)
    cluster_id = a_cluster(api)
    for number in range(600):
        rename(api, cluster_id, f"t{number}")
    with Listener(own.url, after=START) as listener:
        messages = listener.take(601)
    assert tags_in(messages) == [f"t{number}" for number in range(600)]


def test_a_listener_goes_on_where_it_was_after_the_service_was_restarted(own, calling):
    api = calling(own)
    cluster_id = a_cluster(api)
    with Listener(own.url, after=START) as listener:
        rename(api, cluster_id, "a")
        heard = listener.take(2)
        rename(api, cluster_id, "b")
        own.stop()
        api.close()
        own.start()
    api = calling(own)
    rename(api, cluster_id, "c")
    with Listener(own.url, after=heard[-1].id) as listener:
        heard += listener.take(2)
    assert tags_in(heard) == ["a", "b", "c"]


def test_a_listener_hears_of_its_scope_only(service, api):
    mine, other = a_cluster(api), a_cluster(api)
    with Listener(service.url, scope=f"cluster:{mine}") as listener:
        rename(api, other, "theirs")
        rename(api, mine, "mine")
        assert tags_in([listener.next()]) == ["mine"]


def test_the_scope_of_a_cluster_has_its_hosts(service, api):
    it = made(api)
    with Listener(service.url, scope=f"cluster:{it.cluster_id}", after=START) as listener:
        messages = listener.take(3)
    assert [each.event for each in messages] == ["cluster", "cluster", "host"]
    assert messages[-1].data["key"] == f"{it.infra_env_id}/{it.host_id}"


def test_a_discovery_image_and_a_host_without_a_cluster_have_scopes_of_their_own(service, api):
    infra_env_id = an_infra_env(api)
    host_id = a_host(api, infra_env_id)
    with Listener(service.url, scope=f"infra-env:{infra_env_id}", after=START) as listener:
        assert listener.next().event == "infra_env"
    with Listener(service.url, scope=f"host:{infra_env_id}/{host_id}", after=START) as listener:
        assert listener.next().event == "host"


def test_changes_made_at_the_same_time_are_all_heard_once(own, calling):
    callers = [calling(own) for _ in range(4)]
    with Listener(own.url) as listener:
        threads = [threading.Thread(target=lambda api=api: [a_cluster(api) for _ in range(10)]) for api in callers]
        for thread in threads:
            thread.start()
        messages = listener.take(40)
        for thread in threads:
            thread.join()
    assert len({each.data["key"] for each in messages}) == 40
    assert sorted(messages, key=position) == messages


def test_a_stream_with_nothing_to_say_says_that_it_lives(own, calling, monkeypatch):
    monkeypatch.setattr(streams, "QUIET", 0.05)
    monkeypatch.setattr(streams, "SOON", 0.01)
    cluster_id = a_cluster(calling(own))
    with Listener(own.url, scope=f"cluster:{cluster_id}") as listener:
        assert listener.comment() == ": still here"
        a_cluster(calling(own))
        assert listener.comment() == ": still here"
        rename(calling(own), cluster_id, "after")
        assert tags_in([listener.next()]) == ["after"]


def test_a_listener_that_has_gone_is_let_go(own, calling):
    listeners = own.service.bus._hearers
    before = len(listeners)
    with Listener(own.url):
        assert len(listeners) == before + 1
    api = calling(own)
    for _ in range(1000):
        if len(listeners) == before:
            return
        api.call("GET", "/health")
    raise AssertionError("somebody who is not there is still told")


def test_open_streams_do_not_keep_the_service_from_ending(tmp_path, calling):
    running = RunningService(tmp_path)
    running.start()
    with Listener(running.url) as listener:
        a_cluster(calling(running))
        listener.next()
        running.stop()
        assert listener.rest() == b""
        assert listener.ended

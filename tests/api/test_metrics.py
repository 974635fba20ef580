"""Figures as a Prometheus server scrapes them."""

import re
import threading

import pytest
from calling import V2, Caller
from making import a_cluster, a_ready_single_node, finalizing, installed, installing, made

from parts.service import RunningService

NOBODY = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"
CLUSTER = f"{V2}/clusters/{{cluster_id}}"
LINE = re.compile(r"(?P<name>\w+)(?:{(?P<labels>.*)})? (?P<figure>\S+)")
LABEL = re.compile(r'(\w+)="([^"]*)"')


def scraped(api: Caller) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Every sample by its name and labels."""
    reply = api.call("GET", "/metrics")
    assert reply.status == 200
    assert reply.headers["Content-Type"].startswith("text/plain; version=")
    lines = [line for line in reply.body.decode().splitlines() if not line.startswith("#")]
    samples = [LINE.fullmatch(line) for line in lines]
    return {(each["name"], tuple(LABEL.findall(each["labels"] or ""))): float(each["figure"]) for each in samples}


def figure(api: Caller, name: str, **labels: str) -> float:
    return scraped(api).get((name, tuple(labels.items())), 0)


@pytest.fixture
def own(tmp_path, calling):
    running = RunningService(tmp_path)
    running.start()
    yield calling(running)
    running.stop()


def test_an_installation_leaves_its_figures(own):
    it = installed(own, finalizing(own, installing(own, a_ready_single_node(own))))
    a_cluster(own)
    shown = {
        (name.removeprefix("service_assisted_installer_"), *dict(labels).values()): value
        for (name, labels), value in scraped(own).items()
    }
    assert shown["cluster_creations",] == 2
    assert shown["cluster_installation_started",] == 1
    assert shown["cluster_installation_seconds_count", "installed"] == 1
    assert shown["cluster_hosts", "bootstrap", "Done"] == 1
    assert shown["cluster_host_cores_count", "bootstrap", "Done"] == 1
    assert shown["host_installation_phase_seconds_count", "Writing image to disk", "Done"] == 1
    assert shown["cluster_host_disk_sync_duration_ms_count",] == 1
    assert own.v2(f"DELETE {it.cluster}").status == 204
    assert not any("on_cluster_deletion" in name for name, _ in scraped(own))


def test_a_cluster_that_is_given_up_leaves_what_was_wrong_with_it(own):
    it = made(own)
    assert own.v2(f"DELETE {it.cluster}").status == 204
    failing = {dict(labels).popitem() for name, labels in scraped(own) if "failed_status_on_cluster_deletion" in name}
    assert ("clusterValidationType", "sufficient-masters-count") in failing


def test_calls_are_measured_by_their_path_as_it_is_declared(api):
    labels = {"service": "assisted-installer", "handler": CLUSTER, "method": "GET", "code": "404"}
    names = ("http_request_duration_seconds_count", "http_response_size_bytes_count", "http_response_size_bytes_sum")
    before = [figure(api, name, **labels) for name in names]
    reply = api.v2(f"GET /clusters/{NOBODY}")
    after = [figure(api, name, **labels) for name in names]
    assert [new - old for new, old in zip(after, before, strict=True)] == [1, 1, len(reply.body)]
    api.v2("GET /nosuch")
    assert figure(api, names[0], **labels | {"handler": "unknown"})


def test_the_size_of_what_is_streamed_is_measured_too(api):
    labels = {"service": "assisted-installer", "handler": f"{V2}/clusters", "method": "GET", "code": "200"}
    before = figure(api, "http_response_size_bytes_sum", **labels)
    reply = api.v2("GET /clusters")
    assert figure(api, "http_response_size_bytes_sum", **labels) - before == len(reply.body)


def test_calls_under_way_are_counted_while_they_last(service, api, calling):
    it = made(api)
    begun, goes_on = threading.Event(), threading.Event()

    def body():
        yield b"--edge\r\n"
        begun.set()
        goes_on.wait(20)
        yield b"--edge--\r\n"

    def upload():
        caller.raw(
            "POST",
            f"{V2}{it.cluster}/logs?logs_type=controller",
            body(),
            {"Content-Type": "multipart/form-data; boundary=edge"},
        )

    caller = calling(service)
    labels = {"service": "assisted-installer", "handler": f"{CLUSTER}/logs", "method": "POST"}
    uploading = threading.Thread(target=upload)
    uploading.start()
    assert begun.wait(20)
    for _ in range(5000):
        if figure(api, "http_requests_inflight", **labels) == 1:
            break
    else:
        raise AssertionError("the call was not counted")
    goes_on.set()
    uploading.join(20)
    assert figure(api, "http_requests_inflight", **labels) == 0


def test_it_is_told_how_much_room_there_is(api, service):
    folder = str(service.settings.folder)
    assert figure(api, "assisted_installer_directory_usage_bytes", directory=folder) > 0
    assert figure(api, "assisted_installer_fs_free_bytes", directory=folder) > 0
    assert 0 < figure(api, "service_assisted_installer_filesystem_usage_percentage") < 100


def test_a_counter_is_called_what_dashboards_call_it(api):
    text = api.call("GET", "/metrics").body.decode()
    assert "# TYPE service_assisted_installer_cluster_creations counter\n" in text
    assert "\nservice_assisted_installer_cluster_creations " in text
    assert "service_assisted_installer_cluster_creations_total" not in text

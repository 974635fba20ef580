"""Manifests over the API: added, listed, changed, downloaded, taken back, and installed."""

import json
from base64 import b64decode, b64encode

import pytest
from calling import Caller, Reply
from making import Made, a_cluster, a_ready_single_node, installing
from refusing import is_malformed, is_refused

NOBODY = "6d4c3bb6-70a4-4d4c-a1f6-9ab3c9a3b3f1"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: one}\n"


def encoded(text: str) -> str:
    return b64encode(text.encode()).decode()


@pytest.fixture
def path(api) -> str:
    """The manifests of a new cluster."""
    return f"/clusters/{a_cluster(api)}/manifests"


def add(api: Caller, path: str, file_name: str = "mine.yaml", content: str = POD, **more: str) -> Reply:
    return api.v2(f"POST {path}", {"file_name": file_name, "content": encoded(content), **more})


def names(api: Caller, path: str, query: str = "") -> list[tuple[str, str, str]]:
    listed = api.v2(f"GET {path}{query}").json
    return [(each["folder"], each["file_name"], each["manifest_source"]) for each in listed]


def uses_manifests(api: Caller, path: str) -> bool:
    return "Custom manifest" in json.loads(api.v2(f"GET {path.removesuffix('/manifests')}").json["feature_usage"])


def test_a_manifest_comes_and_is_listed_and_goes(api, path):
    assert api.v2(f"GET {path}").json == []
    reply = add(api, path, folder="openshift")
    assert (reply.status, reply.json) == (
        201,
        {"file_name": "mine.yaml", "folder": "openshift", "manifest_source": "user"},
    )
    assert api.v2(f"GET {path}").json == [reply.json]
    gone = api.v2(f"DELETE {path}?folder=openshift&file_name=mine.yaml")
    assert (gone.status, gone.body) == (200, b"")
    assert api.v2(f"GET {path}").json == []


def test_a_manifest_is_put_into_the_folder_manifests_unless_said_otherwise(api, path):
    assert add(api, path).json["folder"] == "manifests"
    assert api.v2(f"GET {path}/files?file_name=mine.yaml").body.decode() == POD
    assert api.v2(f"DELETE {path}?file_name=mine.yaml").status == 200
    assert names(api, path) == []


def test_a_manifest_is_downloaded_as_it_was_given(api, path):
    content = "# mine\n" + POD + "---\nkind: Ä\n"
    add(api, path, content=content, folder="openshift")
    reply = api.v2(f"GET {path}/files?folder=openshift&file_name=mine.yaml")
    assert (reply.status, reply.body.decode()) == (200, content)
    assert reply.headers["Content-Type"] == "application/octet-stream"
    assert reply.headers["Content-Disposition"] == 'attachment; filename="mine.yaml"'
    absent = api.v2(f"GET {path}/files?folder=manifests&file_name=mine.yaml")
    assert absent.status == 404
    assert "'mine.yaml' in the folder manifests" in json.loads(absent.body)["reason"]


def test_a_manifest_of_the_same_name_takes_the_place_of_the_first(api, path):
    add(api, path)
    assert add(api, path, content="kind: Other").status == 201
    assert api.v2(f"GET {path}/files?file_name=mine.yaml").body == b"kind: Other"
    assert len(names(api, path)) == 1


def test_a_name_may_be_in_one_folder_only(api, path):
    add(api, path)
    assert is_refused(add(api, path, folder="openshift"), "folder manifests")
    assert len(names(api, path)) == 1


def test_manifests_of_the_service_are_listed_only_if_asked_for(api, service, path):
    add(api, path, "b.yaml")
    cluster_id = path.split("/")[2]
    service.within(service.service.blobs.put(f"{cluster_id}/manifests/openshift/50-ours.yaml", b"kind: Node"))
    theirs = ("manifests", "b.yaml", "user")
    assert names(api, path) == [theirs]
    for query in ("true", "1"):
        listed = names(api, path, f"?include_system_generated={query}")
        assert listed == [theirs, ("openshift", "50-ours.yaml", "system")]
    reply = api.v2(f"PATCH {path}", {"folder": "openshift", "file_name": "50-ours.yaml"})
    assert (reply.status, reply.json["manifest_source"]) == (200, "user")
    assert len(names(api, path)) == 2


def test_the_use_of_manifests_is_told_from_the_first_to_the_last(api, path):
    assert not uses_manifests(api, path)
    for name in ("a.yaml", "b.yaml"):
        add(api, path, name)
    assert uses_manifests(api, path)
    api.v2(f"DELETE {path}?file_name=a.yaml")
    assert uses_manifests(api, path)
    api.v2(f"DELETE {path}?file_name=b.yaml")
    assert not uses_manifests(api, path)


def test_a_manifest_that_was_never_there_can_be_taken_back(api, path):
    assert api.v2(f"DELETE {path}?file_name=absent.yaml").status == 200


# Changes


def change(api: Caller, path: str, **changes: str) -> Reply:
    return api.v2(f"PATCH {path}", {"folder": "manifests", "file_name": "mine.yaml", **changes})


def test_the_content_of_a_manifest_is_changed(api, path):
    add(api, path)
    reply = change(api, path, updated_content=encoded("kind: Other"))
    assert (reply.status, reply.json) == (
        200,
        {"file_name": "mine.yaml", "folder": "manifests", "manifest_source": "user"},
    )
    assert api.v2(f"GET {path}/files?file_name=mine.yaml").body == b"kind: Other"


def test_a_manifest_is_renamed_and_moved_with_what_is_in_it(api, path):
    add(api, path)
    assert change(api, path, updated_folder="openshift").status == 200
    assert names(api, path) == [("openshift", "mine.yaml", "user")]
    moved = api.v2(
        f"PATCH {path}",
        {
            "folder": "openshift",
            "file_name": "mine.yaml",
            "updated_folder": "manifests",
            "updated_file_name": "other.yml",
            "updated_content": None,
        },
    )
    assert moved.status == 200
    assert names(api, path) == [("manifests", "other.yml", "user")]
    assert api.v2(f"GET {path}/files?file_name=other.yml").body.decode() == POD
    assert uses_manifests(api, path)


def test_a_manifest_that_is_not_there_can_be_changed_only_with_a_content(api, path):
    assert is_refused(change(api, path, updated_file_name="other.yaml"), "'mine.yaml'", status=404)
    assert names(api, path) == []
    assert change(api, path, updated_content=encoded(POD)).status == 200
    assert names(api, path) == [("manifests", "mine.yaml", "user")]


def test_a_changed_manifest_is_held_to_the_same_rules(api, path):
    add(api, path)
    add(api, path, "other.yaml", folder="openshift")
    assert is_refused(change(api, path, updated_content="?"), "updated_content", "base64")
    assert is_refused(change(api, path, updated_content=encoded("- a")), "updated_content", "no object")
    assert is_refused(change(api, path, updated_file_name="mine.json"), "updated_file_name", "JSON")
    assert is_refused(change(api, path, updated_file_name="other.yaml"), "folder openshift")
    assert is_refused(change(api, path, updated_file_name=".yaml"), "first dot", status=422)
    assert is_malformed(change(api, path, updated_file_name=""), "updated_file_name")
    assert is_malformed(change(api, path, updated_folder="elsewhere"), "updated_folder")
    assert is_malformed(api.v2(f"PATCH {path}", {"file_name": "mine.yaml"}), "folder")
    assert api.v2(f"GET {path}/files?file_name=mine.yaml").body.decode() == POD


# What is refused


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ({"content": "??"}, ["content", "base64"]),
        ({"content": ""}, ["content", "empty"]),
        ({"content": encoded(" \n")}, ["content", "empty"]),
        ({"content": encoded("a: b: c")}, ["content", "line 1, column 5"]),
        ({"content": encoded("kind: Pod\n---\na: [")}, ["content", "YAML"]),
        ({"file_name": "mine.json"}, ["content", "JSON"]),
        ({"file_name": "mine.yaml.patch_x"}, ["content", "list of operations"]),
        ({"content": encoded("a: " + "x" * 1024 * 1024)}, ["content", "1048576"]),
        ({"content": encoded("a: " + "[" * 100_000)}, ["content", "levels deep"]),
    ],
)
def test_a_content_that_is_no_manifest_is_refused(api, path, written, words):
    body = {"file_name": "mine.yaml", "content": encoded(POD), **written}
    assert is_refused(api.v2(f"POST {path}", body), *words)
    assert names(api, path) == []
    assert not uses_manifests(api, path)


@pytest.mark.parametrize("file_name", [".yaml", ".mine.yaml", "my file.yaml", "my\tfile.yaml", "x" * 300 + ".yaml"])
def test_a_name_that_no_file_should_have_is_refused(api, path, file_name):
    assert is_refused(add(api, path, file_name), "file_name", status=422)
    assert is_refused(change(api, path, file_name=file_name, updated_content=encoded(POD)), "file_name", status=422)


@pytest.mark.parametrize("query", ["file_name=..%2F..%2Fmuster.db", "file_name=a/b.yaml", "file_name=.yaml"])
def test_a_query_cannot_lead_out_of_the_folder(api, path, query):
    assert is_refused(api.v2(f"DELETE {path}?{query}"), "file_name", status=422)
    reply = api.v2(f"GET {path}/files?{query}")
    assert (reply.status, json.loads(reply.body)["code"]) == (422, "422")


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ({"file_name": "mine.txt"}, "body.file_name"),
        ({"file_name": "a/mine.yaml"}, "body.file_name"),
        ({"folder": "elsewhere"}, "manifests, openshift"),
        ({"content": None}, "body.content: is required"),
        ({"file_name": None}, "body.file_name: is required"),
        ({"extra": 1}, "body.extra"),
    ],
)
def test_a_body_against_the_schema_is_malformed(api, path, written, word):
    assert is_malformed(api.v2(f"POST {path}", {"file_name": "mine.yaml", "content": encoded(POD), **written}), word)


def test_a_query_without_a_name_is_malformed(api, path):
    for call in (f"DELETE {path}", f"GET {path}/files"):
        assert is_malformed(api.v2(call), "file_name")
        assert is_malformed(api.v2(f"{call}?file_name=a.yaml&folder=elsewhere"), "folder")


def test_a_cluster_that_is_not_there_has_no_manifests(api):
    path = f"/clusters/{NOBODY}/manifests"
    for reply in (
        api.v2(f"GET {path}"),
        add(api, path),
        change(api, path),
        api.v2(f"DELETE {path}?file_name=a.yaml"),
        api.v2(f"GET {path}/files?file_name=a.yaml"),
    ):
        assert (reply.status, json.loads(reply.body)["kind"]) == (404, "Error")


# Installed


def bootstrap_files(api: Caller, it: Made) -> dict[str, bytes]:
    whole = json.loads(api.v2(f"GET {it.cluster}/downloads/files?file_name=bootstrap.ign").body)
    sources = {each["path"]: each["contents"]["source"] for each in whole["storage"]["files"]}
    return {path: b64decode(source.partition(",")[2]) for path, source in sources.items()}


def test_manifests_and_patches_reach_the_host_that_starts_the_cluster(api):
    it = a_ready_single_node(api)
    path = f"{it.cluster}/manifests"
    add(api, path, "99-mine.yaml", folder="openshift")
    patch = "- {op: add, path: /metadata/labels, value: {mine: 'yes'}}"
    add(api, path, "cluster-dns-02-config.yml.patch_mine", patch)
    add(api, path, "99-mine.yaml.patch", patch)
    installing(api, it)
    files = bootstrap_files(api, it)
    for name in ("openshift/99-mine.yaml", "manifests/cluster-dns-02-config.yml"):
        assert json.loads(files[f"/opt/openshift/{name}"])["metadata"]["labels"] == {"mine": "yes"}
    assert is_refused(change(api, path, updated_content=encoded(POD)), "installing")
    assert is_refused(api.v2(f"DELETE {path}?file_name=99-mine.yaml"), "installing")
    assert add(api, path, "too-late.yaml").status == 201


def test_a_patch_without_anything_to_change_stops_the_preparation_and_says_so(api):
    it = a_ready_single_node(api)
    add(api, f"{it.cluster}/manifests", "absent.yaml.patch", "- {op: remove, path: /spec}")
    assert api.v2(f"POST {it.cluster}/actions/install").status == 202
    for _ in range(5000):
        cluster = api.v2(f"GET {it.cluster}").json
        if cluster["last-installation-preparation"]["status"] == "failed":
            break
    assert "absent.yaml" in cluster["last-installation-preparation"]["reason"]


def test_manifests_outlive_a_reset(api):
    it = a_ready_single_node(api)
    path = f"{it.cluster}/manifests"
    add(api, path)
    installing(api, it)
    assert api.v2(f"POST {it.cluster}/actions/cancel").status == 202
    assert api.v2(f"POST {it.cluster}/actions/reset").status == 202
    assert names(api, path) == [("manifests", "mine.yaml", "user")]
    assert uses_manifests(api, path)

"""The system images of a service: over HTTP, on the command line, among the figures. All files are small and real."""

import json

import pytest
from calling import Caller
from guarding import Guards
from typer.testing import CliRunner

from muster.cli import app
from parts.image_server import live_image
from parts.service import RunningService

IMAGE = live_image()


@pytest.fixture(scope="module")
def keeping(tmp_path_factory):
    """A service that has one system image, misses another, and was never told of the rest."""
    folder = tmp_path_factory.mktemp("keeping")
    (folder / "live.iso").write_bytes(IMAGE)
    (folder / "images").mkdir()
    (folder / "images" / "rhcos-full-iso-1-x86_64.iso").write_bytes(IMAGE)
    entry = {"openshift_version": "4.18", "cpu_architecture": "x86_64", "version": "418.1"}
    images = [
        entry | {"url": str(folder / "live.iso")},
        entry | {"openshift_version": "4.17", "version": "417.1", "url": str(folder / "none.iso")},
    ]
    running = RunningService(folder, {"OS_IMAGES": json.dumps(images)})
    running.start()
    yield running
    running.stop()


@pytest.fixture
def api(keeping):
    caller = Caller(keeping.url)
    yield caller
    caller.close()


def looked_at(api: Caller) -> list[dict]:
    """The images as soon as those that were configured have been looked at."""
    for _ in range(1000):
        images = api.ours("GET /base-images").json["images"]
        if {each["state"] for each in images[:2]} == {"ready", "failed"}:
            return images
    raise AssertionError(images)


def test_every_system_image_is_told_with_how_it_stands(api, keeping):
    ready, failed, *others = looked_at(api)
    assert ready | {"source": ""} == {
        "openshift_version": "4.18",
        "cpu_architecture": "x86_64",
        "version": "418.1",
        "type": "full-iso",
        "source": "",
        "state": "ready",
        "reason": "",
        "fetched": len(IMAGE),
        "size": len(IMAGE),
        "rate": 0.0,
        "seconds_left": None,
        "retry_at": None,
    }
    assert failed["reason"].endswith("none.iso: No such file or directory")
    assert failed["retry_at"]
    assert {each["state"] for each in others} == {"absent"}
    assert ("4.18", "x86_64") not in {(each["openshift_version"], each["cpu_architecture"]) for each in others}
    assert all("OS_IMAGES" in each["reason"] for each in others)


def test_files_that_belong_to_no_image_are_told(api):
    assert api.ours("GET /base-images").json["unused_files"] == ["rhcos-full-iso-1-x86_64.iso"]


def test_a_service_is_ready_whatever_its_images_do(api):
    looked_at(api)
    assert api.call("GET", "/ready").status == 200


def test_the_figures_tell_how_the_images_stand(api):
    looked_at(api)
    said = api.call("GET", "/metrics").body.decode()
    which = 'version="4.18",architecture="x86_64",build="418.1",type="full-iso"'
    assert f'muster_base_image_state{{{which},state="ready"}} 1' in said
    assert f"muster_base_image_fetched_bytes{{{which}}} {len(IMAGE)}" in said
    assert f"muster_base_image_size_bytes{{{which}}} {len(IMAGE)}" in said


def test_the_command_line_shows_them_as_a_table(api, keeping):
    looked_at(api)
    ended = CliRunner().invoke(app, ["image", "list", "--url", keeping.url], catch_exceptions=False)
    assert ended.exit_code == 0
    line = next(each for each in ended.stdout.splitlines() if "418.1" in each)
    assert all(word in line for word in ("4.18", "x86_64", "ready", "1.0 MB", "live.iso"))
    assert "none.iso: No such file or directory; it is tried again at " in ended.stdout
    assert "Files that OS_IMAGES does not name: rhcos-full-iso-1-x86_64.iso. Delete them" in ended.stdout


def test_the_command_line_shows_them_to_programs(api, keeping):
    looked_at(api)
    ended = CliRunner().invoke(app, ["image", "list", "--url", keeping.url, "--json"], catch_exceptions=False)
    assert [each["version"] for each in json.loads(ended.stdout)["images"]][:2] == ["418.1", "417.1"]


def test_who_is_not_known_is_not_told_of_images(guarded, smith):
    guards = Guards(guarded.url, smith)
    assert guards.stranger().ours("GET /base-images").status == 401
    assert guards.user(role="read-only-admin").ours("GET /base-images").status == 200
    guards.close()

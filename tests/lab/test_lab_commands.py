"""`muster lab` as a person runs it."""

import asyncio
import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from muster.cli import app
from muster.client import Client
from muster.domain.errors import Broken, Invalid, Unavailable
from muster.lab.profiles import Room, profiles_of, read_profiles
from muster.lab.site import new_place

FAST = ["--speed", "2000"]


def run(*words: str):
    return CliRunner().invoke(app, ["lab", *words], catch_exceptions=False)


def test_the_demo_finds_explains_and_mends_a_fault_and_ends_with_a_kubeconfig(service, tmp_path):
    kubeconfig = tmp_path / "kubeconfig"
    ended = run("demo", "--url", service.url, *FAST, "--kubeconfig", str(kubeconfig))
    assert ended.exit_code == 0
    for words in (
        "The host's clock is 180 minutes ahead of this service's",
        "measured  180 minutes ahead",
        "required  at most 20 minutes behind and 60 minutes ahead",
        "fix       Set the clock",
        "Pressing install",
        "https://console-openshift-console.apps.demo.lab.local",
        str(kubeconfig),
    ):
        assert words in ended.output
    assert yaml.safe_load(kubeconfig.read_text())["kind"] == "Config"
    assert kubeconfig.stat().st_mode & 0o077 == 0


def test_a_demo_that_takes_too_long_says_what_it_waited_for(service):
    with pytest.raises(Broken, match=r"did not come about within 0\.5 seconds"):
        run("demo", "--url", service.url, "--speed", "1", "--deadline", "0.5")


def test_a_room_of_machines_is_brought_up_and_installed(service, tmp_path):
    profile = tmp_path / "machines.yaml"
    profile.write_text("default: {cores: 16}\nmaster-0: {timings: {write: 60}}\n")
    ended = run("up", "--url", service.url, *FAST, "--workers", "0", "--profile", str(profile), "--install")
    assert ended.exit_code == 0
    assert "The cluster is installed." in ended.output


def test_a_room_may_have_an_arbiter_two_families_of_addresses_and_settings_in_its_image(service):
    words = ("--masters", "2", "--arbiters", "1", "--workers", "0", "--dual-stack", "--static", "--install")
    ended = run("up", "--url", service.url, *FAST, *words)
    assert ended.exit_code == 0
    assert "arbiter-0: installed" in ended.output


def test_machines_can_be_started_for_a_cluster_that_is_there_already(service):
    async def described() -> str:
        async with Client(service.url) as client:
            return (await new_place(client, "there-already", Room(network="10.7.7.0/24", workers=0))).cluster_id

    cluster_id = asyncio.run(described())
    ended = run("up", "--url", service.url, *FAST, "--workers", "0", "--cluster", cluster_id, "--install")
    assert ended.exit_code == 0
    assert "cluster there-already: installed" in ended.output


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--fault", "worker-1"], "HOST:KIND"),
        (["--fault", "worker-1:tea-break"], "there are too-few-cores"),
        (["--fault", "worker-9:wrong-clock"], "worker-9"),
        (["--cluster", "nobody-has-this-name"], "nobody-has-this-name"),
        (["--workers", "3000"], "3003 machines are more than"),
    ],
)
def test_what_cannot_be_brought_up_is_said_in_a_sentence(service, words, reason):
    with pytest.raises(Exception, match=reason):
        run("up", "--url", service.url, *words)


@pytest.mark.parametrize(
    "text", ["worker-7: {cores: 1}", "worker-1: {colour: red}", "worker-1: {cores: many}", "- just a list", "{"]
)
def test_a_profile_that_makes_no_sense_is_refused(service, tmp_path: Path, text):
    profile = tmp_path / "machines.yaml"
    profile.write_text(text)
    with pytest.raises(Invalid, match="profile"):
        run("up", "--url", service.url, "--profile", str(profile))


def test_a_profile_may_be_written_as_json(tmp_path: Path):
    path = tmp_path / "machines.json"
    path.write_text(json.dumps({"default": {"memory_gib": 64}, "worker-1": {"cores": 2}}))
    machines = {profile.hostname: profile for profile in profiles_of(Room(), read_profiles(path))}
    assert machines["worker-1"].cores == 2
    assert {profile.memory_gib for profile in machines.values()} == {64}


def test_an_arbiter_without_two_masters_is_refused_before_anything_is_made():
    with pytest.raises(Invalid, match=r"beside 2 masters; there are 3"):
        CliRunner().invoke(app, ["lab", "up", "--arbiters", "1"], catch_exceptions=False)


def test_a_service_that_is_not_there_is_named():
    with pytest.raises(Unavailable, match=r"http://127\.0\.0\.1:1/.*: nobody can be reached there"):
        CliRunner().invoke(app, ["timeline", "lab", "--url", "http://127.0.0.1:1"], catch_exceptions=False)

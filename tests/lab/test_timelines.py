"""Whole installations looked back upon: what their time was spent on, and their recordings."""

import asyncio
import json
import signal
import subprocess
import sys
from datetime import datetime
from itertools import pairwise

import pytest
from typer.testing import CliRunner

from muster.cli import app
from muster.client import Client
from muster.domain.errors import Forbidden, Invalid, NotFound
from muster.wire.endpoints.clusters import CANCEL_INSTALLATION, GET_CLUSTER, INSTALL_CLUSTER, RESET_CLUSTER
from muster.wire.endpoints.ours import TIMELINE
from muster.wire.recorder import as_of, masked, read_recording
from parts.service import _knock, free_port
from watching import in_state, until

PATIENCE = 20.0


def run(*words: str):
    return CliRunner().invoke(app, list(words), catch_exceptions=False)


async def install(lab) -> None:
    await until(lab.client, lab.place.cluster_id, in_state("ready"))
    await lab.client.call(INSTALL_CLUSTER, cluster_id=lab.place.cluster_id)


async def timeline(lab, **query: str) -> dict:
    return await lab.client.call(TIMELINE, query=query, cluster_id=lab.place.cluster_id)


def check_path(told: dict) -> None:
    """The critical path goes from the start to the end without a gap."""
    legs, attempt = told["critical_path"], told["attempt"]
    assert (legs[0]["start"], legs[-1]["end"]) == (attempt["start"], attempt["end"])
    assert all(one["end"] == other["start"] for one, other in pairwise(legs))
    assert sum(leg["seconds"] for leg in legs) == pytest.approx(attempt["seconds"], abs=1e-5)


def check_spans(told: dict) -> None:
    """Every span lies within its parent, as far as the parent has an end."""
    for span in told["spans"][1:]:
        parent = told["spans"][span["parent"]]
        assert parent["start"] <= span["start"], span
        assert span["end"] is None or datetime.fromisoformat(span["end"]) >= datetime.fromisoformat(span["start"])


async def test_the_critical_path_of_an_installation_adds_up_to_the_whole(lab):
    async with lab(workers=1) as it:
        await install(it)
        cluster = await until(it.client, it.place.cluster_id, in_state("installed", "error"))
        told = await timeline(it)
    assert (told["attempt"]["number"], told["attempt"]["result"]) == (1, "done")
    assert datetime.fromisoformat(told["attempt"]["start"]).replace(microsecond=0) == datetime.fromisoformat(
        cluster["install_started_at"]
    ).replace(microsecond=0)
    check_path(told)
    check_spans(told)
    hosts = [each for each in told["spans"] if each["kind"] == "host"]
    assert {each["name"] for each in hosts} == {"master-0", "master-1", "master-2", "worker-0"}
    for host in hosts:
        stages = {each["name"] for each in told["spans"] if each["parent"] == host["id"] and each["kind"] == "stage"}
        assert {"Starting installation", "Writing image to disk", "Rebooting", "Configuring", "Joined"} <= stages
    names = [told["spans"][leg["span"]]["name"] for leg in told["critical_path"]]
    assert names.index("Writing image to disk") < names.index("Waiting for bootkube")
    assert names.index("Waiting for bootkube") < names.index("Waiting for cluster operators")


async def test_a_timeline_can_be_looked_at_while_the_installation_goes_on_and_after_each_attempt(lab):
    async with lab(workers=0) as it:
        await install(it)
        cluster_id = it.place.cluster_id
        await until(it.client, cluster_id, lambda seen: "Writing image to disk" in _stages(seen))
        told = await timeline(it)
        assert (told["attempt"]["result"], told["attempt"]["end"]) == ("running", None)
        assert sum(leg["seconds"] for leg in told["critical_path"]) == pytest.approx(
            told["attempt"]["seconds"], abs=1e-5
        )
        await it.client.call(CANCEL_INSTALLATION, cluster_id=cluster_id)
        check_path(await timeline(it))
        await it.client.call(RESET_CLUSTER, cluster_id=cluster_id)
        told = await timeline(it, attempt="1")
        assert told["attempt"]["result"] == "cancelled"
        assert {each["result"] for each in told["spans"] if each["kind"] == "host"} == {"cancelled"}
        check_path(await timeline(it, attempt="0"))


def _stages(cluster) -> set[str]:
    return {host["progress"].get("current_stage", "") for host in cluster["hosts"]}


async def test_what_is_recorded_can_be_looked_at_elsewhere_by_the_same_commands(lab, service, tmp_path):
    async with lab(workers=1) as it:
        await install(it)
        cluster_id = it.place.cluster_id
        cluster = await until(it.client, cluster_id, in_state("installed", "error"))
    file = tmp_path / "it.zip"
    told = await asyncio.to_thread(run, "record", cluster_id, "--to", str(file), "--url", service.url)
    assert (told.exit_code, told.output.strip()) == (0, str(file))
    check_recording(file)
    url, ended = await asyncio.to_thread(replaying, file)
    try:
        printed = await asyncio.to_thread(run, "timeline", "lab", "--url", url)
        assert "lab, attempt 1: install done" in printed.output
        assert "Critical path" in printed.output
        as_json = await asyncio.to_thread(run, "timeline", cluster_id, "--json", "--attempt", "0", "--url", url)
        assert json.loads(as_json.output)["attempt"]["kind"] == "discovery"
        async with Client(url) as elsewhere:
            seen = await elsewhere.call(GET_CLUSTER, cluster_id=cluster_id)
            assert (seen["status"], len(seen["hosts"])) == ("installed", len(cluster["hosts"]))
            with pytest.raises(Forbidden, match="this is a recording"):
                await elsewhere.call(RESET_CLUSTER, cluster_id=cluster_id)
    finally:
        assert await asyncio.to_thread(ended) == 0


def check_recording(file) -> None:
    """Whatever history makes of the records is what they are."""
    recording = read_recording(file)
    remade = as_of(recording, recording.head.taken_at)
    assert masked(remade.cluster) == masked(recording.cluster)
    assert {host.id: masked(host) for host in remade.hosts} == {host.id: masked(host) for host in recording.hosts}


def replaying(file):
    """`muster replay` as a process of its own: where it listens, and the way to end it."""
    port = free_port()
    words = ["replay", str(file), "--port", str(port)]
    process = subprocess.Popen(
        [sys.executable, "-c", "from muster.cli import main; main()", *words], stdout=subprocess.PIPE, text=True
    )
    first = process.stdout.readline()
    assert first.startswith("Cluster lab is installed at "), first
    _knock(port)

    def end() -> int:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        return process.returncode

    return f"http://127.0.0.1:{port}", end


def test_a_cluster_that_nobody_knows_has_no_timeline(service):
    with pytest.raises(NotFound, match="nobody-knows"):
        run("timeline", "nobody-knows", "--url", service.url)


def test_a_file_that_cannot_be_written_or_read_is_named(service, tmp_path):
    with pytest.raises(Invalid, match="cannot be opened as a recording"):
        run("replay", str(tmp_path / "none.zip"))
    with pytest.raises(Invalid, match="--at: 'noon' is no moment"):
        run("replay", str(tmp_path / "none.zip"), "--at", "noon")

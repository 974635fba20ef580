"""The life of an agent: against the real service, and against a scripted one for what that seldom says."""

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest
from aiohttp import web

from muster.adapters.machine.world import World
from muster.agent.loop import run
from muster.cli.serve import configure_logs
from muster.client import Client
from muster.lab.site import new_pull_secret
from muster.machine import Ended
from muster.wire.endpoints.clusters import GET_CLUSTER, REGISTER_CLUSTER
from muster.wire.endpoints.hosts import DELETE_HOST, LIST_HOSTS
from muster.wire.endpoints.infra_envs import REGISTER_INFRA_ENV
from parts.machines import a_running_machine
from parts.service import RunningService, free_port

PATIENCE = 20.0
FAST = 2000.0


class CountingClient(Client):
    """A client that counts what it is used for."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.calls: Counter[str] = Counter()

    async def call(self, endpoint, **what):
        body = what.get("body")
        kind = body.get("step_type") if isinstance(body, dict) else None
        answer = await super().call(endpoint, **what)
        self.calls[kind or endpoint.name] += 1
        return answer


@pytest.fixture
def service(tmp_path):
    configure_logs("error")
    running = RunningService(tmp_path)
    running.start()
    yield running
    running.stop()


@asynccontextmanager
async def an_agent(client, infra_env_id, speed=FAST, version=""):
    machine = a_running_machine(World(speed))
    task = asyncio.create_task(run(machine, client, infra_env_id, version))
    try:
        yield machine
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until(holds):
    """Wait for something to be so, looking often."""
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 - what is waited for happens in many places
            await asyncio.sleep(0.01)


async def a_pool(client) -> str:
    body = {"name": "pool", "pull_secret": new_pull_secret()}
    return (await client.call(REGISTER_INFRA_ENV, body=body))["id"]


def noted(machine, words) -> bool:
    return any(words in line for line in machine.noted)


async def test_an_agent_registers_its_machine_and_describes_it(service):
    async with CountingClient(service.url) as client:
        pool = await a_pool(client)
        async with an_agent(client, pool, version="lab/agent:1") as machine:
            await until(lambda: client.calls["inventory"])
            (host,) = await client.call(LIST_HOSTS, infra_env_id=pool)
            assert host["id"] == machine.identity()
            assert host["requested_hostname"] == machine.profile.hostname


async def test_a_reply_that_says_nothing_new_is_not_sent_again(service):
    async with CountingClient(service.url) as client, an_agent(client, await a_pool(client)):
        await until(lambda: client.calls["v2GetNextSteps"] > 15)
        assert client.calls["inventory"] == 1
        assert client.calls["ntp-synchronizer"] == 1


async def test_a_reply_that_says_something_new_is_sent(service):
    async with CountingClient(service.url) as client, an_agent(client, await a_pool(client)) as machine:
        await until(lambda: client.calls["inventory"])
        machine.alter("bigger", lambda profile: profile.but(cores=64))
        await until(lambda: client.calls["inventory"] == 2)


async def test_after_the_service_was_away_everything_is_said_again(service):
    async with CountingClient(service.url) as client:
        pool = await a_pool(client)
        async with an_agent(client, pool, speed=100.0) as machine:
            await until(lambda: client.calls["inventory"])
            await asyncio.to_thread(service.stop)
            await until(lambda: noted(machine, "no instructions"))
            await asyncio.to_thread(service.start)
            await until(lambda: client.calls["inventory"] == 2)
            assert client.calls["v2RegisterHost"] == 1


async def test_an_agent_registers_anew_when_the_service_was_away_for_too_long(service):
    async with CountingClient(service.url) as client, an_agent(client, await a_pool(client)) as machine:
        await until(lambda: client.calls["inventory"])
        await asyncio.to_thread(service.stop)
        await until(lambda: noted(machine, "registering again"))
        await asyncio.to_thread(service.start)
        await until(lambda: client.calls["v2RegisterHost"] == 2)


async def test_an_agent_that_starts_before_the_service_waits_for_it(service):
    async with CountingClient(service.url) as client:
        pool = await a_pool(client)
        await asyncio.to_thread(service.stop)
        async with an_agent(client, pool) as machine:
            await until(lambda: noted(machine, "cannot register now"))
            await asyncio.to_thread(service.start)
            await until(lambda: client.calls["inventory"])


async def test_a_host_that_was_deleted_does_not_come_back_by_itself(service):
    async with CountingClient(service.url) as client:
        pool = await a_pool(client)
        async with an_agent(client, pool) as machine:
            await until(lambda: client.calls["inventory"])
            await client.call(DELETE_HOST, infra_env_id=pool, host_id=machine.identity())
            await until(lambda: noted(machine, "no longer knows this host"))
            assert await client.call(LIST_HOSTS, infra_env_id=pool) == []


OLD_RELEASE = {
    "RELEASE_IMAGES": '[{"version": "4.14.8", "url": "lab.muster.local/release:4.14.8"}]',
    "OS_IMAGES": '[{"openshift_version": "4.14", "url": "http://lab.muster.local/4.14.iso", "version": "4.14.8"}]',
}
"""A release of the time when virtual addresses could be leased."""


@pytest.fixture
def older_service(tmp_path):
    running = RunningService(tmp_path, OLD_RELEASE)
    running.start()
    yield running
    running.stop()


async def test_the_virtual_addresses_of_a_cluster_are_leased_by_its_hosts(older_service):
    async with CountingClient(older_service.url) as client:
        body = {"name": "lab", "openshift_version": "4.14", "pull_secret": new_pull_secret()}
        cluster = await client.call(REGISTER_CLUSTER, body=body | {"vip_dhcp_allocation": True})
        body = {"name": "hosts", "pull_secret": new_pull_secret(), "cluster_id": cluster["id"]}
        infra_env = await client.call(REGISTER_INFRA_ENV, body=body)
        async with an_agent(client, infra_env["id"]):
            await until(lambda: client.calls["dhcp-lease-allocate"])
            found = await client.call(GET_CLUSTER, cluster_id=cluster["id"])
    vips = [vip["ip"] for field in ("api_vips", "ingress_vips") for vip in found[field]]
    assert vips == ["192.168.1.254", "192.168.1.253"]
    assert not any(field.endswith("_lease") for field in found)


async def test_a_machine_of_an_image_that_nobody_knows_gives_up_and_says_so(service):
    async with CountingClient(service.url) as client:
        await client.call(REGISTER_INFRA_ENV, body={"name": "another", "pull_secret": new_pull_secret()})
        async with an_agent(client, str(uuid4())) as machine:
            await until(lambda: noted(machine, "cannot register"))
            assert noted(machine, "until this machine is started again")


class ScriptedService:
    """Says what it is told to say, and remembers what it was told."""

    def __init__(self, *polls) -> None:
        self.polls = list(polls)
        self.registrations = 0
        self.replies: list[dict] = []
        self._app = web.Application()
        self._app.router.add_post("/api/assisted-install/v2/infra-envs/{ie}/hosts", self._register)
        self._app.router.add_get("/api/assisted-install/v2/infra-envs/{ie}/hosts/{h}/instructions", self._poll)
        self._app.router.add_post("/api/assisted-install/v2/infra-envs/{ie}/hosts/{h}/instructions", self._reply)

    async def _register(self, request):
        self.registrations += 1
        host_id = (await request.json())["host_id"]
        args = (
            f'{{"infra_env_id": "{request.match_info["ie"]}", "host_id": "{host_id}", "agent_version": "lab/agent:2"}}'
        )
        return web.json_response({"next_step_runner_command": {"args": [args]}}, status=201)

    async def _poll(self, request):
        assert request.headers["discovery_agent_version"] == "lab/agent:2"
        assert request.query["timestamp"].isdigit()
        nothing = {"instructions": None, "next_instruction_seconds": 60, "post_step_action": "continue"}
        return web.json_response(self.polls.pop(0) if self.polls else nothing)

    async def _reply(self, request):
        self.replies.append(await request.json())
        return web.Response(status=204)

    @asynccontextmanager
    async def up(self):
        port = free_port()
        runner = web.AppRunner(self._app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        async with Client(f"http://127.0.0.1:{port}") as client:
            yield client
        await runner.cleanup()


def a_poll(*steps, seconds=60, action="continue"):
    instructions = [{"step_type": kind, "step_id": f"{kind}-1", "args": list(args)} for kind, *args in steps]
    return {"instructions": instructions, "next_instruction_seconds": seconds, "post_step_action": action}


async def test_told_to_exit_an_agent_registers_anew():
    scripted = ScriptedService(a_poll(seconds=0, action="exit"))
    async with scripted.up() as client, an_agent(client, str(uuid4())):
        await until(lambda: scripted.registrations == 2)


async def test_a_reply_names_the_step_and_leaves_out_what_is_zero():
    scripted = ScriptedService(a_poll(("ntp-synchronizer", '{"ntp_source": ""}')))
    async with scripted.up() as client, an_agent(client, str(uuid4())):
        await until(lambda: scripted.replies)
        assert scripted.replies[0].keys() == {"step_type", "step_id", "output"}
        assert scripted.replies[0]["step_id"] == "ntp-synchronizer-1"


async def test_a_step_that_nobody_knows_is_answered_with_the_reason_every_time():
    scripted = ScriptedService(a_poll(("make-coffee",)), a_poll(("make-coffee",)))
    async with scripted.up() as client, an_agent(client, str(uuid4())):
        await until(lambda: len(scripted.replies) == 2)
        assert scripted.replies[0]["exit_code"] == -1
        assert "make-coffee" in scripted.replies[0]["error"]


UPGRADE = ("upgrade-agent", '{"agent_image": "lab/agent:3"}')


async def test_once_another_agent_is_there_it_takes_over_at_once():
    scripted = ScriptedService(a_poll(UPGRADE, seconds=10**9))
    async with scripted.up() as client, an_agent(client, str(uuid4())):
        await until(lambda: scripted.registrations == 2)
        assert [reply["step_type"] for reply in scripted.replies] == ["upgrade-agent"]


async def test_an_agent_that_cannot_be_replaced_goes_on():
    scripted = ScriptedService(a_poll(UPGRADE), a_poll(UPGRADE), a_poll())
    async with scripted.up() as client, an_agent(client, str(uuid4())) as machine:
        machine.alter("no registry", lambda profile: profile.but(pulls=False))
        await until(lambda: not scripted.polls and scripted.replies)
        assert scripted.registrations == 1
        assert '"failure"' in scripted.replies[0]["output"]


NTP = ("ntp-synchronizer", '{"ntp_source": ""}')
INSTALL = (
    '{"role": "master", "cluster_id": "c", "infra_env_id": "i", "host_id": "h", "boot_device": "/dev/vda", '
    '"control_plane_count": 3, "controller_image": "lab/c", "installer_image": "lab/i", "check_cvo": false}'
)


async def test_a_machine_that_lost_its_boot_media_does_nothing_but_say_so():
    scripted = ScriptedService(a_poll(NTP), a_poll(NTP))
    async with scripted.up() as client, an_agent(client, str(uuid4())) as machine:
        machine.alter("media", lambda profile: profile.but(media=False))
        await until(lambda: len(scripted.replies) == 2)
        assert {reply["exit_code"] for reply in scripted.replies} == {256}
        assert "output" not in scripted.replies[0]


async def test_a_step_that_fails_as_the_boot_media_goes_is_put_down_to_that():
    scripted = ScriptedService(a_poll(("install", INSTALL)))
    async with scripted.up() as client, an_agent(client, str(uuid4())) as machine:

        async def installer(_):
            machine.alter("media", lambda profile: profile.but(media=False))
            return Ended(code=1, error="cannot read what is to be written")

        machine.programs["installer"] = installer
        await until(lambda: scripted.replies)
        assert scripted.replies[0]["exit_code"] == 256
        assert scripted.replies[0]["error"] == "cannot read what is to be written"


async def test_what_went_wrong_in_between_is_said_to_be_right_again():
    broken, good = ("ntp-synchronizer", '{"ntp_source": "no name!"}'), NTP
    scripted = ScriptedService(a_poll(good), a_poll(broken), a_poll(good))
    async with scripted.up() as client, an_agent(client, str(uuid4())):
        await until(lambda: len(scripted.replies) == 3)
        assert [reply.get("exit_code", 0) for reply in scripted.replies] == [0, -1, 0]


async def test_a_long_step_is_not_begun_twice():
    request = ("container-image-availability", '{"images": ["lab/a"], "timeout": 960}')
    scripted = ScriptedService(a_poll(request, seconds=1), a_poll(request, seconds=1), a_poll())
    async with scripted.up() as client, an_agent(client, str(uuid4()), speed=20.0):
        await until(lambda: not scripted.polls and scripted.replies)
        assert [reply["step_type"] for reply in scripted.replies] == ["container-image-availability"]

"""`muster lab demo`: the whole of an installation in one sitting, with a fault that is found, explained and mended."""

import asyncio
import tempfile
from pathlib import Path

from muster.client import Client, of_user
from muster.domain.clusters import ClusterState
from muster.domain.errors import Broken
from muster.domain.hosts import HostState
from muster.domain.record import Record
from muster.lab.fleet import Fleet, up
from muster.lab.profiles import Room, profiles_of
from muster.lab.site import new_place
from muster.lab.steady import SteadyClient
from muster.wire.endpoints.clusters import DOWNLOAD_CREDENTIALS, GET_CREDENTIALS, INSTALL_CLUSTER

from .board import Board
from .sight import HostSight, Sight, Watch, watching

NAME = "demo"
SUFFERER, FAULT = "worker-1", "wrong-clock"
CHECK = "time-synced-between-host-and-service"
ENDED_BADLY = frozenset({ClusterState.ERROR, ClusterState.CANCELLED})


class Script(Record):
    """How the demo is to be run."""

    url: str
    speed: float
    deadline: float
    kubeconfig: str = ""
    """Where to leave the kubeconfig; a new file if nothing is said."""


async def play(script: Script, board: Board) -> Path:
    """Play the demo to its end; returns where the kubeconfig is. `Broken` says what did not come about."""
    async with SteadyClient(script.url, credentials=of_user()) as client:
        act = Act(client, board)
        try:
            async with asyncio.timeout(script.deadline):
                return await act.play(script)
        except TimeoutError as error:
            raise Broken(f"{act.waiting_for} did not come about within {script.deadline:g} seconds") from error


class Act:
    """The demo under way; it always knows what it waits for."""

    def __init__(self, client: Client, board: Board) -> None:
        self._client = client
        self._board = board
        self.waiting_for = "The first answer of the service"

    async def play(self, script: Script) -> Path:
        """From an empty service to a kubeconfig."""
        room = Room()
        place = await new_place(self._client, NAME, room)
        room = room.but(seed=place.infra_env_id)
        self._board.say(f"Created cluster {NAME} and the image to start its machines from.")
        async with (
            up(self._client, place, profiles_of(room), script.speed) as fleet,
            watching(self._client, place.cluster_id, self._board.show) as watch,
        ):
            fleet.strike(SUFFERER, FAULT)
            self._board.say(f"Starting {room.masters} masters and {room.workers} workers; one has a fault.")
            await self._find_fault(watch, room)
            self._mend(fleet)
            await self._install(watch, place.cluster_id)
            return await self._take_kubeconfig(place.cluster_id, script.kubeconfig)

    async def _find_fault(self, watch: Watch, room: Room) -> None:
        self.waiting_for = f"A report of {SUFFERER} that fails check {CHECK}, with every other host ready,"
        others = frozenset(room.names) - {SUFFERER}
        sight = await watch.until(lambda sight: _found(sight) and _known(sight) >= others)
        sufferer = sight.host(SUFFERER)
        assert sufferer is not None
        self._board.say("Every machine has reported in.")
        for problem in sufferer.problems:
            if problem.check == CHECK:
                self._board.explain(sufferer, problem)

    def _mend(self, fleet: Fleet) -> None:
        fleet.mend(SUFFERER, FAULT)
        self._board.say(f"Setting the clock of {SUFFERER} right.")

    async def _install(self, watch: Watch, cluster_id: str) -> None:
        self.waiting_for = "A cluster that is ready to be installed"
        await watch.until(lambda sight: sight.state == ClusterState.READY)
        self._board.say("The cluster is ready. Pressing install.")
        await self._client.call(INSTALL_CLUSTER, cluster_id=cluster_id)
        self.waiting_for = "The end of the installation"
        sight = await watch.until(lambda sight: sight.state in {ClusterState.INSTALLED, *ENDED_BADLY})
        if sight.state in ENDED_BADLY:
            raise Broken(f"The cluster is {sight.state}: {sight.because}")

    async def _take_kubeconfig(self, cluster_id: str, wanted: str) -> Path:
        self.waiting_for = "The kubeconfig"
        query = {"file_name": "kubeconfig"}
        content = await self._client.call(DOWNLOAD_CREDENTIALS, query=query, cluster_id=cluster_id)
        credentials = await self._client.call(GET_CREDENTIALS, cluster_id=cluster_id)
        path = await asyncio.to_thread(_keep, content, wanted)
        self._board.say("The cluster is installed: 100%.")
        self._board.say(f"Console:    {credentials['console_url']}")
        self._board.say(f"Kubeconfig: {path}")
        return path


def _found(sight: Sight) -> bool:
    host: HostSight | None = sight.host(SUFFERER)
    return host is not None and any(problem.check == CHECK for problem in host.problems)


def _known(sight: Sight) -> set[str]:
    return {host.name for host in sight.hosts if host.state == HostState.KNOWN}


def _keep(content: bytes, wanted: str) -> Path:
    """Write a file that only its owner may read."""
    if not wanted:
        with tempfile.NamedTemporaryFile(prefix=f"{NAME}-", suffix=".kubeconfig", delete=False) as file:
            file.write(content)
        return Path(file.name)
    path = Path(wanted)
    try:
        path.touch(mode=0o600)
        path.write_bytes(content)
    except OSError as error:
        raise Broken(f"--kubeconfig: {path} cannot be written: {error}") from error
    return path

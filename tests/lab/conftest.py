"""A service for the lab to talk to, and a lab that is up."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from muster.cli.serve import configure_logs
from muster.client import Client
from muster.domain.record import Record
from muster.lab.fleet import Fleet, Place, up
from muster.lab.profiles import Room, profiles_of
from muster.lab.site import new_place
from muster.lab.steady import SteadyClient
from parts.service import RunningService

SPEED = 2000.0

BringUp = Callable[..., AbstractAsyncContextManager["Lab"]]


class Lab(Record):
    """Machines that are up, and the service they talk to."""

    client: Client
    place: Place
    fleet: Fleet


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that soon gives up hosts which do not ask for instructions."""
    configure_logs("error")
    running = RunningService(tmp_path_factory.mktemp("service"), {"HOST_MAX_DISCONNECTION_TIME": "3s"})
    running.start()
    yield running
    running.stop()


@pytest.fixture
def lab(service: RunningService) -> BringUp:
    """Brings a lab up with a new cluster; faults are struck before the machines start."""

    @asynccontextmanager
    async def bring_up(*faults: tuple[str, str], masters: int = 3, workers: int = 2) -> AsyncIterator[Lab]:
        room = Room(masters=masters, workers=workers)
        async with SteadyClient(service.url) as client:
            place = await new_place(client, "lab", room)
            profiles = profiles_of(room.but(seed=place.infra_env_id))
            async with up(client, place, profiles, SPEED) as fleet:
                for name, fault in faults:
                    fleet.strike(name, fault)
                yield Lab(client=client, place=place, fleet=fleet)

    return bring_up

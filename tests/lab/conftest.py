"""A service for the lab to talk to, and a lab that is up."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial

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
    """A service as it usually is."""
    yield from _running(RunningService(tmp_path_factory.mktemp("service")))


@pytest.fixture(scope="session")
def impatient_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that soon gives up hosts which do not ask for instructions."""
    folder = tmp_path_factory.mktemp("impatient")
    yield from _running(RunningService(folder, {"HOST_MAX_DISCONNECTION_TIME": "3s"}))


def _running(service: RunningService) -> Iterator[RunningService]:
    configure_logs("error")
    service.start()
    yield service
    service.stop()


@pytest.fixture
def lab(service: RunningService) -> BringUp:
    """Brings a lab up with a new cluster; faults are struck before the machines start."""
    return partial(_bring_up, service.url)


@pytest.fixture
def impatient_lab(impatient_service: RunningService) -> BringUp:
    """The same, where silence is soon noticed."""
    return partial(_bring_up, impatient_service.url)


@asynccontextmanager
async def _bring_up(url: str, *faults: tuple[str, str], masters: int = 3, workers: int = 2) -> AsyncIterator[Lab]:
    room = Room(masters=masters, workers=workers)
    async with SteadyClient(url) as client:
        place = await new_place(client, "lab", room)
        profiles = profiles_of(room.but(seed=place.infra_env_id))
        async with up(client, place, profiles, SPEED) as fleet:
            for name, fault in faults:
                fleet.strike(name, fault)
            yield Lab(client=client, place=place, fleet=fleet)

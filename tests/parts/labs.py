"""A lab that is up: the machines of a room, talking to a service that runs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from muster.client import Client
from muster.domain.record import Record
from muster.lab.fleet import Fleet, Place, up
from muster.lab.profiles import Room, profiles_of
from muster.lab.site import new_place
from muster.lab.steady import SteadyClient

SPEED = 2000.0


class Lab(Record):
    """Machines that are up, and the service they talk to."""

    client: Client
    place: Place
    fleet: Fleet
    room: Room


@asynccontextmanager
async def bring_up(url: str, *faults: tuple[str, str], speed: float = SPEED, **room: Any) -> AsyncIterator[Lab]:
    """A lab with a new cluster, in a room as it usually is but for what is said; faults are there from the start."""
    wanted = Room(**room)
    async with SteadyClient(url) as client:
        place = await new_place(client, "lab", wanted)
        wanted = wanted.but(seed=place.infra_env_id)
        async with up(client, place, profiles_of(wanted), speed) as fleet:
            for name, fault in faults:
                fleet.strike(name, fault)
            yield Lab(client=client, place=place, fleet=fleet, room=wanted)

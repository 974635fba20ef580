"""`muster lab`: simulated machines that speak the real agent protocol, with faults on demand."""

import contextlib
from pathlib import Path
from typing import Annotated

import typer
import uvloop
from rich.console import Console

from muster.client import Client, of_user
from muster.domain.clusters import ClusterState
from muster.domain.errors import Broken, Invalid
from muster.domain.record import Record
from muster.domain.roles import WITH_ARBITER
from muster.lab.faults import FAULTS, parsed
from muster.lab.fleet import Fleet, Place
from muster.lab.fleet import up as fleet_up
from muster.lab.profiles import SECOND_NETWORK, Room, Said, network_for, profiles_of, read_profiles
from muster.lab.site import new_place, place_of, room_beside
from muster.lab.steady import SteadyClient
from muster.wire.endpoints.clusters import INSTALL_CLUSTER

from .board import Board
from .demo import Script, play
from .options import URL, Url
from .sight import Watch, watching

DEMO_SPEED = 200.0
DEMO_DEADLINE = 110.0

Speed = Annotated[float, typer.Option(min=1.0, help="How many times faster than real ones the machines are.")]


class Wish(Record):
    """What is to be brought up."""

    url: str
    cluster: str
    room: Room
    said: Said
    faults: tuple[tuple[str, str], ...]
    speed: float
    install: bool


def up(
    *,
    url: Url = URL,
    masters: Annotated[int, typer.Option(min=1, help="How many machines for the control plane.")] = 3,
    workers: Annotated[int, typer.Option(min=0, help="How many machines for workloads.")] = 2,
    arbiters: Annotated[int, typer.Option(min=0, max=1, help="A third vote beside two masters.")] = 0,
    dual_stack: Annotated[bool, typer.Option("--dual-stack", help="IPv6 addresses beside the others.")] = False,
    user_managed: Annotated[bool, typer.Option("--user-managed", help="The user balances the load.")] = False,
    static: Annotated[bool, typer.Option("--static", help="The image tells every machine its addresses.")] = False,
    profile: Annotated[Path | None, typer.Option(help="YAML or JSON: fields by machine name, or `default`.")] = None,
    fault: Annotated[
        list[str] | None, typer.Option(help=f"HOST:KIND[:DETAIL], may be repeated. Kinds: {', '.join(FAULTS)}.")
    ] = None,
    speed: Speed = 60.0,
    cluster: Annotated[str, typer.Option(help="Name or id of a cluster; a new one if left out.")] = "",
    install: Annotated[bool, typer.Option("--install", help="Press install when ready; end when installed.")] = False,
) -> None:
    """Start simulated machines and show how they fare, until interrupted or installed."""
    wish = Wish(
        url=url,
        cluster=cluster,
        room=Room(
            masters=masters,
            workers=workers,
            arbiters=arbiters,
            network=network_for(masters + workers + arbiters),
            second_network=SECOND_NETWORK if dual_stack else "",
            user_managed=user_managed,
            static=static,
        ),
        said=read_profiles(profile) if profile else {},
        faults=tuple(map(_fault, fault or ())),
        speed=speed,
        install=install,
    )
    board = Board(Console())
    with board.up(), contextlib.suppress(KeyboardInterrupt):
        uvloop.run(_bring_up(wish, board))


def demo(
    *,
    url: Url = URL,
    speed: Speed = DEMO_SPEED,
    deadline: Annotated[float, typer.Option(help="Seconds after which the demo counts as failed.")] = DEMO_DEADLINE,
    kubeconfig: Annotated[str, typer.Option(help="Where to leave the kubeconfig; a new file if left out.")] = "",
) -> None:
    """Install a cluster of simulated machines from nothing, with one fault that is explained and mended."""
    board = Board(Console())
    with board.up():
        uvloop.run(play(Script(url=url, speed=speed, deadline=deadline, kubeconfig=kubeconfig), board))


def _fault(text: str) -> tuple[str, str]:
    """A fault of a machine, as written on the command line."""
    host, colon, fault = text.partition(":")
    if not colon or not host:
        raise Invalid(f"--fault {text!r} is to be written as HOST:KIND, for example worker-1:wrong-clock")
    parsed(fault)
    return host, fault


def _check(wish: Wish) -> None:
    """Whatever can be wrong with a wish is said before anything is made."""
    if wish.room.arbiters and wish.room.masters != WITH_ARBITER:
        raise Invalid(f"--arbiters: an arbiter stands beside {WITH_ARBITER} masters; there are {wish.room.masters}")
    profiles_of(wish.room, wish.said)
    strangers = [host for host, _ in wish.faults if host not in wish.room.names]
    if strangers:
        raise Invalid(f"--fault: there is no machine {strangers[0]!r}; there are {', '.join(wish.room.names)}")


async def _bring_up(wish: Wish, board: Board) -> None:
    _check(wish)
    async with SteadyClient(wish.url, credentials=of_user()) as client:
        place, room = await _placed(client, wish)
        profiles = profiles_of(room.but(seed=place.infra_env_id), wish.said)
        async with (
            fleet_up(client, place, profiles, wish.speed) as fleet,
            watching(client, place.cluster_id, board.show) as watch,
        ):
            _strike(fleet, wish)
            board.say(f"{len(fleet.machines)} machines are being started for cluster {place.cluster_id}.")
            if wish.install:
                await _install(client, watch, place)
                board.say("The cluster is installed.")
            else:
                await watch.until(lambda _: False)


async def _placed(client: Client, wish: Wish) -> tuple[Place, Room]:
    if not wish.cluster:
        return await new_place(client, "lab", wish.room), wish.room
    place, cluster = await place_of(client, wish.cluster)
    return place, room_beside(cluster, wish.room)


def _strike(fleet: Fleet, wish: Wish) -> None:
    for host, fault in wish.faults:
        fleet.strike(host, fault)


async def _install(client: Client, watch: Watch, place: Place) -> None:
    await watch.until(lambda sight: sight.state == ClusterState.READY)
    await client.call(INSTALL_CLUSTER, cluster_id=place.cluster_id)
    ends = {ClusterState.INSTALLED, ClusterState.ERROR, ClusterState.CANCELLED}
    sight = await watch.until(lambda sight: sight.state in ends)
    if sight.state != ClusterState.INSTALLED:
        raise Broken(f"The cluster is {sight.state}: {sight.because}")

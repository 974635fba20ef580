"""Everything that can be wrong with a machine of the lab. One row each: what it does, and what mending it takes."""

from collections.abc import Callable

from muster.adapters.machine.profile import Profile
from muster.adapters.machine.simulated import SimulatedMachine
from muster.domain.errors import Invalid
from muster.domain.progress import Stage
from muster.domain.record import Record

HOURS = 3600.0
NEVER = 10_000 * HOURS
"""Longer than anyone waits."""


class Fault(Record):
    """One kind of fault: how it alters a machine, given a detail where it takes one."""

    meaning: str
    alters: Callable[[Profile, str], Profile]
    detail: str = ""
    """What has to be said besides the kind; "" if nothing."""
    restarts_if: Callable[[SimulatedMachine], bool] = lambda _: False
    """Whether whoever mends the fault has to start the machine again."""


def _small_disks(profile: Profile, _: str) -> Profile:
    return profile.but(disks=tuple(disk.but(gigabytes=20) for disk in profile.disks))


FAULTS: dict[str, Fault] = {
    "too-few-cores": Fault(
        meaning="The machine has one CPU core.",
        alters=lambda profile, _: profile.but(cores=1),
    ),
    "small-disk": Fault(
        meaning="No disk of the machine has more than 20 GB.",
        alters=_small_disks,
    ),
    "wrong-clock": Fault(
        meaning="The machine's clock is three hours ahead, and it reaches no time source.",
        alters=lambda profile, _: profile.but(clock_offset=3 * HOURS, keeps_time=False),
    ),
    "no-route": Fault(
        meaning="No packet finds its way between the machine and one other.",
        alters=lambda profile, peer: profile.but(unreachable=(*profile.unreachable, peer)),
        detail="the name of the other machine",
    ),
    "packet-loss": Fault(
        meaning="Of ten packets to or from the machine three are lost.",
        alters=lambda profile, _: profile.but(loss_percentage=30.0),
    ),
    "dns-failure": Fault(
        meaning="The machine can look up no name, so it fetches no image either.",
        alters=lambda profile, _: profile.but(resolves=False),
    ),
    "image-pull-failure": Fault(
        meaning="The machine cannot fetch container images.",
        alters=lambda profile, _: profile.but(pulls=False),
    ),
    "agent-crash": Fault(
        meaning="The agent on the machine has died and does not come back by itself.",
        alters=lambda profile, _: profile.but(agent_dead=True),
        restarts_if=lambda machine: machine.on,
    ),
    "boots-iso-again": Fault(
        meaning="After its installation the machine starts from the discovery image instead of its disk.",
        alters=lambda profile, _: profile.but(boots_image_again=True),
        restarts_if=lambda machine: machine.astray,
    ),
    "disk-write-failure": Fault(
        meaning="Writing to the machine's disk fails at 40 percent.",
        alters=lambda profile, _: profile.but(write_fails_at=40),
    ),
    "slow-writes": Fault(
        meaning="Writing to the machine's disk has all but stopped.",
        alters=lambda profile, _: profile.but(timings=profile.timings.but(write=NEVER)),
    ),
    "bootstrap-hangs": Fault(
        meaning="The temporary control plane does not come up on the machine.",
        alters=lambda profile, _: profile.but(timings=profile.timings.but(bootkube=NEVER)),
    ),
    "power-loss": Fault(
        meaning="The power fails when the machine has come to a stage of its installation.",
        alters=lambda profile, stage: profile.but(power_fails_at=f"stage {_stage(stage)}"),
        detail="the stage, for example writing-image-to-disk",
    ),
}


def _stage(text: str) -> Stage:
    """The stage a person means by `Writing image to disk` or `writing-image-to-disk`."""
    wanted = text.lower().replace("-", " ")
    found = next((stage for stage in Stage if stage.lower() == wanted), None)
    if found is None:
        names = ", ".join(stage.lower().replace(" ", "-") for stage in Stage)
        raise Invalid(f"power-loss: there is no stage {text!r}; there are {names}")
    return found


def strike(machine: SimulatedMachine, fault: str) -> None:
    """Let a fault happen to a machine now; it is written as its kind, or as kind:detail."""
    kind, detail = parsed(fault)
    alters = FAULTS[kind].alters
    machine.alter(fault, lambda profile: alters(profile, detail))


def mend(machine: SimulatedMachine, fault: str) -> None:
    """Put a fault right, and start the machine again where it takes that."""
    kind, _ = parsed(fault)
    restart = FAULTS[kind].restarts_if(machine)
    machine.restore(fault)
    if restart:
        machine.switch_off()


def parsed(fault: str) -> tuple[str, str]:
    """A fault as written, as its kind and its detail; `Invalid` says what can be written."""
    kind, _, detail = fault.partition(":")
    known = FAULTS.get(kind)
    if known is None:
        raise Invalid(f"There is no fault {kind!r}; there are {', '.join(FAULTS)}")
    if bool(detail) != bool(known.detail):
        wanted = f"{kind}:<{known.detail}>" if known.detail else kind
        raise Invalid(f"The fault {fault!r} is to be written as {wanted}")
    if kind == "power-loss":
        _stage(detail)
    return kind, detail
